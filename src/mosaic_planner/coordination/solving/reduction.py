"""Safe reductions of an instance: variables that the unique optimum does not use are removed.

They follow from each other until nothing more does: an option goes if another one of its agent is
better and asks no more of anybody else; if a row that is used up forbids it; or if a general row
could not hold with it. No answer changes by it.
"""

from __future__ import annotations

from mosaic_planner.coordination.solving.instance import Infeasible, Instance

__all__ = ["reduce"]


def reduce(instance: Instance) -> None:
    """Reduce an instance in place; raises `Infeasible` if a group runs empty."""
    _Reducer(instance).run()


class _Reducer:
    """Removes variables until nothing more follows; works on its instance in place."""

    __slots__ = (
        "alive",
        "clique_of",
        "dirty",
        "instance",
        "linear_of",
        "linears",
        "stack",
        "waiting",
    )

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        size = len(instance.weight)
        self.alive = bytearray(b"\x01" * size)
        self.clique_of: list[set[int]] = [set() for _ in range(size)]
        self.linear_of: list[dict[int, int]] = [{} for _ in range(size)]
        for number, clique in enumerate(instance.cliques):
            for v in clique:
                self.clique_of[v].add(number)
        for number, row in enumerate(instance.linears):
            for v, c in row.terms.items():
                self.linear_of[v][number] = c
        self.stack: list[int] = []  # groups to look at
        self.dirty = bytearray(len(instance.groups))
        self.linears = list(range(len(instance.linears)))[::-1]  # general rows to look at
        self.waiting = bytearray(b"\x01" * len(instance.linears))

    def run(self) -> None:
        inst = self.instance
        for group in inst.groups:
            if not group:
                raise Infeasible
            group.sort(key=lambda v: (inst.weight[v], v))
        for number in range(len(inst.cliques)):
            self._settle_clique(number)
        for g in range(len(inst.groups) - 1, -1, -1):
            self._touch(g)
        while self.linears or self.stack:
            while self.linears:
                number = self.linears.pop()
                self.waiting[number] = 0
                self._propagate(number)
            if self.stack:
                g = self.stack.pop()
                self.dirty[g] = 0
                self._look_at(g)
        self._compact()

    def _touch(self, g: int) -> None:
        if not self.dirty[g]:
            self.dirty[g] = 1
            self.stack.append(g)

    def _kill(self, v: int) -> None:
        if not self.alive[v]:
            return
        self.alive[v] = 0
        inst = self.instance
        g = inst.group_of[v]
        inst.groups[g].remove(v)
        if not inst.groups[g]:
            raise Infeasible
        self._touch(g)
        for number in self.clique_of[v]:
            clique = inst.cliques[number]
            clique.discard(v)
            self._settle_clique(number)
        for number in self.linear_of[v]:
            del inst.linears[number].terms[v]
        for u in (v, *inst.groups[g]):
            for number in self.linear_of[u]:
                if not self.waiting[number]:
                    self.waiting[number] = 1
                    self.linears.append(number)

    def _settle_clique(self, number: int) -> None:
        """Drop a clique whose members are all of one group; look again at the others."""
        clique = self.instance.cliques[number]
        group_of = self.instance.group_of
        found = {group_of[v] for v in clique}
        if len(found) > 1:
            return
        for v in clique:
            self.clique_of[v].discard(number)
        clique.clear()
        for g in found:
            self._touch(g)

    def _look_at(self, g: int) -> None:
        inst = self.instance
        group = inst.groups[g]
        if len(group) > 1:
            self._dominate(g)
            group = inst.groups[g]
        # A clique that holds all of the group will be used up by it.
        common = set.intersection(*(self.clique_of[v] for v in group))
        for number in common:
            others = [v for v in inst.cliques[number] if inst.group_of[v] != g]
            for v in sorted(others):
                self._kill(v)

    def _dominate(self, g: int) -> None:
        """Drop options for which another one of the group is better and asks no more of others."""
        kept: list[int] = []
        for v in list(self.instance.groups[g]):
            if any(self._covers(u, v) for u in kept):
                self._kill(v)
            else:
                kept.append(v)

    def _covers(self, u: int, v: int) -> bool:
        """Whether u may take v's place in any assignment (u comes first by weight and order)."""
        if not self.clique_of[u] <= self.clique_of[v]:
            return False
        a, b = self.linear_of[u], self.linear_of[v]
        if not a and not b:
            return True
        for number in (*a, *b):
            row = self.instance.linears[number]
            cu, cv = a.get(number, 0), b.get(number, 0)
            if (row.upper is not None and cu > cv) or (row.lower is not None and cu < cv):
                return False
        return True

    def _propagate(self, number: int) -> None:
        """Remove variables that a general row rules out; drop the row if it cannot fail."""
        inst = self.instance
        row = inst.linears[number]
        ranges: dict[int, tuple[int, int]] = {}
        for v in row.terms:
            g = inst.group_of[v]
            if g not in ranges:
                figures = [row.terms.get(u, 0) for u in inst.groups[g]]
                ranges[g] = (min(figures), max(figures))
        least = sum(r[0] for r in ranges.values())
        most = sum(r[1] for r in ranges.values())
        if (row.upper is not None and least > row.upper) or (
            row.lower is not None and most < row.lower
        ):
            raise Infeasible
        for g in sorted(ranges):
            low, high = ranges[g]
            for v in list(inst.groups[g]):
                c = row.terms.get(v, 0)
                if (row.upper is not None and least - low + c > row.upper) or (
                    row.lower is not None and most - high + c < row.lower
                ):
                    self._kill(v)
        if (row.upper is None or most <= row.upper) and (row.lower is None or least >= row.lower):
            for v in row.terms:
                self.linear_of[v].pop(number, None)
                self._touch(inst.group_of[v])
            row.terms.clear()

    def _compact(self) -> None:
        inst = self.instance
        inst.cliques = [c for c in inst.cliques if c]
        inst.linears = [r for r in inst.linears if r.terms]
        for group in inst.groups:
            group.sort()
