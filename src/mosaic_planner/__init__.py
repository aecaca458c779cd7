"""Mosaic: coordination and memory for teams of embodied agents driven by a language model."""
