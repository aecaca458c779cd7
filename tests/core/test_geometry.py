"""Frames and angles (paper section 3.2)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic_planner.core.geometry import Offset, Pose, wrap_deg

near = st.floats(-1e3, 1e3)
angles = st.floats(-1e4, 1e4)


@given(angles)
def test_wrap_keeps_the_direction_and_the_range(angle: float) -> None:
    wrapped = wrap_deg(angle)
    assert -180.0 < wrapped <= 180.0
    turns = (angle - wrapped) / 360.0
    assert math.isclose(turns, round(turns), abs_tol=1e-9)


@given(near, near, angles, near, near)
def test_frame_and_back_is_the_identity(
    x: float, z: float, heading: float, px: float, pz: float
) -> None:
    pose = Pose(x, z, heading)
    back = pose.to_world(pose.to_frame(px, pz))
    assert back == pytest.approx((px, pz), abs=1e-9 * 1e3)


def test_facing_right_puts_a_thing_on_the_right_ahead() -> None:
    offset = Pose(0.0, 0.0, 90.0).to_frame(2.0, 0.0)
    assert offset.dz == pytest.approx(2.0)
    assert offset.bearing_deg == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("dx", "dz", "bearing"), [(0, 1, 0), (1, 0, 90), (0, -1, 180), (-1, 0, -90), (0, 0, 0)]
)
def test_bearings_are_clockwise_from_ahead(dx: float, dz: float, bearing: float) -> None:
    assert Offset(dx, dz).bearing_deg == pytest.approx(bearing)


def test_steps_are_manhattan_in_units_of_motion() -> None:
    offset = Offset(-0.75, 0.5)
    assert offset.steps(0.25) == pytest.approx(5.0)
    assert offset.length == pytest.approx(math.hypot(0.75, 0.5))
