"""Export and resume in a real browser: what is downloaded repeats the release, and brings the work back tomorrow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

LONG = 180_000  # milliseconds that a release may take on a busy machine


@pytest.fixture(scope="module")
def page(open_studio):
    with open_studio() as studio:
        studio.page.set_default_timeout(60_000)
        yield studio.page


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("own") / "survey.csv"
    frame = pd.DataFrame({name: draw.integers(0, 1_000, 60) for name in ("rent", "net", "tax")})
    frame.to_csv(path, index=False)
    return path


def step(page, name: str) -> None:
    page.get_by_role("tab", name=re.compile(rf"\d {name}")).click()


def saved(page, button: str, folder: Path) -> Path:
    with page.expect_download(timeout=LONG) as started:
        page.get_by_role("button", name=button).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


def resume(page, work: Path, table: Path) -> None:
    step(page, "Data")
    if not page.get_by_label("Saved job or plan").is_visible():
        page.get_by_text("Go on with saved work").click()
    page.get_by_label("Saved job or plan").set_input_files(work)
    page.get_by_text(f"{work.name} is here. Now choose the other of the two.").wait_for()
    page.get_by_label("The file it is for").set_input_files(table)


def test_a_release_is_exported_repeated_and_resumed(page, survey, tmp_path):
    step(page, "Export")
    page.locator("#export-choices").get_by_text("No file is open.").wait_for()

    # A job is enough to begin with: the file, and what was decided.
    job = tmp_path / "begun.toml"
    job.write_text("k = 4\nseed = 11\n")
    resume(page, job, survey)
    page.get_by_text("survey.csv is open with the decisions of begun.toml.").wait_for()
    step(page, "Export")
    page.get_by_text("There is no release yet.").wait_for()
    saved_job = saved(page, "Save the job", tmp_path)
    assert saved_job.name == "survey-job.toml"
    assert "k = 4" in saved_job.read_text()

    step(page, "Protect")
    page.get_by_role("button", name="Protect", exact=True).click()
    page.get_by_role("heading", name="Attempts").wait_for(timeout=LONG)
    step(page, "Export")
    assert page.locator("#export-command").inner_text() == "shoal protect --plan survey-masked.csv.plan.toml"
    masked = saved(page, re.compile(r"^Download survey-masked\.csv$"), tmp_path)
    plan = saved(page, re.compile(r"^Download survey-masked\.csv\.plan\.toml$"), tmp_path)

    own = tmp_path / "own"
    own.mkdir()
    for path in (survey, plan):
        (own / path.name).write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "shoal", "protect", "--plan", plan.name]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, cwd=own, env=environment, check=True, capture_output=True)
    assert (own / masked.name).read_bytes() == masked.read_bytes()

    # Tomorrow: the plan with the user's own file is the same release again.
    resume(page, plan, survey)
    page.get_by_text("Its release is being made again").wait_for()
    step(page, "Export")
    page.locator("#export-attempts option", has_text="2: ").wait_for(state="attached", timeout=LONG)
    again = tmp_path / "again"
    again.mkdir()
    assert saved(page, re.compile(r"^Download survey-masked\.csv$"), again).read_bytes() == masked.read_bytes()


def test_the_order_of_the_rows_is_kept_only_with_a_warning(page):
    warning = page.get_by_text("side by side, the two files are linked record by record")
    box = page.get_by_label("Keep the rows in the order of the original")
    assert not box.is_checked()
    assert warning.count() == 0
    box.check()
    warning.wait_for()
    assert "keep_order=True" in page.locator("#export-script").inner_text()
    box.uncheck()
    warning.wait_for(state="detached")


def test_work_that_does_not_fit_changes_nothing(page, survey, tmp_path):
    job = tmp_path / "foreign.toml"
    job.write_text('as_is = ["wealth"]\n')
    resume(page, job, survey)
    page.get_by_text('"foreign.toml" cannot be used: there is no column "wealth" in the file.').wait_for()
    step(page, "Export")
    page.get_by_role("heading", name="The same release again").wait_for()  # the file and its release are still open


def test_nothing_overflows_a_small_screen(page):
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Export", "Data"):
        step(page, name)
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
