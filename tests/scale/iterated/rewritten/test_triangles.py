"""Least squares from triangles of pages, beside NumPy's own over the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.scale.iterated.rewritten.triangles import coefficients, joined, left_over, triangle


@pytest.mark.parametrize("size", [2, 7, 60, 200])
def test_least_squares_are_those_of_the_whole_matrix(size):
    rng = np.random.default_rng(0)
    A = np.column_stack([np.ones(200), rng.normal(size=(200, 3))])
    B = rng.normal(size=(200, 2))
    both = np.column_stack([A, B])
    whole = joined([triangle(both[start : start + size]) for start in range(0, 200, size)])
    found, rank = coefficients(whole, 4)
    expected, *_ = np.linalg.lstsq(A, B)
    assert rank == 4
    assert np.abs(found - expected).max() < 1e-12
    residuals = B - A @ expected
    rest = left_over(whole, 4)
    assert np.abs(rest.T @ rest - residuals.T @ residuals).max() < 1e-10
    assert (np.diag(rest) >= 0).all()


def test_columns_that_follow_from_others_do_no_harm():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(90, 2))
    A = np.column_stack([np.ones(90), A, A[:, 0] - 2 * A[:, 1] + 3])
    B = rng.normal(size=(90, 1))
    whole = joined([triangle(np.column_stack([A, B])[start : start + 30]) for start in (0, 30, 60)])
    found, rank = coefficients(whole, 4)
    assert rank == 3
    assert np.abs(A @ found - A @ np.linalg.lstsq(A, B)[0]).max() < 1e-10
