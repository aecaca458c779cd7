"""Rooms before anybody acts: read from a folder of recordings, or drawn from statistics.

`layout` is the empty room; `pieces`, `kitchen` and `rooms` furnish it; `stocking` adds the loose
objects; `generated` and `recorded` are the two sources of scenes.
"""
