"""Clusters in the original and in the masked file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.partitions import jaccard_index, rand_index
from shoal.measure.utility.clustering import clustering_similarity
from shoal.parameters.limits import Whole

pytestmark = pytest.mark.filterwarnings("error")


def test_clusters_that_stand_apart_are_found_again():
    """Three heaps, of which the mask puts two on one another: the pairs are counted from the heaps themselves."""
    rng = np.random.default_rng(0)
    heap = np.repeat([0, 1, 2], [20, 30, 40])
    X = np.array([[0.0, 0], [100, 0], [0, 100]])[heap] + rng.random((90, 2))
    assert clustering_similarity(X, X + rng.random((90, 2)), clusters=3) == 1
    swapped = X.copy()
    swapped[heap == 0], swapped[:10] = X[heap == 0], X[-10:]  # ten records go from the first heap to the third
    moved = heap.copy()
    moved[:10] = 2
    found = clustering_similarity(X, swapped, clusters=3)
    assert found == found.rand == pytest.approx(rand_index(heap, moved))
    assert found.jaccard == pytest.approx(jaccard_index(heap, moved))
    assert found.clusters == 3


def test_the_means_found_are_those_of_the_clusters():
    """On one variable, against the best of all cuts of the sorted values: here c-means finds it."""
    x = np.array([1.0, 2, 3, 10, 11, 12, 30, 31])
    y = np.array([1.0, 2, 9, 10, 11, 12, 30, 31])
    expected = rand_index([0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 2, 2])
    assert clustering_similarity(x[:, None], y[:, None], clusters=3) == pytest.approx(expected)


def test_fewer_different_records_than_clusters():
    original = pd.DataFrame({"x": [1.0, 1, 2, 2, 3, 3]})
    found = clustering_similarity(original, original.assign(x=[1.0, 1, 2, 2, 2, 2]))
    assert found.clusters == 3
    assert found == pytest.approx(rand_index([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]))


def test_a_masked_file_with_few_different_records():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    masked = np.repeat(X[::20], 20, axis=0)
    found = clustering_similarity(X, masked)
    assert found.clusters == 10 and 0 < found < 1
    assert clustering_similarity(X, X * 0 + 5) < found  # one record only: all together


def test_uncorrelated_variables_and_ties_leave_nothing_to_chance():
    """On a grid every direction is as good and many records are as near to two centres: still there is one answer."""
    grid = np.array([[i, j] for i in range(-4, 5) for j in range(-4, 5)], dtype=float)
    masked = np.round(grid / 2)
    found = clustering_similarity(grid, masked, clusters=4)
    rng = np.random.default_rng(2)
    for factor in (0.1, 3.0, 1 / 7):
        order = rng.permutation(len(grid))
        again = clustering_similarity(grid[order] * factor, masked[order] * factor, clusters=4)
        assert again == found and again.parts == found.parts


def test_records_with_a_missing_value_are_left_out():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 2))
    Y = X + 0.5 * rng.normal(size=X.shape)
    missing = Y.copy()
    missing[40:, 1] = np.nan
    # All of the original still decides on the units, so that fewer records are compared, not others.
    assert clustering_similarity(X, missing, clusters=3).clusters == 3
    with pytest.raises(NotApplicableError, match="two records or more without a missing value"):
        clustering_similarity(X, Y * [1, np.nan])


@pytest.mark.parametrize("bad", Whole(2).bad_values())
def test_clusters_must_be_a_number_of_them(bad):
    with pytest.raises(ParameterError, match="clusters must be"):
        clustering_similarity(np.eye(3), np.eye(3), clusters=bad)
