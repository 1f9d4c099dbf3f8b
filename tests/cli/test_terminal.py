"""Whatever a column, a label, a file or a stratum is called, a terminal obeys none of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

import shoal
from command_line import run_alone, run_shoal
from shoal.cli.terminal import one_line_warnings, say
from shoal.errors import DescriptionWarning, ParameterError, ShoalError, WriteError, visible, warn

HOSTILE = "\U000e0001\x1b[31m\x07\x9b2J\x7f\u202e\u2066\u200b\n\r\t\u2028\ud800"
NAME = "in\x1b[2Jcome\u202e\x9b"


def is_harmless(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def test_what_is_not_printed_is_escaped_in_the_way_of_json():
    assert visible("née 収入 👪") == "née 収入 👪"
    assert visible("a\x1b[31m") == "a\\u001b[31m"
    assert json.loads(f'"{visible(HOSTILE)}"') == HOSTILE
    assert is_harmless(visible(HOSTILE))
    assert visible("a\nb", keep="\n") == "a\nb"


@pytest.mark.parametrize("kind", [ShoalError, ParameterError, WriteError])
def test_errors_are_escaped_and_their_fields_are_not(kind):
    assert is_harmless(str(kind(f'The column "{HOSTILE}" is not there.')))
    assert shoal.errors.ColumnError("no", column=HOSTILE).column == HOSTILE


def test_warnings_are_escaped():
    with pytest.warns(DescriptionWarning) as caught:
        warn(f'The column "{HOSTILE}" is constant.', DescriptionWarning)
    assert is_harmless(str(caught[0].message))


def test_warnings_are_one_line_each(capsys):
    with one_line_warnings():
        warn(f"about {HOSTILE}", DescriptionWarning)
        warnings.warn("somebody else's", UserWarning, stacklevel=1)
    error = capsys.readouterr().err
    assert (error.startswith("shoal: warning: about "), error.count("\n")) == (True, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table with names, labels, categories and a file name that would all steer a terminal."""
    frame = pd.DataFrame(
        {
            NAME: [1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
            "\x1b]0;title\x07 id": [f"p\x1b[3{i}" for i in range(12)],
            "part\u202e": ["x\x1b[1m", "y\u2066"] * 6,
            "one\x1b": [1.0] * 12,
        }
    )
    shoal.write_table(frame, tmp_path / "a\x1b[5m.csv")
    labels = shoal.read.Labels(variables={NAME: "label \x1b[31m"})
    shoal.write_table(frame, tmp_path / "b.parquet", labels=labels)
    rules = f"'{NAME}' >= 2\n"
    (tmp_path / "rules\x1b.txt").write_text(rules, encoding="utf-8")
    return tmp_path


COMMANDS = {
    "describe": ["describe", "a\x1b[5m.csv"],
    "labels": ["describe", "b.parquet"],
    "describe as JSON": ["describe", "b.parquet", "--json"],
    "protect": ["protect", "a\x1b[5m.csv", "-k", "3"],
    "strata": ["protect", "a\x1b[5m.csv", "-k", "3", "--strata", "part\u202e", "--report", "r\x1b.html"],
    "small strata": ["protect", "a\x1b[5m.csv", "-k", "3", "--strata", NAME],
    "rules": ["protect", "a\x1b[5m.csv", "-k", "3", "--edits", "rules\x1b.txt"],
    "explain": ["protect", "a\x1b[5m.csv", "-k", "3", "--edits", "rules\x1b.txt", "--explain"],
    "check": ["check", "a\x1b[5m.csv", "--edits", "rules\x1b.txt", "--show-values"],
    "no such column": ["protect", "a\x1b[5m.csv", "-k", "3", "--columns", "in\x1bcome"],
    "no such file": ["protect", "a\x1b[6m.csv", "-k", "3"],
    "no such format": ["protect", "a\x1b[5m.csv", "-k", "3", "-o", "x.\x1b[5m"],
    "no such option": ["protect", "--\x1b[5m"],
    "no such command": ["\x1b[5m\u202e"],
    "no such method": ["protect", "a\x1b[5m.csv", "-k", "3", "--method", "\x1b[5m"],
    "no such folder": ["protect", "a\x1b[5m.csv", "-k", "3", "-o", "\x1b/x.csv"],
    "no plan": ["protect", "--plan", "\x1b.toml"],
    "measure": ["measure", "a\x1b[5m.csv", "a\x1b[5m.csv", "--quick"],
    "measure as JSON": ["measure", "a\x1b[5m.csv", "a\x1b[5m.csv", "--quick", "--json"],
    "compare": ["compare", "a\x1b[5m.csv", "-k", "3", "--methods", "mdav", "--columns", NAME],
    "tune": ["tune", "a\x1b[5m.csv", "-k", "3", "--methods", "mdav", "--columns", NAME, "--trials", "1"],
    "report": ["report", "a\x1b[5m.csv", "a\x1b[5m.csv", "--quick"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", COMMANDS)
def test_no_command_prints_what_a_terminal_would_obey(folder, case):
    ran = run_shoal(*COMMANDS[case], cwd=folder)
    assert is_harmless(ran.stdout)
    assert is_harmless(ran.stderr)
    assert "internal error" not in ran.stderr
    assert re.search(r"\\(u00|x)1b", ran.stdout + ran.stderr)


def test_json_on_the_terminal_means_what_it_did(folder):
    described = json.loads(run_shoal("describe", "b.parquet", "--json", cwd=folder).stdout)
    assert described[0]["name"] == NAME


def test_results_that_cannot_be_printed_are_an_error_of_one_line(folder):
    with Path("/dev/full").open("w") as full:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
        command = [sys.executable, "-m", "shoal", "describe", "b.parquet"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "could not be printed" in ran.stderr


def test_an_encoding_without_the_letters_of_a_name_shows_their_numbers(tmp_path, monkeypatch):
    shoal.write_table(pd.DataFrame({"größe": [1, 2, 3]}), tmp_path / "t.csv")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    ran = run_alone("describe", "t.csv", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "gr\\xf6\\xdfe" in ran.stdout


def test_commands_print_by_one_door():
    folder = Path(say.__code__.co_filename).parent
    assert [file.name for file in folder.glob("*.py") if re.search(r"\bprint\(", file.read_text())] == ["terminal.py"]
