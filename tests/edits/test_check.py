"""Checking a table against its rules, from Python and from the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.__main__ import main
from shoal.edits import Check, RuleStatus, check, parse_rule, read_edits
from shoal.errors import DataError, ParameterError, RuleError
from shoal.progress import listening

# Values that stand nowhere but in the table, so that a leak is seen.
TABLE = pd.DataFrame(
    {
        "net": [7101, 7202, 7303, 7404, 7505],
        "tax": [101, 202, 303, 404, 506],
        "gross": [7202, 7404, 7606, 7808, 8010],
        "age": [31, 142, 53, np.nan, 975],
        "town": ["Abbey", "Barrow", None, "Dover", "Epsom"],
    }
)
ADD_UP, AGES, TOWNS = "net + tax == gross", "0 <= age and age <= 120", "town in original"


def test_a_check_counts_and_numbers_the_records_that_break_a_rule():
    found = check(TABLE, [ADD_UP, AGES, "tax > 0", 'town != "Dover"'])
    assert isinstance(found, Check)
    assert (found.records, found.tolerance, found.holds) == (5, 1e-9, False)
    assert found.rules == (
        RuleStatus(ADD_UP, "", "linear", broken=1, first=(5,), missing=0),
        RuleStatus(AGES, "", "possible values", broken=2, first=(2, 5), missing=1),
        RuleStatus("tax > 0", "", "possible values", broken=0, first=(), missing=0),
        RuleStatus('town != "Dover"', "", "possible values", broken=1, first=(4,), missing=1),
    )
    assert [one.holds for one in found.rules] == [False, False, True, False]
    assert check(TABLE, ["tax > 0"]).holds


def test_a_record_with_two_missing_values_counts_once():
    frame = pd.DataFrame({"a": [None, None, 1.0], "b": [None, 1.0, None]})
    assert check(frame, ["a <= b"]).rules[0].missing == 3


def test_the_first_offenders_are_in_order_and_ten_at_most():
    frame = pd.DataFrame({"a": np.arange(100) % 3})
    status = check(frame, ["a < 2"]).rules[0]
    assert status.broken == 33
    assert status.first == tuple(range(3, 33, 3))
    assert check(frame, ["a < 2"], first=2).rules[0].first == (3, 6)
    assert check(frame, ["a < 2"], first=0).rules[0].first == ()
    assert len(check(frame, ["a < 2"], first=1000).rules[0].first) == 33


def test_values_are_given_only_on_request():
    rules = [ADD_UP, AGES, "town in {Elsewhere}"]
    silent = check(TABLE, rules)
    assert all(one.values is None for one in silent.rules)
    for said in (repr(silent), json.dumps(silent.to_dict())):
        assert not [cell for cell in values_in(TABLE) if cell in said]
    asked = check(TABLE, rules, values=True, first=1)
    assert asked.rules[0].values == ({"net": 7505, "tax": 506, "gross": 8010},)
    assert asked.rules[1].values == ({"age": 142.0},)
    assert asked.rules[2].values == ({"town": "Abbey"},)
    assert asked.to_dict()["rules"][0]["values"] == [{"net": 7505, "tax": 506, "gross": 8010}]
    assert "7505" not in repr(asked)


def values_in(frame):
    """Every value of a frame as texts may show it, if it is long enough to be told from a count."""
    cells = [str(cell).removesuffix(".0") for name in frame for cell in frame[name].dropna()]
    return [cell for cell in cells if len(cell) > 2]


def test_the_document_is_ready_for_json():
    frame = pd.DataFrame(
        {
            "i": pd.Series([1, 2], dtype="Int64"),
            "f": [0.5, np.inf],
            "d": pd.to_datetime(["2020-01-01", "2020-01-02"]),
            "b": [True, False],
            "c": pd.Categorical(["x", "y"]),
        }
    )
    rules = ["i > 5", "f < 0", "d == 'never'", "b == 2", "c == z or c == 'z'"]
    with pytest.raises(RuleError, match='names "z"'):
        check(frame, rules)
    rules[-1] = "c in {z}"
    found = check(frame, rules, values=True).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert [one["values"][0] for one in found["rules"]] == [
        {"i": 1},
        {"f": 0.5},
        {"d": "2020-01-01 00:00:00"},
        {"b": True},
        {"c": "x"},
    ]
    assert found["rules"][1]["values"][1] == {"f": "inf"}
    assert list(found) == ["records", "tolerance", "holds", "rules"]
    assert list(found["rules"][0]) == ["rule", "name", "kind", "holds", "broken", "missing", "first", "values"]


def test_tables_of_every_kind_and_rules_of_every_kind(tmp_path):
    shoal.write_table(TABLE, tmp_path / "table.csv")
    (tmp_path / "rules.txt").write_text(f"{ADD_UP}  # incomes\n{AGES}\n")
    expected = check(TABLE, [ADD_UP, AGES]).rules
    for data in (TABLE, pl.from_pandas(TABLE), str(tmp_path / "table.csv"), tmp_path / "table.csv"):
        for rules in (tmp_path / "rules.txt", str(tmp_path / "rules.txt"), [parse_rule(ADD_UP), AGES]):
            assert check(data, rules).rules == expected
    assert check(np.array([[1.0], [2.0]]), ["`0` == 1"]).rules[0].first == (2,)


def test_what_an_author_called_a_rule_is_kept():
    rule = shoal.edits.Rule(parse_rule(ADD_UP).expression, name="incomes add up")
    found = check(TABLE, [rule])
    assert found.rules[0].name == "incomes add up"
    assert found.to_dict()["rules"][0]["name"] == "incomes add up"


def test_the_original_is_where_values_must_come_from():
    original = pd.DataFrame({"town": ["Barrow", "Abbey", "Elsewhere", "Dover"]})
    assert check(TABLE, [TOWNS], original=original).rules[0].first == (5,)
    assert check(TABLE, [TOWNS], original=TABLE).holds
    with pytest.raises(RuleError, match=r'The rule "town in original" needs the original.*--original FILE'):
        check(TABLE, [TOWNS])
    with pytest.raises(
        RuleError, match='"if age > 1 then town in original" names "town", which is no column of the orig'
    ):
        check(TABLE, [f"if age > 1 then {TOWNS}"], original=original.rename(columns={"town": "Town"}))


def test_the_tolerance_is_a_part_of_the_size():
    frame = pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.06]})
    assert not check(frame, ["a + b == c"], tolerance=0.009).holds
    assert check(frame, ["a + b == c"], tolerance=0.01).holds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": -1e-9}, "tolerance must be a number, 0 or more"),
        ({"tolerance": float("nan")}, "tolerance must be"),
        ({"tolerance": "1e-9"}, "tolerance must be"),
        ({"first": -1}, "first must be a whole number"),
        ({"first": 2.5}, "first must be a whole number"),
        ({"values": 1}, "values must be True or False"),
    ],
)
def test_options_have_limits(options, message):
    with pytest.raises(ParameterError, match=message):
        check(TABLE, [ADD_UP], **options)


def test_what_cannot_be_checked():
    with pytest.raises(RuleError, match="There is no rule to check"):
        check(TABLE, [])
    with pytest.raises(RuleError, match=r'names "grss", which is no column. Did you mean "gross"'):
        check(TABLE, ["net + tax == grss"])
    with pytest.raises(RuleError, match=r'The rule "town > 3" cannot be checked\. Texts can only be compared by'):
        check(TABLE, ["town > 3"])
    with pytest.raises(RuleError, match=r'The rule "town is integer" cannot be checked\. Column "town" is not numeric'):
        check(TABLE, ["town is integer"])
    with pytest.raises(DataError, match="no rows"):
        check(TABLE[:0], [ADD_UP])


def test_progress_is_reported_to_the_end():
    heard = []
    with listening(heard.append):
        check(TABLE, [ADD_UP, AGES, "tax > 0"])
    assert len(heard) == 3
    assert sum(heard) == pytest.approx(1)


def test_rules_that_protect_kept_hold_in_its_release(tmp_path):
    """Promise 2, seen from outside: the file that is written is checked again."""
    survey = shoal.datasets.households(200, seed=3)
    rules = ["net_income + tax == gross_income", "age >= 0"]
    assert check(survey, rules).holds
    release = shoal.protect(survey[["age", "net_income", "tax", "gross_income"]], 5)
    release.write(tmp_path / "masked.csv")
    assert check(tmp_path / "masked.csv", rules).holds


# The command line


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run shoal in a folder with a table and rules; return exit code, output and errors."""
    shoal.write_table(TABLE, tmp_path / "table.csv")
    (tmp_path / "rules.txt").write_text(f"{ADD_UP}  # incomes\n{AGES}\n")
    (tmp_path / "kept.txt").write_text("tax > 0\n")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["shoal", "check", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return run


def test_one_line_for_each_rule_and_exit_1(run):
    code, out, err = run("table.csv", "--edits", "rules.txt")
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "table.csv: 5 records, 2 of 2 rules broken",
        "",
        f"BROKEN  {ADD_UP}: by 1 record: 5",
        f"BROKEN  {AGES}: by 2 records: 2, 5 (1 record with a missing value left out)",
        "",
        "tolerance 1e-09: relative, for rules with arithmetic; other comparisons are exact",
    ]


def test_exit_0_if_all_hold(run):
    code, out, err = run("table.csv", "--edits", "kept.txt")
    assert (code, err) == (0, "")
    assert out.startswith("table.csv: 5 records, 1 rule, none of them broken\n\nholds   tax > 0\n")


def test_quiet_only_answers_by_its_exit_code(run):
    assert run("table.csv", "--edits", "kept.txt", "--quiet") == (0, "", "")
    assert run("table.csv", "--edits", "rules.txt", "-q") == (1, "", "")


def test_how_many_offenders_are_listed(run):
    assert f"{AGES}: by 2 records, the first 2 (1" in run("table.csv", "--edits", "rules.txt", "--first", 1)[1]
    assert f"{AGES}: by 2 records (1" in run("table.csv", "--edits", "rules.txt", "--first", 0)[1]
    code, _, err = run("table.csv", "--edits", "rules.txt", "--first", -1)
    assert (code, err) == (2, "shoal: error: first must be a whole number, 0 or more; got -1.\n")


def test_values_are_shown_only_if_asked_for(run):
    for more in ((), ("--json",)):
        _, out, err = run("table.csv", "--edits", "rules.txt", *more)
        assert not [cell for cell in values_in(TABLE) if cell in out + err]
    code, out, _ = run("table.csv", "--edits", "rules.txt", "--show-values", "--first", 1)
    assert code == 1
    assert "        record 5: net = 7505, tax = 506, gross = 8010\n" in out
    assert "        record 2: age = 142.0\n" in out
    assert "975" not in out
    _, out, _ = run("table.csv", "--edits", "rules.txt", "--show-values", "--json")
    assert json.loads(out)["rules"][1]["values"] == [{"age": 142}, {"age": 975}]


def test_help_says_what_showing_values_means(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "original ones, if it is the original" in " ".join(out.split())


def test_json_has_the_same_facts(run):
    code, out, err = run("table.csv", "--edits", "rules.txt", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out) == check("table.csv", "rules.txt").to_dict()
    code, out, _ = run("table.csv", "--edits", "kept.txt", "--json", "--quiet")
    assert (code, json.loads(out)["holds"]) == (0, True)


def test_the_tolerance_can_be_set(run, tmp_path):
    assert run("table.csv", "--edits", "rules.txt", "--tolerance", 0.001)[1].count("BROKEN") == 1
    assert "tolerance 0.001:" in run("table.csv", "--edits", "kept.txt", "--tolerance", 0.001)[1]
    for wrong in ("-1", "nan", "much"):
        code, out, err = run("table.csv", "--edits", "kept.txt", "--tolerance", wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_the_original_is_read(run, tmp_path):
    (tmp_path / "towns.txt").write_text(TOWNS)
    shoal.write_table(TABLE[:4], tmp_path / "original.csv")
    code, out, _ = run("table.csv", "--edits", "towns.txt", "--original", "original.csv")
    assert code == 1
    assert f"BROKEN  {TOWNS}: by 1 record: 5 (1 record with a missing value left out)" in out
    assert run("original.csv", "--edits", "towns.txt", "--original", "table.csv")[0] == 0
    code, out, err = run("no-such.csv", "--edits", "towns.txt")  # said before the file is read
    assert (code, out) == (2, "")
    assert "name it with original (--original FILE)" in err


def test_how_to_read_the_file(run, tmp_path):
    (tmp_path / "other.txt").write_bytes('é|a\n"1,5"|2\n'.encode("latin-1"))
    (tmp_path / "commas.txt").write_text("é == 1.5", encoding="utf-8")
    code, _, err = run(
        "other.txt", "--edits", "commas.txt", "--encoding", "latin-1", "--decimal", ",", "--delimiter", "|"
    )
    assert (code, err) == (0, "")
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        pd.DataFrame({"a": [1]}).to_excel(book, sheet_name="one", index=False)
        pd.DataFrame({"tax": [0, 1]}).to_excel(book, sheet_name="two", index=False)
    assert run("book.xlsx", "--edits", "kept.txt", "--sheet", "two")[0] == 1
    assert run("book.xlsx", "--edits", "kept.txt")[0] == 2


@pytest.mark.parametrize(
    ("rules", "file", "said"),
    [
        (
            "net + tax == grss",
            "table.csv",
            'line 1: The rule names something, which is no column. Did you mean "gross"?',
        ),
        ("net + == gross", "table.csv", 'rules.txt", line 1: The rule cannot be read'),
        ("# none", "table.csv", 'There is no rule in "rules.txt"'),
        ("town > 3", "table.csv", 'The rule "town > 3" cannot be checked. Texts can only be compared by'),
        ("town is integer", "table.csv", 'The rule "town is integer" cannot be checked. Column "town" is not numeric'),
        ("town + 1 == 2", "table.csv", "cannot be checked"),
        ("tax > 0", "tabel.csv", 'tabel.csv does not exist. Did you mean "table.csv"?'),
        ("tax > 0", "nowhere/table.csv", "nor does the folder"),
        ("tax > 0", ".", "name has no ending"),
        ("tax > 0", "damaged.parquet", "damaged, or not a Parquet file"),
    ],
)
def test_what_goes_wrong_is_one_line_and_exit_2(run, tmp_path, rules, file, said):
    """Also where other commands exit with 1, which is an answer here."""
    (tmp_path / "rules.txt").write_text(rules)
    (tmp_path / "damaged.parquet").write_text("Abbey")
    code, out, err = run(file, "--edits", "rules.txt")
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("shoal: error: ")
    assert err.count("\n") == 1
    assert not [cell for cell in values_in(TABLE) if cell in err]


def test_rules_that_are_not_there(run):
    code, out, err = run("table.csv", "--edits", "no-rules.txt")
    assert (code, out) == (2, "")
    assert 'The rules in "no-rules.txt" cannot be read: No such file or directory.' in err
    code, out, err = run("table.csv")
    assert (code, out) == (2, "")
    assert "--edits" in err


def test_names_and_rules_cannot_steer_the_terminal(run, tmp_path):
    shoal.write_table(pd.DataFrame({"\x1b[31mred": ["\x1b[32mgreen"]}), tmp_path / "red.csv")
    (tmp_path / "red.txt").write_text("`\x1b[31mred` == '\\u001b[33m'")
    code, out, _ = run("red.csv", "--edits", "red.txt", "--show-values")
    assert code == 1
    assert "\x1b" not in out


def test_nothing_is_written(run, tmp_path):
    before = sorted(tmp_path.iterdir())
    run("table.csv", "--edits", "rules.txt", "--show-values")
    assert sorted(tmp_path.iterdir()) == before


def test_a_check_needs_none_of_the_heavy_libraries(run, tmp_path):
    code = (
        "import sys; sys.argv = ['shoal', 'check', 'table.csv', '--edits', 'rules.txt']\n"
        "from shoal.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as ended: assert ended.code == 1\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert not set(ran.stdout.splitlines()[-1].split()) & {"numba", "sklearn", "scipy", "lxml", "polars", "openpyxl"}


def test_importing_the_rules_is_light():
    code = "import sys, shoal.edits; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not set(loaded) & {"numba", "sklearn", "scipy", "pandas", "pyarrow", "lxml"}


GUIDE = (Path(__file__).parents[2] / "docs" / "steps" / "edits.md").read_text(encoding="utf-8")


def test_the_guide_shows_rules_that_are_read_as_it_says(tmp_path):
    block = re.search(r"```text rules\n(net \+ tax.*?)```", GUIDE, re.DOTALL)[1]
    (tmp_path / "guide.txt").write_text(block)
    kinds = []
    for rule, line in zip(read_edits(tmp_path / "guide.txt"), block.splitlines(), strict=True):
        kinds.append(line.partition("# ")[2] or kinds[-1])  # what a line does not say, the one before it says
        assert rule.kind == kinds[-1]
    assert len(set(kinds)) == 6
    for kind, examples in re.findall(r"^\| ([a-z ]+) \| [^|]* \| (`.*`) \|$", GUIDE, re.MULTILINE):
        for text in re.findall("`([^`]+)`", examples):
            assert parse_rule(text).kind == kind


def test_the_guide_names_every_option(run):
    shown = set(re.findall("--[a-z-]+", run("--help")[1])) - {"--help"}
    assert "--show-values" in shown
    assert not [option for option in shown if f"`{option}" not in GUIDE]


@pytest.mark.parametrize(
    ("rules", "named"), [(["a <= 3", "a >= 4"], "a >= 4"), (["a in {1, 2}", "a in {3}"], "a in {3}")]
)
def test_rules_that_contradict_each_other_are_an_error(rules, named):
    with pytest.raises(RuleError, match="No record can satisfy") as error:
        check(pd.DataFrame({"a": [1.0, 5.0]}), rules)
    assert named in str(error.value)
