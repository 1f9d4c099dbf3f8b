"""TFRP: its first stage follows the definition; its second only dissolves what pays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_partitions import slow_tfrp_one
from oracles.small_matrices import progress_of, small_matrices, squared_errors
from shoal.partition.tfrp import TFRP


@settings(max_examples=100)
@given(X=small_matrices(), data=st.data())
def test_labels_of_stage_one_are_those_of_the_definition(X, data):
    k = data.draw(st.integers(2, len(X)))
    assert TFRP(k, stage=1).fit(X).labels_.tolist() == slow_tfrp_one(X, k)


def slow_stage_two(X, labels, k):
    """Dissolve groups, largest error first; every error is computed from scratch."""
    groups = {g: np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)}

    def errors(rows):
        return ((X[rows] - X[rows].mean(axis=0)) ** 2).sum()

    for g in sorted(groups, key=lambda g: (-errors(groups[g]), g)):
        others = {h: list(rows) for h, rows in groups.items() if h != g}
        centres = {h: X[rows].mean(axis=0) for h, rows in others.items()}
        for row in sorted(groups[g]):
            room = [h for h in others if len(others[h]) < 4 * k - 1]
            if not room:
                break
            others[min(room, key=lambda h: (((X[row] - centres[h]) ** 2).sum(), h))].append(row)
        is_placed = sum(map(len, others.values())) == len(X)
        if is_placed and sum(map(errors, others.values())) < sum(map(errors, groups.values())):
            groups = others
    result = np.empty(len(X), dtype=int)
    for number, rows in enumerate(groups.values()):
        result[rows] = number
    return result


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_stage_two_is_that_of_the_definition(k, seed):
    # No ties here: a centroid computed another way may differ in its last bit.
    X = np.exp(np.random.default_rng(seed).normal(size=(90, 3)))
    first = TFRP(k, stage=1).fit(X).labels_
    assert TFRP(k).fit(X).labels_.tolist() == slow_stage_two(X, first, k).tolist()


@settings(max_examples=60)
@given(X=small_matrices(), data=st.data())
def test_stage_two_never_loses_and_keeps_to_its_cap(X, data):
    k = data.draw(st.integers(2, len(X)))
    first, second = TFRP(k, stage=1).fit(X).labels_, TFRP(k).fit(X).labels_
    sizes = np.bincount(second)
    assert sizes.min() >= k
    assert sizes.max() <= 4 * k - 1
    assert squared_errors(X, second) <= squared_errors(X, first) * (1 + 1e-9) + 1e-9


def test_a_stretched_group_between_two_dense_ones_is_dissolved():
    X = np.array([0.0, 0.1, 0.2, 10.0, 10.1, 10.2, 0.4, 5.0, 9.8])[:, None]
    first = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert slow_stage_two(X, first, 3).max() == 1  # the definition dissolves it
    assert TFRP(3).fit(X).labels_.max() == 1


@pytest.mark.parametrize("stage", [1, 2])
@pytest.mark.parametrize("n", [7, 5000])
def test_progress_sums_to_one(stage, n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    assert progress_of(TFRP(3, stage=stage), X) == pytest.approx(1)
