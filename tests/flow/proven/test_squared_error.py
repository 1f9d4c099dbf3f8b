"""The squared error of released groups, against sums written out."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.describe.matrix import Matrix
from shoal.flow.proven.squared_error import squared_error


def of_matrix(values: np.ndarray, nominal: tuple[int, ...] = ()) -> Matrix:
    return Matrix(values, nominal, "euclidean", (), complete=True)


def written_out(values: np.ndarray, nominal: tuple[int, ...], labels: list[np.ndarray]) -> float:
    total = 0.0
    for place, groups in enumerate(labels):
        columns = [values[:, place]]
        if place in nominal:
            columns = [(values[:, place] == code).astype(float) for code in np.unique(values[:, place])]
        for column in columns:
            for group in np.unique(groups):
                own = column[groups == group]
                total += sum((value - own.mean()) ** 2 for value in own)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_numbers_and_categories_each_by_their_own_groups(seed):
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=40), rng.integers(0, 5, 40), rng.integers(0, 2, 40)]).astype(float)
    labels = [rng.integers(0, 6, 40) * 2 for _ in range(3)]  # with numbers that no group has
    assert squared_error(of_matrix(values, (1, 2)), labels) == pytest.approx(written_out(values, (1, 2), labels))


def test_further_columns_are_not_counted():
    values = np.arange(12.0).reshape(4, 3)
    labels = np.array([0, 0, 1, 1])
    assert squared_error(of_matrix(values), [labels]) == 9.0


def test_identical_records_lose_nothing():
    values = np.column_stack([np.repeat([0.1, 0.7], 3), np.repeat([0.0, 1.0], 3)])
    assert squared_error(of_matrix(values, (1,)), [np.repeat([0, 1], 3)] * 2) == pytest.approx(0.0, abs=1e-30)
