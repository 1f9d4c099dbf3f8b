"""A real studio in a real browser: what a user does there, and what is recorded of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.running import RunningStudio

__all__ = ["MODES", "WIDTHS", "OpenedStudio", "opened_studio"]

WIDTHS = {1440: 900, 390: 844}  # and the heights
MODES = ("light", "dark")
# Shiny has answered everything: the page is connected, nothing is computed, nothing in view waits to be drawn.
SETTLED = """
() => window.Shiny && window.Shiny.shinyapp && window.Shiny.shinyapp.isConnected()
  && !document.documentElement.classList.contains("shiny-busy")
  && ![...document.querySelectorAll(".recalculating")].some(one => one.checkVisibility())
"""
SERIOUS = ("serious", "critical")


@dataclass
class OpenedStudio:
    """A page of a studio.

    Attributes
    ----------
    running
        The process of the studio.
    page
        The page, of Playwright.
    pictures
        The folder that screenshots go to.
    requests, errors
        The addresses that the page has asked for, and what its console and its scripts complained of.
    """

    running: RunningStudio
    page: Any
    pictures: Path
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def settled(self) -> None:
        """Wait until the studio has answered and the page shows it."""
        self.page.wait_for_timeout(250)  # the page looks at the studio every 150 ms
        self.page.wait_for_function(SETTLED, timeout=60_000)

    def go(self, step: str) -> None:
        """Go to a step of the flow."""
        self.page.get_by_role("tab", name=re.compile(rf"^\d {step}$")).click()
        self.settled()

    def open_survey(self) -> None:
        """Open the built-in survey."""
        self.page.get_by_role("button", name="Try the built-in survey").click()
        self.page.get_by_text("households.csv is open.").wait_for(timeout=60_000)
        self.settled()

    def open_file(self, path: Path) -> None:
        """Upload a file, and wait until it is open."""
        self.upload(path)
        self.page.get_by_text(f"{path.name} is open.").wait_for(timeout=60_000)
        self.settled()

    def upload(self, path: Path) -> None:
        """Hand a file to the studio, as the field for files does."""
        self.page.locator("#data-file").set_input_files(path)

    def field(self, label: str) -> Any:
        """The field of the step in view that has a label; another step may have one that is called the same."""
        return self.page.get_by_label(label, exact=True).filter(visible=True)

    def has(self, label: str, value: str) -> None:
        """Wait until a field has a value, which it must."""
        from playwright.sync_api import expect

        expect(self.field(label)).to_have_value(value, timeout=20_000)

    def done(self, step: str) -> None:
        """Wait until the list of steps ends with one, which it must."""
        from playwright.sync_api import expect

        expect(self.page.get_by_label("Steps so far").locator("option").last).to_have_text(step, timeout=20_000)

    def picture(self, name: str) -> None:
        """Take a picture of the page at every width, light and dark; nothing may reach beyond the page's sides."""
        for width, height in WIDTHS.items():
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.evaluate("window.scrollTo(0, 0)")
            for mode in MODES:
                self.mode(mode)
                self.page.screenshot(path=self.pictures / f"{name}-{width}-{mode}.png", full_page=True)
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: {wide} pixels wide where there are {width}"
        self.mode("light")
        self.page.set_viewport_size({"width": 1440, "height": 900})

    def mode(self, mode: str) -> None:
        """Show the page light or dark."""
        self.page.evaluate("mode => document.documentElement.setAttribute('data-bs-theme', mode)", mode)
        self.page.wait_for_timeout(200)  # colours fade

    def faults(self) -> list[str]:
        """What axe finds serious on the page, at every width, light and dark."""
        from axe_playwright_python.sync_playwright import Axe

        found, before = [], len(self.errors)
        for width, height in WIDTHS.items():
            self.page.set_viewport_size({"width": width, "height": height})
            for mode in MODES:
                self.mode(mode)
                for one in Axe().run(self.page).response["violations"]:
                    if one["impact"] in SERIOUS:
                        where = one["nodes"][0]["html"][:120]
                        found.append(f"{one['id']} at {width}, {mode}: {one['help']}: {where}")
        self.mode("light")
        self.page.set_viewport_size({"width": 1440, "height": 900})
        del self.errors[before:]  # axe asks for a style sheet of Bootstrap at an address that there is not
        return found

    @contextmanager
    def another_tab(self) -> Iterator[OpenedStudio]:
        """The same studio in another tab of the browser."""
        other = OpenedStudio(self.running, self.page.context.new_page(), self.pictures, self.requests, self.errors)
        other.recorded()
        other.page.goto(f"{self.running.origin}/")
        other.settled()
        yield other
        other.page.close()

    def recorded(self) -> None:
        """Begin to record what the page asks for and complains of."""
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)

    def elsewhere(self) -> list[str]:
        """The addresses outside of the studio that the page has asked for."""
        own = (self.running.origin, f"ws://{self.running.host}", "data:", "blob:")
        return [one for one in self.requests if not one.startswith(own)]


@contextmanager
def opened_studio(browser: Any, running: RunningStudio, pictures: Path) -> Iterator[OpenedStudio]:
    """A running studio, opened in a browser by the address it printed."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    try:
        studio = OpenedStudio(running, context.new_page(), pictures)
        studio.recorded()
        studio.page.goto(running.address)
        studio.settled()
        yield studio
    finally:
        context.close()
