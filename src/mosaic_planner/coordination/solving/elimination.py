"""Exact variable elimination for narrow conflict graphs: linear in the team, whatever its size.

Groups are eliminated one after the other (fewest table entries first); each elimination joins the
tables in which the group stands and minimises it out. The price is the sum of table sizes, known
before any work is done. Tables hold whole keys (weight and lexicographic place in one Python
integer, see `search.keys`) where that is cheap. Where tables are large they hold 64-bit weights
first; from them follows which variables occur in any optimal assignment at all, and only the
ties left over are resolved with whole keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from mosaic_planner.coordination.solving.instance import Infeasible, Instance
from mosaic_planner.coordination.solving.search import Found, keys

__all__ = ["WHOLE_KEYS", "Order", "eliminate", "elimination_order", "optimal_only"]

WHOLE_KEYS = 2_000
"""Up to so many table entries whole keys are cheaper than 64-bit weights and a second pass."""
_NEVER = 1 << 57
"""Weight of a forbidden combination in 64-bit tables; sums are cut back to it in time."""


@dataclass(frozen=True, slots=True)
class Order:
    """An elimination order: `scopes[i]` are the groups still there that `order[i]` meets.

    `entries` is the number of table entries in all.
    """

    order: list[int]
    scopes: list[list[int]]
    entries: int


def elimination_order(part: Instance, most_entries: int) -> Order | None:
    """Greedy order, smallest next table first; None if the tables would be too large."""
    group_of = part.group_of
    near: list[set[int]] = [set() for _ in part.groups]
    for row in (*part.cliques, *(r.terms for r in part.linears)):
        scope = {group_of[v] for v in row}
        for g in scope:
            near[g] |= scope
    for g, others in enumerate(near):
        others.discard(g)
    sizes = [len(g) for g in part.groups]

    def entries(g: int) -> int:
        total = sizes[g]
        for h in near[g]:
            total *= sizes[h]
        return total

    costs = [entries(g) for g in range(len(sizes))]
    buckets: dict[int, set[int]] = {}
    for g, cost in enumerate(costs):
        buckets.setdefault(cost, set()).add(g)
    order: list[int] = []
    scopes: list[list[int]] = []
    total = 0
    for _ in sizes:
        cost = min(buckets)
        total += cost
        if total > most_entries:
            return None
        g = min(buckets[cost])
        _leave(buckets, cost, g)
        others = near[g]
        order.append(g)
        scopes.append(sorted(others))
        for h in others:
            near[h] |= others
            near[h].discard(h)
            near[h].discard(g)
        for h in sorted(others):
            new = entries(h)
            if new != costs[h]:
                _leave(buckets, costs[h], h)
                costs[h] = new
                buckets.setdefault(new, set()).add(h)
    return Order(order, scopes, total)


def _leave(buckets: dict[int, set[int]], cost: int, g: int) -> None:
    buckets[cost].discard(g)
    if not buckets[cost]:
        del buckets[cost]


@dataclass(slots=True)
class _Bucket:
    """Tables that meet when one group is eliminated; axis 0 is that group."""

    axes: list[int]  # groups, in elimination order
    table: Any = None
    message: Any = None
    parent: int = -1


def _tables(part: Instance, never: int, kind: Any) -> list[tuple[tuple[int, ...], Any]]:
    """Conflicts as tables over pairs of groups, general rows as tables over their groups."""
    where: dict[int, int] = {}
    for group in part.groups:
        for position, v in enumerate(group):
            where[v] = position
    group_of = part.group_of
    pairs: dict[tuple[int, int], Any] = {}
    for clique in part.cliques:
        members = sorted(clique)
        for i, v in enumerate(members):
            g = group_of[v]
            for u in members[i + 1 :]:
                h = group_of[u]
                if g != h:
                    table = pairs.get((g, h))
                    if table is None:
                        shape = (len(part.groups[g]), len(part.groups[h]))
                        table = pairs[g, h] = np.zeros(shape, dtype=kind)
                    table[where[v], where[u]] = never
    tables: list[tuple[tuple[int, ...], Any]] = list(pairs.items())
    for row in part.linears:
        scope = tuple(sorted({group_of[v] for v in row.terms}))
        groups = [part.groups[g] for g in scope]
        table = np.zeros([len(g) for g in groups], dtype=kind)
        for places in product(*(range(len(g)) for g in groups)):
            value = sum(row.terms.get(g[p], 0) for g, p in zip(groups, places, strict=True))
            if (row.upper is not None and value > row.upper) or (
                row.lower is not None and value < row.lower
            ):
                table[places] = never
        tables.append((scope, table))
    return tables


def _eliminate(
    part: Instance, order: Order, weight: Sequence[int], never: int, kind: Any
) -> list[_Bucket]:
    """Run the elimination; buckets by position in the order, tables and messages kept."""
    position = {g: i for i, g in enumerate(order.order)}
    buckets = [
        _Bucket([g, *sorted(scope, key=position.__getitem__)])
        for g, scope in zip(order.order, order.scopes, strict=True)
    ]
    inputs: list[list[tuple[list[int], Any]]] = [[] for _ in buckets]
    for scope, table in _tables(part, never, kind):
        axes = sorted(range(len(scope)), key=lambda a: position[scope[a]])
        groups = [scope[a] for a in axes]
        inputs[position[groups[0]]].append((groups, table.transpose(axes)))
    sizes = [len(g) for g in part.groups]
    for place, bucket in enumerate(buckets):
        axes = bucket.axes
        total = np.array([weight[v] for v in part.groups[axes[0]]], dtype=kind)
        total = total.reshape([-1] + [1] * (len(axes) - 1))
        joined = sorted(inputs[place], key=_entries)  # small tables first: fewer large sums
        for count, (groups, table) in enumerate(joined, start=1):
            there = set(groups)
            total = total + table.reshape([sizes[a] if a in there else 1 for a in axes])
            if kind is not object and count % 32 == 0:
                total = np.minimum(total, never)
        if total.size < np.prod([sizes[a] for a in axes]):
            total = np.array(np.broadcast_to(total, [sizes[a] for a in axes]))
        if kind is not object:
            np.minimum(total, never, out=total)
        bucket.table = total
        inputs[place] = []
        if len(axes) > 1:
            bucket.message = total.min(axis=0)
            bucket.parent = position[axes[1]]
            inputs[bucket.parent].append((axes[1:], bucket.message))
    return buckets


def _entries(table: tuple[list[int], Any]) -> int:
    size: int = table[1].size
    return size


def eliminate(part: Instance, order: Order) -> Found:
    """The unique optimum by elimination with whole keys; raises `Infeasible`."""
    key, _ = keys(part)
    low = [min(key[v] for v in g) for g in part.groups]
    above = [k - low[part.group_of[v]] for v, k in enumerate(key)]
    never = sum(max(above[v] for v in g) for g in part.groups) + 1
    buckets = _eliminate(part, order, above, never, object)
    choice = [-1] * len(part.groups)
    total = 0
    for bucket in reversed(buckets):
        g, *others = bucket.axes
        column = bucket.table[(slice(None), *(choice[h] for h in others))]
        choice[g] = int(column.argmin())
        total += above[part.groups[g][choice[g]]]
    if any(bucket.parent < 0 and bucket.table.min() >= never for bucket in buckets):
        raise Infeasible
    found = [part.groups[g][p] for g, p in enumerate(choice)]
    weight = sum(part.weight[v] for v in found)
    return Found(found, weight, True, order.entries)


def optimal_only(part: Instance, order: Order) -> bool:
    """Remove every variable that no assignment of least weight uses, with 64-bit arithmetic.

    Returns False, with nothing removed, if the weights do not fit. Raises `Infeasible`.
    """
    low = [min(part.weight[v] for v in g) for g in part.groups]
    above = [w - low[part.group_of[v]] for v, w in enumerate(part.weight)]
    if sum(max(above[v] for v in g) for g in part.groups) >= _NEVER >> 1:
        return False
    buckets = _eliminate(part, order, above, _NEVER, np.int64)
    least = [0] * len(buckets)
    used: set[int] = set()
    for place in range(len(buckets) - 1, -1, -1):
        bucket = buckets[place]
        belief = (
            bucket.table
        )  # becomes the least weight through each entry, forbidden beyond _NEVER
        if bucket.parent < 0:
            least[place] = int(belief.min())
            if least[place] >= _NEVER:
                raise Infeasible
        else:
            parent = buckets[bucket.parent]
            least[place] = least[bucket.parent]
            kept = set(bucket.axes[1:])
            gone = tuple(i for i, g in enumerate(parent.axes) if g not in kept)
            through = parent.table.min(axis=gone) if gone else parent.table
            belief += np.where(through >= _NEVER, _NEVER, through - bucket.message)
        flat = belief.reshape(belief.shape[0], -1).min(axis=1)
        group = part.groups[bucket.axes[0]]
        used.update(v for v, weight in zip(group, flat, strict=True) if weight == least[place])
    part.restrict(used)
    return True
