"""Households: a team of robots doing chores in AI2-THOR rooms, with or without AI2-THOR.

`catalogue` knows object types; `scenes` provides rooms (recorded or generated); `thor` is the
embedded simulator with AI2-THOR's own surface.
"""
