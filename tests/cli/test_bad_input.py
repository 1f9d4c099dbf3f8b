"""Bad input: one clear line, nothing written, no value of the data in the message.

Every case runs twice: through `shoal.protect` and through the command line, which must leave its folder as it was.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, DataError, ParameterError, ReadError, ShoalError, TooFewRecordsError

GOOD = "id,region,income,tax,w\n" + "".join(
    f"p{i},{'NS'[i % 2]},{1000 + 37 * i},{100 + 3 * i},{1 + i}\n" for i in range(12)
)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


# name: (text of the file, arguments of protect, the same for the command line, error, exit code, message)
CASES = {
    "k below 2": (GOOD, {"k": 1}, "-k 1", ParameterError, 2, "k must be a whole number, 2 or more; got 1"),
    "k negative": (GOOD, {"k": -3}, "-k -3", ParameterError, 2, "k must be a whole number, 2 or more; got -3"),
    "k not whole": (GOOD, {"k": 2.5}, "-k 2.5", ParameterError, 2, "2.5"),
    "k not a number": (GOOD, {"k": "three"}, "-k three", ParameterError, 2, "three"),
    "k above n": (GOOD, {"k": 13}, "-k 13", TooFewRecordsError, 1, "k=13 needs at least 13 records; the table has 12"),
    "empty file": ("", {"k": 3}, "-k 3", ReadError, 1, "empty"),
    "header only": ("a,b\n", {"k": 3}, "-k 3", DataError, 1, "no records|no rows|header"),
    "duplicate columns": (changed("tax,w", "tax,tax"), {"k": 3}, "-k 3", ColumnError, 2, '"tax"'),
    "unknown column": (
        GOOD,
        {"k": 3, "columns": ["incme"]},
        "-k 3 --columns incme",
        ColumnError,
        2,
        'no column "incme".*mean "income"',
    ),
    "unknown stratum": (
        GOOD,
        {"k": 3, "strata": "regoin"},
        "-k 3 --strata regoin",
        ColumnError,
        2,
        'no column "regoin".*mean "region"',
    ),
    "unknown role": (
        GOOD,
        {"k": 3, "roles": {"id": "identifer"}},
        "-k 3 --role id=identifer",
        ParameterError,
        2,
        'mean "identifier"',
    ),
    "text in a numeric column": (
        changed("1074", "Meier"),
        {"k": 3},
        "-k 3",
        DataError,
        1,
        r'"income" \(numbers but for 1 of its 12 values, in record 3\)',
    ),
    "text as a continuous column": (
        GOOD,
        {"k": 3, "columns": ["region"], "kinds": {"region": "continuous"}},
        "-k 3 --columns region --kind region=continuous",
        DataError,
        1,
        '"region"',
    ),
    "an infinity": (
        changed("1074", "inf"),
        {"k": 3},
        "-k 3",
        DataError,
        1,
        '"income" has 1 infinite value, the first in record 3',
    ),
    "a small stratum": (
        changed("p1,S", "p1,Q"),
        {"k": 3, "strata": "region"},
        "-k 3 --strata region",
        TooFewRecordsError,
        1,
        "k=3 needs at least 3 records in every stratum of region; 1 of 3 have fewer, the smallest has 1. Count",
    ),
    "a negative weight": (
        changed(",109,4", ",109,-4"),
        {"k": 3, "weights": "w"},
        "-k 3 --weights w",
        DataError,
        1,
        '"w" has 1 that are zero or negative, the first in record 4',
    ),
    "a zero weight": (
        changed(",109,4", ",109,0"),
        {"k": 3, "weights": "w"},
        "-k 3 --weights w",
        DataError,
        1,
        "positive",
    ),
    "a missing weight": (
        changed(",109,4", ",109,"),
        {"k": 3, "weights": "w"},
        "-k 3 --weights w",
        DataError,
        1,
        r'missing in "w" \(1\)',
    ),
    "a weight that is text": (
        changed(",109,4", ",109,four"),
        {"k": 3, "weights": "w"},
        "-k 3 --weights w",
        DataError,
        1,
        '"w"',
    ),
    "a missing value": (changed(",1074,", ",,"), {"k": 3}, "-k 3", DataError, 1, r'missing in "income" \(1\)'),
    "missing misspelt": (GOOD, {"k": 3, "missing": "kep"}, "-k 3 --missing kep", ParameterError, 2, 'mean "keep"'),
    "unknown method": (
        GOOD,
        {"k": 3, "method": "mdva"},
        "-k 3 --method mdva",
        ParameterError,
        2,
        'no method "mdva".*mean "mdav"',
    ),
    "unknown parameter": (
        GOOD,
        {"k": 3, "method": "mdav:varant=x"},
        "-k 3 --method mdav:varant=x",
        ParameterError,
        2,
        'mean "variant"',
    ),
    "bad parameter": (
        GOOD,
        {"k": 3, "method": "mdav:variant=3k"},
        "-k 3 --method mdav:variant=3k",
        ParameterError,
        2,
        "variant must be one of",
    ),
    "unknown start": (
        GOOD,
        {"k": 3, "method": "refine:start=mdva"},
        "-k 3 --method refine:start=mdva",
        ParameterError,
        2,
        'no start "mdva".*mean "mdav"',
    ),
    "unknown parameter of a start": (
        GOOD,
        {"k": 3, "method": "refine:start=mdav:foo=1"},
        "-k 3 --method refine:start=mdav:foo=1",
        ParameterError,
        2,
        'start "mdav" has no parameter "foo"',
    ),
    "a start that is not a list of groups": (
        GOOD,
        {"k": 3, "method": {"name": "refine", "start": [[1], [1, 2]]}},
        "-k 3 --method refine:start=[[1],[1,2]]",
        ParameterError,
        2,
        "start",
    ),
    "a random state too large": (
        GOOD,
        {"k": 3, "method": f"refine:random_state={2**63}"},
        f"-k 3 --method refine:random_state={2**63}",
        ParameterError,
        2,
        "random_state must be a whole number from 0 to 4294967295",
    ),
    "unknown replacement": (GOOD, {"k": 3, "replace": "meen"}, "-k 3 --replace meen", ParameterError, 2, 'mean "mean"'),
    "geometric mean of a negative value": (
        changed(",1074,", ",-5,"),
        {"k": 3, "replace": "geometric-mean"},
        "-k 3 --replace geometric-mean",
        DataError,
        1,
        '"income" has 1 that are zero or negative',
    ),
    "a block of nothing": (GOOD, {"k": 3, "blocks": 0}, "-k 3 --blocks 0", ParameterError, 2, "blocks must be"),
    "a column in two blocks": (
        GOOD,
        {"k": 3, "blocks": [["tax"], ["tax", "income"]]},
        "-k 3 --blocks tax --blocks tax,income",
        ColumnError,
        2,
        'names "tax" more than once',
    ),
    "a column with two parts": (
        GOOD,
        {"k": 3, "columns": ["tax"], "weights": "tax"},
        "-k 3 --columns tax --weights tax",
        ColumnError,
        2,
        "cannot be both",
    ),
    "two roles": (
        GOOD,
        {"k": 3, "roles": {"w": "key"}, "weights": "w"},
        "-k 3 --role w=key --weights w",
        ColumnError,
        2,
        "one role",
    ),
    "nothing to protect": (
        "a,b\nx,y\nx,y\nz,y\n",
        {"k": 2, "as_is": ["a", "b"]},
        "-k 2 --as-is a,b",
        ColumnError,
        2,
        "no column to protect",
    ),
    "a column to be decided": (
        changed("id,region", "name,region"),
        {"k": 3},
        "-k 3",
        DataError,
        1,
        r'1 column has to be decided before anything is released: "name" \(texts nearly all different\)',
    ),
    "a ragged row": (changed("p3,S,1111,109,4", "p3,S,1111"), {"k": 3}, "-k 3", ReadError, 1, "line 5"),
    "a negative seed": (GOOD, {"k": 3, "seed": -1}, "-k 3 --seed -1", ParameterError, 2, "seed must be"),
}


@pytest.fixture(params=CASES)
def case(request, tmp_path):
    text, arguments, options, error, code, message = CASES[request.param]
    file = tmp_path / "data.csv"
    file.write_text(text)
    return file, arguments, options, error, code, message


def test_protect_refuses_with_one_clear_line(case):
    file, arguments, _, error, _, message = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error, match=message) as raised:
            shoal.protect(file, **arguments)
    assert isinstance(raised.value, ShoalError)
    assert "\n" not in str(raised.value)
    for value in ("1074", "1111", "Meier", "four"):
        assert value not in str(raised.value)


def test_the_command_refuses_and_writes_nothing(case, capsys, monkeypatch):
    from shoal.__main__ import main

    file, _, options, _, code, message = case
    target = file.with_name("out.csv")
    target.write_text("the old release")
    before = {path.name: path.read_bytes() for path in file.parent.iterdir()}
    monkeypatch.setattr(sys, "argv", ["shoal", "protect", str(file), *options.split(), "-o", str(target)])
    with pytest.raises(SystemExit) as stopped:
        main()
    output = capsys.readouterr()
    assert stopped.value.code == code
    assert "Traceback" not in output.err
    lines = [line for line in output.err.splitlines() if line.startswith(("shoal: error", "Error"))]
    assert len(lines) == 1
    if "2.5" not in options and "three" not in options:  # typer's own words for what is not a number at all
        import re

        assert re.search(message, lines[0])
    assert output.out == ""
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == before


@pytest.mark.parametrize("k", [True, None, float("nan"), "3", 3.0])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(ParameterError, match="k must be a whole number"):
        shoal.protect(pd.DataFrame({"a": [1.0, 2, 3]}), k)


def test_k_has_no_default():
    with pytest.raises(TypeError, match="k"):
        shoal.protect(pd.DataFrame({"a": [1.0, 2, 3]}))


@pytest.mark.parametrize(
    "data", [None, 3, "no such file.csv", [], {}, pd.DataFrame(), pd.DataFrame({"a": []}), object()]
)
def test_what_is_not_a_table_is_refused(data):
    with pytest.raises(ShoalError):
        shoal.protect(data, 3)


def test_dates_cannot_be_protected_and_the_message_says_what_to_do():
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=9), "x": range(9)})
    with pytest.raises(DataError, match=r'"day" \(dates or times\)'):
        shoal.protect(frame, 3, columns=["day"])


def test_a_bug_shows_no_traceback_and_no_value(tmp_path):
    """An error nobody foresaw must not print the data: the traceback stays hidden unless it is asked for."""
    code = (
        "import shoal.cli.protect, shoal.__main__\n"
        "def broken(*a, **k): raise RuntimeError('secret 4711')\n"
        "shoal.cli.protect.read_options = broken\n"
        "shoal.__main__.main()\n"
    )
    file = tmp_path / "data.csv"
    file.write_text(GOOD)
    ran = subprocess.run(
        [sys.executable, "-c", code, "protect", str(file), "-k", "3"], capture_output=True, text=True, cwd=tmp_path
    )
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "internal error, RuntimeError" in ran.stderr
    assert "4711" not in ran.stderr
    assert Path(tmp_path / "data.csv").read_text() == GOOD
