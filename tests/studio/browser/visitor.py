"""Somebody who works in the studio: opens steps, chooses, writes, presses, and waits for what the page then shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from studio.running import RunningStudio

__all__ = ["STEPS", "TIMEOUT", "Visitor"]

STEPS = ("Data", "Variables", "Keys", "Rules", "Protect", "Evaluate", "Export")
TIMEOUT = 120_000  # milliseconds; on a machine that does much else a release takes its time
RECORD_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event =>
  window.violations.push([event.violatedDirective, event.blockedURI, event.sample]));
"""


class Visitor:
    """A tab of the browser and the studio in it; elements are found by their ids, which words do not change."""

    def __init__(self, page: Page, studio: RunningStudio) -> None:
        self.page, self.studio = page, studio
        self.errors: list[str] = []
        self.asked: list[str] = []  # every address that the page has asked for, WebSockets too
        self._origins: set[str] = set()
        page.set_default_timeout(TIMEOUT)
        expect.set_options(timeout=TIMEOUT)
        page.add_init_script(RECORD_VIOLATIONS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("download", lambda download: self.asked.append(download.url))
        page.on("websocket", lambda websocket: self.asked.append(websocket.url.replace("ws://", "http://")))

    def find(self, id: str) -> Locator:
        """Return the element with an id."""
        return self.page.locator(f"#{id}")

    @property
    def asked_elsewhere(self) -> list[str]:
        """What the page has asked for that is not of a studio it has entered."""
        own = (*(f"{one}/" for one in self._origins), "data:", "about:")
        return [url for url in self.asked if not url.startswith(own)]

    def enter(self) -> None:
        """Open the address that the studio printed, and wait for its page."""
        self._origins.add(self.studio.origin)
        self.page.goto(self.studio.address)
        self.wait_for_page()

    def reload(self) -> None:
        """Load the page again, and wait for it."""
        self.page.reload()
        self.wait_for_page()

    def wait_for_page(self) -> None:
        """Wait until the studio has drawn the page."""
        expect(self.find("headline-places")).to_be_attached()
        expect(self.page.locator(".tab-pane.active h1")).to_be_visible()

    def open_step(self, step: str) -> None:
        """Open a step of the flow."""
        self.page.locator(f'main .nav-link[data-value="{step}"]').click()
        expect(self.page.locator(f'.tab-pane.active[data-value="{step}"]')).to_be_visible()

    @property
    def shown_step(self) -> str:
        """The step that is open."""
        return str(self.page.locator("main .tab-pane.active").get_attribute("data-value"))

    def settled(self) -> None:
        """Wait until the studio has drawn everything that it was asked for."""
        busy = self.page.locator("html.shiny-busy, .tab-pane.active .recalculating, .tab-pane.active .waiting")
        try:
            expect(busy).to_have_count(0)
        except AssertionError:
            named = busy.evaluate_all("all => all.map((one) => `${one.tagName} ${one.id}`)")
            raise AssertionError(f"{self.shown_step} is still drawn: {named}") from None
        waiting = re.compile("^(Counting|Looking|Checking|Measuring|Rehearsing|Reading|Opening)")
        expect(self.page.locator(".tab-pane.active p:visible").filter(has_text=waiting)).to_have_count(0)

    # What was decided.

    @property
    def place(self) -> int:
        """The number of the step that the decisions are at."""
        return int(self.find("headline-places").input_value())

    @property
    def decided(self) -> list[str]:
        """All steps so far, as the list of steps has them."""
        return self.page.locator("#headline-places option").all_text_contents()

    def wait_for_place(self, place: int) -> None:
        """Wait until the decisions are at a step."""
        expect(self.find("headline-places")).to_have_value(str(place))

    def decide(self, act: Callable[[], Any]) -> None:
        """Do something that decides something, and wait until it is decided."""
        place = self.place
        act()
        self.wait_for_place(place + 1)

    def undo(self) -> None:
        """Take the last step back."""
        place = self.place
        self.find("headline-undo_button").click()
        self.wait_for_place(place - 1)

    def redo(self) -> None:
        """Do the step again that was taken back last."""
        place = self.place
        self.find("headline-redo_button").click()
        self.wait_for_place(place + 1)

    # The headline.

    def headline(self) -> dict[str, str]:
        """Return what the headline says, by its names."""
        names = self.page.locator(".headline dt").all_text_contents()
        values = self.page.locator(".headline dd").all_text_contents()
        return dict(zip(names, values, strict=True))

    # The step Data.

    def upload(self, file: Path | dict[str, Any]) -> None:
        """Open a file of the user's, and wait until the headline names it."""
        name = file["name"] if isinstance(file, dict) else file.name
        self.send(file)
        expect(self.find("headline-facts")).to_contain_text(name)

    def send(self, file: Path | dict[str, Any]) -> None:
        """Send a file to the studio, whatever comes of it."""
        self.open_step("Data")
        self.find("data-file").set_input_files(file)

    def resume(self, saved: Path, file: Path) -> None:
        """Open a saved job or plan together with a file, and wait until it is decided again."""
        self.open_step("Data")
        resume = self.find("data-resume-details")
        if resume.get_attribute("open") is None:
            resume.locator("summary").click()
        self.find("data-resume-saved_file").set_input_files(saved)
        self.find("data-resume-table_file").set_input_files(file)
        expect(self.find("headline-facts")).to_contain_text(file.name)
        self.wait_for_place(1)

    # The step Variables.

    def row(self, column: str) -> int:
        """Return the place of a column in the file."""
        id = self.page.locator(f'[id^="variables-choose_"][data-about-column="{column}"]').get_attribute("id")
        return int(str(id).rpartition("_")[2])

    def use(self, column: str, role: str) -> None:
        """Say what a column is for: a value of its select, such as "key" or "as is"."""
        self.decide(lambda: self.find(f"variables-role_{self.row(column)}").select_option(role))

    def use_several(self, columns: list[str], role: str) -> None:
        """Say of several columns at once what they are for."""
        for column in columns:
            self.find(f"variables-choose_{self.row(column)}").check()
        expect(self.find("variables-tools")).to_contain_text(str(len(columns)))
        self.decide(lambda: self.find("variables-all_role").select_option(role))
        for column in columns:
            self.find(f"variables-choose_{self.row(column)}").uncheck()

    # The step Keys.

    def band(self, column: str, width: int) -> None:
        """Put a key into bands, and decide it when the effect on k is shown."""
        self.find("keys-recoding-columns").select_option(column)
        self.find("keys-recoding-ways").select_option("bands")
        self.find("keys-recoding-bands_width").fill(str(width))
        expect(self.find("keys-recoding-effect")).to_contain_text(f"bands:width={width}")
        button = self.find("keys-recoding-use_it")
        expect(button).to_have_attribute("aria-disabled", "false")
        self.decide(button.click)

    # The step Rules.

    def add_rule(self, rule: str) -> None:
        """Write a rule, and add it when it was checked."""
        self.find("rules-rule_box").fill(rule)
        button = self.page.locator(f"#rules-add_written[data-about-value={_quoted(rule)}]")
        self.decide(button.click)
        expect(self.find("rules-rule_box")).to_have_value("")

    # The step Protect.

    def set_k(self, k: int) -> None:
        """Decide k."""
        self.write("protect-k_field", str(k))

    def write(self, id: str, text: str) -> None:
        """Write something into a field, which decides it."""
        field = self.find(id)
        expect(field).not_to_have_value(text)  # what is not changed is not sent, such as that of a file before
        self.decide(lambda: (field.fill(text), field.press("Enter")))

    def set_missing(self, way: str) -> None:
        """Decide what is done with missing values."""
        self.unfold("protect-more")
        self.decide(lambda: self.find("protect-setting_missing").select_option(way))

    def unfold(self, id: str) -> None:
        """Open what is folded."""
        details = self.find(id)
        if details.get_attribute("open") is None:
            details.locator("summary").first.click()
        expect(details).to_have_attribute("open", "")

    def protect(self, number: int) -> None:
        """Make a release, and wait until it is there as an attempt with a number."""
        self.find("protect-start_now").click()
        self.wait_for_attempt(number)

    def wait_for_attempt(self, number: int) -> None:
        """Wait until an attempt is there; fail at once if the page says why there is none."""
        made = self.find(f"protect-attempts-show_{number}")
        refused = self.page.locator("#protect-work .notice-problem")
        expect(made.or_(refused).first).to_be_attached()
        assert refused.count() == 0, refused.text_content()

    # The step Export.

    def download(self, part: str, folder: Path) -> Path:
        """Fetch a part of the export, as the browser saves it."""
        with self.page.expect_download() as begun:
            self.find(f"export-get_{part}").click()
        target = folder / begun.value.suggested_filename
        begun.value.save_as(target)
        return target


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
