"""One block as a matrix: its scale, its distance, its missing values, and the columns that are constant."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.describe.matrix import block_matrix, block_values
from shoal.read import as_table

FRAME = pd.DataFrame(
    {
        "x": [1.0, 2.0, 4.0, np.nan],
        "y": [10, 20, 30, 40],
        "same": [7.0, 7.0, 7.0, np.nan],
        "grade": pd.Categorical(["lo", "hi", None, "mid"], categories=["lo", "mid", "hi"], ordered=True),
        "town": ["b", "a", "b", None],
    }
)
KINDS = {"x": "continuous", "y": "continuous", "same": "continuous", "grade": "ordinal", "town": "nominal"}


def matrix(*names, standardize=True):
    return block_matrix(block_values(as_table(FRAME), names, KINDS), KINDS, standardize=standardize)


def test_values_of_continuous_variables_and_codes_of_others_with_nan_for_missing():
    values = block_values(as_table(FRAME), ["x", "grade", "town"], KINDS)
    np.testing.assert_array_equal(values["x"], [1, 2, 4, np.nan])
    np.testing.assert_array_equal(values["grade"], [0, 2, np.nan, 1])
    np.testing.assert_array_equal(values["town"], [1, 0, 1, np.nan])


def test_continuous_variables_are_standard_scores_if_they_are_to_be_standardized():
    block = matrix("x", "y")
    assert (block.distance, block.nominal, block.constant, block.complete) == ("euclidean", (), (), False)
    expected = (FRAME[["x", "y"]] - FRAME[["x", "y"]].mean()) / FRAME[["x", "y"]].std(ddof=1)
    np.testing.assert_allclose(block.values, expected)
    np.testing.assert_array_equal(matrix("x", "y", standardize=False).values, FRAME[["x", "y"]])


@pytest.mark.parametrize("standardize", [True, False])
def test_with_other_kinds_ordered_variables_are_shares_of_their_range_and_nominal_ones_stay_codes(standardize):
    block = matrix("y", "grade", "town", standardize=standardize)
    assert (block.distance, block.nominal) == ("gower", (2,))
    np.testing.assert_allclose(block.values[:, 0], [0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(block.values[:, 1], [0, 1, np.nan, 0.5])
    np.testing.assert_array_equal(block.values[:, 2], [1, 0, 1, np.nan])


def test_constant_variables_are_left_out_and_named():
    block = matrix("same", "y")
    assert block.constant == ("same",)
    assert block.values.shape == (4, 1)


def test_a_value_missing_in_a_constant_variable_is_missing_in_the_block():
    block = matrix("same", "y")
    assert not block.complete
    assert block.all_comparable  # the distances do not use it
    assert matrix("y").complete


def test_a_block_of_constant_variables_is_one_column_of_zeros():
    np.testing.assert_array_equal(matrix("same").values, np.zeros((4, 1)))
