"""The values of a column numbered in their order."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.describe.variables import codes, texts_of_codes
from shoal.read import as_table


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
