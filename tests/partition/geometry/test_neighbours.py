"""The lists of neighbours: those that looking at every pair of records gives, ties by the lowest row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.small_matrices import small_matrices
from shoal.partition.geometry.neighbours import lists_of_neighbours, nearest_records


def by_looking_at_all(X: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest other records of every record, then lowest row, and their squared distances."""
    squared = np.zeros((len(X), len(X)))
    for column in X.T:
        squared += (column[:, np.newaxis] - column) ** 2
    rows = np.broadcast_to(np.arange(len(X)), squared.shape)
    order = np.lexsort((rows, squared, ~np.eye(len(X), dtype=bool)))[:, 1 : count + 1]
    return order, np.take_along_axis(squared, order, axis=1)


@settings(max_examples=100)
@given(X=small_matrices(most_columns=6), data=st.data())
def test_small_files(X, data):
    count = data.draw(st.integers(1, len(X) - 1))
    assert np.array_equal(nearest_records(X, count), by_looking_at_all(X, count)[0])


@settings(max_examples=40)
@given(
    n=st.integers(2, 700), d=st.integers(1, 4), values=st.integers(1, 6), seed=st.integers(0, 10_000), data=st.data()
)
def test_few_values_and_many_identical_records(n, d, values, seed, data):
    """More identical records than a list has room for, and as many ties at every other distance."""
    X = 0.1 * np.random.default_rng(seed).integers(0, values, size=(n, d))
    count = data.draw(st.integers(1, min(n - 1, 60)))
    assert np.array_equal(nearest_records(X, count), by_looking_at_all(X, count)[0])


@pytest.mark.parametrize("value", [0.0, 0.1, -1e100])
@pytest.mark.parametrize("n", [2, 33, 5_000])
def test_nothing_but_identical_records(value, n):
    """The list of a record has the lowest rows but its own."""
    count = min(n - 1, 20)
    found = nearest_records(np.full((n, 2), value), count)
    assert np.array_equal(found[count:], np.tile(np.arange(count), (n - count, 1)))
    assert all(np.array_equal(found[i], np.delete(np.arange(count + 1), i)) for i in range(count))


def test_zero_and_minus_zero_are_one_value():
    X = np.array([[0.0], [-0.0], [1.0], [-0.0]])
    assert nearest_records(X, 2).tolist() == [[1, 3], [0, 3], [0, 1], [0, 1]]


def test_many_identical_records_among_others():
    rng = np.random.default_rng(0)
    X = np.where(np.arange(3_000)[:, np.newaxis] % 2, rng.normal(size=(3_000, 2)), 0.0)
    assert np.array_equal(nearest_records(X, 30), by_looking_at_all(X, 30)[0])


def test_the_parts_hold_every_record_once_and_the_distances_of_its_neighbours():
    X = np.random.default_rng(0).integers(0, 5, size=(1_500, 3)).astype(float)
    neighbours, squared = by_looking_at_all(X, 700)
    seen = np.zeros(len(X), dtype=int)
    for rows, found, distances in lists_of_neighbours(X, 700):
        seen[rows] += 1
        assert np.array_equal(found, neighbours[rows])
        assert np.array_equal(distances, squared[rows])
    assert np.all(seen == 1)
