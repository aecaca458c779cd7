"""Exact geometry: offsets after motions, transfers, and what memory makes of them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_scenes import GRID, ROOM, asm, observe, tell

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.memory.frames import (
    after_motion,
    offsets_of,
    points_of,
    relative_pose,
    transfer,
)

EPS = 1e-9
coordinates = st.floats(-100.0, 100.0)
angles = st.one_of(st.floats(-1000.0, 1000.0), st.sampled_from([0.0, 90.0, -90.0, 180.0, 360.0]))
poses = st.builds(Pose, coordinates, coordinates, angles)
offsets = st.builds(Offset, coordinates, coordinates)


def close(a: Offset, b: Offset, eps: float = EPS) -> bool:
    return math.hypot(a.dx - b.dx, a.dz - b.dz) <= eps


@given(poses, st.tuples(coordinates, coordinates), st.lists(poses, max_size=20))
def test_offset_after_any_motions_is_the_one_seen_directly(
    start: Pose, thing: tuple[float, float], motions: list[Pose]
) -> None:
    offset, pose = start.to_frame(*thing), start
    for motion in motions:
        offset = after_motion(offset, motion)
        x, z = pose.to_world(Offset(motion.x, motion.z))
        pose = Pose(x, z, pose.heading_deg + motion.heading_deg)
    direct = pose.to_frame(*thing)
    # 20 motions of up to 140 units each: the sum itself is only known to about 1e-12 of 3,000.
    assert close(offset, direct)


@given(poses, poses, offsets)
def test_transfer_there_and_back_is_the_identity(own: Pose, mate: Pose, offset: Offset) -> None:
    assert close(transfer(transfer(offset, own, mate), mate, own), offset)


@given(poses, poses, st.tuples(coordinates, coordinates))
def test_transfer_gives_what_the_mate_sees_directly(
    own: Pose, mate: Pose, thing: tuple[float, float]
) -> None:
    assert close(transfer(own.to_frame(*thing), own, mate), mate.to_frame(*thing))


@given(poses, poses, offsets)
def test_transfer_needs_only_the_mates_relative_pose(own: Pose, mate: Pose, offset: Offset) -> None:
    """The paper's transfer: from agent a alone, with b's distance and bearing."""
    seen = relative_pose(mate, own)
    assert close(after_motion(offset, seen), transfer(offset, own, mate))


def test_paper_formulas_hold_with_the_euclidean_length_and_not_with_the_manhattan_one() -> None:
    own, mate, thing = Pose(1.0, 2.0, 30.0), Pose(4.0, -1.0, 75.0), (6.0, 5.0)
    to_thing, to_mate = own.to_frame(*thing), own.to_frame(mate.x, mate.z)

    def transferred(length_thing: float, length_mate: float) -> tuple[float, float]:
        a = math.radians(to_thing.bearing_deg + own.heading_deg)
        b = math.radians(to_mate.bearing_deg + own.heading_deg)
        return (
            length_thing * math.sin(a) - length_mate * math.sin(b),
            length_thing * math.cos(a) - length_mate * math.cos(b),
        )

    right = (thing[0] - mate.x, thing[1] - mate.z)
    euclidean = transferred(to_thing.length, to_mate.length)
    assert math.dist(euclidean, right) < 1e-12
    manhattan = transferred(to_thing.steps(1.0), to_mate.steps(1.0))
    assert math.dist(manhattan, right) > 1.0


def test_forward_motion_subtracts_the_distance_only_when_facing_the_thing() -> None:
    forward = Pose(0.0, 1.0)
    assert after_motion(Offset(0.0, 3.0), forward).steps(1.0) == 2.0
    assert after_motion(Offset(3.0, 0.0), forward).steps(1.0) == 4.0
    assert after_motion(Offset(0.0, -3.0), forward).steps(1.0) == 4.0


@given(st.lists(poses, min_size=1, max_size=5), st.lists(st.tuples(coordinates, coordinates)))
def test_arrays_agree_with_single_poses(
    frames: list[Pose], things: list[tuple[float, float]]
) -> None:
    table = np.array([(p.x, p.z, p.heading_deg) for p in frames])
    x = np.array([t[0] for t in things])
    z = np.array([t[1] for t in things])
    dx, dz = offsets_of(table, x, z)
    assert dx.shape == (len(frames), len(things))
    for i, pose in enumerate(frames):
        rows = np.full(len(things), i)
        back = points_of(table, rows, dx[i], dz[i])
        for k, thing in enumerate(things):
            assert close(Offset(dx[i, k], dz[i, k]), pose.to_frame(*thing))
            assert math.dist((back[0][k], back[1][k]), thing) <= EPS


@settings(max_examples=60, deadline=None)
@given(
    st.booleans(),
    st.lists(
        st.tuples(poses, poses, st.tuples(coordinates, coordinates), st.booleans(), st.booleans()),
        min_size=1,
        max_size=6,
    ),
)
def test_memory_has_for_every_agent_what_it_would_see_directly(
    headings: bool, steps: list[tuple[Pose, Pose, tuple[float, float], bool, bool]]
) -> None:
    """Whoever sees the thing, both agents' entries equal direct geometry, also when none does."""
    mind = asm(geometry=ROOM if headings else GRID)
    unit = ROOM.unit if headings else GRID.unit
    last = None
    for number, (a, b, thing, alice_sees, bob_sees) in enumerate(steps):
        if not headings:
            a, b = Pose(a.x, a.z), Pose(b.x, b.z)
        things = [("Vase_1", "Vase", *thing)]
        tell(
            mind,
            observe("Alice", a, things if alice_sees else (), step=number, view=None),
            observe("Bob", b, things if bob_sees else (), step=number, view=None),
        )
        if alice_sees or bob_sees:
            last = thing
        for agent, pose, mate in (("Alice", a, b), ("Bob", b, a)):
            entry = mind.beliefs().relative(agent, "Vase_1")
            if last is None:
                assert entry is None
                continue
            direct = pose.to_frame(*last)
            assert entry is not None
            assert close(entry.offset, direct)
            assert abs(entry.steps - direct.steps(unit)) <= EPS / unit
            other = mind.beliefs().relative(agent, "Bob" if agent == "Alice" else "Alice")
            assert other is not None
            assert close(other.offset, pose.to_frame(mate.x, mate.z))


def test_identical_cells_and_straight_behind() -> None:
    mind = asm(geometry=ROOM)
    pose = Pose(2.0, 3.0, 270.0)
    tell(
        mind,
        observe("Alice", pose, [("Vase_1", "Vase", 2.0, 3.0), ("Mug_1", "Mug", 4.0, 3.0)]),
        observe("Bob", pose),
    )
    here = mind.beliefs().relative("Bob", "Vase_1")
    behind = mind.beliefs().relative("Bob", "Mug_1")
    assert here is not None
    assert behind is not None
    assert (here.steps, here.bearing_deg, here.tier, here.direction) == (0.0, 0.0, "here", "here")
    assert behind.bearing_deg == 180.0
    assert behind.direction == "behind"
    mate = mind.beliefs().relative("Bob", "Alice")
    assert mate is not None
    assert mate.steps == 0.0
