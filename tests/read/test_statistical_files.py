"""Stata, SPSS and SAS files, against files written and read by pyreadstat and pandas directly."""

from __future__ import annotations

import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from shoal.errors import ReadError, WriteError
from shoal.read import Labels, as_table, read_table, write_table

VARIABLES = {"age": "Age in years", "sex": "Sex", "town": "Town", "score": "Score"}
VALUES: dict[str, dict[Any, str]] = {
    "sex": {1: "male", 2: "female"},
    "score": {0.5: "half", 1: "one"},
    "town": {"A": "Ay"},
}


@pytest.fixture
def survey() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [31.0, 45.0, np.nan],
            "sex": [1, 2, 1],
            "town": ["A", "", "Bé"],
            "score": [0.5, 1.0, 0.25],
            "day": pd.Series([datetime.date(2020, 1, 31), None, datetime.date(1950, 6, 1)], dtype=object),
            "moment": pd.to_datetime(["2020-01-31 10:11:12", None, "1999-12-31 23:59:59"]),
        }
    )


@pytest.fixture
def sav(tmp_path: Path, survey: pd.DataFrame) -> Path:
    """A file written by pyreadstat itself."""
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        survey,
        path,
        file_label="A survey",
        column_labels=VARIABLES,
        variable_value_labels=VALUES,
        variable_measure={"sex": "nominal", "age": "scale"},
        variable_format={"age": "F3.0", "sex": "F1.0", "day": "EDATE10"},
    )
    return path


def check_values(frame: pd.DataFrame) -> None:
    table = as_table(frame)
    np.testing.assert_array_equal(table.numbers("age"), [31, 45, np.nan])
    np.testing.assert_array_equal(table.numbers("score"), [0.5, 1.0, 0.25])
    assert [None if pd.isna(one) else one for one in frame["town"]] == ["A", None, "Bé"]
    days = [None if pd.isna(one) else pd.Timestamp(one) for one in frame["day"]]
    assert days == [pd.Timestamp("2020-01-31"), None, pd.Timestamp("1950-06-01")]
    assert frame["moment"].iloc[0] == pd.Timestamp("2020-01-31 10:11:12")
    assert pd.isna(frame["moment"].iloc[1])


def test_sav_is_read_with_labels_and_types(sav: Path) -> None:
    frame = read_table(sav)
    check_values(frame)
    assert str(frame["age"].dtype) == "Int64"  # its format has no decimals and every value is whole
    assert str(frame["sex"].dtype) == "int64"
    assert str(frame["score"].dtype) == "float64"
    labels = as_table(frame).labels
    assert labels.variables == VARIABLES
    assert labels.values == VALUES
    assert labels.measures == {"sex": "nominal", "age": "scale"}
    assert labels.formats["age"] == "F3.0"
    assert labels.file == "A survey"


@pytest.mark.parametrize("ending", [".sav", ".zsav"])
def test_sav_to_sav_keeps_everything(sav: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"copy{ending}"
    write_table(read_table(sav), target)
    check_values(read_table(target))
    assert as_table(target).labels == as_table(sav).labels
    # and as pyreadstat itself sees it
    mine, original = pyreadstat.read_sav(target)[1], pyreadstat.read_sav(sav)[1]
    assert mine.variable_value_labels == original.variable_value_labels
    assert mine.column_names_to_labels == original.column_names_to_labels
    assert mine.original_variable_types == original.original_variable_types


def test_sav_to_dta_leaves_out_what_stata_cannot_hold(sav: Path, tmp_path: Path) -> None:
    write_table(read_table(sav), tmp_path / "copy.dta")
    frame = read_table(tmp_path / "copy.dta")
    check_values(frame)
    labels = as_table(frame).labels
    assert labels.variables == VARIABLES
    assert labels.values == {"sex": {1: "male", 2: "female"}, "score": {1: "one"}}
    assert labels.file == "A survey"
    # pandas reads the same
    stata = pd.read_stata(tmp_path / "copy.dta", convert_categoricals=False)
    assert stata["score"].tolist() == [0.5, 1.0, 0.25]
    assert stata["day"].iloc[0] == pd.Timestamp("2020-01-31")


def test_dta_to_parquet_to_sav_keeps_labels(tmp_path: Path, survey: pd.DataFrame) -> None:
    codes = {"sex": {1: "male", 2: "female"}}
    pyreadstat.write_dta(
        survey, tmp_path / "a.dta", file_label="F", column_labels=VARIABLES, variable_value_labels=codes
    )
    write_table(read_table(tmp_path / "a.dta"), tmp_path / "b.parquet")
    write_table(read_table(tmp_path / "b.parquet"), tmp_path / "c.sav")
    frame = read_table(tmp_path / "c.sav")
    check_values(frame)
    labels = as_table(frame).labels
    assert (labels.variables, labels.values, labels.file) == (VARIABLES, codes, "F")
    assert all(type(code) is int for code in labels.values["sex"])


def test_integers_beside_gaps_stay_integers_in_stata(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"i": [1, None, 3], "big": [2**40, None, 5]}), tmp_path / "t.dta")
    frame = read_table(tmp_path / "t.dta")
    assert str(frame["i"].dtype) == "Int64"
    assert as_table(frame).numbers("big")[0] == 2**40


def test_xpt_both_ways_without_value_labels(sav: Path, tmp_path: Path) -> None:
    write_table(read_table(sav), tmp_path / "copy.xpt")
    frame = read_table(tmp_path / "copy.xpt")
    check_values(frame)
    labels = as_table(frame).labels
    assert labels.variables == VARIABLES
    assert labels.values == {}
    # pandas' own reader of transport files sees the same numbers
    assert pd.read_sas(tmp_path / "copy.xpt", format="xport", encoding="utf-8")["score"].tolist() == [0.5, 1.0, 0.25]


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta"])
def test_long_text_survives(tmp_path: Path, ending: str) -> None:
    texts = ["x" * 3000, "é" * 300, None, "y"]
    write_table(pd.DataFrame({"s": texts}), tmp_path / f"t{ending}")
    assert [None if pd.isna(one) else one for one in read_table(tmp_path / f"t{ending}")["s"]] == texts


def test_doubles_survive_exactly(tmp_path: Path) -> None:
    values = np.random.default_rng(1).lognormal(sigma=20, size=500)
    for ending in (".sav", ".zsav", ".dta", ".xpt"):
        write_table(pd.DataFrame({"x": values}), tmp_path / f"t{ending}")
        assert read_table(tmp_path / f"t{ending}")["x"].tolist() == values.tolist(), ending


def test_protected_floats_keep_the_value_labels_of_their_codes_and_lose_a_format_that_would_round(sav: Path) -> None:
    table = as_table(sav).replaced({"sex": np.array([1.4, 1.4, 1.4])}, {})
    target = sav.with_name("masked.sav")
    write_table(table, target)
    frame = read_table(target)
    assert frame["sex"].tolist() == [1.4, 1.4, 1.4]
    assert as_table(frame).labels.values["sex"] == {1: "male", 2: "female"}
    assert as_table(frame).labels.formats["sex"] != "F1.0"


def test_declared_missing_values_are_gaps(tmp_path: Path) -> None:
    path = tmp_path / "m.sav"
    pyreadstat.write_sav(pd.DataFrame({"x": [1.0, 99.0, 3.0]}), path, missing_ranges={"x": [99]})
    assert as_table(path).missing("x").tolist() == [False, True, False]


def test_sas7bdat_takes_value_labels_from_the_catalogue_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No library writes these files, so pyreadstat's answers are put in the place of a real one."""
    about = SimpleNamespace(
        column_names=["sex"],
        column_names_to_labels={"sex": "Sex"},
        original_variable_types={"sex": "sexf"},
        readstat_variable_types={"sex": "double"},
        variable_value_labels={},
        variable_measure={},
        file_label="",
    )
    catalogue = SimpleNamespace(value_labels={"SEXF": {1.0: "male"}})
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", lambda path, **_: (pd.DataFrame({"sex": [1.0, 2.5]}), about))
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", lambda path, **_: (None, catalogue))
    (tmp_path / "t.sas7bdat").write_bytes(b"stands in")
    assert as_table(tmp_path / "t.sas7bdat").labels.values == {}
    (tmp_path / "t.sas7bcat").write_bytes(b"stands in")
    assert as_table(tmp_path / "t.sas7bdat").labels.values == {"sex": {1: "male"}}


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        (".dta", "two words"),
        (".dta", "x" * 33),
        (".dta", "1st"),
        (".dta", "a.b"),
        (".dta", "if"),
        (".xpt", "ninechars"),
        (".xpt", "año"),
        (".sav", "two words"),
        (".sav", "x" * 65),
        (".sav", "_x"),
        (".sav", "ends."),
        (".sav", "With"),
    ],
)
def test_names_that_do_not_fit_are_refused_not_renamed(tmp_path: Path, ending: str, name: str) -> None:
    with pytest.raises(WriteError, match="column name") as caught:
        write_table(pd.DataFrame({name: [1]}), tmp_path / f"t{ending}")
    assert f'"{name}"' in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".sav", ".xpt"])
def test_names_that_differ_in_case_only_are_refused(tmp_path: Path, ending: str) -> None:
    with pytest.raises(WriteError, match="upper and lower case"):
        write_table(pd.DataFrame({"a": [1], "A": [2]}), tmp_path / f"t{ending}")


SECRET = 1152921504606846977  # 2**60 + 1


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt"])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([SECRET, 1], "beyond 2"),
        ([np.inf, 1.0], "too large"),
        (pd.Series([str(SECRET), 5], dtype=object), "several kinds"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("UTC"), "time zone"),
        (pd.to_timedelta([SECRET // 2**20, 1]), "cannot hold"),
        ([str(SECRET) * 10_000, "b"], "bytes"),
    ],
)
def test_values_that_do_not_fit_are_refused_by_column(tmp_path: Path, ending: str, column: Any, message: str) -> None:
    with pytest.raises(WriteError, match=message) as caught:
        write_table(pd.DataFrame({"x": column}), tmp_path / f"t{ending}")
    assert 'Column "x"' in str(caught.value)
    assert str(SECRET) not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_text_file_for_sas_that_would_lose_its_last_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="last record is empty"):
        write_table(pd.DataFrame({"s": ["a", None]}), tmp_path / "t.xpt")


def test_labels_longer_than_the_format_allows_are_cut(tmp_path: Path) -> None:
    long = Labels(variables={"a": "é" * 300}, file="ü" * 300)
    for ending, length in ((".sav", 127), (".dta", 80), (".xpt", 20)):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / f"t{ending}", labels=long)
        assert as_table(tmp_path / f"t{ending}").labels.variables == {"a": "é" * length}, ending


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_categories_and_truth_values(tmp_path: Path, frame: Any) -> None:
    data = frame({"c": ["u", "v"], "b": [True, False]})
    data = (
        data.with_columns(pl.col("c").cast(pl.Categorical))
        if isinstance(data, pl.DataFrame)
        else data.astype({"c": "category"})
    )
    write_table(data, tmp_path / "t.sav")
    assert read_table(tmp_path / "t.sav").to_dict("list") == {"c": ["u", "v"], "b": [1, 0]}


def test_por_is_read_with_labels(tmp_path: Path) -> None:
    """A file written by pyreadstat itself, whose portable files have names in capitals."""
    frame = pd.DataFrame({"SEX": [1.0, 2.0, np.nan], "X": [0.5, 1.25, -3.0], "S": ["a", "b", ""]})
    pyreadstat.write_por(frame, tmp_path / "t.por", column_labels={"SEX": "Sex"})
    back = read_table(tmp_path / "t.por")
    np.testing.assert_array_equal(as_table(back).numbers("SEX"), [1, 2, np.nan])
    assert back["X"].tolist() == [0.5, 1.25, -3.0]
    assert as_table(back).missing("S").tolist() == [False, False, True]
    assert as_table(back).labels.variables == {"SEX": "Sex"}


def test_por_is_read_only(tmp_path: Path) -> None:
    for ending in (".por", ".sas7bdat"):
        with pytest.raises(WriteError, match="can only be read"):
            write_table(pd.DataFrame({"a": [1]}), tmp_path / f"t{ending}")
        (tmp_path / f"bad{ending}").write_bytes(b"no such thing" * 100)
        with pytest.raises(ReadError, match="is damaged, or not"):
            read_table(tmp_path / f"bad{ending}")
