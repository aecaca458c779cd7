"""Take the pictures of the documentation anew: python docs/pictures.py [PICTURE...]

Needs Pillow, Playwright and Debian's chromium. Look at every picture before it is committed.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from mosaic_planner import Trace, run_episode
from mosaic_planner.replay import write_replay

IMAGES = Path(__file__).resolve().parent / "images"
CHROMIUM = "/usr/bin/chromium"
LAPTOP, PHONE = (1280, 820), (390, 844)

MISSION: dict[str, Any] = {"scene": 4, "agents": 5, "model": "standin:weak", "seed": 4}
CHORES: dict[str, Any] = {
    "world": "household",
    "agents": 3,
    "model": "standin:gpt4-2024",
    "seed": 1,
    "planner": "llamar+mosaic",
    "world_options": {"task": "bread_lettuce_tomato_fridge", "floorplan": 1},
}

# name: page, step as a share of the episode, window, what to click, what to scroll to
PICTURES: dict[str, tuple[str, float, tuple[int, int], str, str]] = {
    "replay": ("mission", 0.4, LAPTOP, "", ""),
    "replay-beliefs": ("noisy", 0.16, LAPTOP, "#tab-beliefs-one", ""),
    "replay-calls": ("mission", 0.4, LAPTOP, "#tab-calls-one", ""),
    "replay-timeline": ("plain", 0.6, LAPTOP, "", ".wide"),
    "replay-phone": ("mission", 0.4, PHONE, "", ""),
    "replay-compare": ("compared", 0.2, LAPTOP, "", ""),
    "replay-compare-phone": ("compared", 0.2, PHONE, "", ""),
    "replay-household": ("chores", 0.5, LAPTOP, "", ""),
    "replay-household-beliefs": ("chores", 0.5, LAPTOP, "#tab-beliefs-one", ""),
    "replay-household-phone": ("chores", 0.5, PHONE, "", ""),
}


def pages(folder: Path) -> dict[str, Path]:
    """Every kind of page, written into `folder`."""
    mosaic = run_episode(**MISSION, planner="llamar+mosaic").trace
    plain = run_episode(**MISSION, planner="llamar").trace
    noisy = run_episode(**MISSION, planner="llamar+mosaic", noise="high").trace
    shown: dict[str, tuple[Trace, ...]] = {
        "mission": (mosaic,),
        "plain": (plain,),
        "noisy": (noisy,),
        "compared": (plain, mosaic),
        "chores": (run_episode(**CHORES).trace,),
    }
    return {name: write_replay(folder / f"{name}.html", *traces) for name, traces in shown.items()}


def take(wanted: list[str]) -> None:
    """Take each picture in both themes."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        made = pages(Path(folder))
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        for name, (page_name, share, size, click, scroll) in PICTURES.items():
            for theme in ("light", "dark"):
                if wanted and f"{name}-{theme}" not in wanted and name not in wanted:
                    continue
                page = browser.new_page(
                    viewport={"width": size[0], "height": size[1]}, color_scheme=theme
                )
                page.goto(made[page_name].as_uri())
                page.wait_for_selector("html[data-ready]")
                page.evaluate(
                    """(share) => {
                        const slider = document.getElementById("slider");
                        slider.value = String(Math.round(share * Number(slider.max)));
                        slider.dispatchEvent(new Event("input"));
                    }""",
                    share,
                )
                if click:
                    page.click(click)
                if scroll:
                    page.evaluate("(to) => document.querySelector(to).scrollIntoView()", scroll)
                page.mouse.move(2, 2)
                page.evaluate("document.activeElement.blur()")
                page.wait_for_timeout(400)
                shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                few = shot.quantize(256, kmeans=4, dither=Image.Dither.NONE)
                path = IMAGES / f"{name}-{theme}.png"
                few.save(path, optimize=True)
                print(f"{path.name} {path.stat().st_size // 1000} kB")
                page.close()
        browser.close()


if __name__ == "__main__":
    take(sys.argv[1:])
