"""The representative of a group, against slow plain-Python versions."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError
from shoal.replace import REPLACEMENTS, ConvexMedian, GeometricMean, Mean, Median, Members, Mode, OrderStatistic
from shoal.replace.aggregate import signed_geometric_means
from shoal.replace.members import members

ALL = [Mean(), GeometricMean(), Median(), ConvexMedian(), Mode(), OrderStatistic(0.3)]

EPS = float(np.finfo(float).eps)

anything = st.floats(allow_nan=False, allow_infinity=False)

positive = st.floats(min_value=1e-300, max_value=1e300)

whole_weights = st.integers(min_value=1, max_value=5)

few_values = st.integers(min_value=-3, max_value=3).map(float)

shares = st.floats(min_value=0, max_value=1) | st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0])


def groups_of(values):
    """Lists of lists: the values of every group."""
    return st.lists(st.lists(values, min_size=1, max_size=12), min_size=1, max_size=6)


def flat(groups):
    """The values of all groups in one array, and the groups as members."""
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return np.array([value for group in groups for value in group], dtype=float), everybody(labels)


def everybody(labels):
    return members(np.asarray(labels), np.ones(len(labels), dtype=bool))


def result(aggregate, values, who, weights=None, seed=0):
    """The representative values themselves, whichever family the aggregate is of."""
    found = aggregate.representatives(values, who, rng=np.random.default_rng(seed), weights=weights)
    return values[found] if aggregate.keeps_values else found


@st.composite
def weighted_groups(draw, values=few_values, weights=whole_weights):
    return draw(groups_of(st.tuples(values, weights)))


def flat_weighted(groups):
    values, who = flat([[value for value, _ in group] for group in groups])
    weights = np.array([weight for group in groups for _, weight in group], dtype=float)
    return values, who, weights


def repeated(groups):
    return flat([[value for value, weight in group for _ in range(weight)] for group in groups])


# Examples
def test_two_groups_by_hand():
    values = np.array([1.0, 10.0, 2.0, 10.0, 6.0, 40.0])
    who = everybody([0, 1, 0, 1, 0, 1])
    assert result(Mean(), values, who).tolist() == [3.0, 20.0]
    assert result(Median(), values, who).tolist() == [2.0, 10.0]
    assert result(OrderStatistic(1), values, who).tolist() == [6.0, 40.0]
    assert result(Mode(), values, who)[1] == 10.0
    assert result(GeometricMean(), values, who) == pytest.approx([12 ** (1 / 3), 4000 ** (1 / 3)])


def test_worked_geometric_mean_keeps_a_product():
    # Worked by hand: d = (2, 1, 0.5), e = c d with c = (5, 9, 16); the geometric means are 8.963 and 8.963.
    who = everybody([0, 0, 0])
    c, d, e = (result(GeometricMean(), np.array(x), who)[0] for x in ([5.0, 9, 16], [2.0, 1, 0.5], [10.0, 9, 8]))
    assert c * d == pytest.approx(e)
    assert e == pytest.approx(8.963, abs=5e-4)


def test_selecting_returns_a_record_of_the_group():
    values = np.array([5.0, 5.0, 5.0, 7.0, 7.0, 5.0])
    who = everybody([0, 0, 1, 1, 1, 0])
    for aggregate in (Median(), Mode(), OrderStatistic(0.9)):
        rows = aggregate.representatives(values, who, rng=np.random.default_rng(0))
        assert rows.dtype == np.int64
        assert rows[0] in (0, 1, 5)
        assert rows[1] in (3, 4)


def test_groups_may_overlap():
    values = np.array([1.0, 2.0, 3.0, 100.0])
    who = Members(np.array([0, 1, 2, 2, 3, 1]), np.array([0, 3, 6]), np.array([0, 1]))
    assert result(Mean(), values, who).tolist() == [2.0, 35.0]
    assert result(Median(), values, who).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("aggregate", ALL, ids=lambda one: one.name)
def test_no_group_at_all(aggregate):
    nobody = members(np.array([-1, 0]), np.array([True, False]))
    assert len(result(aggregate, np.array([1.0, 2.0]), nobody)) == 0
    assert len(result(aggregate, np.array([1.0, 2.0]), nobody, weights=np.ones(2))) == 0


def test_values_outside_all_groups_are_not_read():
    values = np.array([1.0, np.nan, 3.0, -5.0])
    who = members(np.array([0, 0, 0, -1]), np.array([True, False, True, True]))
    assert result(Mean(), values, who).tolist() == [2.0]
    assert result(GeometricMean(), values, who) == pytest.approx([math.sqrt(3)])


def test_geometric_mean_names_the_column_and_counts_each_record_once():
    values = np.array([1.0, 0.0, -77.0, 4.0])
    overlapping = Members(np.array([0, 1, 2, 2, 3]), np.array([0, 3, 5]), np.array([0, 1]))
    with pytest.raises(DataError, match=r'"income" has 2 that') as error:
        GeometricMean().representatives(values, overlapping, rng=np.random.default_rng(0), column="income")
    assert "77" not in str(error.value)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("aggregate", ALL, ids=lambda one: one.name)
def test_weights_must_be_positive(aggregate, bad):
    with pytest.raises(DataError, match="positive"):
        result(aggregate, np.array([1.0, 2.0]), everybody([0, 0]), weights=np.array([1.0, bad]))


@pytest.mark.parametrize("bad", OrderStatistic.limits["q"].bad_values())
def test_order_statistic_refuses_other_shares(bad):
    with pytest.raises(ParameterError, match="q must be"):
        OrderStatistic(bad)


def test_registry_holds_every_aggregate_under_its_name():
    assert {type(one) for one in ALL} <= set(REPLACEMENTS.values())
    assert all(name == kind.name for name, kind in REPLACEMENTS.items())


# The mean
@given(groups_of(anything))
def test_mean_is_the_exact_mean_rounded(groups):
    values, who = flat(groups)
    for group, mean in zip(groups, result(Mean(), values, who), strict=True):
        exact = sum(map(Fraction, group)) / len(group)
        assert abs(Fraction(mean) - exact) <= Fraction(2 * EPS) * Fraction(max(map(abs, group))) + Fraction(5e-324)


@given(weighted_groups(anything, st.floats(min_value=1e-3, max_value=1e6)))
def test_weighted_mean_is_the_exact_one_rounded(groups):
    values, who, weights = flat_weighted(groups)
    for group, mean in zip(groups, result(Mean(), values, who, weights), strict=True):
        exact = sum(Fraction(x) * Fraction(w) for x, w in group) / sum(Fraction(w) for _, w in group)
        largest = Fraction(max(abs(x) for x, _ in group))
        assert abs(Fraction(mean) - exact) <= Fraction(2 * len(group) * EPS) * largest + Fraction(5e-324)


@pytest.mark.parametrize("seed", range(4))
def test_mean_of_a_large_group_far_from_zero_is_the_nearest_double(seed):
    # One pass is off by up to one and a half units in the last place here.
    rng = np.random.default_rng(seed)
    values, weights = 1e9 + rng.random(20_000), 0.5 + rng.random(20_000)
    who = everybody(np.zeros(20_000, dtype=int))
    for used in (None, weights):
        w = [Fraction(one) for one in (np.ones(20_000) if used is None else used).tolist()]
        exact = sum(x * Fraction(y) for x, y in zip(w, values.tolist(), strict=True)) / sum(w)
        error = abs(Fraction(result(Mean(), values, who, used)[0]) - exact)
        assert error <= Fraction(0.51) * Fraction(math.ulp(1e9))


def test_means_of_huge_and_of_tiny_values():
    largest, smallest = np.finfo(float).max, 5e-324
    values = np.array([largest, largest, largest, -largest, smallest, smallest, 1e-300, 3e-300])
    who = everybody([0, 0, 1, 1, 2, 2, 3, 3])
    assert result(Mean(), values, who).tolist() == [largest, 0.0, smallest, 2e-300]
    assert result(GeometricMean(), values[[0, 1, 4, 5]], everybody([0, 0, 1, 1])).tolist() == [largest, smallest]


@given(groups_of(positive))
def test_geometric_mean_against_logarithms(groups):
    values, who = flat(groups)
    for group, found in zip(groups, result(GeometricMean(), values, who), strict=True):
        assert found == pytest.approx(math.exp(math.fsum(map(math.log, group)) / len(group)), rel=1e-12)


# Order statistics
def slow_order_statistic(group, q):
    """The smallest x such that the weight at or below x is at least the share q of the whole."""
    whole = sum(Fraction(weight) for _, weight in group)
    for x in sorted(value for value, _ in group):
        if sum(Fraction(weight) for value, weight in group if value <= x) >= Fraction(q) * whole * (
            1 - Fraction(1e-12)
        ):
            return x
    raise AssertionError


@given(groups_of(anything))
def test_median_is_the_lower_one(groups):
    values, who = flat(groups)
    assert result(Median(), values, who).tolist() == [statistics.median_low(group) for group in groups]


@given(groups_of(few_values), shares)
def test_order_statistic_against_a_plain_search(groups, q):
    values, who = flat(groups)
    slow = [slow_order_statistic([(value, 1) for value in group], q) for group in groups]
    assert result(OrderStatistic(q), values, who).tolist() == slow


@given(weighted_groups(), shares)
def test_weighted_order_statistic_against_a_plain_search(groups, q):
    values, who, weights = flat_weighted(groups)
    assert result(OrderStatistic(q), values, who, weights).tolist() == [
        slow_order_statistic(group, q) for group in groups
    ]


@given(weighted_groups(anything, st.floats(min_value=1e-200, max_value=1e200)))
def test_shares_0_and_1_are_the_ends_whatever_the_weights(groups):
    values, who, weights = flat_weighted(groups)
    assert result(OrderStatistic(0), values, who, weights).tolist() == [min(group)[0] for group in groups]
    assert result(OrderStatistic(1), values, who, weights).tolist() == [max(group)[0] for group in groups]


def test_rounding_does_not_move_an_order_statistic():
    # 7 * 0.1 * 10 is 7.000000000000001 in doubles; the 7th of 10 is meant.
    values = np.arange(1.0, 11.0)
    for tenth in range(1, 11):
        assert result(OrderStatistic(tenth / 10), values, everybody([0] * 10)).tolist() == [tenth]
        assert result(OrderStatistic(tenth * 0.1 if tenth < 10 else 1), values, everybody([0] * 10)).tolist() == [tenth]


def test_weighted_medians_of_many_groups_do_not_share_rounding_errors():
    # The first three weights are half of the whole, in the last group as in the first.
    g = 20_000
    values = np.tile(np.arange(6.0), g)
    weights = np.tile([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], g)
    assert (result(Median(), values, everybody(np.repeat(np.arange(g), 6)), weights) == 2.0).all()


def boolean_max_min(group, sets):
    """Return the largest of the least values of some sets of positions, which is what Boolean max-min functions are."""
    return max(min(group[position][0] for position in one) for one in sets)


def sets_above(group, share):
    """Return the sets of positions that have more than a share of the weight."""
    whole = sum(weight for _, weight in group)
    sets = (one for size in range(1, len(group) + 1) for one in combinations(range(len(group)), size))
    return [one for one in sets if sum(group[position][1] for position in one) > share * whole]


@given(st.lists(st.tuples(few_values, whole_weights), min_size=1, max_size=7), st.integers(1, 8))
def test_an_order_statistic_is_a_boolean_max_min_function(group, eighths):
    values, who, weights = flat_weighted([group])
    (found,) = result(OrderStatistic(eighths / 8), values, who, weights)
    assert found == boolean_max_min(group, sets_above(group, 1 - Fraction(eighths, 8)))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_boolean_max_min_functions_that_see_no_difference_between_records_are_order_statistics(n):
    every_set = [one for size in range(1, n + 1) for one in combinations(range(n), size)]
    groups = list(product(range(n), repeat=n))
    values, who = flat(groups)
    found = set()
    for chosen in range(1, 2 ** len(every_set)):
        sets = [one for place, one in enumerate(every_set) if chosen >> place & 1]
        ordered = {}
        for group in groups:
            ordered.setdefault(tuple(sorted(group)), set()).add(boolean_max_min([(x, 1) for x in group], sets))
        if all(len(seen) == 1 for seen in ordered.values()):
            found.add(tuple(boolean_max_min([(x, 1) for x in group], sets) for group in groups))
    expected = {tuple(result(OrderStatistic(rank / n), values, who)) for rank in range(1, n + 1)}
    assert found == expected


# The convex median
def slow_convex_median(group, scale):
    """Return the convex median of (value, weight) pairs over a scale, which has their values too."""
    scale = sorted({*scale, *(value for value, _ in group)})
    frequency = {x: sum(Fraction(weight) for value, weight in group if value == x) for x in scale}
    counted = {
        x: min(max(frequency[a] for a in scale if a <= x), max(frequency[a] for a in scale if a >= x)) for x in scale
    }
    return next(x for x in scale if 2 * sum(counted[a] for a in scale if a <= x) >= sum(counted.values()))


def scale_of(groups):
    """Return the values that at least as many records have as the smallest group."""
    counts = Counter(value for group in groups for value, _ in group)
    return [value for value, count in counts.items() if count >= min(map(len, groups))]


@given(weighted_groups(st.integers(min_value=0, max_value=9).map(float)), st.booleans())
def test_convex_median_against_its_definition(groups, weighted):
    if not weighted:
        groups = [[(value, 1) for value, _ in group] for group in groups]
    values, who, weights = flat_weighted(groups)
    expected = [slow_convex_median(group, scale_of(groups)) for group in groups]
    assert result(ConvexMedian(), values, who, weights if weighted else None).tolist() == expected


def test_convex_median_by_hand():
    low, high, everyone = [1.0, 1, 5, 5], [1.0, 1, 1, 1, 2, 4, 4, 5], [2.0, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]
    values, who = flat([low, high, everyone])
    # 2 0 0 0 2 becomes 2 2 2 2 2; 4 1 0 2 1 becomes 4 2 2 2 1, of which 4 and 2 are more than half of 11.
    assert result(ConvexMedian(), values, who).tolist() == [3.0, 2.0, 3.0]
    assert result(Median(), values, who).tolist() == [1.0, 1.0, 3.0]
    # Fewer records have a 2, 3 or 4 than the smallest group has: these are no part of its scale.
    values, who = flat([low, [2.0, 2, 3, 4, 4]])
    assert result(ConvexMedian(), values, who).tolist() == [1.0, 3.0]


def test_the_convex_median_is_not_monotone():
    # Every value of the second group is at least that of the first, and its convex median is lower.
    values, who = flat([[0.0, 0, 0, 2, 2], [0.0, 0, 0, 2, 3], [1.0] * 5])
    assert result(ConvexMedian(), values, who).tolist() == [1.0, 0.0, 1.0]


# The mode
@given(groups_of(few_values), st.integers(0, 2**32))
def test_mode_is_one_of_the_most_frequent(groups, seed):
    values, who = flat(groups)
    for group, found in zip(groups, result(Mode(), values, who, seed=seed), strict=True):
        counts = Counter(group)
        assert counts[found] == max(counts.values())


@given(groups_of(few_values), st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_mode_does_not_see_the_order_of_rows(groups, seed, random):
    shuffled = [random.sample(group, len(group)) for group in groups]
    found, again = (result(Mode(), *flat(one), seed=seed).tolist() for one in (groups, shuffled))
    assert found == again


def test_mode_ties_are_even():
    g = 30_000
    values = np.tile([1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0], g)
    found = Counter(result(Mode(), values, everybody(np.repeat(np.arange(g), 7))).tolist())
    assert set(found) == {1.0, 2.0, 3.0}
    assert all(abs(count - g / 3) < 5 * math.sqrt(g * 2 / 9) for count in found.values())


def test_plurality_ties_survive_rounding():
    # 0.2 / 0.9 + 0.7 / 0.9 is a little less than 1 in doubles.
    values = np.array([1.0, 1.0, 2.0])
    weights = np.array([0.2, 0.7, 0.9])
    seen = {result(Mode(), values, everybody([0] * 3), weights, seed)[0] for seed in range(50)}
    assert seen == {1.0, 2.0}


# Weights
@given(weighted_groups(), shares, st.integers(0, 2**32))
def test_whole_weights_are_repeated_records(groups, q, seed):
    values, who, weights = flat_weighted(groups)
    values_repeated, who_repeated = repeated(groups)
    for aggregate in (Median(), OrderStatistic(q), Mode()):
        expected = result(aggregate, values_repeated, who_repeated, seed=seed)
        assert result(aggregate, values, who, weights, seed).tolist() == expected.tolist()


@given(weighted_groups(st.floats(min_value=0.5, max_value=1e6)))
def test_whole_weights_are_repeated_records_for_means(groups):
    values, who, weights = flat_weighted(groups)
    for aggregate in (Mean(), GeometricMean()):
        assert np.allclose(result(aggregate, values, who, weights), result(aggregate, *repeated(groups)), rtol=1e-13)


@given(groups_of(positive), st.floats(min_value=5e-324, allow_infinity=False), st.integers(0, 2**32))
def test_equal_weights_change_nothing(groups, weight, seed):
    values, who = flat(groups)
    for aggregate in ALL:
        with_weights = result(aggregate, values, who, np.full(len(values), weight), seed)
        assert with_weights.tolist() == result(aggregate, values, who, seed=seed).tolist()


# All of them
@given(weighted_groups(st.floats(min_value=5e-324, allow_infinity=False), st.floats(min_value=1e-200, max_value=1e200)))
def test_representatives_lie_within_their_group(groups):
    values, who, weights = flat_weighted(groups)
    for aggregate in ALL:
        for used in (None, weights):
            for group, found in zip(groups, result(aggregate, values, who, used), strict=True):
                assert min(group)[0] <= found <= max(group)[0]


@given(st.floats(min_value=5e-324, allow_infinity=False), st.lists(positive, min_size=1, max_size=9))
def test_equal_values_are_kept(value, weights):
    values = np.full(len(weights), value)
    for aggregate in ALL:
        for used in (None, np.array(weights)):
            assert result(aggregate, values, everybody([0] * len(weights)), used).tolist() == [value]


LABELS = np.array([0, 0, 1, 1])

EVERYONE = members(LABELS, np.ones(4, dtype=bool))


def means(weights=None, **columns):
    values = {name: np.array(column, dtype=float) for name, column in columns.items()}
    return signed_geometric_means(values, EVERYONE, weights, np.random.default_rng(0))


def test_a_group_has_the_sign_of_its_records():
    assert means(a=[2, 8, -1, -9])["a"] == pytest.approx([4, -3])


def test_a_group_of_zeros_stays_zero():
    assert means(a=[0, 0, 4, 9])["a"] == pytest.approx([0, 6])


def test_a_group_with_both_signs_gets_plain_means_in_every_column():
    found = means(price=[2, 8, 4, 9], amount=[-1, 3, 1, 4])
    assert found["amount"] == pytest.approx([1, 2])
    assert found["price"] == pytest.approx([5, 6])


def test_a_product_holds_in_the_means_where_signs_agree():
    price, amount = np.array([2.0, 3, 5, 7]), np.array([-1.0, -4, 2, 0.5])
    found = means(price=price, amount=amount, value=price * amount)
    assert found["price"] * found["amount"] == pytest.approx(found["value"], rel=1e-12)


def test_sampling_weights_count():
    assert means(np.array([3.0, 1, 1, 1]), a=[2, 32, 1, 1])["a"] == pytest.approx([4, 1])
