"""The linear relaxation of a wide part: a bound, and what it allows to leave out.

Every row gets a price, paid by each option in it (times its coefficient) and refunded once (times
the row's limit). For any prices the sum of the cheapest priced options less the refunds bounds the
weight from below. OR-Tools' GLOP finds good prices in floating point; they are rounded to integers
before use, so that bound and consequences are exact whatever its rounding errors.

With the weight of a known assignment the bound says more: an option whose priced weight exceeds
the cheapest of its group by more than the distance between the two is in no assignment as good as
the known one, and neither is a row left unused whose price exceeds that distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from mosaic_planner.coordination.solving.instance import Instance, Linear

__all__ = ["Relaxation", "relax"]

_FINE = 1 << 10
"""Prices are integers in this fraction of a weight unit."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Prices of one part, and what follows.

    `excess[v]` >= 0: priced weight of variable v above the cheapest of its group. `bound`: lower
    bound of the weight. Both, like `weight`, are in scaled weights (`Instance.scaled`) times
    `_FINE`. `rows` and `prices`: the at-most-one rows and theirs.
    """

    excess: list[int]
    bound: int
    weight: list[int]
    rows: list[list[int]]
    prices: list[int]

    def slack(self, choice: list[int]) -> int:
        """How far the weight of an assignment lies above the bound, >= 0."""
        return sum(self.weight[v] for v in choice) - self.bound

    def weight_bound(self, part: Instance) -> int:
        """The bound in the part's own weights."""
        return part.scaled().back(-(-self.bound // _FINE), part.spread)

    def keep(self, part: Instance, reach: int) -> None:
        """Leave out of the part all options that are dearer by their prices than `reach`."""
        part.restrict({v for group in part.groups for v in group if self.excess[v] <= reach})

    def narrow(self, part: Instance, slack: int) -> None:
        """Leave out of the part what no assignment within `slack` of the bound can use."""
        self.keep(part, slack)
        alive = {v for group in part.groups for v in group}
        for row, price in zip(self.rows, self.prices, strict=True):
            if price > slack:
                terms = {v: 1 for v in row if v in alive}
                part.linears.append(Linear(terms, 1, 1))


def relax(part: Instance) -> Relaxation | None:
    """Solve the relaxation; None if GLOP does not. The caller makes sure OR-Tools is there."""
    from ortools.linear_solver import pywraplp

    weight = part.scaled().weight
    largest = max(weight)
    if not largest:
        return None
    solver = pywraplp.Solver.CreateSolver("GLOP")
    unbounded = solver.infinity()
    z = [solver.NumVar(0.0, unbounded, "") for _ in weight]
    objective = solver.Objective()
    for variable, w in zip(z, weight, strict=True):
        if w:
            objective.SetCoefficient(variable, w / largest)
    for group in part.groups:
        row = solver.RowConstraint(1.0, 1.0, "")
        for v in group:
            row.SetCoefficient(z[v], 1.0)
    rows = _rows(part)
    handles = []
    for members in rows:
        row = solver.RowConstraint(-unbounded, 1.0, "")
        for v in members:
            row.SetCoefficient(z[v], 1.0)
        handles.append(row)
    general = []
    for linear in part.linears:
        low = -unbounded if linear.lower is None else float(linear.lower)
        high = unbounded if linear.upper is None else float(linear.upper)
        row = solver.RowConstraint(low, high, "")
        for v, c in linear.terms.items():
            row.SetCoefficient(z[v], float(c))
        general.append(row)
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        return None
    prices = [max(0, round(-row.dual_value() * largest * _FINE)) for row in handles]
    fine = [w * _FINE for w in weight]
    priced = list(fine)
    for members, price in zip(rows, prices, strict=True):
        if price:
            for v in members:
                priced[v] += price
    bound = -sum(prices)
    for linear, row in zip(part.linears, general, strict=True):
        price = round(-row.dual_value() * largest * _FINE)
        limit = linear.upper if price > 0 else linear.lower
        if price and limit is not None:
            bound -= price * limit
            for v, c in linear.terms.items():
                priced[v] += price * c
    excess = [0] * len(fine)
    for group in part.groups:
        least = min(priced[v] for v in group)
        bound += least
        for v in group:
            excess[v] = priced[v] - least
    return Relaxation(excess, bound, fine, rows, prices)


def _rows(part: Instance) -> list[list[int]]:
    """At-most-one rows; conflicts between two groups are joined into maximal bicliques."""
    where: dict[int, int] = {}
    for group in part.groups:
        for place, v in enumerate(group):
            where[v] = place
    rows: list[list[int]] = []
    pairs: dict[tuple[int, int], list[int]] = {}
    for clique in part.cliques:
        masks: dict[int, int] = {}
        for v in sorted(clique):
            g = part.group_of[v]
            masks[g] = masks.get(g, 0) | 1 << where[v]
        if len(masks) > 2:
            rows.append(sorted(clique))
            continue
        for (g, a), (h, b) in combinations(sorted(masks.items()), 2):
            table = pairs.setdefault((g, h), [0] * len(part.groups[g]))
            for place in range(len(table)):
                if a >> place & 1:
                    table[place] |= b
    for (g, h), table in pairs.items():
        for left, right in _bicliques(table):
            members = [v for place, v in enumerate(part.groups[g]) if left >> place & 1]
            members += [v for place, v in enumerate(part.groups[h]) if right >> place & 1]
            rows.append(members)
    return rows


def _bicliques(table: list[int]) -> list[tuple[int, int]]:
    """Maximal bicliques of one conflict table, as masks of left and right places."""
    closed = {mask for mask in table if mask}
    for _ in table:
        closed |= {a & b for a in closed for b in closed if a & b}
    found = []
    for right in sorted(closed):
        left = sum(1 << i for i, mask in enumerate(table) if mask & right == right)
        found.append((left, right))
    return found
