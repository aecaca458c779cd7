"""From the names in an action text to the arguments of a verb, by the kinds of things named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from mosaic_planner.core.action import ActionSchema, Parameter
from mosaic_planner.models.reading.words import Entities, Mention

__all__ = ["Fit", "fit_form"]

_MOST_MENTIONS = 6


@dataclass(frozen=True, slots=True)
class Fit:
    """How well mentions fill a form.

    `args`: one value per parameter, "" where nothing was named. `used`: the mentions taken, by
    parameter. `moved`: whether they were named in another order than written. `filled`: names
    that were not mentioned but are the only ones of their kind. `rivals`: mentions left over that
    would fit as well as the ones taken.
    """

    form: ActionSchema
    args: tuple[str, ...]
    used: tuple[Mention, ...]
    moved: bool
    filled: tuple[str, ...]
    rivals: tuple[Mention, ...]
    spare: tuple[Mention, ...]

    @property
    def complete(self) -> bool:
        """Whether every parameter has a value."""
        return all(self.args)

    @property
    def missing(self) -> tuple[Parameter, ...]:
        """Parameters without a value."""
        return tuple(p for p, a in zip(self.form.parameters, self.args, strict=True) if not a)


def _fits(mention: Mention, parameter: Parameter) -> bool:
    if parameter.choices:
        return not mention.kind and mention.name in parameter.choices
    return bool(mention.kind) and (not parameter.kinds or mention.kind in parameter.kinds)


def fit_form(
    form: ActionSchema,
    mentions: Sequence[Mention],
    entities: Entities,
    orders: Sequence[tuple[int, ...]],
    *,
    may_fill: bool,
) -> Fit:
    """Fill a form's parameters from mentions, at most one each.

    `orders`: the orders in which parameters may be named, the expected one first (for a call that
    is the written order). Only kinds move an argument to another place: if the expected order fits
    it is taken. With `may_fill`, a parameter that nothing names takes the only known name of its
    kinds, provided that no mention is left over.
    """
    parameters = form.parameters
    mentions = list(dict.fromkeys(mentions))[:_MOST_MENTIONS]
    options = [[i for i, m in enumerate(mentions) if _fits(m, p)] or [-1] for p in parameters]
    choices = [
        pick
        for pick in islice(product(*options), 300)
        if len({i for i in pick if i >= 0}) == sum(i >= 0 for i in pick)
    ]
    if not choices:  # two parameters want the same single mention
        choices = [
            pick
            for pick in islice(product(*[[*o, -1] for o in options]), 300)
            if len({i for i in pick if i >= 0}) == sum(i >= 0 for i in pick)
        ]
        most = max(sum(i >= 0 for i in pick) for pick in choices)
        choices = [pick for pick in choices if sum(i >= 0 for i in pick) == most]

    def rank(pick: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        disorder = len(orders)
        for number, order in enumerate(orders):
            named = [pick[p] for p in order if pick[p] >= 0]
            if named == sorted(named):
                disorder = number
                break
        return disorder, tuple(sorted(i for i in pick if i >= 0))

    # The earliest mentions count; among those the expected order.
    pick = min(choices, key=lambda c: (rank(c)[1], rank(c)[0]), default=())
    used = {i for i in pick if i >= 0}
    args = [mentions[i].name if i >= 0 else "" for i in pick]
    names = set(args)
    spare = [m for i, m in enumerate(mentions) if i not in used and m.name not in names]
    rivals = tuple(m for m in spare if any(_fits(m, p) for p in parameters))
    filled: list[str] = []
    if may_fill and not spare:
        for at, parameter in enumerate(parameters):
            if not args[at] and parameter.kinds:
                only = entities.of_kinds(parameter.kinds)
                if len(only) == 1 and only[0] not in args:
                    args[at] = only[0]
                    filled.append(only[0])
    first = orders[0] if orders else tuple(range(len(parameters)))
    named = [pick[p] for p in first if pick[p] >= 0]
    return Fit(
        form,
        tuple(args),
        tuple(mentions[i] for i in sorted(used)),
        named != sorted(named),
        tuple(filled),
        rivals,
        tuple(spare),
    )
