"""The filter's arithmetic against plain references, and pairing against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_planner.core.noise import NOISE_REGIMES
from mosaic_planner.memory.fusion import fuse, locate
from mosaic_planner.memory.noise_model import NoiseModel, inverse
from mosaic_planner.memory.pairing import cheapest_pairs
from mosaic_planner.memory.table import EntryTable

HIGH = NoiseModel.of(NOISE_REGIMES["high"], 0.25)


def matrix(parts: np.ndarray) -> np.ndarray:
    xx, xz, zz = parts
    return np.array([[xx, xz], [xz, zz]])


def covariances(random: np.random.Generator, count: int) -> np.ndarray:
    angle = random.uniform(0, 2 * np.pi, count)
    return HIGH.covariance(np.cos(angle), np.sin(angle), random.uniform(0.1, 3.0, count))


@pytest.mark.parametrize("seed", range(5))
def test_fusing_all_at_once_equals_a_textbook_kalman_filter_one_by_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = EntryTable()
    for name in ("a", "b", "c"):
        table.add(name, "Kind", seen=0, odds=0.0)
    table.x[:], table.z[:] = random.normal(size=3), random.normal(size=3)
    table.variances[:, :2] = covariances(random, 2)
    table.sightings[:2] = 1  # the third has no prior
    rows = random.integers(0, 3, 40)
    x, z = random.normal(size=40), random.normal(size=40)
    spread = covariances(random, 40)

    means = {r: np.array([table.x[r], table.z[r]]) for r in (0, 1)}
    priors = {r: matrix(table.variances[:, r]) for r in (0, 1)}
    for row, px, pz, parts in zip(rows.tolist(), x, z, spread.T, strict=True):
        seen, noise = np.array([px, pz]), matrix(parts)
        if row not in means:
            means[row], priors[row] = seen, noise
            continue
        gain = priors[row] @ np.linalg.inv(priors[row] + noise)
        means[row] = means[row] + gain @ (seen - means[row])
        priors[row] = (np.eye(2) - gain) @ priors[row]

    fuse(table, rows, x, z, spread, HIGH.least_variance)
    for row in range(3):
        assert np.allclose([table.x[row], table.z[row]], means[row], atol=1e-9)
        assert np.allclose(matrix(table.variances[:, row]), priors[row], atol=1e-9)


def test_inverse_of_small_matrices() -> None:
    parts = covariances(np.random.default_rng(1), 20)
    for k, turned in enumerate(inverse(parts).T):
        assert np.allclose(matrix(parts[:, k]) @ matrix(turned), np.eye(2))


@pytest.mark.parametrize("regime", ["low", "medium", "high"])
def test_sightings_scatter_as_the_model_says(regime: str) -> None:
    """The covariance memory assumes is that of what the errors of the regime really do."""
    model = NoiseModel.of(NOISE_REGIMES[regime], 0.25)
    random = np.random.default_rng(0)
    n, true = 200_000, np.array([0.9, 1.1])
    distance = float(np.hypot(*true))
    turn = random.normal(0.0, model.rotation, n)
    stretch = (1.0 + random.normal(0.0, model.distance, n)) * model.unbias
    x = true[0] * np.cos(turn) + true[1] * np.sin(turn)
    z = true[1] * np.cos(turn) - true[0] * np.sin(turn)
    points = np.stack([x * stretch, z * stretch]) + random.normal(0.0, model.position, (2, n))
    assert np.allclose(points.mean(axis=1), true, atol=0.01)
    assumed = matrix(
        model.covariance(
            np.array([true[0] / distance]), np.array([true[1] / distance]), np.array([distance])
        )[:, 0]
    )
    measured = np.cov(points)
    ratio = np.linalg.eigvals(np.linalg.solve(measured, assumed)).real
    assert ratio.min() > 0.9
    assert ratio.max() < 1.15


def test_a_pose_is_corrected_towards_what_known_entries_say() -> None:
    random = np.random.default_rng(3)
    errors, reported = [], []
    for _ in range(300):
        table = EntryTable()
        true = random.uniform(-1.5, 1.5, (2, 12))
        for i in range(12):
            table.add(f"t{i}", "Kind", seen=0, odds=0.0)
        table.x[:], table.z[:] = true
        table.variances[::2] = 1e-6
        table.sightings[:] = 5
        off = random.normal(0.0, HIGH.position, 2)
        turn = random.normal(0.0, HIGH.rotation)
        # The agent stands at the origin, heading 0; it reports `off` and `turn`.
        c, s = math.cos(turn), math.sin(turn)
        x = true[0] * c + true[1] * s + off[0]
        z = true[1] * c - true[0] * s + off[1]
        ranges = HIGH.range_covariance(
            true[0] / np.hypot(*true), true[1] / np.hypot(*true), np.hypot(*true)
        )
        located = locate(
            HIGH,
            np.ones(1),
            table,
            np.zeros(12, dtype=np.int64),
            np.arange(12),
            (x, z),
            (z - off[1], -(x - off[0])),
            ranges,
        )
        errors.append(np.hypot(*(off + located.shift[0, :2])))
        reported.append(np.hypot(*off))
    assert np.mean(errors) < 0.5 * np.mean(reported)


def test_landmarks_that_are_not_known_well_correct_little() -> None:
    table = EntryTable()
    for i in range(50):
        table.add(f"t{i}", "Kind", seen=0, odds=0.0)
    table.x[:] = np.linspace(-1.0, 1.0, 50)
    table.z[:] = 1.0
    table.variances[::2] = HIGH.position**2
    table.sightings[:] = 1
    x, z = table.x + 0.1, table.z.copy()
    located = locate(
        HIGH,
        np.ones(1),
        table,
        np.zeros(50, dtype=np.int64),
        np.arange(50),
        (x, z),
        (z, -x),
        np.zeros((3, 50)) + HIGH.least_variance * np.array([[1.0], [0.0], [1.0]]),
    )
    # Fifty entries learnt from one bad pose share its error: at best half of it is the map's.
    assert -0.06 < located.shift[0, 0] < 0.0
    assert located.covariance[0, 0, 0] > 0.4 * HIGH.position**2


def brute(costs: list[list[float]], alone: list[float]) -> float:
    columns = len(costs[0]) if costs else 0
    best = math.inf
    for picks in itertools.product(range(-1, columns), repeat=len(costs)):
        used = [p for p in picks if p >= 0]
        if len(used) == len(set(used)):
            total = sum(alone[i] if p < 0 else costs[i][p] for i, p in enumerate(picks))
            best = min(best, total)
    return best


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_pairing_is_the_cheapest_there_is(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 4))
    cost = st.one_of(st.floats(-10, 10), st.just(math.inf))
    costs = [[data.draw(cost) for _ in range(columns)] for _ in range(rows)]
    alone = [data.draw(st.floats(-10, 10)) for _ in range(rows)]
    pairs = cheapest_pairs(costs, alone)
    used = [p for p in pairs if p >= 0]
    assert len(used) == len(set(used))
    total = sum(alone[i] if p < 0 else costs[i][p] for i, p in enumerate(pairs))
    assert total == pytest.approx(brute(costs, alone))


def test_table_keeps_rows_names_and_aliases_together() -> None:
    table = EntryTable(capacity=2)
    for i in range(9):
        row = table.add(f"n{i}", f"k{i % 3}", seen=i, odds=float(i))
        table.x[row] = i
    table.aliases = {"wrong": 4, "gone": 3}
    moved = table.keep(np.array([i % 3 != 0 for i in range(9)]))
    assert table.names == ["n1", "n2", "n4", "n5", "n7", "n8"]
    assert table.x.tolist() == [1, 2, 4, 5, 7, 8]
    assert table.seen.tolist() == [1, 2, 4, 5, 7, 8]
    assert [table.index[n] for n in table.names] == list(range(6))
    assert table.row_of("wrong") == 2
    assert table.row_of("gone") == -1
    assert moved.tolist() == [-1, 0, 1, -1, 2, 3, -1, 4, 5]
    table.rename(2, ("m", "k2"))
    assert table.row_of("m") == 2
    assert table.row_of("n4") == -1
    assert table.kind_mask(("k2",)).tolist() == [False, True, True, True, False, True]
