"""Rules found in the data, from the command line: what is printed is a file of rules."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

import shoal
from shoal.__main__ import main
from shoal.datasets import households
from shoal.edits import read_edits, suggested_rules


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run shoal check in a folder with the households; return exit code, output and errors."""
    shoal.write_table(households(200).rename(columns={"tax": "tax # paid"}), tmp_path / "survey.csv")
    shoal.write_table(pd.DataFrame({"a": [1, 2, 3]}), tmp_path / "small.csv")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["shoal", "check", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return run


def test_what_is_printed_is_a_file_of_rules(run, tmp_path):
    code, out, err = run("survey.csv", "--suggest")
    assert (code, err) == (0, "")
    (tmp_path / "rules.txt").write_text(out)
    suggestions = suggested_rules("survey.csv")
    assert [rule.text for rule in read_edits(tmp_path / "rules.txt")] == [one.text for one in suggestions]
    assert (
        "gross_income == `tax # paid` + net_income  # sum: holds in all 200 records that have all three values" in out
    )
    assert run("survey.csv", "--edits", "rules.txt")[0] == 0


def test_suggestions_as_json_and_none_at_all(run):
    code, out, _ = run("survey.csv", "--suggest", "--json")
    assert code == 0
    assert [one["text"] for one in json.loads(out)] == [one.text for one in suggested_rules("survey.csv")]
    code, out, _ = run("small.csv", "--suggest")
    assert (code, out) == (
        0,
        "# No rule was found that every record of small.csv keeps and that hardly holds by chance.\n",
    )
    assert run("survey.csv", "--suggest", "--quiet")[:2] == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("survey.csv",), "Name them with --edits FILE, or find some with --suggest."),
        (("survey.csv", "--suggest", "--edits", "rules.txt"), "Use one of them."),
        (("nowhere.csv", "--suggest"), "nowhere.csv does not exist"),
    ],
)
def test_what_goes_wrong_is_one_line_and_exit_2(run, arguments, said):
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
