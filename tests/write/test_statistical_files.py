"""Stata, SPSS and SAS files, as pyreadstat and pandas read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from oracles.sample_tables import VARIABLES, check_values, labelled_survey, write_survey
from shoal.errors import WriteError
from shoal.read import Labels, as_table, read_table
from shoal.write import write_table


@pytest.fixture
def sav(tmp_path: Path) -> Path:
    return write_survey(tmp_path / "survey.sav")


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


def test_dta_to_parquet_to_sav_keeps_labels(tmp_path: Path) -> None:
    codes = {"sex": {1: "male", 2: "female"}}
    pyreadstat.write_dta(
        labelled_survey(), tmp_path / "a.dta", file_label="F", column_labels=VARIABLES, variable_value_labels=codes
    )
    write_table(read_table(tmp_path / "a.dta"), tmp_path / "b.parquet")
    write_table(read_table(tmp_path / "b.parquet"), tmp_path / "c.sav")
    frame = read_table(tmp_path / "c.sav")
    check_values(frame)
    labels = as_table(frame).labels
    assert (labels.variables, labels.values, labels.file) == (VARIABLES, codes, "F")
    assert all(type(code) is int for code in labels.values["sex"])


def test_integers_beside_missing_values_stay_integers_in_stata(tmp_path: Path) -> None:
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
        (pd.Series([str(SECRET), 5], dtype=object), "several types"),
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
