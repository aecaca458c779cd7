"""The stand-in player: our simulator in the place of the Unity player of `ai2thor` 5.0.0.

The unmodified client starts it like its own player (`local_executable_path`) and talks to it over
FIFOs or HTTP. `service` answers actions with payloads, `fifo` and `wsgi` carry them, `main` is the
console command. No code of the client is used or needed here.
"""
