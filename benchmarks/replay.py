"""How long the page of a large episode takes to write, to open and to follow.

The episode is made up event by event in the shape of real ones: agents walk on a grid with burning
fires, every step has three model calls whose prompts hold one block per agent. Opening and playing
are measured in a real Chromium if there is one (`playwright` and /usr/bin/chromium).

    python benchmarks/replay.py [--quick] [--json] [--agents 100] [--steps 1000] [--keep FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic_planner.replay import write_replay

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

GRID, FIRES, PERSONS, REGIONS = 100, 12, 16, 5
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LEVELS = ("None", "Low", "Medium", "High")


class Mission:
    """A made-up episode; `events` yields it once."""

    def __init__(self, agents: int, steps: int, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.agents = [f"Robot{i:03d}" for i in range(agents)]
        self.steps = steps
        self.at = {
            a: [self.random.randrange(GRID), self.random.randrange(GRID)] for a in self.agents
        }
        self.fires: dict[str, dict[str, Any]] = {}
        for f in range(FIRES):
            x, y = self.random.randrange(8, GRID - 9), self.random.randrange(8, GRID - 9)
            cells = [[x + i, y + j] for j in range(8) for i in range(8)]
            regions = {f"Fire{f}_Region_{r + 1}": cells[r * 9] for r in range(REGIONS)}
            self.fires[f"Fire{f}"] = {
                "type": "AB"[f % 2],
                "anchor": [x, y],
                "radius": 6,
                "cells": cells,
                "regions": regions,
            }
        self.persons = {f"LostPerson{i}": [i * 6, GRID - 1 - i] for i in range(PERSONS)}
        self.levels = {name: [0] * 64 for name in self.fires}

    def events(self) -> Iterator[dict[str, Any]]:
        """Header, three calls and all other events per step, end."""
        yield self.header()
        yield {"event": "text", "id": "t0", "text": "You lead a large team.\n" * 60}
        yield from self.state(0)
        for step in range(1, self.steps + 1):
            t = 6.0 * step
            prompt = self.prompt()
            for module in ("actor", "verifier", "planner"):
                yield self.call(step, t, module, prompt)
            actions = {a: self.action() for a in self.agents}
            yield self.proposal(step, t, actions)
            yield self.assignment(step, t, actions)
            yield self.outcome(step, t, actions)
            yield from self.state(step)
        clock = {"model_s": 6.0, "world_s": 1.0, "solver_s": 0.1, "waiting_s": 0.0}
        yield {
            "event": "end",
            "step": self.steps,
            "t": 6.0 * self.steps,
            "reason": "budget",
            "clock": clock,
        }

    def header(self) -> dict[str, Any]:
        static = {
            "grid": [GRID, GRID],
            "reservoirs": {"ReservoirA": {"pos": [50, 50], "radius": 4.2, "type": "A"}},
            "deposits": {"DepositA": {"pos": [55, 50], "radius": 4.2}},
            "persons": {n: {"pos": p, "radius": 9.0, "load": 2} for n, p in self.persons.items()},
            "fires": self.fires,
        }
        return {
            "event": "header",
            "format": 1,
            "version": "0",
            "world": {"id": "sar-v1", "static": static, "unit": 1.0, "headings": False},
            "planner": "llamar+mosaic",
            "model": "made-up",
            "seed": 0,
            "agents": self.agents,
            "briefing": {"instruction": "Put out every fire and rescue everybody."},
            "settings": {},
        }

    def prompt(self) -> str:
        names = [f"- {r}: intensity {LEVELS[2]}" for f in self.fires.values() for r in f["regions"]]
        shared = "\n".join(names[:30])
        return "\n".join(f"[{a}]\nSTATE: at {self.at[a]}\n{shared}" for a in self.agents)

    def action(self) -> str:
        region = f"Fire{self.random.randrange(FIRES)}_Region_{self.random.randrange(REGIONS) + 1}"
        return self.random.choice(
            (f"NavigateTo({region})", "Explore()", "Idle", "GetSupply(ReservoirA)")
        )

    def call(self, step: int, t: float, module: str, prompt: str) -> dict[str, Any]:
        return {
            "event": "call",
            "step": step,
            "t": t,
            "module": module,
            "messages": [{"role": "system", "text_id": "t0"}, {"role": "user", "text": prompt}],
            "reply": json.dumps({a: ["Explore()", "Idle"] for a in self.agents}),
            "usage": {"input_tokens": 9000, "cached_tokens": 0, "output_tokens": 900},
            "latency_s": 2.0,
            "attempts": 1,
            "prompt_tokens": 9000,
        }

    def proposal(self, step: int, t: float, actions: dict[str, str]) -> dict[str, Any]:
        open_ = [f"put out Fire{(step // 20 + k) % FIRES}" for k in range(5)]
        return {
            "event": "proposal",
            "step": step,
            "t": t,
            "candidates": {},
            "rejections": [],
            "subtasks": {"open": open_, "completed": []},
            "reason": "the fires are spreading",
            "subtask": open_[0],
            "memory": "",
            "failure_reason": "",
            "messages": [],
        }

    def assignment(self, step: int, t: float, actions: dict[str, str]) -> dict[str, Any]:
        terms = {"travel": 0.4, "progress": -0.75, "load": 0.2, "penalty": 0.0}
        losers = []
        for agent in self.agents:
            for rank in (1, 2):
                losers.append(
                    {
                        "agent": agent,
                        "action": self.action(),
                        "rank": rank,
                        "source": "model",
                        "verdict": "costlier",
                        "detail": f"costs {self.random.random():.2f} more than {actions[agent]}",
                        "extra_cost": 0.5,
                        "terms": {"travel": round(self.random.random(), 2)},
                    }
                )
        chosen = {
            a: {"action": actions[a], "rank": 0, "source": "model", "cost": -0.15, "terms": terms}
            for a in self.agents
        }
        return {
            "event": "assignment",
            "step": step,
            "t": t,
            "chosen": chosen,
            "losers": losers,
            "unmet": [],
            "status": "optimal",
            "objective": -15.0,
            "gap": 0.0,
            "note": "",
        }

    def outcome(self, step: int, t: float, actions: dict[str, str]) -> dict[str, Any]:
        results = {}
        for agent, action in actions.items():
            failed = self.random.random() < 0.15
            results[agent] = {
                "action": action,
                "success": not failed,
                "promoted": False,
                "error_kind": "not_interactable" if failed else "",
                "reason": "too far away" if failed else "",
                "agent_steps": 3,
                "idle": action == "Idle",
                "ends": False,
                "effects": [],
            }
            if not failed and action != "Idle":
                place = self.at[agent]
                for k in (0, 1):
                    place[k] = min(GRID - 1, max(0, place[k] + self.random.randint(-2, 2)))
        clock = {"model_s": 5.0 * step, "world_s": 0.9 * step, "solver_s": 0.1 * step}
        return {"event": "outcome", "step": step, "t": t, "agents": results, "clock": clock}

    def state(self, step: int) -> Iterator[dict[str, Any]]:
        t = 6.0 * step
        for levels in self.levels.values():
            k = self.random.randrange(64)
            levels[k] = min(3, levels[k] + 1)
        seen = [
            {"name": r, "kind": "region", "offset": [0.0, 0.0], "attributes": [], "holder": ""}
            for f in self.fires.values()
            for r in f["regions"]
        ]
        text = "\n".join(f"- {s['name']}: intensity Medium" for s in seen)
        yield {
            "event": "observation",
            "step": step,
            "t": t,
            "agents": {
                a: {
                    "pose": [float(x), float(-y), 0.0],
                    "inventory": [["Sand", step % 3]],
                    "sightings": seen,
                    "text": text,
                    "state": f"position ({x}, {y}, 0)",
                }
                for a, (x, y) in self.at.items()
            },
        }
        entries = [
            {
                "name": r,
                "kind": "region",
                "x": float(c[0]),
                "z": float(-c[1]),
                "age": (step + k) % 7,
                "attributes": [["intensity", LEVELS[(step // 50) % 4]]],
            }
            for f in self.fires.values()
            for k, (r, c) in enumerate(f["regions"].items())
        ]
        team = {
            a: {
                "pose": [float(x), float(-y), 0.0],
                "inventory": {},
                "lines": [
                    f"- Fire{k} (fire): right {abs(x - 8 * k)}; {abs(x - 8 * k)} moves, far"
                    for k in range(FIRES)
                ],
            }
            for a, (x, y) in self.at.items()
        }
        yield {"event": "beliefs", "step": step, "t": t, "entries": entries, "agents": team}
        levels = {name: "".join(map(str, row)) for name, row in self.levels.items()}
        world = {
            "agents": [{"pos": list(p), "inv": [step % 3, 0, 0]} for p in self.at.values()],
            "obs": {
                "regions": {r: "Medium" for f in self.fires.values() for r in f["regions"]},
                "favg": dict.fromkeys(self.fires, "Medium"),
            },
            "world": {
                "fires": levels,
                "persons": {
                    n: {
                        "pos": p,
                        "carriers": [],
                        "grabbed": False,
                        "spotted": step > 10,
                        "deposited": False,
                    }
                    for n, p in self.persons.items()
                },
                "deposits": {"DepositA": [0, 0, 0]},
            },
        }
        yield {"event": "snapshot", "step": step, "t": t, "world": world}
        done = [f"EndFire(Fire{k})" for k in range(step * FIRES // (2 * self.steps))]
        yield {
            "event": "score",
            "step": step,
            "t": t,
            "success": False,
            "completed": done,
            "total": FIRES + PERSONS,
            "covered": done,
            "mentioned": done,
            "coverage_total": FIRES + PERSONS,
        }


def _busy_s(session: CDPSession) -> float:
    """Processor seconds of the page's main thread so far, whatever else the machine does."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))


def browse(page: Path) -> dict[str, float] | None:
    """Seconds to open the page; milliseconds per picture while it plays, and per jump.

    `picture_cpu_ms` is processor time of the page's main thread, the rest is by the clock.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if not CHROMIUM.exists():
        return None
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        started = time.perf_counter()
        tab.goto(page.resolve().as_uri())
        tab.wait_for_selector("html[data-ready]", timeout=120_000)
        opened = time.perf_counter() - started
        jumps = []
        last = int(tab.get_attribute("#slider", "max") or 0)
        for k in range(1, 11):
            started = time.perf_counter()
            tab.evaluate(
                """async (value) => {
                    const slider = document.getElementById("slider");
                    slider.value = String(value);
                    slider.dispatchEvent(new Event("input"));
                    const there = document.getElementById("where");
                    const wanted = `step ${value} of`;
                    while (!there.textContent.startsWith(wanted)) {
                        await new Promise((resolve) => requestAnimationFrame(resolve));
                    }
                }""",
                last * k // 11,
            )
            jumps.append(time.perf_counter() - started)
        spent = _busy_s(session)
        gaps = tab.evaluate(
            """async () => {
                document.getElementById("slider").value = "0";
                document.getElementById("slider").dispatchEvent(new Event("input"));
                document.getElementById("play").click();
                const gaps = [];
                let before = performance.now();
                const end = before + 4000;
                while (before < end) {
                    await new Promise((resolve) => requestAnimationFrame(resolve));
                    const now = performance.now();
                    gaps.push(now - before);
                    before = now;
                }
                document.getElementById("play").click();
                return gaps.sort((a, b) => a - b);
            }"""
        )
        spent = _busy_s(session) - spent
        browser.close()
    return {
        "open_s": round(opened, 3),
        "jump_median_ms": round(1000 * sorted(jumps)[len(jumps) // 2], 1),
        "jump_worst_ms": round(1000 * max(jumps), 1),
        "picture_median_ms": round(gaps[len(gaps) // 2], 1),
        "picture_p95_ms": round(gaps[int(len(gaps) * 0.95)], 1),
        "pictures_per_s": round(len(gaps) / (sum(gaps) / 1000), 1),
        "picture_cpu_ms": round(1000 * spent / len(gaps), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="20 agents, 60 steps")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    parser.add_argument("--agents", type=int, default=None)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--keep", type=Path, default=None, help="where to leave the page")
    options = parser.parse_args()
    agents = options.agents or (20 if options.quick else 100)
    steps = options.steps or (60 if options.quick else 1000)
    with tempfile.TemporaryDirectory() as folder:
        page = options.keep or Path(folder) / "large.html"
        started = time.perf_counter()
        write_replay(page, Mission(agents, steps).events())
        result: dict[str, Any] = {
            "agents": agents,
            "steps": steps,
            "write_s": round(time.perf_counter() - started, 2),
            "page_mb": round(page.stat().st_size / 1e6, 2),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "browser": browse(page),
        }
    for key, value in result.items():
        print(f"{key:<10} {value}")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
