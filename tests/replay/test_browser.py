"""The page in a real Chromium: what it shows, how it is worked, what it must never do.

Needs `playwright` and Debian's `chromium`; runs in CI only.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from replay_opened import CHROMIUM, FLAGS, LAPTOP, PHONE, Opened
from replay_traces import FIRE, PERSON, household_trace, make_trace

from mosaic_planner import run_episode
from mosaic_planner.coordination.explain import explain_event
from mosaic_planner.core.trace import Event, Trace
from mosaic_planner.replay import notebook_html, write_replay
from mosaic_planner.replay.parting import find_parting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'

Open = Callable[..., Opened]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Write the page of traces and open it from the file system; checks at the end that it asked
    for nothing but itself and had no error."""
    opened: list[Opened] = []

    def go(
        trace: Trace,
        other: Trace | None = None,
        *,
        size: dict[str, int] | None = None,
        theme: Any = "light",
        bypass_csp: bool = False,
    ) -> Opened:
        path = write_replay(tmp_path / f"page{len(opened)}.html", trace, other)
        context = browser.new_context(
            viewport=size or LAPTOP,  # type: ignore[arg-type]  # a plain dict is what it takes
            color_scheme=theme,
            bypass_csp=bypass_csp,
        )
        page = context.new_page()
        result = Opened(page, path.as_uri())
        page.on("request", lambda request: result.requests.append(request.url))
        page.on("console", lambda m: result.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: result.errors.append(str(error)))
        page.on("dialog", lambda dialog: result.errors.append(f"dialog {dialog.message}"))
        page.goto(result.address)
        page.wait_for_selector("html[data-ready]")
        opened.append(result)
        return result

    yield go
    for one in opened:
        assert one.errors == []
        assert set(one.requests) == {one.address}
        one.page.context.close()


@pytest.fixture(scope="module")
def real() -> Trace:
    """A real episode with sensor noise, so that beliefs differ from the truth."""
    settings: dict[str, Any] = {"planner": "llamar+mosaic", "noise": "medium"}
    return run_episode(scene=3, agents=3, steps=12, seed=1, **settings).trace


def _at(trace: Trace, kind: str, step: int) -> Event:
    return next(e for e in trace.of(kind) if e["step"] == step)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def test_a_real_episode_is_shown_as_the_trace_has_it(open_page: Open, real: Trace) -> None:
    shown = open_page(real)
    last = max(e["step"] for e in real.of("outcome"))
    assert real.header["briefing"]["instruction"][:200] in shown.page.inner_text("#mission")
    for step in (1, last // 2, last):
        shown.go(step)
        for agent in real.header["agents"]:
            shown.select(agent)
            decision = _plain(shown.tab("decision"))
            outcome = _at(real, "outcome", step)["agents"][agent]
            assert outcome["action"] in decision
            assert ("✗ failed" in decision) is not outcome["success"]
            assert outcome["reason"] in decision
            for line in explain_event(_at(real, "assignment", step), agent):
                assert _plain(line) in decision
            losers = [x for x in _at(real, "assignment", step)["losers"] if x["agent"] == agent]
            rows = shown.page.locator("#panel-decision-one tbody tr")
            assert rows.count() == 1 + len(losers)
            beliefs = _plain(shown.tab("beliefs"))
            for line in _at(real, "beliefs", step)["agents"][agent]["lines"]:
                assert _plain(line.removeprefix("- ")) in beliefs
            calls = _plain(shown.tab("calls"))
            for call in real.of("call"):
                if call["step"] == step:
                    assert _plain(call["reply"]) in calls
                    assert f"{call['latency_s']:.2f} s" in calls
        team = shown.tab("team")
        snapshot = _at(real, "snapshot", step)["world"]
        for agent in snapshot["agents"]:
            x, y = agent["pos"]
            assert f"({x}, {y})" in team


def test_beliefs_that_are_wrong_are_marked(open_page: Open) -> None:
    shown = open_page(make_trace())
    shown.go(5)
    text = shown.tab("beliefs")
    assert "wrong place by 2" in text
    assert "intensity is truly High" in text
    errors = shown.page.locator("#panel-beliefs-one tr.error")
    assert {
        errors.nth(i).locator("td").first.inner_text().split()[0] for i in range(errors.count())
    }
    shown.page.check("#panel-beliefs-one input[type=checkbox]")
    rows = shown.page.locator("#panel-beliefs-one tbody tr")
    assert rows.count() == errors.count() > 0
    shown.page.locator("#panel-beliefs-one input[type=radio]").nth(1).check()
    assert "intensity is truly Medium" in shown.page.inner_text("#panel-beliefs-one")


def test_the_prompt_is_folded_and_complete(open_page: Open) -> None:
    trace = make_trace()
    shown = open_page(trace)
    shown.go(4)
    assert "You lead a team" not in shown.tab("calls")
    for summary in shown.page.locator("#panel-calls-one summary").all():
        if summary.is_visible():
            summary.click()
    text = shown.page.inner_text("#panel-calls-one")
    assert "You lead a team of two robots." in text
    assert f"TASK: put out {FIRE}" in text
    assert "STEP: 4" in text
    assert "100 (40 cached) tokens in, 20 out" in text


def test_buttons_slider_and_keys_move_through_the_episode(open_page: Open) -> None:
    shown = open_page(make_trace())
    page = shown.page
    shown.at(0)
    page.click("#ahead")
    shown.at(1)
    page.click("#last")
    shown.at(9)
    assert page.is_disabled("#ahead")
    page.click("#back")
    shown.at(8)
    page.click("#title")
    for key, step in (
        ("ArrowLeft", 7),
        ("ArrowRight", 8),
        ("Home", 0),
        ("Shift+ArrowRight", 9),
        ("Shift+ArrowLeft", 0),
        ("End", 9),
        ("p", 7),
        ("p", 4),
        ("n", 7),
    ):
        page.keyboard.press(key)
        shown.at(step)
    page.keyboard.press("j")
    page.wait_for_function("document.getElementById('agent').value === 'Bob'")
    page.keyboard.press("k")
    page.wait_for_function("document.getElementById('agent').value === 'Alice'")
    page.keyboard.press(".")
    assert page.input_value("#speed") == "4"
    page.focus("#slider")
    page.keyboard.press("ArrowLeft")
    shown.at(6)
    assert "step 6" in str(page.get_attribute("#slider", "aria-valuetext"))
    assert "step 6. Alice" in page.inner_text("#status")


def test_it_plays_to_the_end_and_stops(open_page: Open) -> None:
    shown = open_page(make_trace())
    page = shown.page
    page.select_option("#speed", "16")
    page.keyboard.press("Space")
    page.wait_for_function("document.getElementById('play').textContent.includes('Pause')")
    shown.at(9)
    page.wait_for_function("document.getElementById('play').textContent.includes('Play')")
    page.select_option("#speed", "4")
    page.click("#play")
    shown.at(2)
    page.click("#play")
    stopped = page.inner_text("#where")
    page.wait_for_timeout(600)
    assert page.inner_text("#where") == stopped


def test_the_map_is_drawn_and_follows(open_page: Open) -> None:
    shown = open_page(make_trace())
    picture = "document.querySelector('.map canvas').toDataURL()"
    shown.go(3)
    before = shown.page.evaluate(picture)
    shown.go(5)
    after = shown.page.evaluate(picture)
    assert before != after
    shown.page.get_by_label("Zoom in").click()
    assert shown.page.evaluate(picture) != after
    shown.page.get_by_label("Show the whole map").click()
    shown.page.get_by_label("what it believes").uncheck()
    assert shown.page.evaluate(picture) != after
    label = shown.page.get_attribute(".map canvas", "aria-label")
    assert "step 5. Alice at (1, 2)" in str(label)


def test_a_click_on_an_agent_selects_it(open_page: Open) -> None:
    shown = open_page(make_trace())
    canvas = shown.page.locator(".map canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": box["width"] * 5.5 / 6, "y": box["height"] * 4.5 / 5})
    assert shown.page.input_value("#agent") == "Bob"
    canvas.hover(position={"x": box["width"] * 3.5 / 6 + 2, "y": box["height"] * 2.5 / 5})
    canvas.hover(position={"x": box["width"] * 5.5 / 6, "y": box["height"] * 0.5 / 5})
    assert "ReservoirLake (reservoir) at (5, 0)" in shown.page.inner_text(".tip")


def test_figures_follow_the_slider(open_page: Open) -> None:
    shown = open_page(make_trace())
    shown.go(6)
    text = shown.page.inner_text("#figures")
    assert "actor 6" in text
    assert "penalty 2.00" in text
    assert "1,800" in text
    shown.go(0)
    assert "actor 0" in shown.page.inner_text("#figures")
    shown.page.locator("#figures .plot").first.click(position={"x": 1, "y": 30})
    shown.at(0)


def test_marks_subtasks_and_messages_are_listed_and_lead_to_their_steps(open_page: Open) -> None:
    shown = open_page(make_trace())
    shown.page.get_by_role("button", name="Alice tries Carry").click()
    shown.at(7)
    lists = shown.page.inner_text("#lists")
    assert "0 of 2 truly done" in lists
    assert f"find {PERSON} open 1-3; believed done in step 4" in _plain(lists)
    now = shown.page.locator(".log li.now")
    assert any("I am at step 7" in now.nth(i).inner_text() for i in range(now.count()))
    shown.go(8)
    assert "2 of 2 truly done" in shown.page.inner_text("#lists")


def test_two_episodes_run_side_by_side(open_page: Open, real: Trace) -> None:
    a, b = make_trace(planner="llamar"), make_trace(change_at=5)
    shown = open_page(a, b)
    banner = shown.page.inner_text("#banner")
    assert "They part in step 5." in banner
    assert f"Bob: NavigateTo({FIRE}) (A), Idle (B)" in banner
    shown.page.get_by_role("button", name="Go there").click()
    shown.at(5)
    assert shown.page.input_value("#agent") == "Bob"
    assert f"NavigateTo({FIRE})" in _plain(shown.tab("decision", "A"))
    assert "Idle – idle" in _plain(shown.tab("decision", "B"))
    shown.page.select_option("#clock", "time")
    shown.page.wait_for_function("document.getElementById('where').textContent === '10.0 s'")
    plain = run_episode(scene=3, agents=3, steps=12, seed=1, planner="llamar").trace
    both = open_page(plain, real)
    step = find_parting(plain, real).step
    assert f"They part in step {step}." in both.page.inner_text("#banner")
    last = max(e["step"] for t in (plain, real) for e in t.of("outcome"))
    both.go(last)


def test_different_missions_are_said_to_be_different(open_page: Open) -> None:
    shown = open_page(make_trace(), make_trace(person="LostPersonEve"))
    assert "Not the same mission: different scene" in shown.page.inner_text("#banner")


def test_a_hostile_trace_runs_nothing_and_shows_as_text(open_page: Open) -> None:
    agents = (f"Al{HOSTILE}", f"Bob{HOSTILE}")
    trace = make_trace(agents=agents, person=f"Lost{HOSTILE}", says=HOSTILE)
    trace.header["planner"] = HOSTILE
    shown = open_page(trace, trace)
    page = shown.page
    assert HOSTILE in page.inner_text("#title")
    for step in range(10):
        shown.go(step)
        for name in ("beliefs", "calls", "team", "decision"):
            shown.tab(name, "A")
    assert HOSTILE in page.inner_text("#panel-decision-A")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 1


class _Listener(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(204)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@pytest.fixture
def listener() -> Iterator[str]:
    """The address of a server of this machine that would answer anybody; `asked` is empty."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Listener)
    _Listener.asked.clear()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_policy_is_in_force(browser: Browser, tmp_path: Path, listener: str) -> None:
    page = browser.new_page()
    page.goto(write_replay(tmp_path / "page.html", make_trace()).as_uri())
    page.wait_for_selector("html[data-ready]")
    for code in (
        "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
        "document.createElement('script').text = 'window.hacked = 1'",
        "document.body.setAttribute('onclick', 'window.hacked = 1')",
    ):
        blocked = f"() => {{ try {{ {code}; return false; }} catch {{ return true; }} }}"
        assert page.evaluate(blocked), code
    ask = """async (address) => {
        const image = document.createElement('img');
        image.src = `${address}/pixel.png`;
        document.body.append(image);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return fetch(`${address}/data`).then(() => 'answered', () => 'blocked');
    }"""
    assert page.evaluate(ask, listener) == "blocked"
    assert _Listener.asked == []
    bare = tmp_path / "bare.html"
    bare.write_text("<!doctype html><title>no policy</title><body></body>")
    page.goto(bare.as_uri())
    assert page.evaluate(ask, listener) == "answered"  # the listener does listen
    assert set(_Listener.asked) == {"/pixel.png", "/data"}
    page.close()


@pytest.fixture(scope="module")
def household() -> Trace:
    return household_trace(steps=6)


SHOWN: dict[str, Callable[[Trace], list[Trace]]] = {
    "mission": lambda _: [make_trace()],
    "missions compared": lambda _: [make_trace(planner="llamar"), make_trace(change_at=5)],
    "household": lambda household: [household],
    "households compared": lambda household: [household, household_trace(steps=5)],
    "their world": lambda _: [make_trace(world_id="their-world-v1")],
}
"""Every kind of page, given a household's trace."""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("what", SHOWN)
def test_accessibility_has_no_serious_finding(
    open_page: Open, household: Trace, what: str, theme: str, size: dict[str, int]
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    traces = SHOWN[what](household)
    # The checker puts its own elements into the page, which the page's policy would forbid.
    shown = open_page(*traces, size=size, theme=theme, bypass_csp=True)
    which = "one" if len(traces) == 1 else "A"
    shown.page.click("#help-button")
    shown.go(6 if len(traces) == 1 else 5)
    for summary in shown.page.locator("summary").all():
        if summary.is_visible():
            summary.click()
    for name in ("decision", "beliefs", "calls", "team"):
        shown.tab(name, which)
        found = Axe().run(shown.page).response["violations"]
        grave = [
            (v["id"], v["impact"], [n["target"] for n in v["nodes"]][:3])
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert grave == [], name


@pytest.mark.parametrize("what", SHOWN)
def test_pages_fit_a_phone(open_page: Open, household: Trace, what: str) -> None:
    traces = SHOWN[what](household)
    shown = open_page(*traces, size=PHONE)
    shown.go(5)
    for name in ("decision", "beliefs", "calls", "team"):
        shown.tab(name, "one" if len(traces) == 1 else "A")
        width = shown.page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], name


def test_the_theme_can_be_chosen(open_page: Open) -> None:
    shown = open_page(make_trace(), theme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = shown.page.evaluate(ground)
    shown.page.click("#theme-button")
    light = shown.page.evaluate(ground)
    assert light != dark
    shown.page.click("#theme-button")
    assert shown.page.evaluate(ground) == dark


def test_a_household_is_drawn_as_a_floor_plan(open_page: Open) -> None:
    trace = household_trace(steps=6)
    shown = open_page(trace)
    shown.go(6)
    last = list(trace.of("snapshot"))[-1]["world"]
    team = shown.tab("team")
    for agent in last["agents"]:
        assert f"facing {agent['heading']:g}°" in team
    beliefs = _plain(shown.tab("beliefs"))
    for line in _at(trace, "beliefs", 6)["agents"]["Alice"]["lines"]:
        assert _plain(line.removeprefix("- ")) in beliefs
    shown.page.click(".legend summary")
    assert "floor a robot can stand on" in shown.page.inner_text(".legend")
    picture = "document.querySelector('.map canvas').toDataURL()"
    before = shown.page.evaluate(picture)
    shown.select("Bob")
    assert shown.page.evaluate(picture) != before  # another robot's field of view


def test_a_torn_trace_says_so(open_page: Open) -> None:
    shown = open_page(make_trace(complete=False, steps=3))
    assert "the trace is torn" in shown.page.inner_text(".facts")
    shown.go(3)


def test_a_notebook_shows_the_page_in_its_frame(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(f"<h1>Notebook</h1>{notebook_html(make_trace())}")
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached")
    frame.locator("#ahead").click()
    frame.locator("#where", has_text="step 1 of 9").wait_for()
    assert page.evaluate("window.hacked") is None
    page.close()
