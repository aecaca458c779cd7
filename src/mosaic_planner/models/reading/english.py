"""English around actions, of no world in particular."""

from __future__ import annotations

__all__ = ["BREAKS", "DONE_WORDS", "LEAD", "LINKS", "SMALL"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEAD = _words("""
    a action actions again agent all also am an and are as attempt attempts be begin begins
    best can candidate carefully choose chooses command continue continues could currently d
    decide decided decides directly finally first firstly following going has have he i
    immediately is it just keep keeps let ll m may me might must my need needs next now
    option our plan please quickly re robot second shall she should simply so start starts
    step still the then therefore they to tries try trying us ve want wants we will would
    you
""")
"""Words that may stand before an action and say nothing about it."""

SMALL = _words("""
    a active again agent all amount an and another any are area around at available back
    beside both burning by called cell cells chemical close closer closest currently
    direction directions directly empty facility for from full grid her here high his id
    immediately in inside intensity into is it its kind known lost low medium more name
    named near nearer nearest new next non now number of on one onto other over place point
    remaining robot same single site some source sources spot supplies supply team teammate
    that the their there this three to toward towards two type unit units unknown up using
    via way with
""")
"""Words that may stand between a verb and a name without naming anything."""

BREAKS = _words("""
    after because before but followed if instead once or otherwise rather since so then
    unless until when where which while whilst
""")
"""Words at which an action ends: what follows is another one, a reason or a condition."""

DONE_WORDS = _words("""
    all am are complete completed everything finished here i is mission my now objective
    objectives of our subtasks task tasks that the this we with work
""")
"""Words that may stand with a claim that the task is finished."""

LINKS = frozenset({"and", "to", "also", ",", "&", "+", "by", "plus"})
"""Words and marks that join two actions if a verb follows."""
