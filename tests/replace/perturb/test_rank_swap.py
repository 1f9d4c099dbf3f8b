"""Rank swapping, by its definition: pairs of values change places, not more than p % of the ranks apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_perturbations import fewest_ranks_apart
from shoal.errors import DataError
from shoal.replace import RankSwap
from shoal.replace.perturb.base import Part


def part_of(*columns, kind="continuous"):
    values = {f"x{place}": np.array(column, dtype=np.float64) for place, column in enumerate(columns)}
    return Part(values, dict.fromkeys(values, kind), {}, k=2)


cells = st.one_of(st.just(np.nan), st.integers(0, 5).map(float), st.floats(-1e300, 1e300))


@given(st.lists(cells, min_size=1, max_size=80), st.floats(0.5, 100), st.integers(0, 2**32))
def test_every_value_is_exchanged_with_one_within_p_percent_of_the_ranks(column, p, seed):
    values = np.array(column)
    observed = np.flatnonzero(~np.isnan(values))
    try:
        taken = RankSwap(p=p).perturbed(part_of(values), np.random.default_rng(seed)).taken["x0"]
    except DataError:
        assert p * len(observed) / 100 < 1
        return
    assert sorted(taken) == list(range(len(values)))  # a permutation
    assert (taken[taken] == np.arange(len(values))).all()  # of pairs
    assert (taken[np.isnan(values)] == np.flatnonzero(np.isnan(values))).all()  # missing values stay
    for record in observed:
        apart = fewest_ranks_apart(values[observed], values[record], values[taken[record]])
        assert apart <= p * len(observed) / 100 + 1e-6


def test_all_values_are_exchanged_but_one_of_an_odd_number():
    rng = np.random.default_rng(1)
    for n in (100, 101):
        values = rng.standard_normal(n)
        perturbed = RankSwap(p=3).perturbed(part_of(values), rng)
        stays = int((perturbed.taken["x0"] == np.arange(n)).sum())
        assert stays == n % 2
        assert sum(tally.count for tally in perturbed.tallies) == stays


def test_columns_are_exchanged_each_for_itself():
    values = np.arange(200.0)
    taken = RankSwap(p=20).perturbed(part_of(values, values), np.random.default_rng(0)).taken
    assert (taken["x0"] != taken["x1"]).mean() > 0.8


def test_distances_fill_the_window():
    n, p = 10_000, 10
    taken = RankSwap(p=p).perturbed(part_of(np.arange(float(n))), np.random.default_rng(0)).taken["x0"]
    apart = np.abs(taken - np.arange(n))
    assert apart.max() > 0.95 * n * p / 100
    assert 0.3 < apart.mean() / (n * p / 100) < 0.7


def test_what_stays_of_an_odd_number_can_be_at_either_end():
    ends = set()
    for seed in range(20):
        taken = RankSwap(p=5).perturbed(part_of(np.arange(101.0)), np.random.default_rng(seed)).taken["x0"]
        ends.add(int(np.flatnonzero(taken == np.arange(101))[0]) > 50)
    assert ends == {False, True}


def test_too_few_records_for_p_are_refused_with_the_p_that_is_enough():
    with pytest.raises(DataError, match=r"rank-swap:p=10\b"):
        RankSwap(p=5).perturbed(part_of(np.arange(10.0)), np.random.default_rng(0))
    RankSwap(p=10).perturbed(part_of(np.arange(10.0)), np.random.default_rng(0))
    with pytest.raises(DataError, match=r"rank-swap:p=33.4\b"):
        RankSwap(p=5).perturbed(part_of(np.arange(3.0)), np.random.default_rng(0))
    RankSwap(p=33.4).perturbed(part_of(np.arange(3.0)), np.random.default_rng(0))


def test_constant_and_empty_columns_stay():
    taken = RankSwap().perturbed(part_of([1.0, 1.0, 1.0], [np.nan] * 3), np.random.default_rng(0)).taken
    assert taken["x0"].tolist() == taken["x1"].tolist() == [0, 1, 2]
