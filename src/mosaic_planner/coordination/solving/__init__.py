"""Exact solving: a problem is reduced, split into independent parts, and each part is solved.

Every solver here gets the same integers and the same canonical order, and every one returns the
one assignment that is best by cost, then by rank sum, then by option order agent by agent.
"""
