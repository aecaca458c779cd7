"""Judging the true state: subtasks, coverage, success (section K).

In scenes with several deposits, or several reservoirs of one supply, those stand for each other:
the first of them names the subtask. Scenes 1 to 5 have one of each.
"""

from __future__ import annotations

import re

from mosaic_planner.core.world import Score
from mosaic_planner.worlds.sar.command import Command, Op
from mosaic_planner.worlds.sar.scene import SUPPLIES
from mosaic_planner.worlds.sar.state import Act, SarState

__all__ = ["Scorer"]

_REGION = re.compile(r"_Region_\d+")


class Scorer:
    """Keeps what was completed and covered; `take` is called right after each action (rule I3)."""

    def __init__(self, state: SarState) -> None:
        self._state = state
        scene = state.scene
        self._same: dict[str, str] = {}
        first_of: dict[str, str] = {}
        for reservoir in scene.reservoirs:
            first = first_of.setdefault(reservoir.type, reservoir.name)
            self._same[reservoir.name] = first
        deposit = scene.deposits[0].name if scene.deposits else ""
        for site in scene.deposits:
            self._same[site.name] = deposit
        subtasks: dict[str, None] = {}
        entries = {deposit: None} if deposit else {}
        for fire in scene.fires:
            reservoir_name = first_of[fire.type]
            for text in (
                f"NavigateTo({fire.name})",
                f"UseSupply({fire.name}, {SUPPLIES[fire.type]})",
                f"EndFire({fire.name})",
                f"GetSupply({reservoir_name})",
                f"NavigateTo({reservoir_name})",
            ):
                subtasks[text] = None
            entries[fire.name] = None
            entries[reservoir_name] = None
        for person in scene.persons:
            for text in (
                f"NavigateTo({person.name})",
                f"Carry({person.name})",
                f"DropOff({deposit}, {person.name})",
                f"NavigateTo({deposit})",
                f"Spot({person.name})",
            ):
                subtasks[text] = None
            entries[person.name] = None
        self.subtasks = tuple(sorted(subtasks))
        self.entries = tuple(sorted(entries))
        self._wanted = frozenset(self.subtasks)
        going = [s.removeprefix("NavigateTo(")[:-1] for s in subtasks if s.startswith("NavigateTo")]
        self.destinations = {name: name for name in sorted(going)} | {
            name: first for name, first in self._same.items() if first in going
        }
        """Every name that going to counts for a subtask, to the name in the subtask (K1, K10);
        a fact of the mission, not of how it goes."""
        aliases = {name: first for name, first in self._same.items() if first in entries}
        self._spellings = tuple({**{e: e for e in self.entries}, **aliases}.items())
        self._known: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.reset()

    def reset(self) -> None:
        """Forget everything; nothing is judged before the first action."""
        self.completed: dict[str, None] = {}
        self.mentioned: dict[str, None] = {}
        self.covered: dict[str, None] = {}
        self._open_fires = list(self._state.fires)
        self._open_persons = list(self._state.persons)

    def _read(self, command: Command) -> tuple[str, tuple[str, ...]]:
        """The subtask an action's text would complete ("" if none), and the entries it names."""
        text = command.text
        known = self._known.get(text)
        if known is None:
            plain = _REGION.sub("", text)
            for name, first in self._same.items():
                if name != first:
                    plain = plain.replace(name, first)
            named = tuple(dict.fromkeys(e for spelt, e in self._spellings if spelt in text))
            known = (plain if plain in self._wanted else "", named)
            if len(self._known) < 1000:
                self._known[text] = known
        return known

    def take(self, agent: int, act: Act) -> None:
        """Rules K2 to K4 after one action, by its unpromoted flag."""
        subtask, named = self._read(act.command)
        for entry in named:
            self.mentioned[entry] = None
        if act.raw and act.command.op is not Op.MESSAGE:
            for entry in named:
                self.covered[entry] = None
            if subtask:
                self.completed[subtask] = None
        if act.command.op is Op.USE:  # nothing else can end a fire
            for fire in [f for f in self._open_fires if not f.average]:
                self.completed[f"EndFire({fire.name})"] = None
                self._open_fires.remove(fire)
        for person in [p for p in self._open_persons if p.visible]:
            self.completed[f"Spot({person.name})"] = None
            self._open_persons.remove(person)

    @property
    def finished(self) -> bool:
        """All subtasks completed (rule K6)."""
        return len(self.completed) == len(self.subtasks)

    def score(self) -> Score:
        """The judgement now; names sorted."""
        return Score(
            success=self.finished,
            completed=tuple(sorted(self.completed)),
            total=len(self.subtasks),
            covered=tuple(sorted(self.covered)),
            mentioned=tuple(sorted(self.mentioned)),
            coverage_total=len(self.entries),
        )
