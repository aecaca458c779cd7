"""The interpreter of SmartLLM's programs: what it runs, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_planner.core.action import Action
from mosaic_planner.planners.program import ProgramError, ProgramRun, parse_program

AGENTS = ("Ada", "Bo")
VERBS = ("GoTo", "Take", "Explore", "Done")


class World:
    """What the program may ask; tests change it between steps."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, Any]] = {"Box": {"state": "shut"}}
        self.held: dict[tuple[str, str], int] = {}

    def sees(self, name: str) -> bool:
        return name in self.seen

    def holds(self, agent: str, item: str) -> int:
        return self.held.get((agent, item), 0)

    def value(self, name: str, key: str) -> Any:
        return self.seen.get(name, {}).get(key)


def start(source: str, world: World | None = None) -> ProgramRun:
    return ProgramRun(parse_program(source), AGENTS, VERBS, world or World())


def play(run: ProgramRun, steps: int = 50) -> list[dict[str, str]]:
    """All joint actions if everything works."""
    done = []
    for _ in range(steps):
        wanted = run.wanted()
        if run.finished:
            break
        done.append({a: str(x) for a, x in wanted.items()})
        for agent, action in wanted.items():
            run.done(agent, action, True)
    return done


def test_parallel_blocks_end_together() -> None:
    run = start(
        """
with parallel():
    with robot("Ada"):
        GoTo("Box")
        Take("Box")
    with robot("Bo"):
        Explore()
with robot("Bo"):
    GoTo("Box")
"""
    )
    assert play(run) == [
        {"Ada": "GoTo(Box)", "Bo": "Explore()"},
        {"Ada": "Take(Box)"},
        {"Bo": "GoTo(Box)"},
    ]
    assert run.finished
    assert run.problem == ""


def test_loops_conditions_functions_and_variables() -> None:
    world = World()
    run = start(
        """
def fetch(what, times):
    for i in range(times):
        if i == 1 and not sees("Nothing"):
            continue
        Take(what)
names = ["Box", "Crate"]
n = 2
n += 1
with robot("Ada"):
    for name in names:
        GoTo(name)
    fetch("Box" + "_" + "1", n)
    while True:
        if value("Box", "state") == "open":
            break
        Explore()
    if len(names) > 1 and -n < 0:
        Done()
""",
        world,
    )
    assert [s["Ada"] for s in play(run, 6)] == [
        "GoTo(Box)",
        "GoTo(Crate)",
        "Take(Box_1)",
        "Take(Box_1)",
        "Explore()",
        "Explore()",
    ]
    world.seen["Box"]["state"] = "open"
    assert [s["Ada"] for s in play(run)] == ["Done"]


def test_failed_action_stops_the_program_with_a_reason() -> None:
    run = start('with robot("Ada"):\n    GoTo("Box")\n    Take("Box")')
    assert run.wanted() == {"Ada": Action("GoTo", ("Box",))}
    run.done("Ada", Action("Explore"), False)  # what a coordinator chose instead
    assert run.wanted() == {"Ada": Action("GoTo", ("Box",))}
    run.done("Ada", Action("GoTo", ("Box",)), False)
    assert run.problem == "Ada: GoTo(Box) failed"
    assert run.finished
    assert run.wanted() == {}


def test_one_robot_in_two_branches_does_one_thing_at_a_time() -> None:
    run = start(
        'with parallel():\n    with robot("Ada"):\n        GoTo("A")\n'
        '    with robot("Ada"):\n        GoTo("B")'
    )
    assert play(run) == [{"Ada": "GoTo(A)"}, {"Ada": "GoTo(B)"}]


REFUSED = [
    ("import os", "Import is not allowed"),
    ("from os import system", "ImportFrom is not allowed"),
    ("().__class__.__bases__[0].__subclasses__()", "only plain names can be called"),
    ("x = (1).real", "Attribute is not allowed"),
    ("x = [1][0]", "Subscript is not allowed"),
    ("x = [a for a in range(3)]", "ListComp is not allowed"),
    ("x = lambda: 1", "Lambda is not allowed"),
    ('x = f"{1}"', "JoinedStr is not allowed"),
    ("x = 10 ** 10", "Pow is not allowed"),
    ("x = 'a' * 100", "Mult is not allowed"),
    ("class A: pass", "ClassDef is not allowed"),
    ("global x", "Global is not allowed"),
    ("try:\n    pass\nexcept Exception:\n    pass", "Try is not allowed"),
    ("raise ValueError", "Raise is not allowed"),
    ("async def f(): pass", "not allowed"),
    ("yield 1", "not allowed"),
    ("(x := 1)", "NamedExpr is not allowed"),
    ("del x", "Delete is not allowed"),
    ("x = b'bytes'", "bytes is not allowed"),
    ("x = ...", "ellipsis is not allowed"),
    ("a, b = 1, 2", "single plain names"),
    ("a = b = 1", "single plain names"),
    ("@f\ndef g(): pass", "only plain arguments"),
    ("def g(*a): pass", "only plain arguments"),
    ("def g(a=1): pass", "only plain arguments"),
    ("def g():\n    return 1", "gives nothing back"),
    ("GoTo(name='x')", "without names"),
    ("GoTo(*['x'])", "not allowed"),
    ("with open('f') as f:\n    pass", "write"),
    ("with parallel(), robot('Ada'):\n    pass", "write"),
    ("x = " + "9" * 8, "too large"),
    ("x = 1e999", "too large"),
    ("x = '" + "a" * 500 + "'", "longer than"),
    ("(" * 100 + ")" * 100, "nested too deeply"),
    ("not " * 2000 + "x", "nested too deeply"),
    ("-" * 3000 + "1", "nested too deeply|too large or too deep"),
    ("x = 1\n" * 4000, "longer than"),
    ("with robot('Ada')", "line 1: this is not a program"),
    ("\0", "not a program|empty"),
    ("", "empty"),
]


@pytest.mark.parametrize(("source", "told"), REFUSED)
def test_refused_before_anything_runs(source: str, told: str) -> None:
    with pytest.raises(ProgramError, match=told):
        parse_program(source)


STOPPED = [
    ("open('x')", "no skill or function 'open'"),
    ("x = open('x')", "'open' is no question"),
    ("x = __import__('os')", "'__import__' is no question"),
    ("exec('1')", "no skill or function 'exec'"),
    ("while True:\n    pass", "more than 100 rounds"),
    ("while True:\n    while True:\n        x = 1", "more than 100 rounds"),
    ("for i in range(1000):\n    pass", "more than 100 rounds"),
    (
        "for a in range(100):\n    for b in range(100):\n        for c in range(100):\n"
        "            x = 1",
        "goes on for too long",
    ),
    ("def f():\n    f()\nf()", "too deeply"),
    ("x = 'a'\nfor i in range(30):\n    x = x + x", "longer than 400"),
    ("x = [1]\nfor i in range(30):\n    x = x + x", "longer than 200"),
    ("x = [1]\nfor i in range(90):\n    x = [x, x]", "no lists"),  # comparing two would never end
    ("x = 900000\nfor i in range(90):\n    x = x + x", "too large"),
    ("x = y", "nothing is called 'y'"),
    ("x = 'a' < 'b'", "only numbers"),
    ("x = 1 + 'a'", "cannot be added"),
    ("for i in 3:\n    pass", "goes over range"),
    ("GoTo('Box')", "stands outside"),
    ("with robot('Eve'):\n    pass", "'Eve' is none of Ada, Bo"),
    ("with robot('Ada'):\n    GoTo(1)", "texts as arguments"),
    ("with robot('Ada'):\n    Fly('x')", "no skill or function 'Fly'; skills are GoTo"),
    ("def f(a):\n    pass\nf()", "takes 1 arguments"),
    (
        "def f(n):\n    with parallel():\n" + "        f(n)\n" * 9 + "f(1)",
        "at the same time|too deeply",
    ),
]


@pytest.mark.parametrize(("source", "told"), STOPPED)
def test_stopped_with_a_reason_while_it_runs(source: str, told: str) -> None:
    run = start(source)
    assert run.wanted() == {}
    assert run.finished
    assert any(part in run.problem for part in told.split("|")), run.problem


def test_fences_are_taken_off() -> None:
    run = start('```python\nwith robot("Ada"):\n    Explore()\n```')
    assert play(run) == [{"Ada": "Explore()"}]


PIECES = st.sampled_from(
    [
        *"()[]:=+-,.\"'\n",
        "    ",
        "with ",
        "robot",
        "parallel",
        '"Ada"',
        "for ",
        "i ",
        "in ",
        "range",
        "while ",
        "True",
        "def ",
        "f",
        "not ",
        "GoTo",
        "Explore()",
        "import ",
        "os",
        "__class__",
        "lambda ",
        "3",
        "x",
        "return",
        "break",
        "if ",
        "else:",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join)))
def test_any_text_is_harmless(source: str) -> None:
    try:
        run = start(source)
    except ProgramError:
        return
    play(run, 5)
    assert run.finished or all(a in AGENTS for a in run.wanted())


STATEMENTS = st.recursive(
    st.sampled_from(['GoTo("A")', "Explore()", "x = 1", "x += 1", "pass", "break", "f()"]),
    lambda inner: st.tuples(
        st.sampled_from(
            [
                'with robot("Ada"):',
                'with robot("Bo"):',
                "with parallel():",
                "while True:",
                "for i in range(4):",
                'if sees("Box"):',
                "def f():",
            ]
        ),
        st.lists(inner, min_size=1, max_size=3),
    ).map(lambda t: t[0] + "\n" + "\n".join("    " + b.replace("\n", "\n    ") for b in t[1])),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STATEMENTS, min_size=1, max_size=4).map("\n".join))
def test_any_program_ends_or_acts(source: str) -> None:
    run = start(source)
    play(run, 30)
    assert run.finished or run.wanted()


VALUES = st.recursive(
    st.sampled_from(
        ["x", "xs", "y", "'Ada'", "'Box'", "0", "1", "99", "-1", "1.5", "True", "None", "[]"]
    ),
    lambda inner: st.one_of(
        st.tuples(
            inner, st.sampled_from(["+", "-", "==", "<", "in", "is", "and", "or"]), inner
        ).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.tuples(
            st.sampled_from(
                ["range", "len", "sees", "holds", "value", "not ", "-", "open", "print"]
            ),
            st.lists(inner, min_size=1, max_size=2),
        ).map(lambda t: f"{t[0]}({', '.join(t[1])})"),
    ),
    max_leaves=8,
)
USES = st.tuples(
    st.sampled_from(
        [
            "x = {}",
            "xs = {}",
            "y += {}",
            "for x in {}:\n    xs = xs + [x]\n    GoTo(x)",
            "while {}:\n    x = x + x",
            "if {}:\n    Explore()\nelse:\n    GoTo('A')",
            "f({})",
            "with robot({}):\n    f(x)",
        ]
    ),
    VALUES,
).map(lambda t: t[0].format(t[1]))


@settings(max_examples=200, deadline=None)
@given(st.lists(USES, min_size=1, max_size=6))
def test_any_values_are_computed_or_refused(uses: list[str]) -> None:
    body = "\n".join(uses).replace("\n", "\n    ")
    source = (
        "x = 1\ny = 'a'\nxs = ['Box']\ndef f(x):\n    GoTo(x)\n    with robot('Bo'):\n"
        f"        GoTo(y)\nwith robot('Ada'):\n    {body}\n"
    )
    try:
        run = start(source)
    except ProgramError:  # too deep or too long
        return
    play(run, 20)
    assert run.finished or all(agent in AGENTS for agent in run.wanted())
