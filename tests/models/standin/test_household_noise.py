"""What the stand-in makes of eyes that err: names of nothing, sliced things that look whole."""

from __future__ import annotations

from mosaic_planner.models.standin.household_notes import Notes


def test_a_name_of_nothing_is_written_down_and_believed_no_longer():
    notes = Notes()
    notes.thing("Bread_9").learn(["whole", "in CounterTop_3"])
    notes.happened("Alice", "NavigateTo", ("Bread_9",), False, "nothing called 'Bread_9' is known")
    assert "Bread_9" not in notes.things
    text = notes.text(notes.things)
    assert "there is no Bread_9" in text
    assert Notes.read(text).unreal == {"Bread_9": None}
    assert not notes.missed  # the way there is not to blame


def test_a_failed_way_to_a_real_thing_is_remembered():
    notes = Notes()
    notes.happened("Alice", "NavigateTo", ("Bread_1",), False, "Bob is in the way")
    assert notes.missed == {("Alice", "Bread_1"): 1}
    assert "Bread_1" not in notes.unreal
