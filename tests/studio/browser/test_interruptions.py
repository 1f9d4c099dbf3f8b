"""Work that is broken off: cancelled by its user, or ended with the server. Nothing of it is left."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from studio.browser.visitor import Visitor
from studio.running import REAL, RunningStudio, running_studio, wait_until


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write numbers of which the best groups take a minute or more to look for."""
    path = tmp_path_factory.mktemp("numbers") / "numbers.csv"
    pd.DataFrame(np.random.default_rng(1).normal(size=(4000, 6)), columns=list("abcdef")).to_csv(path, index=False)
    return path


def begin(visitor: Visitor, numbers: Path) -> None:
    """Begin a release that takes long, and wait until it is being made."""
    visitor.upload(numbers)
    visitor.open_step("Protect")
    visitor.set_k(3)
    visitor.decide(lambda: visitor.find("protect-method_field").select_option("refine"))
    visitor.find("protect-start_now").click()
    expect(visitor.find("protect-cancel_now")).to_be_visible()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def attempts_of(studio: RunningStudio) -> list[str]:
    return sorted(path.name for path in (studio.folder / "workspace").glob("*attempt-*"))


def test_a_release_is_cancelled_and_the_next_one_is_made(visitor, numbers):
    begin(visitor, numbers)
    visitor.find("protect-cancel_now").click()
    expect(visitor.find("protect-cancel_now")).to_have_count(0)
    expect(visitor.page.locator('[id^="protect-attempts-show_"]')).to_have_count(0)
    assert attempts_of(visitor.studio) == []
    visitor.decide(lambda: visitor.find("protect-method_field").select_option("mdav"))
    visitor.protect(1)
    assert len(attempts_of(visitor.studio)) == 1
    assert visitor.headline()["attempt"].startswith("1:")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_killed_server_takes_its_work_with_it_and_the_next_start_is_clean(new_visitor, numbers):
    visitor = new_visitor
    begin(visitor, numbers)
    studio = visitor.studio
    at_work, left = studio.children, studio.folder
    assert at_work
    studio.process.send_signal(signal.SIGKILL)
    expect(visitor.find("disconnected")).to_be_visible()
    wait_until(lambda: not any(map(is_alive, at_work)), "the processes of the studio to end")
    assert left.is_dir()
    with running_studio(studio.temporary, program=REAL) as again:
        assert not left.exists()
        visitor.studio = again
        visitor.enter()
        expect(visitor.find("data-contents").locator(".empty")).to_be_visible()
        visitor.upload(numbers)


def test_the_end_of_a_studio_in_the_middle_of_work_leaves_nothing(new_visitor, numbers):
    visitor = new_visitor
    begin(visitor, numbers)
    at_work = visitor.studio.children
    code, _, err = visitor.studio.end(signal.SIGTERM)
    assert (code, err) == (0, "")
    assert list(visitor.studio.temporary.iterdir()) == []
    wait_until(lambda: not any(map(is_alive, at_work)), "the processes of the studio to end")
