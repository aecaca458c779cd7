"""The `mosaic` command: reads options, calls one function, prints. No logic lives here."""
