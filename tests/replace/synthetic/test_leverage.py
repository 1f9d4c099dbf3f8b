"""Records that stand alone are found, with a few others like them, and are set apart with more; no others are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_leverage import slowly_alone
from shoal.replace.synthetic.leverage import alone_in, alone_in_all, set_apart, watched_cells


@given(st.integers(0, 10_000), st.integers(8, 40), st.integers(1, 4), st.integers(0, 3))
def test_they_are_those_of_the_hat_matrix(seed, n, M, outliers):
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(n, M)) @ rng.normal(size=(M, M))
    rows = rng.choice(n, size=outliers, replace=False)
    if seed % 2:
        Y[rows, seed % M] = 10 ** rng.uniform(1, 5) * rng.uniform(0.9, 1, size=outliers)
    else:
        Y[rows] *= 10 ** rng.uniform(1, 4, size=(outliers, 1))
    assert set(np.flatnonzero(alone_in_all(Y)).tolist()) == slowly_alone(Y)


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e12])
@pytest.mark.parametrize("n", [50, 1000])
def test_outliers_are_found_alone_and_together(scale, n):
    rng = np.random.default_rng(1)
    one = rng.normal(size=(n, 3))
    one[7, 1] = scale
    assert np.flatnonzero(alone_in_all(one)).tolist() == [7]
    alike = rng.normal(size=(n, 3))
    alike[[7, 20, 33], 1] = scale  # a leverage of a third each
    assert np.flatnonzero(alone_in_all(alike)).tolist() == [7, 20, 33]
    behind = rng.normal(size=(n, 3))
    behind[7, 1], behind[20, 1] = 1e3 * scale, scale  # beside the first, the second has no leverage
    assert np.flatnonzero(alone_in_all(behind)).tolist() == [7, 20]
    of_a_sum = rng.normal(size=(n, 2))
    of_a_sum = np.column_stack([of_a_sum, of_a_sum.sum(axis=1)])
    of_a_sum[7, 2] += 0.5  # nothing to see in any column
    assert np.flatnonzero(alone_in_all(of_a_sum)).tolist() == [7]


def test_ordinary_records_are_not():
    """Of normal data, of categories in small groups and of large groups of outliers none stands alone."""
    rng = np.random.default_rng(2)
    assert not any(alone_in_all(rng.normal(size=(n, M))).any() for n, M in [(20, 3), (50, 10), (300, 5), (1000, 15)])
    cluster = rng.normal(size=(300, 2))
    cluster[:10] += 1e6
    assert not alone_in_all(cluster).any()
    small, groups = rng.normal(size=(13_000, 8)), np.arange(13_000) % 1000
    found = alone_in(small, groups, np.zeros(13_000, dtype=bool), least=4)
    assert len(np.unique(groups[found])) < 20  # leverages of 0.77 on the average


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 8), st.integers(2, 5))
def test_they_and_others_are_set_apart_and_nobody_stands_alone_in_the_rest(seed, parts, k, least):
    rng = np.random.default_rng(seed)
    Y, groups = rng.normal(size=(120, 2)), rng.integers(0, parts, size=120)
    Y[rng.choice(120, size=3, replace=False), seed % 2] *= 10 ** rng.uniform(2, 9)
    apart = set_apart(Y, groups, k, least)
    for group in np.unique(apart.groups):
        rows = apart.groups == group
        assert len(np.unique(groups[rows])) == 1
        assert apart.together[rows].all() or not apart.together[rows].any()
        if apart.together[rows].any():
            assert rows.sum() >= max(k, least + 1)
        elif rows.sum() >= 3 + least:
            assert not alone_in_all(Y)[rows].any()
            assert not alone_in(Y[rows], np.zeros(rows.sum(), int), np.zeros(rows.sum(), bool), least).any()
    if not apart.alone.any():
        assert np.array_equal(apart.groups, groups) and apart.divided is None
    assert not set_apart(Y, groups, k, least, accepted=True).together.any()


def test_values_far_from_their_column_are_watched():
    X = np.random.default_rng(3).normal(size=(200, 2))
    X[5, 1], X[6, 1] = 1e9, 1e5
    alone = np.arange(200) == 9
    assert np.argwhere(watched_cells(X, alone)).tolist() == [[5, 1], [6, 1], [9, 0], [9, 1]]
