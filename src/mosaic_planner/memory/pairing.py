"""Cheapest pairing of sightings with entries: an exact assignment for small cost matrices."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["cheapest_pairs"]


def cheapest_pairs(costs: Sequence[Sequence[float]], alone: Sequence[float]) -> list[int]:
    """For every row the column it is paired with, or -1, so that the total cost is least.

    `costs[i][j]` is the cost of pairing row i with column j (infinite where forbidden);
    `alone[i]` that of leaving row i unpaired. Every column is used at most once. Shortest
    augmenting paths; time grows with rows squared times columns.
    """
    rows = len(costs)
    if rows == 0:
        return []
    columns = len(costs[0])
    big = 1e12
    # One private column per row stands for "unpaired".
    width = columns + rows
    table = [
        [min(c, big) for c in costs[i]] + [alone[i] if j == i else big for j in range(rows)]
        for i in range(rows)
    ]
    row_price = [0.0] * (rows + 1)
    column_price = [0.0] * (width + 1)
    owner = [0] * (width + 1)  # row (1-based) that holds a column, 0 none
    back = [0] * (width + 1)
    for row in range(1, rows + 1):
        owner[0] = row
        column = 0
        slack = [float("inf")] * (width + 1)
        done = [False] * (width + 1)
        while True:
            done[column] = True
            holder = owner[column]
            step, nearest = float("inf"), 0
            prices = table[holder - 1]
            for j in range(1, width + 1):
                if done[j]:
                    continue
                cost = prices[j - 1] - row_price[holder] - column_price[j]
                if cost < slack[j]:
                    slack[j], back[j] = cost, column
                if slack[j] < step:
                    step, nearest = slack[j], j
            for j in range(width + 1):
                if done[j]:
                    row_price[owner[j]] += step
                    column_price[j] -= step
                else:
                    slack[j] -= step
            column = nearest
            if owner[column] == 0:
                break
        while column:
            owner[column] = owner[back[column]]
            column = back[column]
    pairs = [-1] * rows
    for j in range(1, columns + 1):
        if owner[j]:
            pairs[owner[j] - 1] = j - 1
    return pairs
