"""OptimalUnivariate is optimal: no partition with groups of at least k has a smaller sum of squared errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.small_matrices import progress_of, squared_errors
from shoal.errors import DataError
from shoal.partition.optimal_univariate import OptimalUnivariate


def every_partition(items, k):
    """Give all partitions of the items into groups of at least k, neighbours or not."""

    def fill(i, groups):
        short = sum(max(0, k - len(group)) for group in groups)
        if short > len(items) - i:
            return
        if i == len(items):
            yield groups
            return
        for g in range(len(groups)):
            yield from fill(i + 1, [*groups[:g], [*groups[g], items[i]], *groups[g + 1 :]])
        yield from fill(i + 1, [*groups, [items[i]]])

    return fill(0, [])


def exact_errors(group):
    values = [Fraction(x) for x in group]
    mean = sum(values) / len(values)
    return sum((x - mean) ** 2 for x in values)


def groups_of(x, labels):
    return [[value for value, label in zip(x, labels, strict=True) if label == g] for g in range(max(labels) + 1)]


@settings(max_examples=150)
@given(
    x=st.lists(st.integers(-6, 6), min_size=2, max_size=8),
    k=st.integers(2, 4),
    offset=st.sampled_from([0, 10**10, 10**15, -4 * 10**15]),
)
@example(x=[3] * 8, k=2, offset=0)
@example(x=[0, 0, 0, 5, 5, 5, 9], k=3, offset=0)
@example(x=[-4, 0, 1, 1, 2, 4, 4, 6], k=3, offset=10**15)
@example(x=[2, 3, 4, 4, 4, 5, 5], k=3, offset=4 * 10**15)
def test_no_partition_is_better(x, k, offset):
    """Every value is exact in floating point, however far from zero."""
    if len(x) < k:
        return
    best = min(sum(map(exact_errors, groups)) for groups in every_partition(x, k))
    labels = OptimalUnivariate(k).fit(np.array([offset + value for value in x], dtype=float)[:, None]).labels_.tolist()
    assert sum(map(exact_errors, groups_of(x, labels))) == best


@settings(max_examples=150)
@given(
    x=st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=2, max_size=16),
    k=st.integers(2, 5),
    offset=st.sampled_from([0.0, 1e9]),
)
def test_no_cut_of_the_sorted_values_is_better(x, k, offset):
    if len(x) < k:
        return
    x = sorted(value + offset for value in x)
    least = [Fraction(0)] + [None] * len(x)
    for j in range(k, len(x) + 1):
        least[j] = min(
            (least[i] + exact_errors(x[i:j]) for i in range(j - k + 1) if least[i] is not None), default=None
        )
    labels = OptimalUnivariate(k).fit(np.array(x)[:, None]).labels_.tolist()
    reached = float(sum(map(exact_errors, groups_of(x, labels))))
    assert reached == pytest.approx(float(least[-1]), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "k", "sizes", "errors"),
    [
        ([1, 2, 3, 10, 11, 12, 13, 20, 21, 22], 3, [3, 4, 3], 9.0),
        ([1, 2, 8, 9, 10, 11, 12], 3, [3, 4], 33.667),
        ([1, 2, 8, 9, 10, 11, 12], 2, [2, 2, 3], 3.0),
    ],
)
def test_worked_examples(x, k, sizes, errors):
    X = np.array(x, dtype=float)[:, None]
    labels = OptimalUnivariate(k).fit(X).labels_
    assert np.bincount(labels).tolist() == sizes
    assert squared_errors(X, labels) == pytest.approx(errors, abs=5e-4)


def test_rows_keep_their_place_and_groups_follow_the_values():
    assert OptimalUnivariate(2).fit([[9.0], [1.0], [8.0], [2.0]]).labels_.tolist() == [1, 0, 1, 0]


def test_close_values_in_a_long_file_are_told_apart():
    # Pairs at a distance of 1e-6 around a million: running totals of squares would lose them.
    X = (1e6 + np.repeat(np.arange(5000), 2) * 1e-3 + np.tile([0, 1e-6], 5000))[:, None]
    assert np.array_equal(OptimalUnivariate(2).fit(X).labels_, np.repeat(np.arange(5000), 2))


@settings(max_examples=60)
@given(n=st.integers(2, 60), seed=st.integers(0, 99), data=st.data())
def test_groups_have_k_to_twice_k_less_one(n, seed, data):
    k = data.draw(st.integers(2, n))
    X = np.random.default_rng(seed).integers(0, 9, size=(n, 1)).astype(float)
    sizes = np.bincount(OptimalUnivariate(k).fit(X).labels_)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_more_columns_are_refused_with_an_alternative():
    with pytest.raises(DataError, match=r"got 2 columns\. Use MHM.*nearly every whole record unique"):
        OptimalUnivariate(3).fit(np.zeros((9, 2)))


def test_progress_sums_to_one():
    assert progress_of(OptimalUnivariate(3), np.arange(50.0)[:, None]) == pytest.approx(1)
