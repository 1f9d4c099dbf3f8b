"""What describe says of a column, and that it only suggests."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.describe import describe_table
from shoal.describe.variables import codes, texts_of_codes
from shoal.read import as_table


def roles(frame):
    return {variable.name: variable.role for variable in describe_table(frame)}


def kinds(frame):
    return {variable.name: variable.kind for variable in describe_table(frame)}


def test_kinds_follow_types():
    frame = pd.DataFrame(
        {
            "number": np.arange(30) / 7,
            "word": list("abc") * 10,
            "grade": pd.Categorical(list("lmh") * 10, categories=list("lmh"), ordered=True),
            "yes": [True, False, True] * 10,
            "flag": [0, 1, 1] * 10,
            "day": pd.date_range("2020-01-01", periods=30),
        }
    )
    assert kinds(frame) == {
        "number": "continuous",
        "word": "nominal",
        "grade": "ordinal",
        "yes": "nominal",
        "flag": "nominal",
        "day": None,
    }


@pytest.mark.parametrize("name", ["id", "person_id", "PersonId", "HHID", "Name", "e-mail", "ssn", "Unnamed: 0"])
def test_names_of_identifiers(name):
    assert roles(pd.DataFrame({name: [f"v{i}" for i in range(30)], "x": range(30)}))[name] == "identifier"


@pytest.mark.parametrize("name", ["paid", "valid", "side", "income"])
def test_numbers_that_repeat_are_no_identifiers(name):
    assert roles(pd.DataFrame({name: [1, 2, 3] * 10}))[name] != "identifier"


def test_a_running_number_and_unique_text_are_identifiers_by_their_contents():
    frame = pd.DataFrame({"a": np.arange(100, 140), "b": [f"s{i}" for i in range(40)], "c": np.arange(40) * 1.5})
    assert roles(frame) == {"a": "identifier", "b": "identifier", "c": "other"}


def test_infinite_values_are_described_without_a_warning():
    frame = pd.DataFrame({"a": [np.inf, -np.inf, np.nan, *range(17)], "b": [np.inf, *np.arange(19) / 7], "c": np.inf})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert roles(frame) == {"a": "other", "b": "other", "c": "other"}


def test_the_census_file_suggests_its_weight(reference_data):
    found = roles(reference_data("census.csv"))
    assert found["AFNLWGT"] == "weight"
    assert "identifier" not in found.values()


def test_counts_and_labels():
    variable = describe_table(pd.DataFrame({"x": [1.0, 1.0, None, 3.0]}))[0]
    assert (variable.distinct, variable.missing) == (2, 1)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_codes_follow_the_order_of_values(make):
    assert codes(as_table(make({"x": ["b", "a", None, "b"]})), "x").tolist() == [1, 0, -1, 1]
    assert codes(as_table(make({"x": [10.0, 9.0, None, 10.0]})), "x").tolist() == [1, 0, -1, 1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_text_of_every_code_and_none_where_values_are_no_texts(make):
    table = as_table(make({"x": ["b", "", None, "b"], "y": [True, False, None, True], "z": [1, 2, 3, 2]}))
    assert texts_of_codes(table, "x") == {0: "", 1: "b"}
    assert texts_of_codes(table, "y") is None
    assert texts_of_codes(table, "z") is None
    listed = pd.Categorical(["b", None, "c"], ["c", "a", "b"], ordered=True)
    assert texts_of_codes(as_table(pd.DataFrame({"x": listed})), "x") == {0: "c", 2: "b"}


def test_codes_follow_the_order_of_categories():
    frame = pl.DataFrame({"x": pl.Series(["high", "low", None], dtype=pl.Enum(["low", "high"]))})
    assert codes(as_table(frame), "x").tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["q", None, "p", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array(["q", None, "p"])),
        pa.chunked_array([pa.array(["q", None]).dictionary_encode(), pa.array(["p", None]).dictionary_encode()]),
        pa.array([2**62 + 1, None, 2**62, None]),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array([2.5, float("nan"), 1.5])),
    ],
    ids=["dictionary", "null in the dictionary", "chunks", "large integers", "NaN in the dictionary"],
)
def test_a_missing_value_in_an_arrow_column_has_no_code(column):
    assert codes(as_table(pa.table({"c": column})), "c").tolist() == [1, -1, 0, -1]
