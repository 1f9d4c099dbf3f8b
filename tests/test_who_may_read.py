"""What is not for publication is for its owner only; what is released is as open as its owner's files are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import shoal
from command_line import run_shoal

COMMANDS = {
    "protect t.csv -k 3 -o masked.csv --report report.html": {"masked.csv": 0o644},
    "report t.csv t.csv --quick -o report.html": {},
    "measure t.csv t.csv --quick -o measures.json": {},
    "compare t.csv -k 3 --methods mdav --report page.html": {},
    "tune t.csv -k 3 --methods mdav --trials 1 --map map.svg --plan best.toml --plans plans": {},
}


@pytest.fixture
def folder(tmp_path: Path):
    before = os.umask(0o022)
    shoal.write_table(shoal.datasets.expenditure(), tmp_path / "t.csv")
    yield tmp_path
    os.umask(before)


def modes_of(folder: Path) -> dict[str, int]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.name != "t.csv")
    return {file.name: file.stat().st_mode & 0o777 for file in files}


@pytest.mark.parametrize("command", COMMANDS)
def test_only_what_is_released_can_be_read_by_others(folder, command):
    ran = run_shoal(*command.split(), cwd=folder)
    assert ran.returncode == 0, ran.stderr
    modes, public = modes_of(folder), COMMANDS[command]
    assert modes == {name: public.get(name, 0o600) for name in modes}
    assert public.keys() <= modes.keys()


def test_what_others_could_read_before_is_closed_to_them(folder):
    for name in ("plan.toml", "report.html", "trials.jsonl"):
        (folder / name).write_text("")
        (folder / name).chmod(0o666)
    (folder / "trials.jsonl").unlink()
    release = shoal.protect(folder / "t.csv", 3)
    release.write(folder / "masked.csv", plan=folder / "plan.toml")
    release.report(folder / "report.html")
    options = {"k": [3], "methods": ["mdav"], "trials": 1, "seed": 0}
    shoal.tune(folder / "t.csv", log=folder / "trials.jsonl", **options)
    (folder / "trials.jsonl").chmod(0o666)
    shoal.tune(folder / "t.csv", resume=folder / "trials.jsonl", **options)
    assert modes_of(folder) == {"masked.csv": 0o644, "plan.toml": 0o600, "report.html": 0o600, "trials.jsonl": 0o600}


def test_a_public_report_is_as_open_as_a_release(folder):
    shoal.protect(folder / "t.csv", 3).report(folder / "report.html", "public")
    assert modes_of(folder) == {"report.html": 0o644}


def test_no_release_stands_there_without_the_plan_that_was_asked_for(folder, monkeypatch):
    release = shoal.protect(folder / "t.csv", 3)
    monkeypatch.setattr(shoal.Plan, "as_toml", lambda plan, path: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        release.write(folder / "masked.csv", plan=folder / "plan.toml")
    assert modes_of(folder) == {}
