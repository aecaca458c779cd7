"""A page open in Chromium, with everything it asked for and complained of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = "/usr/bin/chromium"
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
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 768}


@dataclass
class Opened:
    """A page in the browser with everything it asked for and complained of."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def go(self, step: int) -> None:
        """Move the slider and wait until the page has followed."""
        self.page.evaluate(
            """(value) => {
                const slider = document.getElementById("slider");
                slider.value = String(value);
                slider.dispatchEvent(new Event("input"));
            }""",
            step,
        )
        self.at(step)

    def at(self, step: int) -> None:
        self.page.wait_for_function(
            "(step) => document.getElementById('where').textContent.startsWith(`step ${step} of`)",
            arg=step,
        )
        self.page.wait_for_timeout(60)

    def select(self, agent: str) -> None:
        self.page.select_option("#agent", agent)
        self.page.wait_for_timeout(60)

    def tab(self, name: str, which: str = "one") -> str:
        """Open a tab and give its text."""
        self.page.click(f"#tab-{name}-{which}")
        return self.page.inner_text(f"#panel-{name}-{which}")
