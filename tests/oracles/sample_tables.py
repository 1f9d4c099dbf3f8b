"""Tables and labels that the tests of several formats share."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat

from shoal.read import Labels, as_table

# The endings of all formats that are written.
WRITABLE = [".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".feather", ".arrow", ".xlsx", ".xml"]
WRITABLE += [".sav", ".zsav", ".dta", ".xpt"]

LABELS = Labels(
    variables={"a": "Äge"},
    values={"a": {1: "one", 2.5: "two and a half"}, "s": {"x": "ex", "1": "text"}},
    measures={"a": "ordinal"},
    formats={"a": "F8.2"},
    file="A survey",
)

VARIABLES = {"age": "Age in years", "sex": "Sex", "town": "Town", "score": "Score"}
VALUES: dict[str, dict[Any, str]] = {
    "sex": {1: "male", 2: "female"},
    "score": {0.5: "half", 1: "one"},
    "town": {"A": "Ay"},
}


def every_type() -> pd.DataFrame:
    """Return a column of every type that files hold, each with a missing value, and text that looks like formulas."""
    return pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "x": [0.1 + 0.2, np.nan, 1e-300],
            "s": ["=1+1", None, "#N/A"],
            "c": pd.Categorical(["lo", "hi", None], categories=["lo", "hi"], ordered=True),
            "t": pd.to_datetime(["2020-01-31 10:11:12", None, "1999-12-31 00:00:00"]),
            "b": pd.array([True, None, False], dtype="boolean"),
        }
    )


def labelled_survey() -> pd.DataFrame:
    """Return three records with text, codes, fractions, days and times, and a missing value of most kinds."""
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


def write_survey(path: Path) -> Path:
    """Write the survey and its labels to an SPSS file with pyreadstat itself."""
    pyreadstat.write_sav(
        labelled_survey(),
        path,
        file_label="A survey",
        column_labels=VARIABLES,
        variable_value_labels=VALUES,
        variable_measure={"sex": "nominal", "age": "scale"},
        variable_format={"age": "F3.0", "sex": "F1.0", "day": "EDATE10"},
    )
    return path


def check_values(frame: pd.DataFrame) -> None:
    """Assert that a frame holds the values of the survey, whatever format they went through."""
    table = as_table(frame)
    np.testing.assert_array_equal(table.numbers("age"), [31, 45, np.nan])
    np.testing.assert_array_equal(table.numbers("score"), [0.5, 1.0, 0.25])
    assert [None if pd.isna(one) else one for one in frame["town"]] == ["A", None, "Bé"]
    days = [None if pd.isna(one) else pd.Timestamp(one) for one in frame["day"]]
    assert days == [pd.Timestamp("2020-01-31"), None, pd.Timestamp("1950-06-01")]
    assert frame["moment"].iloc[0] == pd.Timestamp("2020-01-31 10:11:12")
    assert pd.isna(frame["moment"].iloc[1])
