"""Why every other candidate lost, and which joint tasks stay undone.

Each loser is judged against the chosen joint action: put it in its agent's place, leave everybody
else as chosen, and see whether a row breaks (excluded: by which constraint and whose choice) or
the cost rises (costlier: by how much, by term).
"""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_planner.coordination.assignment import Loser, UnmetNeed
from mosaic_planner.coordination.collisions import NAME as COLLISION
from mosaic_planner.coordination.collisions import Following, meeting
from mosaic_planner.coordination.problem import COST_SCALE, Option, Problem, Row

BARS = ("eligibility", "validity")
"""Constraints that look at one option alone: what they forbid is ineligible, not excluded."""

__all__ = ["join_words", "losers", "unmet_needs"]

_WORDED = 3
"""How many terms a verdict words; `Loser.terms` has them all."""


def join_words(words: Sequence[str]) -> str:
    """a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def losers(
    problem: Problem,
    chosen: Sequence[int],
    active: Sequence[str],
    following: Following = "allowed",
) -> tuple[Loser, ...]:
    """One entry per option not chosen, in option order, then one per merged candidate."""
    judge = _Judge(problem, chosen, active, following)
    winner = set(chosen)
    found = [judge.verdict(o) for o in problem.options if o.index not in winner]
    for kept, merged in problem.merged:
        detail = f"the same action as the candidate ranked {kept.rank}"
        found.append(Loser(merged, "merged", detail))
    return tuple(found)


class _Judge:
    """The chosen joint action with the activity of every row."""

    def __init__(
        self, problem: Problem, chosen: Sequence[int], active: Sequence[str], following: Following
    ) -> None:
        self.problem = problem
        self.winner = {problem.options[o].agent: problem.options[o] for o in chosen}
        self.does = {a: str(o.candidate.action) for a, o in self.winner.items()}
        self.chosen = frozenset(chosen)
        self.active = frozenset(active)
        self.rewards = {s.task: s.reward for s in problem.switches}
        self.following: Following = following
        self.activity = [-row.size if row.task in self.active else 0 for row in problem.rows]
        for o in chosen:
            for number in problem.rows_of[o]:
                self.activity[number] += _coefficient(problem.rows[number], o)

    def verdict(self, option: Option) -> Loser:
        problem, index = self.problem, option.index
        mine = self.winner[option.agent]
        broken: Row | None = None
        switched: dict[str, int] = {}
        for number in problem.rows_of[index]:
            row = problem.rows[number]
            if row.constraint in BARS:
                return Loser(option.candidate, "ineligible", row.detail, "", row.constraint)
            if broken is None and self._breaks(number, row, index, mine.index, switched):
                broken = row
        if broken is None:
            for number in problem.rows_of[mine.index]:
                row = problem.rows[number]
                if row.lower is not None and self._breaks(number, row, index, mine.index, switched):
                    broken = row
                    break
        if broken is not None:
            return self._excluded(option, mine, broken)
        return self._costlier(option, mine, switched)

    def _breaks(self, number: int, row: Row, new: int, old: int, switched: dict[str, int]) -> bool:
        """Whether the row would break with `new` in the place of `old`.

        Where switching the row's joint task on or off saves it, `switched` takes down what that
        costs, in units.
        """
        if row.coefficients is None and row.upper == 1 and row.lower is None and not row.task:
            # An at-most-one row with `new` in it: it breaks if somebody else has the place.
            return self.activity[number] > (old in row.options)
        value = self.activity[number] + _coefficient(row, new) - _coefficient(row, old)
        if _within(row, value):
            return False
        on = row.task in self.active
        if row.task and _within(row, value + row.size if on else value - row.size):
            switched[row.task] = self.rewards[row.task] if on else -self.rewards[row.task]
            return False
        return True

    def _excluded(self, option: Option, mine: Option, row: Row) -> Loser:
        options = self.problem.options
        rivals = [options[o] for o in row.options if o in self.chosen and o != mine.index]
        rival = rivals[0] if rivals else None
        if row.constraint == COLLISION and rival is not None:
            clash = ""
            for rival in rivals:
                clash = meeting(
                    option.profile.path, rival.profile.path, rival.agent, self.following
                )
                if clash:
                    break
            detail = f"{clash or row.detail} ({rival.agent} does {self.does[rival.agent]})"
        elif row.task and row.task in self.active and option.index in row.options:
            staff = join_words([r.agent for r in rivals])
            detail = f"{row.task} needs exactly {row.size} and {staff} do it"
        elif row.task and row.task in self.active:
            partners = join_words([r.agent for r in rivals])
            detail = f"{row.task} needs {row.size} and would leave {partners} without {mine.agent}"
        elif row.task:
            detail = f"{row.task} needs {row.size} at once and the others chose otherwise"
        elif rival is not None:
            detail = f"{row.detail}, and {rival.agent} does {self.does[rival.agent]}"
        else:
            detail = row.detail
        by = rival.agent if rival is not None else ""
        return Loser(option.candidate, "excluded", detail, by, row.constraint)

    def _costlier(self, option: Option, mine: Option, switched: dict[str, int]) -> Loser:
        extra, terms = self._difference(option, mine)
        for task, units in switched.items():
            extra += units / COST_SCALE
            terms = (*terms, (f"joint task {task}", units / COST_SCALE))
        mine_does = self.does[option.agent]
        if self.problem.ordered:
            detail = f"later in ranking order than {mine_does}"
        elif extra > 0:
            why = ", ".join([f"{name} {value:+.2f}" for name, value in terms[:_WORDED]])
            detail = f"costs {extra:.2f} more than {mine_does} ({why})"
        elif extra == 0:
            detail = f"costs the same as {mine_does}, which comes first in ranking"
        else:
            detail = "not reached within the solver's limit"
        return Loser(option.candidate, "costlier", detail, "", "", extra, terms)

    def _difference(
        self, option: Option, mine: Option
    ) -> tuple[float, tuple[tuple[str, float], ...]]:
        problem = self.problem
        if not problem.terms:
            return 0.0, ()
        extra = (problem.units[option.index] - problem.units[mine.index]) / COST_SCALE
        left = dict(problem.terms[mine.index])
        differences = []
        for name, value in problem.terms[option.index]:
            value -= left.pop(name, 0.0)
            if not -1e-9 < value < 1e-9:
                differences.append((name, value))
        differences.extend([(name, -value) for name, value in left.items()])
        if len(differences) > 1:
            differences.sort(key=_size)
        return extra, tuple(differences)


def _size(difference: tuple[str, float]) -> float:
    return -abs(difference[1])


def _within(row: Row, value: int) -> bool:
    return (row.upper is None or value <= row.upper) and (row.lower is None or value >= row.lower)


def _coefficient(row: Row, option: int) -> int:
    if row.coefficients is None:
        return 1 if option in row.options else 0
    return sum(c for o, c in zip(row.options, row.coefficients, strict=True) if o == option)


def unmet_needs(
    problem: Problem, chosen: Sequence[int], active: Sequence[str]
) -> tuple[UnmetNeed, ...]:
    """Joint tasks that somebody proposed and that stay inactive, with who could and who not."""
    winner = {problem.options[o].agent: problem.options[o] for o in chosen}
    tasks: dict[str, list[Option]] = {}
    for option in problem.options:
        if option.profile.joint is not None:
            tasks.setdefault(option.profile.joint.task, []).append(option)
    found: list[UnmetNeed] = []
    for task, members in tasks.items():
        if task in active or any(winner.get(o.agent) is o for o in members):
            continue
        size = max(o.profile.joint.size for o in members if o.profile.joint is not None)
        able = [o.agent for o in members if o.profile.eligible]
        able = list(dict.fromkeys(able))
        lines = [f"needs {size}, eligible {len(able)}"]
        for agent in able:
            lines.append(f"{agent} chose {winner[agent].candidate.action}")
        for option in members:
            if option.agent not in able:
                lines.append(f"{option.agent} cannot: {option.profile.reason or 'not eligible'}")
        missing = [a for a in problem.agents if all(o.agent != a for o in members)]
        if len(able) < size and missing:
            lines.append(f"not proposed by {join_words(missing)}")
        found.append(UnmetNeed(task, size, len(able), "; ".join(lines)))
    return tuple(found)
