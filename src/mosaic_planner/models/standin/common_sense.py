"""The stand-in's common sense: what words of an instruction mean. The only such table.

Keyed by words, never by scene, task, seed or state. A hosted model brings the same knowledge from
its training: that sand smothers, that somebody lost has to be looked for, that heavy loads are
carried together.
"""

from __future__ import annotations

__all__ = [
    "CAUTION_UNITS",
    "KIND_WORDS",
    "LEVELS",
    "OUTGROWN_PER_ROBOT",
    "PATIENCE_STEPS",
    "SUPPLY_FOR",
]

# Word in a fire's description -> supply that puts it out, where the prompt's rules do not say so.
SUPPLY_FOR = {"chemical": "Sand", "non-chemical": "Water"}

# Words by which names in an instruction give away what they are, before anything is seen of them.
KIND_WORDS = {"Person": "person", "Fire": "fire", "Reservoir": "reservoir", "Deposit": "deposit"}

# How bad a word for a fire's intensity is.
LEVELS = {"None": 0, "Low": 1, "Medium": 2, "High": 3}

# Fires grow while one is on the way, so take one unit more than is needed now.
CAUTION_UNITS = 1

# Fires that need more uses per robot than four full loads have outgrown the team for now.
OUTGROWN_PER_ROBOT = 12

# A fire that still burns after that many steps will not be out soon: people do not wait for it.
PATIENCE_STEPS = 12
