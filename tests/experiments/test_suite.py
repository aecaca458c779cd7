"""Suites: validation, expansion, what the command line may change."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments_fakes import make_suite

from mosaic_planner.core.errors import ConfigError, UnknownNameError, UsageError
from mosaic_planner.experiments.catalogue import find_suite, suite_names
from mosaic_planner.experiments.paper.experiments import EXPERIMENTS, find_experiment
from mosaic_planner.experiments.paper.values import paper_values
from mosaic_planner.experiments.suite import load_suite
from mosaic_planner.experiments.tasks import select_tasks, tasks_of


@pytest.mark.parametrize("name", suite_names())
def test_every_suite_that_ships_is_valid_whole_and_quick(name: str) -> None:
    suite = find_suite(name)
    whole, quick = suite.plan(), suite.adjusted(quick=True).plan()
    assert whole.placements
    assert 0 < len(quick.cells) < len(whole.cells)
    assert len({cell.key for cell in whole.cells}) == len(whole.cells)


def test_the_papers_experiments_are_all_there() -> None:
    wanted = [f"table{n}" for n in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13)]
    wanted += [f"fig{n}" for n in range(3, 9)]
    assert list(EXPERIMENTS) == wanted
    for experiment in EXPERIMENTS.values():
        find_suite(experiment.suite)
    with pytest.raises(UnknownNameError, match="did you mean 'table2'"):
        find_experiment("tabel2")


def test_the_papers_rows_use_its_objective_alone_and_ours_are_extra() -> None:
    for name in suite_names():
        suite = find_suite(name)
        if not suite.source:
            continue
        for cell_row in suite.rows:
            settings = {**suite.settings, **cell_row.settings}
            assert settings["costs"] == ("default" if cell_row.ours else "paper")
            assert settings["safe_candidates"] is cell_row.ours
        assert suite.episodes == 3


def test_rows_of_the_paper_have_their_values_under_the_same_names() -> None:
    for experiment in EXPERIMENTS.values():
        for world in experiment.worlds:
            values = paper_values(experiment.paper or experiment.name, world)
            if values is None or experiment.name == "fig8":
                continue
            suite = find_suite(experiment.suite)
            labels = {row.label for row in suite.rows}
            assert {row for row, _ in values.values} <= labels, experiment.name
            if values.axis and values.axis != "model":
                points = {str(value) for value in suite.vary[values.axis]}
                assert {point for _, point in values.values} <= points, experiment.name


def test_known_figures_of_the_paper() -> None:
    two = paper_values("table2", "household")
    assert two is not None
    assert two.at("LLaMAR + Mosaic", "", "runtime_s") == 554.1
    assert two.at("CoELA", "", "tokens_k") == 2953
    sar = paper_values("table2", "sar")
    assert sar is not None
    assert sar.at("Act", "", "success") is None  # not in our copy, so not guessed
    assert sar.change("LLaMAR + Mosaic", "llm_calls") == -30.2
    three = paper_values("table3", "sar")
    assert three is not None
    assert three.at("LLaMAR + Mosaic", "8", "solver_s") == 5.87
    assert paper_values("table9", "sar") is None


def test_order_is_balanced_and_keys_tell_settings_apart() -> None:
    suite = make_suite(episodes=2)
    plan = suite.plan()
    seeds = [cell.config.seed for cell in plan.cells]
    assert seeds == [0, 0, 0, 0, 10, 10, 10, 10]
    again = make_suite(episodes=2).plan()
    assert plan.digest == again.digest
    assert plan.digest != make_suite(episodes=2, settings={"steps": 4}).plan().digest


def test_equal_episodes_of_two_rows_are_run_once() -> None:
    rows = [{"label": "one", "planner": "llamar"}, {"label": "two", "planner": "llamar"}]
    plan = make_suite(rows=rows).plan()
    assert (len(plan.cells), len(plan.placements)) == (2, 4)


def test_axes_multiply_and_can_be_labelled() -> None:
    weights = {"label": "light", "value": {"cyclic": 1.0}}
    suite = make_suite(vary={"k": [1, 3], "weights": [weights]})
    plan = suite.plan()
    assert len(plan.cells) == 8
    assert plan.cells[0].config.weights == {"cyclic": 1.0}
    assert plan.placements[0].axis == (("k", "1"), ("weights", "light"))


def test_the_command_line_may_vary_what_a_table_compares() -> None:
    nine = find_suite("table9").adjusted(vary={"k": [2, 8]}, worlds=["sar"])
    assert {cell.config.k for cell in nine.plan().cells} == {2, 8}
    eight = find_suite("table8").adjusted(
        vary={"weights": [{"cyclic": 9.0}]}, worlds=["sar"], episodes=1
    )
    plan = eight.plan()
    assert {cell.config.weights["cyclic"] for cell in plan.cells} == {9.0}
    # the paper's six rows are one once the weights are an axis; ours stands beside
    assert len(plan.cells) == 2 * 5
    assert plan.placements[0].axis == (("weights", "cyclic 9.0"),)
    five = find_suite("table5").adjusted(vary={"noise": ["medium"]}, worlds=["sar"])
    assert {cell.config.noise for cell in five.plan().cells} == {"medium"}
    three = find_suite("table3").adjusted(vary={"agents": [4], "solver": ["exact", "cpsat"]})
    assert {cell.config.solver for cell in three.plan().cells} == {"exact", "cpsat"}


def test_settings_that_rows_compare_cannot_be_overridden() -> None:
    with pytest.raises(UsageError, match="--vary planner="):
        make_suite().adjusted(settings={"planner": "react"})
    changed = make_suite().adjusted(settings={"steps": 7, "limits.calls": 5})
    config = changed.plan().cells[0].config
    assert (config.steps, config.limits.calls) == (7, 5)


def test_rows_and_worlds_can_be_chosen() -> None:
    only = make_suite().adjusted(rows=["LLaMAR + Mosaic"])
    assert [row.base for row in only.rows] == [""]
    with pytest.raises(UsageError, match="has no label 'Nobody'; it has LLaMAR"):
        make_suite().adjusted(rows=["Nobody"])


def test_a_missing_world_is_named_and_left_out() -> None:
    worlds = [{"world": "moonbase"}, {"world": "sar", "tasks": [2]}]
    suite = make_suite(worlds=worlds)
    plan = suite.plan()
    assert plan.missing_worlds == ("moonbase",)
    assert {cell.config.world for cell in plan.cells} == {"sar"}


def test_tasks_by_name_number_or_table() -> None:
    assert [task.name for task in tasks_of("sar")] == [f"scene {n}" for n in range(1, 6)]
    named = select_tasks("sar", [2, "scene 4", {"name": "mine", "scene": 1, "faithful": True}])
    assert [task.name for task in named] == ["scene 2", "scene 4", "mine"]
    assert named[2].settings == {"scene": 1, "faithful": True}
    assert [task.name for task in select_tasks("sar", "all", 2)] == ["scene 1", "scene 3"]
    with pytest.raises(UnknownNameError, match="scene 9"):
        select_tasks("sar", [9])
    with pytest.raises(UsageError, match="not part of this installation"):
        tasks_of("moonbase")
    with pytest.raises(UsageError, match="empty list; say 'all' or name some"):
        select_tasks("sar", [])
    third = select_tasks("household", [3])
    assert {task.name for task in third} == {"butterknife_bowl_mug_countertop"}
    with pytest.raises(UnknownNameError, match="unknown household task '99'"):
        select_tasks("household", [99])


GOOD = """
name = "mine"
[[worlds]]
world = "sar"
[[rows]]
label = "a"
planner = "llamar"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not valid TOML"),
        ('name = "mine"', "worlds: Field required"),
        (GOOD.replace("mine", "a b"), "name: String should match"),
        (GOOD + '[[rows]]\nlabel = "a"', "two rows are called 'a'"),
        (GOOD + 'base = "b"', "base 'b' of a row is no row"),
        (GOOD + "[vary]\nk = []", "vary.k has no value"),
        (
            GOOD.replace("[[worlds]]", "seeds = []\n[[worlds]]"),
            "seeds: List should have at least 1",
        ),
        (GOOD.replace("[[worlds]]", "colour = 1\n[[worlds]]"), "colour: Extra inputs"),
    ],
)
def test_a_mistake_in_a_suite_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "suite.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_suite(path)
    assert "\n" not in str(caught.value)


def test_more_episodes_than_memory_holds_are_refused_before_they_are_planned() -> None:
    suite = make_suite(episodes=10**9)
    with pytest.raises(ConfigError, match=r"has \d,[\d,]+ episodes; 200,000 is the most"):
        suite.plan()


def test_an_unknown_setting_names_its_row() -> None:
    suite = make_suite(rows=[{"label": "odd", "planner": "llamar", "colour": 1}])
    with pytest.raises(ConfigError, match="row 'odd': unknown setting 'colour'"):
        suite.plan()


def test_an_unknown_planner_names_its_row_before_anything_runs() -> None:
    suite = make_suite(rows=[{"label": "odd", "planner": "lamar+mosaic"}])
    with pytest.raises(ConfigError, match=r"row 'odd': unknown planner 'lamar': did you mean"):
        suite.plan()


def test_a_missing_file_and_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read suite"):
        find_suite(str(tmp_path / "none.toml"))
    with pytest.raises(UnknownNameError, match="known: fig6"):
        find_suite("nothing-like-it")
