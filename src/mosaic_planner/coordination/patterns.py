"""Table 7's inefficiency patterns as numbers: how far would this candidate extend each of them?

The paper defines the patterns over the history and the cost over candidates, and leaves open how
the two meet (notes 2.5). Here a pattern counts against a candidate only if choosing it would
extend the pattern, and one event never counts twice:

* cyclic, l * n_rep: the candidate completes or prolongs the repetition of a sequence of l >= 2
  different steps; n_rep counts complete repetitions after the first occurrence, the candidate
  included. Doing one thing again and again (l = 1) is either work, or failure, or stagnation.
* failure, n_fail: the candidate is the very action whose last n_fail attempts failed in a row.
* oscillation, n_osc: the candidate ends where the agent was before it came here; n_osc counts
  such immediate returns in a row, the candidate included.
* backtracking, n_back: the candidate ends on a place left earlier (but not an immediate return);
  n_back counts the earlier stays there within the window.
* stagnation, n_idle: the candidate is idle and the last n_idle steps were idle or without
  progress. It counts against idling, never against acting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mosaic_planner.core.action import Action
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import Attempt

__all__ = ["Recent", "backtracks", "cycle", "cycles", "failures", "oscillations"]

LONGEST_CYCLE = 8
"""Longest sequence looked for, in steps; the paper gives none."""
PLACES_WINDOW = 10
"""How many places back a return still counts; the paper gives none."""


def cycle(actions: Sequence[object], candidate: object, longest: int = LONGEST_CYCLE) -> int:
    """l * n_rep of Table 7 for the history of `actions` (oldest first) plus `candidate`, >= 0.

    Anything hashable stands for an action.
    """
    return cycles(actions, longest).get(candidate, 0)


def cycles(actions: Sequence[object], longest: int = LONGEST_CYCLE) -> dict[object, int]:
    """`cycle` for every candidate for which it is not 0.

    For each length only one candidate can prolong a sequence: what was done so long ago. Twice the
    length must have been done already, but for that candidate.
    """
    known = len(actions)
    found: dict[object, int] = {}
    latest = actions[-1] if actions else None
    for length in range(2, min(longest, (known + 1) // 2) + 1):
        if actions[-1 - length] != latest:
            continue
        run = length + 2
        while run <= known and actions[known - run] == actions[known - run + length]:
            run += 1
        repeats = run // length - 1
        if repeats < 1:
            continue
        candidate = actions[known - length]
        if all(a == candidate for a in actions[known - length + 1 :]):
            continue  # one action over and over: not a sequence
        found[candidate] = max(found.get(candidate, 0), length * repeats)
    return found


def failures(attempts: Sequence[Attempt], candidate: Action) -> int:
    """n_fail: how often in a row, up to now, exactly this action was tried and failed."""
    count = 0
    for attempt in reversed(attempts):
        if attempt.success or attempt.action != candidate:
            break
        count += 1
    return count


def oscillations(places: Sequence[Cell], end: Cell | None) -> int:
    """n_osc for ending on `end`; `places` has no place twice in a row, the last is the present."""
    if end is None or len(places) < 2 or places[-1] == end:
        return 0
    sequence = [*places, end]
    count = 0
    while count + 3 <= len(sequence) and sequence[-1 - count] == sequence[-3 - count]:
        count += 1
    return count


def backtracks(places: Sequence[Cell], end: Cell | None, window: int = PLACES_WINDOW) -> int:
    """n_back for ending on `end`, looking back over `window` places before the present one."""
    if end is None or len(places) < 2 or end in (places[-1], places[-2]):
        return 0
    return tuple(places[-1 - window : -1]).count(end)


@dataclass(frozen=True, slots=True)
class Recent:
    """What the patterns need to know of one agent's past, worked out once per step.

    `attempts`, `actions` and `places` are oldest first; `places` has no place twice in a row.
    `actions` are numbers, and `number` says which verb with which arguments has which. `failed`
    are the numbers of those that failed, once for each failure. `stagnant` counts the last steps in
    a row that were idle, failed or without progress.
    """

    attempts: tuple[Attempt, ...]
    actions: tuple[int, ...]
    number: Mapping[tuple[str, tuple[str, ...]], int]
    places: tuple[Cell, ...]
    failed: tuple[int, ...]
    stagnant: int

    @classmethod
    def of(cls, attempts: tuple[Attempt, ...], *, since_work: bool = False) -> Recent:
        """Sum up the whole past or, with `since_work`, what came after the last real work.

        Work is a successful step that changed something without the agent changing place: after
        it, going back or doing the same again is no longer a sign of running in circles.
        """
        stagnant, working = 0, False
        for index in range(len(attempts) - 1, -1, -1):
            a = attempts[index]
            if not (a.success and a.progress) or a.idle:
                if not working:
                    stagnant += 1
                continue
            working = True
            if not since_work:
                break
            if a.start == a.end:
                attempts = attempts[index + 1 :]
                break
        places: list[Cell] = []
        last: Cell | None = None
        number: dict[tuple[str, tuple[str, ...]], int] = {}
        actions: list[int] = []
        failed: list[int] = []
        for attempt in attempts:
            start, end = attempt.start, attempt.end
            if start is not None and start != last:
                places.append(start)
                last = start
            if end is not None and end != last:
                places.append(end)
                last = end
            action = attempt.action
            code = number.setdefault((action.verb, action.args), len(number))
            actions.append(code)
            if not attempt.success:
                failed.append(code)
        return cls(attempts, tuple(actions), number, tuple(places), tuple(failed), stagnant)

    def code(self, action: Action) -> int:
        """The number of an action, -1 if it was not tried."""
        return self.number.get((action.verb, action.args), -1)
