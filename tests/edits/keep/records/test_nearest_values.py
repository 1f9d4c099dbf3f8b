"""The nearest values that keep sums and bounds, compared with a search through all sets of bounds that can be tight."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.edits.keep.records.nearest_values import nearest_values


def slow_nearest(point, scale, rows, right, is_equality):
    """Return the nearest point: the best of those that are nearest on some of the bounds and keep the others."""
    A, b = rows * scale, right - rows @ point
    sums, bounds = np.flatnonzero(is_equality), np.flatnonzero(~is_equality)
    best = None
    for count in range(len(bounds) + 1):
        for tight in combinations(bounds, count):
            own = [*sums, *tight]
            step = np.linalg.pinv(A[own]) @ b[own] if own else np.zeros(len(point))
            excess = A @ step - b
            keeps = (np.abs(excess[sums]) < 1e-9).all() and (excess[bounds] < 1e-9).all()
            if keeps and (best is None or step @ step < best @ best - 1e-12):
                best = step
    return None if best is None else point + best * scale


@pytest.mark.parametrize("seed", range(40))
def test_values_are_the_nearest_that_keep_sums_and_bounds(seed):
    rng = np.random.default_rng(seed)
    d, sums, bounds, n = int(rng.integers(2, 5)), int(rng.integers(0, 2)), int(rng.integers(1, 6)), 12
    rows = rng.integers(-2, 3, size=(sums + bounds, d)).astype(float)
    rows[(rows == 0).all(axis=1), 0] = 1.0
    is_equality = np.arange(len(rows)) < sums
    inside = rng.normal(size=(n, d))
    right = inside @ rows.T + np.where(is_equality, 0.0, rng.integers(0, 2, size=(n, len(rows))))
    scale = rng.choice([0.5, 1.0, 4.0], size=d)
    points = inside + 3 * rng.normal(size=(n, d))
    values = nearest_values(points, scale, rows, right, is_equality, np.ones((n, len(rows)), dtype=bool))
    for row in range(n):
        expected = slow_nearest(points[row], scale, rows, right[row], is_equality)
        np.testing.assert_allclose(values[row], expected, atol=1e-7)


def test_what_does_not_apply_changes_nothing_and_what_is_impossible_is_nan():
    points, rows = np.array([[1.0, 2.0]] * 3), np.array([[1.0, 0.0], [-1.0, 0.0]])
    right = np.array([[0.0, 9.0], [0.0, 9.0], [0.0, -1.0]])  # x <= 0, x >= -9; then x <= 0 and x >= 1
    applies = np.array([[True, True], [False, True], [True, True]])
    values = nearest_values(points, np.ones(2), rows, right, np.zeros(2, dtype=bool), applies)
    assert values[0].tolist() == [0.0, 2.0] and not np.signbit(values[0, 0])
    assert values[1].tolist() == [1.0, 2.0]
    assert np.isnan(values[2]).all()


def test_a_value_at_a_bound_is_exactly_at_it():
    points, rows = np.array([[-0.3, 0.7]]), np.array([[1.0, 1.0], [-1.0, 0.0]])
    values = nearest_values(
        points,
        np.array([0.1, 3.0]),
        rows,
        np.array([[0.1, -0.1]]),
        np.array([True, False]),
        np.ones((1, 2), dtype=bool),
    )
    assert values[0, 0] == 0.1
