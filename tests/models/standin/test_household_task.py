"""From instructions to goals: the tasks' own wording and ways people say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mosaic_planner.models.standin.household_task import Chore, matches, read_chores
from mosaic_planner.worlds.household.tasks import Goal, HouseholdTask, all_tasks

STATES = {
    ("isSliced", True): "sliced", ("isDirty", False): "clean", ("isOpen", True): "open",
    ("isOpen", False): "closed", ("isToggled", True): "on", ("isToggled", False): "off",
}  # fmt: skip


def fits(chore: Chore, goal: Goal) -> bool:
    kind = goal.object_type.lower()
    if not matches(kind, chore.kinds):
        return False
    if goal.kind == "state":
        return chore.state == STATES[goal.fields[0], goal.value]
    if chore.state:
        return False
    wanted = tuple(r.lower() for r in goal.receptacles)
    return not chore.places or all(
        any(matches(w, (p,)) for w in wanted) for p in chore.places if p != "sink"
    )


@pytest.mark.parametrize("task", all_tasks(), ids=lambda t: t.task_id)
def test_own_wording_tells_every_goal(task: HouseholdTask):
    chores = read_chores(task.instruction)
    left = [g for g in task.goals if not any(fits(c, g) for c in chores)]
    # A fridge is closed again whether or not anybody says so.
    assert [g for g in left if g.object_type != "Fridge"] == []


def test_the_benchmarks_wording_tells_every_goal(shared_data: Path):
    file = shared_data.parent / "reference" / "map_thor_tasks.json"
    if not file.is_file():
        pytest.skip("the benchmark's tasks are absent")
    for entry in json.loads(file.read_text("utf-8"))["tasks"]:
        task = next(t for t in all_tasks() if t.task_id == entry["id"])
        chores = read_chores(entry["instruction"])
        left = [g for g in task.goals if not any(fits(c, g) for c in chores)]
        assert [g for g in left if g.object_type != "Fridge"] == [], entry["instruction"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Slice the tomato.", Chore(("tomato",), "sliced")),
        ("Cut all potatoes", Chore(("potato",), "sliced", every=True)),
        ("Wash the dishes' plate", Chore(("dishes'plate",), "clean", every=True)),
        ("Put the knives on the counter", Chore(("knife",), "", ("countertop",))),
        ("Turn the light switch off", Chore(("lightswitch",), "off", every=True)),
        ("Tidy up the couch.", Chore(("*",), "", (), ("sofa",), True)),
        ("Bring everything on the desk to the bed", Chore(("*",), "", ("bed",), ("desk",), True)),
    ],
)
def test_single_orders(text: str, expected: Chore):
    assert read_chores(text) == (expected,)


@pytest.mark.parametrize("text", ["", "Hello there.", "Sing about fridges", "put", "open it"])
def test_what_is_not_understood_is_no_goal(text: str):
    assert read_chores(text) == ()
