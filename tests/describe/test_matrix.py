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


def matrix(*names, frame=FRAME, **options):
    return block_matrix(block_values(as_table(frame), names, KINDS), KINDS, **{"standardize": True, **options})


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


def test_with_other_kinds_ordinal_codes_are_standard_scores_too_and_nominal_ones_stay_codes():
    block = matrix("y", "grade", "town")
    assert (block.distance, block.nominal, block.mismatch) == ("euclidean", (2,), 2)
    np.testing.assert_allclose(block.values[:, 0], (FRAME["y"] - 25) / FRAME["y"].std(ddof=1))
    np.testing.assert_allclose(block.values[:, 1], [-1, 1, np.nan, 0])
    np.testing.assert_array_equal(block.values[:, 2], [1, 0, 1, np.nan])
    as_they_are = matrix("y", "grade", "town", standardize=False)
    np.testing.assert_array_equal(as_they_are.values[:, :2], [[10, 0], [20, 2], [30, np.nan], [40, 1]])


@pytest.mark.parametrize("standardize", [True, False])
def test_for_gowers_distance_ordered_variables_are_shares_of_their_range(standardize):
    block = matrix("y", "grade", "town", standardize=standardize, distance="gower")
    assert (block.distance, block.nominal, block.mismatch) == ("gower", (2,), 1)
    np.testing.assert_allclose(block.values[:, 0], [0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(block.values[:, 1], [0, 1, np.nan, 0.5])
    np.testing.assert_array_equal(block.values[:, 2], [1, 0, 1, np.nan])


def test_embedded_records_have_an_indicator_of_each_of_their_categories_where_the_codes_were():
    frame = pd.DataFrame({"town": list("cabbb"), "x": [3.0, 1, 2, 2, 2], "same": 7.0, "grade": list("xyxxy")})
    kinds = {**KINDS, "grade": "nominal"}
    block = block_matrix(block_values(as_table(frame), list(frame), kinds), kinds, standardize=False)
    everyone = [[0, 0, 1, 3, 1, 0], [1, 0, 0, 1, 0, 1], [0, 1, 0, 2, 1, 0], [0, 1, 0, 2, 1, 0], [0, 1, 0, 2, 0, 1]]
    np.testing.assert_array_equal(block.embedded(np.arange(5)), everyone)
    np.testing.assert_array_equal(block.embedded(np.array([0, 2])), [[0, 1, 3, 1], [1, 0, 2, 1]])
    assert (block.width(np.arange(5)), block.width(np.array([0, 2]))) == (6, 4)


def test_squared_distances_of_embedded_records_are_2_for_every_category_that_differs():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "town": rng.choice(list("abcde"), 40), "y": rng.integers(0, 9, 40)})
    block = matrix("x", "town", "y", frame=frame)
    X = block.embedded(np.arange(40))
    codes = block.values[:, 1]
    numbers = np.square(block.values[:, None, [0, 2]] - block.values[None, :, [0, 2]]).sum(axis=2)
    expected = numbers + 2.0 * (codes[:, None] != codes[None, :])
    np.testing.assert_allclose(np.square(X[:, None] - X[None, :]).sum(axis=2), expected)


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
