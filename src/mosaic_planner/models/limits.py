"""Limits on calls, tokens, money and time, enforced before a request goes out.

One `Budget` belongs to an episode, another is shared by a whole sweep: a `Budget` inside one
process, a `FileBudget` for all processes of one machine. What a request may cost at most is
reserved before it is sent and replaced by what it did cost afterwards, so that concurrent requests
cannot overspend together.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mosaic_planner.core.errors import ConfigError
from mosaic_planner.models.shared_state import SharedState

__all__ = ["Budget", "FileBudget", "LimitHit", "Limits", "SharedBudget", "Spending"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds; None is unlimited. `time_s` is the clock's model, world and solver time."""

    calls: int | None = None
    tokens: int | None = None
    money_usd: float | None = None
    time_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "money_usd", "time_s"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ConfigError(f"limit {name} must be a number of at least 0, not {value!r}")


@dataclass(frozen=True, slots=True)
class LimitHit:
    """Which limit stops a request: what it would need beyond what is used, and the bound."""

    kind: str
    used: float
    needed: float
    limit: float
    scope: str

    def __str__(self) -> str:
        need = f" and {self.needed:g} more could be needed" if self.needed else ""
        return f"{self.scope} limit on {self.kind}: {self.used:g} of {self.limit:g} used{need}"


@dataclass(slots=True)
class Spending:
    """What was spent, or is reserved; `money_usd` None if a price is unknown."""

    calls: int = 0
    tokens: int = 0
    money_usd: float | None = 0.0
    time_s: float = 0.0


@dataclass(slots=True)
class Budget:
    """Spent and reserved amounts under limits; `scope` names it in messages."""

    limits: Limits = field(default_factory=Limits)
    scope: str = "episode"
    spent: Spending = field(default_factory=Spending)
    reserved: Spending = field(default_factory=Spending)

    def refusal(self, most: Spending, now_s: float | None = None) -> LimitHit | None:
        """The limit that a request costing at most `most` might break, or None.

        `now_s`: the clock, for the time limit of an episode; without it the time spent on calls
        counts (a sweep has no clock). Raises ConfigError if money is limited and the price of the
        model is unknown: a limit that cannot be kept is not silently dropped.
        """
        limits, scope = self.limits, self.scope
        if limits.calls is not None:
            used = self.spent.calls + self.reserved.calls
            if used + most.calls > limits.calls:
                return LimitHit("calls", used, 0, limits.calls, scope)
        if limits.tokens is not None:
            used = self.spent.tokens + self.reserved.tokens
            if used + most.tokens > limits.tokens:
                return LimitHit("tokens", used, most.tokens, limits.tokens, scope)
        if limits.money_usd is not None:
            if most.money_usd is None:
                raise ConfigError("a limit on money needs a model with a known price")
            paid = (self.spent.money_usd or 0.0) + (self.reserved.money_usd or 0.0)
            if paid + most.money_usd > limits.money_usd:
                return LimitHit("money_usd", paid, most.money_usd, limits.money_usd, scope)
        if limits.time_s is not None:
            now = self.spent.time_s if now_s is None else now_s
            if now >= limits.time_s:
                return LimitHit("time_s", now, 0, limits.time_s, scope)
        return None

    def claim(self, most: Spending, now_s: float | None = None) -> LimitHit | None:
        """Reserve an amount, or say which limit forbids it (see `refusal`)."""
        hit = self.refusal(most, now_s)
        if hit is None:
            self.reserve(most)
        return hit

    def reserve(self, most: Spending) -> None:
        """Set an amount aside; call `settle` with the same amount later."""
        _add(self.reserved, most, 1)

    def settle(self, most: Spending, real: Spending) -> None:
        """Replace a reserved amount by what was really spent."""
        _add(self.reserved, most, -1)
        _add(self.spent, real, 1)

    def at_least(self, spent: Spending) -> None:
        """Count what was spent before, as far as it is not counted yet."""
        mine = self.spent
        mine.calls = max(mine.calls, spent.calls)
        mine.tokens = max(mine.tokens, spent.tokens)
        mine.money_usd = max(mine.money_usd or 0.0, spent.money_usd or 0.0)
        mine.time_s = max(mine.time_s, spent.time_s)


class SharedBudget(Protocol):
    """What an episode needs of a budget that others spend from as well."""

    @property
    def limits(self) -> Limits:
        """The bounds; fixed."""
        ...

    def claim(self, most: Spending) -> LimitHit | None:
        """Reserve an amount, or say which limit forbids it, in one indivisible step."""
        ...

    def settle(self, most: Spending, real: Spending) -> None:
        """Replace a reserved amount by what was really spent."""
        ...


class FileBudget:
    """A budget in a file, for every process that opens the same one with the same limits.

    A process that dies leaves the amount of its last request reserved: it may have been spent.
    """

    def __init__(self, path: Path, limits: Limits, scope: str = "sweep") -> None:
        self.limits = limits
        self._scope = scope
        self._state = SharedState(path)

    def claim(self, most: Spending) -> LimitHit | None:
        """See `SharedBudget.claim`."""
        with self._state.change("budget") as kept:
            budget = self._budget(kept)
            hit = budget.claim(most)
            kept.update(_fields(budget))
            return hit

    def settle(self, most: Spending, real: Spending) -> None:
        """See `SharedBudget.settle`."""
        with self._state.change("budget") as kept:
            budget = self._budget(kept)
            budget.settle(most, real)
            kept.update(_fields(budget))

    def begin(self, spent: Spending) -> None:
        """Count `spent` at least; nothing is under way yet, so nothing is reserved."""
        with self._state.change("budget") as kept:
            budget = self._budget(kept)
            budget.at_least(spent)
            budget.reserved = Spending()
            kept.update(_fields(budget))

    @property
    def spent(self) -> Spending:
        """What all have spent so far."""
        with self._state.change("budget") as kept:
            return self._budget(kept).spent

    def _budget(self, kept: dict[str, Any]) -> Budget:
        spent, reserved = Spending(**kept.get("spent", {})), Spending(**kept.get("reserved", {}))
        return Budget(self.limits, self._scope, spent, reserved)


def _fields(budget: Budget) -> dict[str, Any]:
    return {"spent": asdict(budget.spent), "reserved": asdict(budget.reserved)}


def _add(total: Spending, part: Spending, sign: int) -> None:
    total.calls += sign * part.calls
    total.tokens += sign * part.tokens
    if part.money_usd is not None:
        total.money_usd = (total.money_usd or 0.0) + sign * part.money_usd
    total.time_s += sign * part.time_s
