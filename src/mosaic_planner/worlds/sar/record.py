"""The state in the format of the recorded episodes (format 1): static part and one step entry.

Positions are `[x, y]`, inventories and stores `[sand, water, person]`, one digit per flammable
cell for its intensity and one base-36 digit for its clock (which stops at 35, long after it has
ceased to matter). Replaying a recording and comparing field by field uses nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mosaic_planner.worlds.sar.fire import LEVELS
from mosaic_planner.worlds.sar.observe import Observer
from mosaic_planner.worlds.sar.scoring import Scorer
from mosaic_planner.worlds.sar.state import CAPACITY, NEAR_RADIUS, Act, SarState

__all__ = ["Recorder"]

_INTENSITY = bytes(ord("0") + min(s, 9) for s in range(256))
_CLOCK = bytes(b"0123456789abcdefghijklmnopqrstuvwxyz"[min(s, 35)] for s in range(256))
_LOCAL_WORDS = {"obstacle": "O", "empty": "E"}


class Recorder:
    """Writes down the state; remembers what was new in the current step."""

    def __init__(self, state: SarState, observer: Observer, scorer: Scorer) -> None:
        self._state = state
        self._observer = observer
        self._scorer = scorer
        self._always = [s.name for s in (*state.scene.reservoirs, *state.scene.deposits)]

    def static(self) -> dict[str, Any]:
        """What does not change during the episode."""
        state = self._state
        scene, grid = state.scene, state.grid
        radius = round(NEAR_RADIUS, 6)
        return {
            "grid": [grid.width, grid.height],
            "capacity": CAPACITY,
            "timeout": state.switches.step_budget,
            "agents": {a.name: list(a.at) for a in state.team},
            "reservoirs": {
                r.name: {"pos": list(r.at), "radius": radius, "type": r.type}
                for r in scene.reservoirs
            },
            "deposits": {d.name: {"pos": list(d.at), "radius": radius} for d in scene.deposits},
            "persons": {
                p.name: {
                    "pos": list(p.at),
                    "radius": round(state.persons[i].radius, 6),
                    "load": p.load,
                }
                for i, p in enumerate(scene.persons)
            },
            "fires": {
                f.name: {
                    "type": f.plan.spec.type,
                    "anchor": list(f.plan.anchor),
                    "radius": f.reach,
                    "cells": [list(grid.cells[c]) for c in f.cells],
                    "regions": {
                        name: list(cell)
                        for name, cell in zip(f.region_names, f.plan.regions, strict=True)
                    },
                }
                for f in state.fires
            },
            "subtasks": list(self._scorer.subtasks),
            "coverage": list(self._scorer.entries),
        }

    def entry(
        self, acts: Sequence[Act] | None, new_done: Sequence[str], new_covered: Sequence[str]
    ) -> dict[str, Any]:
        """One entry of `steps`, or `initial` if `acts` is None."""
        state = self._state
        return {
            "agents": [
                self._agent(i, acts[i] if acts is not None else None)
                for i in range(len(state.agents))
            ],
            "obs": self._shared(),
            "world": self._world(),
            "metrics": self._metrics(new_done, new_covered),
        }

    def _agent(self, agent: int, act: Act | None) -> dict[str, Any]:
        state = self._state
        sees = [state.agents[i] for i in self._observer.neighbours(agent)]
        sees += [p.name for p in state.persons if p.visible]
        held = list(state.inventory(agent))
        entry: dict[str, Any] = {
            "pos": list(state.grid.cells[state.positions[agent]]),
            "inv": held,
            "local": "|".join(
                [
                    _LOCAL_WORDS.get(value) or value.replace(" ", ":")
                    for value in self._observer.around(agent)
                ]
            ),
            "sees": sees,
        }
        if act is None:
            return entry
        entry["act"] = act.command.text
        entry["ok"] = act.success
        if act.promoted:
            entry["raw_ok"] = act.raw
        entry["err"] = act.error
        if list(act.before) != held:
            entry["inv_before"] = list(act.before)
        entry["failures"] = sorted(state.failures[agent])
        if act.moves:
            entry["moves"] = act.moves
            entry["moved"] = act.moved
        return entry

    def _shared(self) -> dict[str, Any]:
        fires = self._state.fires
        return {
            "regions": {
                name: LEVELS[level]
                for f in fires
                for name, level in zip(f.region_names, f.shown, strict=True)
                if level
            },
            "favg": {f.name: LEVELS[f.average] for f in fires},
            "always": list(self._always),
        }

    def _world(self) -> dict[str, Any]:
        state = self._state
        names = state.agents
        return {
            "fires": {f.name: f.levels.translate(_INTENSITY).decode() for f in state.fires},
            "clocks": {f.name: f.clocks.translate(_CLOCK).decode() for f in state.fires},
            "persons": {
                p.name: {
                    "pos": list(state.grid.cells[p.cell]),
                    "carriers": [names[c] for c in p.carriers],
                    "dropping": sorted([names[c] for c in p.dropping]),
                    "grabbed": p.grabbed,
                    "spotted": p.spotted,
                    "deposited": p.delivered,
                }
                for p in state.persons
            },
            "deposits": {
                d.name: list(store)
                for d, store in zip(state.scene.deposits, state.stores, strict=True)
            },
        }

    def _metrics(self, new_done: Sequence[str], new_covered: Sequence[str]) -> dict[str, Any]:
        scorer = self._scorer
        by_mention = self._state.switches.coverage_by_mention
        covered = scorer.mentioned if by_mention else scorer.covered
        return {
            "new_done": sorted(new_done),
            "new_cov": sorted(new_covered),
            "transport": _share(len(scorer.completed), len(scorer.subtasks)),
            "coverage": _share(len(covered), len(scorer.entries)),
            "finished": scorer.finished,
        }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 1.0
