"""Where we leave the reference's oddities, each behind a named switch (section N).

Some rows of section N have no switch, because there is nothing to choose: state shared between
instances (N7) is a fault no one can want; coverage by mention and by success (N4) and both
definitions of balance (N5) are always reported side by side.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from mosaic_planner.core.errors import ConfigError

__all__ = ["SarSwitches"]


@dataclass(frozen=True, slots=True)
class SarSwitches:
    """Defaults as section N recommends; `faithful()` turns every one to the reference's way.

    `region_shuffle` (N1): None draws regions by the repeatable recipe of rule M3; a number gives
    the layout that another process of the reference might have drawn. Never part of `faithful()`,
    since recordings follow the recipe.
    `explore_shared_generator` (N2): Explore draws by rejection from the generator that laid out
    the last fire, and again whenever an Explore is worded (M4), instead of from one of its own.
    `reference_errors` (N3): DropOff of an unknown person fails with an empty kind as in the
    reference, not as `not_visible`. Inputs on which the reference crashes stay failed actions.
    `coverage_by_mention` (N4): which coverage the snapshot's metrics show; `Score` has both.
    `messages_stop_world` (N6): a step in which somebody only talks does not advance the fires.
    `stop_at_success` (N8) and `step_budget` (I9): for whoever runs the episode.
    `offer_at_reset` (N9): names offered to planners are those of the list made at reset (P2, P4).
    `wrong_grid_size` (N10): the briefing states a 3 x 3 grid.
    `finer_reasons` (N11): `Outcome.reason` says why an action failed.
    `extended_team` (N12): 7 and 8 agents in scenes 1 to 5, names and start cells ours.
    """

    region_shuffle: int | None = None
    explore_shared_generator: bool = False
    reference_errors: bool = False
    coverage_by_mention: bool = False
    messages_stop_world: bool = False
    stop_at_success: bool = True
    step_budget: int = 100
    offer_at_reset: bool = False
    wrong_grid_size: bool = False
    finer_reasons: bool = True
    extended_team: bool = True

    @classmethod
    def faithful(cls) -> Self:
        """Everything as in the reference."""
        return cls(
            explore_shared_generator=True,
            reference_errors=True,
            coverage_by_mention=True,
            messages_stop_world=True,
            stop_at_success=False,
            step_budget=35,
            offer_at_reset=True,
            wrong_grid_size=True,
            finer_reasons=False,
            extended_team=False,
        )

    @classmethod
    def of(cls, faithful: bool = False, **changes: Any) -> Self:
        """The default or faithful set with single switches changed by name.

        Raises `ConfigError` for an unknown switch or a value of the wrong type.
        """
        base = asdict(cls.faithful() if faithful else cls())
        for name, value in changes.items():
            if name not in base:
                known = ", ".join(f.name for f in fields(cls))
                raise ConfigError(f"unknown switch {name!r} of the sar world; switches: {known}")
            base[name] = _checked(name, value, base[name])
        return cls(**base)

    def as_dict(self) -> dict[str, Any]:
        """Switches by name, as JSON values."""
        return asdict(self)


def _checked(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ConfigError(f"switch {name} must be true or false, not {value!r}")
        return value
    if name == "region_shuffle" and value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigError(f"switch {name} must be a whole number, not {value!r}")
    if name == "step_budget" and value < 1:
        raise ConfigError(f"switch step_budget must be at least 1, not {value}")
    return value
