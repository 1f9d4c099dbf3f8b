"""Records with the same combination of values get the same number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from shoal.describe.combinations import combinations_of, same_combinations
from shoal.read import as_table


def test_numbers_follow_the_order_of_the_values_and_a_missing_value_comes_first():
    frame = pd.DataFrame({"a": [2, 1, 2, 1, 2], "b": ["x", None, "y", "x", "x"]})
    assert combinations_of(as_table(frame), ["a", "b"]).tolist() == [2, 0, 3, 1, 2]
    assert combinations_of(as_table(frame), []).tolist() == [0] * 5


def test_a_missing_value_of_an_arrow_dictionary_is_like_no_category():
    table = pa.table({"s": pa.array(["q", None, "q", None]).dictionary_encode()})
    assert combinations_of(as_table(table), ["s"]).tolist() == [1, 0, 1, 0]


def test_many_columns_with_many_values_do_not_overflow():
    rng = np.random.default_rng(0)
    matrix = rng.permuted(np.tile(np.arange(500.0), (40, 1)), axis=1).T
    matrix[1] = matrix[0]
    numbers = combinations_of(as_table(matrix), [str(place) for place in range(40)])
    assert len(set(numbers.tolist())) == 499 and numbers[0] == numbers[1]


def test_unordered_numbers_tell_the_same_records_apart():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.integers(0, 3, 60) / 2, "c": rng.choice(["a", "b", None], 60)})
    frame.loc[::5, "x"] = np.nan
    one, other = (number(as_table(frame), ["x", "c"]) for number in (combinations_of, same_combinations))
    assert (
        len(set(zip(one.tolist(), other.tolist(), strict=True))) == len(set(one.tolist())) == len(set(other.tolist()))
    )
