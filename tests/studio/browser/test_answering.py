"""The page answers: while the studio is at work, which stands still here, and while it is drawn anew."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from studio.browser.visitor import Visitor
from studio.running import RunningStudio

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@contextmanager
def standing_still(studio: RunningStudio) -> Iterator[None]:
    """Let the processes that work for a studio stand still, as if what they do took for ever."""
    workers = [one for one in studio.children if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text()]
    assert workers
    for one in workers:
        os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in workers:
            os.kill(one, signal.SIGCONT)


def open_another(visitor: Visitor, survey: Path, job: Path) -> None:
    visitor.send({"name": "another.csv", "mimeType": "text/csv", "buffer": survey.read_bytes()})
    expect(visitor.find("data-status")).to_contain_text("Reading another.csv")


def go_on_with_saved_work(visitor: Visitor, survey: Path, job: Path) -> None:
    visitor.open_step("Data")
    visitor.unfold("data-resume-details")
    visitor.find("data-resume-saved_file").set_input_files(job)
    expect(visitor.find("data-resume-status")).to_contain_text(job.name)
    visitor.find("data-resume-table_file").set_input_files(survey)
    expect(visitor.find("data-resume-status")).to_contain_text("Opening")


def load_rules(visitor: Visitor, survey: Path, job: Path) -> None:
    visitor.open_step("Rules")
    rules = {"name": "rules.txt", "mimeType": "text/plain", "buffer": b"tax <= wage\n"}
    visitor.find("rules-file").set_input_files(rules)
    expect(visitor.find("rules-status")).to_contain_text("Reading rules.txt")


DONE = {  # what the list of steps says then
    open_another: "The file was opened",
    go_on_with_saved_work: "The saved job was opened",
    load_rules: "rule added",
}


@pytest.mark.parametrize("read", DONE)
def test_a_click_is_answered_while_a_file_is_read(visitor, survey, tmp_path, read: Callable[..., None]):
    visitor.upload(survey)
    visitor.open_step("Protect")
    visitor.set_k(4)
    visitor.open_step("Export")
    job = visitor.download("saved", tmp_path)
    with standing_still(visitor.studio):
        read(visitor, survey, job)
        visitor.undo()
        visitor.redo()
    expect(visitor.page.locator("#headline-places option").last).to_contain_text(DONE[read])


def test_a_press_counts_once_though_the_button_is_drawn_anew_meanwhile(visitor, survey):
    """As where the answer to a slider comes between the press of a mouse and its release."""
    visitor.upload(survey)
    visitor.open_step("Protect")
    for k in (4, 5, 6):
        visitor.set_k(k)
    visitor.settled()
    undo, mouse = visitor.find("headline-undo_button"), visitor.page.mouse
    undo.hover()
    mouse.down()
    undo.evaluate("button => { button.outerHTML = button.outerHTML; }")
    mouse.up()
    visitor.wait_for_place(2)
    undo.hover()
    mouse.down()
    mouse.up()
    visitor.wait_for_place(1)
    visitor.settled()
    assert visitor.place == 1
