"""One column of any library: its numbers, its missing values, and why it is not numeric."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.read import as_table

NAN = math.nan


@pytest.mark.parametrize("wide", [pd.DataFrame, pl.DataFrame, pa.table])
def test_integers_beyond_the_exact_floats_are_no_obstacle(wide: Any) -> None:
    table = as_table(wide({"id": [2**60 + 1, 5]}))
    assert table.numbers("id").tolist() == [float(2**60), 5.0]
    assert table.replaced({"id": np.array([1.5, 2.5])}, {}).numbers("id").tolist() == [1.5, 2.5]


def test_a_column_without_any_value() -> None:
    for data in (pl.DataFrame({"x": [None, NAN]}), pd.DataFrame({"x": [NAN, NAN]}), pa.table({"x": [None, NAN]})):
        table = as_table(data).replaced({"x": np.array([1.0, 2.0])}, {})
        assert table.missing("x").all()


def test_truth_values_are_numbers_only_when_asked() -> None:
    table = as_table(pl.DataFrame({"b": [True, None, False]}))
    assert not table.is_numeric("b")
    np.testing.assert_array_equal(table.numbers("b"), [1.0, NAN, 0.0])


SECRET = "confidential"


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["1", SECRET, "3", SECRET], "2 of its 4 cells are not numbers, the first in row 2"),
        (["1", "2", None, SECRET], "1 of its 4 cell is not a number, the first in row 4"),
        (["007", "008"], "numbers written as text"),
        ([None, None], "no values at all"),
        (pd.Categorical([SECRET, "b"]), "its type is Categorical"),
        (pd.Categorical([SECRET, "b"], ordered=True), "its type is Categorical"),
        (pd.to_datetime(["2020-01-01"]), "its type is Datetime"),
    ],
)
def test_a_column_that_is_not_numeric_is_described_without_its_values(column: Any, message: str) -> None:
    frame = pd.DataFrame({"x": pd.Series(column)})
    with pytest.raises(DataError, match=message) as caught:
        as_table(frame).numbers("x")
    assert 'Column "x"' in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "2020" not in str(caught.value)
