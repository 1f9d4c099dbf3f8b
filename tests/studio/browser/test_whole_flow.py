"""The whole flow as a user goes through it: a survey is uploaded, decided, protected twice, compared, exported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

HTML = "<img src=x onerror=alert(1)>"
RULES = ("wage + benefits == total", "wage >= 0")


@pytest.fixture
def survey(tmp_path) -> Path:
    """Households of two or three: labels, missing values, ids, a rule that holds, HTML in a label and in a category."""
    rng = np.random.default_rng(7)
    house = np.repeat(np.arange(80), rng.integers(2, 4, size=80))
    count = len(house)
    wage = rng.integers(0, 4000, size=count).astype(float)
    benefits = rng.integers(0, 900, size=count).astype(float)
    region = rng.choice(["North", "South", f"{HTML}East"], size=count)
    education = rng.choice([1.0, 2.0, 3.0], size=count)
    education[rng.random(count) < 0.06] = np.nan
    frame = pd.DataFrame(
        {
            "name": [f"person {row}" for row in range(count)],
            "house": house.astype(float),
            "age": rng.integers(16, 95, size=count).astype(float),
            "region": region,
            "education": education,
            "day": [f"2024-03-{1 + row % 28:02d}" for row in range(count)],
            "wage": wage,
            "benefits": benefits,
            "total": wage + benefits,
        }
    )
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        frame,
        path,
        column_labels=["Name", "Household", "Age in years", f"Region {HTML}", "Education", "Day", "", "", ""],
        variable_value_labels={"education": {1: "primary", 2: f"secondary {HTML}", 3: "higher"}},
    )
    return path


def decide(studio) -> None:
    """Decide the variables, and make age coarser."""
    page = studio.page
    studio.go("Variables")
    page.get_by_text("To be decided before anything can be protected: day").wait_for()
    page.get_by_label("Use of day").select_option("identifier")
    studio.done("day: identifier: drop it")
    studio.has("Use of name", "identifier")
    page.get_by_label("Use of house").select_option("unit")
    studio.has("Use of house", "unit")
    page.get_by_label("Recode of age").fill("bands:width=10,top=80")
    page.keyboard.press("Enter")
    studio.done("age: bands:width=10,top=80")


def add_rules(studio) -> None:
    page = studio.page
    studio.go("Rules")
    for rule in RULES:
        page.get_by_label("Rule", exact=True).fill(rule)
        page.get_by_text("records keep it.").wait_for()
        page.get_by_role("button", name="Add the rule", exact=True).click()
        studio.done(f"rule added: {rule}")


def set_up_protection(studio) -> None:
    page = studio.page
    studio.go("Protect")
    studio.field("k").fill("5")
    page.keyboard.press("Tab")
    studio.done("k = 5")
    page.get_by_text("More settings").click()
    page.get_by_label("Missing values", exact=True).select_option("keep")
    studio.has("Missing values", "keep")


def protect(studio, attempt: int) -> None:
    page = studio.page
    page.get_by_role("button", name="Protect", exact=True).click(timeout=60_000)
    page.get_by_label(f"Name of attempt {attempt}").wait_for(timeout=240_000)
    studio.settled()


def make_ready_for_hybrid(studio) -> None:
    """Hybrid data has no units and no missing values: drop the columns that have them, both at once."""
    page = studio.page
    studio.go("Variables")
    page.get_by_label("Choose house").check()
    page.get_by_label("Choose education").check()
    page.get_by_text("2 chosen:").wait_for()
    page.get_by_label("Use of the chosen columns").select_option("identifier")
    studio.done("house, education: identifier: drop it")
    page.get_by_label("Use of total").select_option("confidential")
    studio.done("total: confidential")
    studio.go("Protect")
    page.get_by_label("Replacement: what their values become").select_option("hybrid")
    page.get_by_text("Decisions have changed since attempt 1.").wait_for()


def downloaded(studio, part: str, folder: Path) -> Path:
    with studio.page.expect_download(timeout=240_000) as download:
        studio.page.locator(f"#export-get_{part}").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def same_again(studio, survey: Path, folder: Path) -> None:
    """Export what is looked at; the plan makes the same bytes again by the command, and by the script."""
    studio.go("Export")
    masked, plan, script = (downloaded(studio, part, folder) for part in ("masked", "plan", "script"))
    command = studio.page.locator("#export-command").inner_text().split()
    assert command[0] == "shoal"
    for program in ([sys.executable, "-m", *command], [sys.executable, script.name]):
        place = folder / f"again-by-{len(program)}-words"
        place.mkdir()
        for path in (survey, plan, script):
            shutil.copy(path, place)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(program, cwd=place, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert (place / masked.name).read_bytes() == masked.read_bytes()


def headline(studio) -> dict[str, str]:
    names = studio.page.locator("header dt").all_inner_texts()
    return dict(zip(names, studio.page.locator("header dd").all_inner_texts(), strict=True))


def test_a_survey_from_upload_to_two_releases_back_and_to_its_export(studio, survey, tmp_path):
    page = studio.page
    studio.open_file(survey)
    decide(studio)
    add_rules(studio)
    set_up_protection(studio)
    protect(studio, 1)
    first = headline(studio)
    assert (first["units"], first["rules"]) == ("80", "2 of 2 hold")
    make_ready_for_hybrid(studio)
    protect(studio, 2)
    assert page.get_by_text("Decisions have changed").count() == 0
    assert page.locator("#protect-attempts-table tbody tr").count() == 2
    studio.picture("flow-protect")
    studio.go("Evaluate")
    page.locator(".map [role=button]").nth(1).wait_for(timeout=60_000)
    assert page.locator(".map [role=button]").count() == 2
    page.wait_for_timeout(2000)
    studio.picture("flow-evaluate")
    before = page.get_by_label("Steps so far").input_value()
    for _ in range(3):
        page.get_by_role("button", name="Undo", exact=True).click()
        studio.settled()
    assert page.get_by_label("Steps so far").input_value() == str(int(before) - 3)
    page.get_by_text("Decisions have changed since attempt 2.").wait_for()
    for attempt in ("1", "2"):
        studio.go("Export")
        page.get_by_label("Attempt", exact=True).select_option(attempt)
        page.locator("header").get_by_text(f"{attempt}: mdav").wait_for()
        folder = tmp_path / f"attempt-{attempt}"
        folder.mkdir()
        same_again(studio, survey, folder)
    studio.picture("flow-export")
    assert page.locator("img[src=x]").count() == 0
