"""Two traces side by side: where they part."""

from __future__ import annotations

from replay_traces import FIRE, make_trace

from mosaic_planner.replay.parting import find_parting


def test_equal_episodes_never_part() -> None:
    found = find_parting(make_trace(), make_trace(planner="llamar"))
    assert (found.step, found.state_step, found.same_mission) == (None, None, True)


def test_the_first_different_action_is_where_they_part() -> None:
    found = find_parting(make_trace(), make_trace(change_at=5))
    assert found.step == found.state_step == 5
    assert found.differences == (("Bob", f"NavigateTo({FIRE})", "Idle"),)


def test_a_different_action_with_the_same_effect_parts_the_actions_only() -> None:
    other = make_trace()
    for event in other.of("outcome"):
        if event["step"] == 2:
            event["agents"]["Bob"]["action"] = "NoOp()"
    found = find_parting(make_trace(), other)
    assert (found.step, found.state_step) == (2, None)


def test_an_episode_that_ends_earlier_parts_there() -> None:
    found = find_parting(make_trace(steps=6), make_trace())
    assert (found.step, found.state_step) == (7, 7)
    assert found.differences[0] == ("Alice", "", "Carry(LostPersonTimmy)")


def test_different_missions_are_told_apart() -> None:
    other = make_trace(person="LostPersonEve", world_id="sar-v1")
    other.header["seed"] = 8
    found = find_parting(make_trace(), other)
    assert not found.same_mission
    assert found.why_not == ("scene", "seed 7 and 8")
    elsewhere = find_parting(make_trace(), make_trace(world_id="their-world-v1"))
    assert elsewhere.why_not == ("world sar-v1 and their-world-v1",)
