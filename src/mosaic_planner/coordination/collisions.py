"""Collisions of timed paths: same cell, swap along an edge, diagonal crossing, blocked path.

Paths are visits of cells during half-open time intervals (`CellVisit`). The *following rule* says
whether a cell may be entered at the very moment another agent leaves it: "allowed" (the default;
visits that only touch do not meet) or "forbidden" (they do). Where two agents are believed to
start on one cell, which noise can bring about, that shared start is nobody's choice and counts
against neither, so that standing still is always possible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from mosaic_planner.coordination.problem import Option, Row
from mosaic_planner.coordination.profile import STAYS, CellVisit
from mosaic_planner.core.geometry import Cell

__all__ = ["NAME", "Following", "collision_rows", "meeting"]

NAME = "collision"
Following = Literal["allowed", "forbidden"]

_Stay = tuple[int, int, int, str]  # enter, leave, option, agent
_Edge = tuple[Cell, Cell, int]


def collision_rows(options: Sequence[Option], following: Following = "allowed") -> list[Row]:
    """At-most-one rows, each over options that all meet at one place and time."""
    visits: defaultdict[Cell, list[_Stay]] = defaultdict(list)
    paths: list[tuple[int, tuple[CellVisit, ...]]] = []
    for option in options:
        path = option.profile.path
        if path:
            index, agent = option.index, option.agent
            if len(path) > 1:
                paths.append((index, path))
            for cell, enter, leave in path:
                visits[cell].append((enter, leave, index, agent))
    slack = 0 if following == "allowed" else 1
    rows: list[Row] = []
    contested: set[Cell] = set()
    for cell, stays in visits.items():
        if len(stays) > 1:
            first = stays[0][3]
            for stay in stays:
                if stay[3] != first:
                    contested.add(cell)
                    _cell_rows(rows, cell, stays, slack)
                    break
    edges: dict[_Edge, list[int]] = {}
    for index, path in paths:
        before = path[0][0]
        shared = before in contested
        for cell, enter, _ in path[1:]:
            left, shared = shared, cell in contested
            if (left and shared) or (before[0] != cell[0] and before[1] != cell[1]):
                edge = (before, cell, enter)
                if edge in edges:
                    edges[edge].append(index)
                else:
                    edges[edge] = [index]
            before = cell
    if edges:
        rows.extend(_edge_rows(options, edges))
    return rows


def _cell_rows(rows: list[Row], cell: Cell, stays: list[_Stay], slack: int) -> None:
    """Append the rows of one cell that several agents may be on."""
    starter = ""
    times: set[int] = set()
    for enter, _, _, agent in stays:
        if enter:
            times.add(enter)
        elif starter and agent != starter:
            rows.extend(_pair_rows(stays, slack, _crowded(cell)))
            return
        else:
            starter = agent
    cliques: list[tuple[int, ...]] = []
    for time in sorted(times) if len(times) > 1 else times:
        members: list[int] = []
        first, several = "", False
        last = -1  # an option may pass the cell twice, one visit after the other in `stays`
        for enter, leave, option, agent in stays:
            if enter <= time < leave + slack and option != last:
                last = option
                members.append(option)
                if agent != first:
                    several = first != ""
                    first = first or agent
        if several:
            cliques.append(tuple(members))
    if cliques:
        detail = _crowded(cell)
        for clique in _maximal(cliques):
            rows.append(Row(NAME, clique, 1, None, None, "", 0, detail))


def _crowded(cell: Cell) -> str:
    return f"only one agent at a time fits on cell {cell}"


def _pair_rows(stays: list[_Stay], slack: int, detail: str) -> Iterator[Row]:
    """Pair by pair, for the rare cell on which two agents are believed to start."""
    pairs = set()
    for i, a in enumerate(stays):
        for b in stays[i + 1 :]:
            both_start = a[0] == 0 and b[0] == 0
            touch = a[0] < b[1] + slack and b[0] < a[1] + slack
            if a[3] != b[3] and touch and not both_start:
                pairs.add((min(a[2], b[2]), max(a[2], b[2])))
    for pair in sorted(pairs):
        yield Row(NAME, pair, 1, detail=detail)


def _edge_rows(options: Sequence[Option], edges: dict[_Edge, list[int]]) -> Iterator[Row]:
    agent_of: dict[int, str] = {}

    def several(row: tuple[int, ...]) -> bool:
        if not agent_of:
            agent_of.update({o.index: o.agent for o in options})
        return len({agent_of[o] for o in row}) > 1

    squares: dict[tuple[int, int, int], dict[bool, list[int]]] = {}
    for (u, v, time), crossing in edges.items():
        if u < v:
            back = edges.get((v, u, time))
            if back is not None:
                row = tuple(sorted({*crossing, *back}))
                if several(row):
                    detail = f"two agents cannot swap cells {u} and {v}"
                    yield Row(NAME, row, 1, detail=detail)
        if u[0] == v[0] or u[1] == v[1]:
            continue
        dx, dy = v[0] - u[0], v[1] - u[1]
        if abs(dx) == 1 and abs(dy) == 1:
            square = (min(u[0], v[0]), min(u[1], v[1]), time)
            squares.setdefault(square, {}).setdefault(dx == dy, []).extend(crossing)
    for (x, y, _), both in squares.items():
        if len(both) == 2:
            row = tuple(sorted({*both[True], *both[False]}))
            if several(row):
                detail = f"diagonal moves cross between {(x, y)} and {(x + 1, y + 1)}"
                yield Row(NAME, row, 1, detail=detail)


def _maximal(cliques: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Without those contained in another one."""
    if len(cliques) < 2:
        return cliques
    kept: list[tuple[int, ...]] = []
    for clique in sorted(cliques, key=len, reverse=True):
        members = set(clique)
        if not any(members.issubset(k) for k in kept):
            kept.append(clique)
    return sorted(kept)


def meeting(
    path: Sequence[CellVisit],
    other: Sequence[CellVisit],
    name: str,
    following: Following = "allowed",
) -> str:
    """In plain words where a path meets that of agent `name`; "" if it does not."""
    slack = 0 if following == "allowed" else 1
    for mine in path:
        cell, enter, leave = mine
        for theirs in other:
            same, starts, ends = theirs
            if (
                cell == same
                and (enter or starts)
                and enter < ends + slack
                and starts < leave + slack
            ):
                return _wording(mine, theirs, name)
    moves = {t.enter: (s.cell, t.cell) for s, t in pairwise(other)}
    for u, v in pairwise(path):
        move = moves.get(v.enter)
        if move is None:
            continue
        if move == (v.cell, u.cell):
            return f"would swap cells {u.cell} and {v.cell} with {name}"
        if _diagonals_cross(u.cell, v.cell, *move):
            return f"would cross {name}'s diagonal move between {u.cell} and {v.cell}"
    return ""


def _wording(a: CellVisit, b: CellVisit, name: str) -> str:
    if a.enter >= b.leave:
        return f"would follow {name} onto cell {a.cell} too closely"
    if b.enter >= a.leave:
        return f"{name} would follow onto cell {a.cell} too closely"
    if a.leave == STAYS and b.leave == STAYS:
        return f"{name} will be on cell {a.cell}"
    if b.leave == STAYS:
        return f"the path is blocked on cell {a.cell} by {name}"
    if a.leave == STAYS:
        return f"{name} has to pass cell {a.cell}"
    return f"would cross {name}'s path on cell {a.cell}"


def _diagonals_cross(u: Cell, v: Cell, s: Cell, t: Cell) -> bool:
    if abs(v[0] - u[0]) != 1 or abs(v[1] - u[1]) != 1:
        return False
    same_square = {u[0], v[0]} == {s[0], t[0]} and {u[1], v[1]} == {s[1], t[1]}
    return same_square and {u, v} != {s, t}
