"""From a raw survey to a release that anybody can make again: upload, decide, recode, rules, protect, compare, undo."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect

from studio.browser.survey import RULES
from studio.browser.visitor import STEPS, Visitor


def decide_everything(visitor: Visitor, survey: Path) -> None:
    """Open the survey, and decide all that a release needs but k."""
    visitor.upload(survey)
    assert visitor.headline()["records"] == str(len(survey.read_text().splitlines()) - 1)
    visitor.open_step("Protect")
    expect(visitor.find("protect-plan")).to_contain_text("interviewed")  # nothing is protected before it is decided
    expect(visitor.find("protect-start_now")).to_have_count(0)
    visitor.open_step("Variables")
    visitor.use("interviewed", "identifier")
    for column, suggested in {"person": "identifier", "household": "unit"}.items():
        expect(visitor.find(f"variables-role_{visitor.row(column)}")).to_have_value(suggested)
    visitor.use("weight", "weight")
    visitor.use_several(["region", "sex", "age", "education"], "key")
    visitor.use_several(["wage", "capital", "tax", "net"], "confidential")
    visitor.open_step("Keys")
    visitor.band("age", 10)
    visitor.open_step("Rules")
    for rule in RULES:
        visitor.add_rule(rule)
    visitor.open_step("Protect")
    visitor.set_missing("keep")


def protect_both_ways(visitor: Visitor) -> None:
    """Make a release by MDAV, with households as units, and one of hybrid data, which knows no units or weights."""
    visitor.set_k(5)
    visitor.protect(1)
    visitor.open_step("Variables")
    visitor.use("household", "identifier")
    visitor.use("savings", "identifier")
    visitor.use("weight", "as is")
    visitor.open_step("Protect")
    visitor.decide(lambda: visitor.find("protect-replace_field").select_option("hybrid"))
    visitor.protect(2)


def run_again(arguments: list[str], folder: Path) -> None:
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def made_again(visitor: Visitor, survey: Path, folder: Path) -> bytes:
    """Export the attempt that is looked at; return its bytes, which the script and the command make too."""
    folder.mkdir()
    masked = visitor.download("masked", folder)
    plan, script = visitor.download("plan", folder), visitor.download("script", folder)
    expected, command = masked.read_bytes(), visitor.find("export-command").inner_text().strip()
    assert visitor.find("export-script").inner_text().strip() == script.read_text().strip()
    program, *rest = shlex.split(command)
    assert program == "shoal"
    for arguments in ([sys.executable, script.name], [sys.executable, "-m", "shoal", *rest]):
        own = folder / f"with-{len(arguments)}"
        own.mkdir()
        for file in (plan, script, survey):
            shutil.copy(file, own)
        run_again(arguments, own)
        assert (own / masked.name).read_bytes() == expected
    return expected


def test_the_exported_file_plan_script_and_command_make_the_same_bytes(visitor, survey, tmp_path):
    decide_everything(visitor, survey)
    protect_both_ways(visitor)
    assert visitor.headline()["rules"] == f"{len(RULES)} of {len(RULES)} hold"

    visitor.open_step("Evaluate")
    points = visitor.page.locator("#evaluate-map [role=button]")
    expect(points).to_have_count(2)
    expect(visitor.find("evaluate-shown")).to_have_value("2")
    points.first.press("Enter")
    expect(visitor.find("evaluate-shown")).to_have_value("1")
    assert visitor.headline()["attempt"].startswith("1:")

    at = visitor.place
    for _ in range(3):
        visitor.undo()
    assert visitor.place == at - 3
    assert all(text.startswith("undone: ") for text in visitor.decided[-3:])

    visitor.open_step("Export")
    first = made_again(visitor, survey, tmp_path / "mdav")
    visitor.find("export-attempts").select_option("2")
    expect(visitor.find("headline-facts")).to_contain_text("2:")
    second = made_again(visitor, survey, tmp_path / "hybrid")
    header = [one.splitlines()[0].decode().split(",") for one in (first, second)]
    assert "household" in header[0] and "household" not in header[1]


def test_every_request_of_the_page_goes_to_its_studio(visitor, survey, tmp_path):
    """No telemetry, no library from elsewhere: from the upload through every step to what is exported."""
    visitor.upload(survey)
    visitor.open_step("Variables")
    visitor.use("interviewed", "identifier")
    visitor.open_step("Protect")
    visitor.set_missing("fill")
    visitor.set_k(4)
    visitor.protect(1)
    for step in STEPS:
        visitor.open_step(step)
        visitor.settled()
    visitor.download("public", tmp_path)
    visitor.reload()
    assert visitor.asked_elsewhere == []
    assert {urlsplit(url).path.split("/")[1] for url in visitor.asked} >= {"", "lib", "websocket", "upload", "download"}


def test_another_format_is_made_again_too(visitor, survey, tmp_path):
    visitor.upload(survey)
    visitor.open_step("Variables")
    visitor.use("interviewed", "identifier")
    visitor.open_step("Protect")
    visitor.set_missing("fill")
    visitor.set_k(4)
    visitor.protect(1)
    visitor.open_step("Export")
    visitor.find("export-ending").select_option(".parquet")
    expect(visitor.find("export-command")).to_contain_text(".parquet")
    assert made_again(visitor, survey, tmp_path / "again")


def test_no_report_stands_under_the_headline_of_another_release(new_visitor):
    """What is not about the release that is looked at is grey until it is drawn anew."""
    visitor = new_visitor
    visitor.find("data-survey").click()
    expect(visitor.find("headline-facts")).to_contain_text("households.csv")
    visitor.open_step("Protect")
    for number, k in enumerate((3, 9), start=1):
        visitor.set_k(k)
        visitor.protect(number)
    visitor.open_step("Evaluate")
    report = visitor.find("evaluate-report")
    expect(report).to_contain_text("at least 8 others")
    for number, others in (("1", 2), ("2", 8), ("1", 2)):
        visitor.find("evaluate-shown").select_option(number)
        expect(visitor.find("headline-facts")).to_contain_text(f"{number}:")
        visitor.settled()  # nothing is grey: what is shown now is not waited for
        assert f"at least {others} others" in report.inner_text()
