"""Cells released as they were."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal.errors import NotApplicableError
from shoal.measure.risk.unchanged import unchanged


def test_cells_with_a_value_in_both_files_count():
    """Counted by hand: of x 2 of 3 cells, of c 1 of 3; only the first record is whole."""
    original = pd.DataFrame({"x": [1.0, 2, 3, None, 5], "c": ["a", "b", None, "d", None], "g": [None] * 5})
    masked = pd.DataFrame({"x": [1.0, 2, 0, 4, None], "c": ["a", "e", "f", "e", "h"], "g": list("abcde")})
    found = unchanged(original, masked)
    assert found == pytest.approx(100 * 3 / 6)
    assert found.by_column == pytest.approx({"x": 100 * 2 / 3, "c": 100 / 3})
    assert found.records == 1


def test_an_unchanged_file_and_one_without_a_cell_unchanged():
    table = shoal.datasets.households(200)
    assert unchanged(table, table) == 100
    assert unchanged(table, table).records == 200
    numbers = table.select_dtypes("number")
    assert unchanged(numbers, numbers + 1) == 0


def test_values_are_compared_whatever_their_type():
    whole = pd.DataFrame({"x": [1, 2, 3], "c": ["a", "b", "c"]})
    floats = whole.astype({"x": float, "c": "category"})
    assert unchanged(whole, floats) == 100
    assert unchanged(whole.astype({"x": "Int64"}), pa.Table.from_pandas(floats)) == 100


def test_whole_numbers_beyond_what_floats_tell_apart():
    original = pa.table({"x": pa.array([2**53 + 1, 7, None])})
    masked = pa.table({"x": pa.array([2**53, 7, 7])})
    assert unchanged(original, masked) == 50


def test_neither_the_order_of_the_records_nor_the_units_matter():
    rng = np.random.default_rng(0)
    original = pd.DataFrame(rng.integers(0, 5, (50, 3)) / 8).add_prefix("x")
    masked = pd.DataFrame(rng.integers(0, 5, (50, 3)) / 8).add_prefix("x")
    found, order = unchanged(original, masked), rng.permutation(50)
    again = unchanged(original.iloc[order] * 3, masked.iloc[order] * 3)
    assert again == found and again.parts == found.parts


def test_nothing_to_compare():
    with pytest.raises(NotApplicableError, match="No cell"):
        unchanged(pd.DataFrame({"x": [1.0, None]}), pd.DataFrame({"x": [None, 2.0]}))
