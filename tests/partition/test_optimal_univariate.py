"""OptimalUnivariate is optimal: no partition with groups of at least k has a smaller sum of squared errors."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.small_matrices import progress_of, squared_errors
from shoal.errors import DataError
from shoal.partition import optimal_univariate
from shoal.partition.mhm import cut_path
from shoal.partition.optimal_univariate import OptimalUnivariate, _sorted


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


def exact_labels(x, k):
    """Label by the recursion of Hansen and Mukherjee in exact arithmetic; of equally good last groups the largest."""
    order = np.argsort(x, kind="stable")
    totals, squares = [Fraction(0)], [Fraction(0)]
    for value in map(Fraction, x[order].tolist()):
        totals.append(totals[-1] + value)
        squares.append(squares[-1] + value * value)
    least, group_size = {0: Fraction(0)}, {}
    for j in range(k, len(x) + 1):
        least[j], smaller = min(
            (least[j - m] + squares[j] - squares[j - m] - (totals[j] - totals[j - m]) ** 2 / m, -m)
            for m in range(k, 2 * k)
            if j - m in least
        )
        group_size[j] = -smaller
    sizes, j = [], len(x)
    while j > 0:
        sizes.append(group_size[j])
        j -= group_size[j]
    labels = np.empty(len(x), dtype=int)
    labels[order] = np.repeat(np.arange(len(sizes)), sizes[::-1])
    return labels


def integers(rng, n):
    return rng.integers(0, rng.integers(1, 60), n).astype(float)


KINDS_OF_VALUES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "cents": lambda rng, n: np.round(rng.normal(size=n), 2),
    "integers": integers,
    "falling integers": lambda rng, n: np.sort(integers(rng, n))[::-1].copy(),
    "long runs": lambda rng, n: rng.choice([0.0, 1.0, 1.5, 7.0], n, p=[0.08, 0.55, 0.3, 0.07]),
    "equally spaced": lambda rng, n: np.arange(n, dtype=float),
    "constant": lambda rng, n: np.full(n, 3.3),
    "with zeros of both signs": lambda rng, n: rng.choice([-1.0, -0.0, 0.0, 1.0], n),
    "long tails": lambda rng, n: rng.standard_cauchy(n),
    "of every size": lambda rng, n: rng.integers(-9, 9, n) * 10.0 ** rng.integers(-100, 100, n),
    "two clusters": lambda rng, n: rng.normal(size=n) + 1e10 * rng.integers(0, 2, n),
    "subnormal": lambda rng, n: integers(rng, n) * 5e-324,
    "at 1e9": lambda rng, n: integers(rng, n) + 1e9,
    "at -1e15": lambda rng, n: integers(rng, n) - 1e15,
    "fractions at 1e15": lambda rng, n: np.round(rng.normal(size=n) * 8) / 8 + 1e15,
}


@pytest.mark.parametrize("kind", KINDS_OF_VALUES)
@settings(max_examples=60)
@given(n=st.integers(2, 90), seed=st.integers(0, 10**6), coarse=st.sampled_from([1, 4, 1 << 24]), data=st.data())
def test_groups_are_those_of_exact_arithmetic(kind, n, seed, coarse, data):
    """Label by label, ties included, but for decimals: sums that would be equal differ by their rounding, squared.

    By SMAWK alone, by SMAWK for every fourth row and halving, and by halving alone.
    """
    k = data.draw(st.one_of(st.integers(2, min(n, 6)), st.integers(2, n)))
    x = KINDS_OF_VALUES[kind](np.random.default_rng(seed), n)
    with mock.patch.object(optimal_univariate, "_COARSE", coarse):
        labels = OptimalUnivariate(k).fit(x[:, None]).labels_
    expected = exact_labels(x, k)
    if kind in ("cents", "of every size"):
        errors, best = (sum(map(exact_errors, groups_of(x, each))) for each in (labels, expected))
        assert errors <= best * (1 + Fraction(1, 10**18))
    else:
        assert np.array_equal(labels, expected)


@settings(max_examples=150)
@given(
    x=st.lists(st.integers(-30, 30), min_size=2, max_size=60),
    outliers=st.lists(st.sampled_from([1e300, -1e300, 1e100, -1e12, 1e8]), min_size=1, max_size=5),
    k=st.integers(2, 16),
)
def test_outliers_leave_the_others_their_best_groups(x, outliers, k):
    x = np.array([*outliers, *x], dtype=float)
    k = min(k, len(x))
    assert np.array_equal(OptimalUnivariate(k).fit(x[:, None]).labels_, exact_labels(x, k))


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("lengths", [(900,), (5, 640, 3), (700, 1, 650), (200, 400, 2, 300)])
def test_runs_that_are_cut_at_once_have_the_groups_of_exact_arithmetic(lengths, k):
    x = np.repeat(np.arange(len(lengths)) * 1.5, lengths)
    assert np.array_equal(OptimalUnivariate(k).fit(x[:, None]).labels_, exact_labels(x, k))


def test_the_largest_numbers_do_not_overflow():
    x = np.array([-1.7e308, 1.7e308, 1.0, 2.0, -1.7e308, 1.7e308, 3.0])
    assert np.array_equal(OptimalUnivariate(2).fit(x[:, None]).labels_, exact_labels(x, 2))


@pytest.mark.parametrize("k", [2, 3, 11, 24, 25, 40, 150, 256, 257, 1000])
@pytest.mark.parametrize("kind", ["normal", "cents", "long tails", "at -1e15"])
def test_a_long_file_is_grouped_as_by_looking_at_everything(kind, k):
    """As the recursion in O(nk) does with doubles: the squared errors are the same to the digits that those have."""
    x = KINDS_OF_VALUES[kind](np.random.default_rng(k), 3_000)
    labels = OptimalUnivariate(k).fit(x[:, None]).labels_
    scanned = cut_path(x[:, None], np.argsort(x, kind="stable"), k)
    assert np.bincount(labels).min() >= k
    centred = (x - np.median(x))[:, None]
    assert squared_errors(centred, labels) == pytest.approx(squared_errors(centred, scanned), rel=1e-9)


@pytest.mark.parametrize("kind", ["normal", "cents", "constant", "long tails", "of every size", "fractions at 1e15"])
def test_a_file_that_is_sorted_part_by_part_is_in_order(kind):
    values = KINDS_OF_VALUES[kind](np.random.default_rng(2), 150_000)
    order, ordered, _ = _sorted(values)
    assert np.array_equal(order, np.argsort(values, kind="stable"))
    assert np.array_equal(ordered, np.sort(values))


@pytest.mark.parametrize("kind", KINDS_OF_VALUES)
def test_equal_values_are_taken_in_the_order_of_their_rows(kind):
    x = KINDS_OF_VALUES[kind](np.random.default_rng(1), 500)
    for values in (x, np.sort(x), np.sort(x)[::-1].copy()):
        order, ordered, _ = _sorted(values)
        assert np.array_equal(order, np.argsort(values, kind="stable"))
        assert np.array_equal(ordered, np.sort(values))


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
