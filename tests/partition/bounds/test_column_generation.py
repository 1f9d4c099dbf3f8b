"""The bound of the linear program is proven by prices and cuts that no group of all there are contradicts."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from oracles.all_groups import groups_by_size, penalties_of, reduced_costs, value_of_program
from oracles.best_partitions import KINDS, least_sse, tiny_matrix
from shoal.partition.bounds import column_generation
from shoal.partition.bounds.column_generation import (
    ColumnGeneration,
    Cuts,
    FoundGroups,
    Pricing,
    bound_by_program,
    violated,
)
from shoal.partition.geometry.neighbours import nearest_records

pytest.importorskip("highspy")


def assert_no_group_contradicts(generation: ColumnGeneration, X: np.ndarray, k: int) -> None:
    prices, cuts = generation.proof
    assert (cuts.penalties >= 0).all()
    assert all(len(set(triple)) == 3 for triple in cuts.triples.tolist())
    assert generation.bound <= prices.sum() - cuts.penalties.sum()
    slack = 1e-13 * np.abs(prices).sum()
    for groups in groups_by_size(len(X), k):
        assert reduced_costs(X, groups, prices, cuts.triples, cuts.penalties).min() >= -slack


def generate(X: np.ndarray, k: int) -> tuple[float, ColumnGeneration]:
    """Return the bound before the first cut, and the generation when it is final."""
    generation = ColumnGeneration(X, k)
    first = None
    while not generation.is_final:
        generation.step()
        if generation.is_closed and first is None:
            first = generation.bound
    assert first is not None
    return first, generation


@settings(max_examples=30)
@given(
    k=st.integers(2, 3),
    more=st.integers(0, 8),
    d=st.integers(1, 4),
    seed=st.integers(0, 9_999),
    kind=st.sampled_from(KINDS),
)
def test_between_the_linear_program_over_all_groups_and_the_best_partition(k, more, d, seed, kind):
    n = min(2 * k + more, 10)
    X = tiny_matrix(seed, n, d, kind)
    best = least_sse(X, k)
    if best == 0:  # `lower_bound` does not come here
        return
    first, generation = generate(X, k)
    assert first == pytest.approx(value_of_program(X, k), rel=1e-6)
    assert first <= generation.bound <= best * (1 + 1e-12)
    assert_no_group_contradicts(generation, X, k)


@pytest.mark.parametrize("repeats", [3, 4])
def test_records_that_are_all_there_k_times(repeats):
    X = np.repeat(tiny_matrix(0, 5, 3, "spread"), repeats, axis=0)
    generation = ColumnGeneration(X, 3)
    assert generation.is_final
    assert bound_by_program(X, 3, None) == generation.bound == 0


@pytest.mark.parametrize("scale", [1e-50, 1e-10, 1e-5, 1e10, 1e50])
def test_a_bound_is_scaled_with_the_records(scale):
    """The solver takes reduced costs below 1e-7 for none, and costs from 1e20 on for infinite."""
    X = tiny_matrix(0, 14, 3, "spread")
    assert bound_by_program(scale * X, 3, None) / scale**2 == pytest.approx(value_of_program(X, 3), rel=1e-6)


@pytest.mark.parametrize(("k", "seed"), [(2, 1), (2, 8), (3, 0), (3, 1), (3, 7)])
def test_cuts_prove_more(k, seed):
    X = tiny_matrix(seed, 14, 2, "spread")
    first, generation = generate(X, k)
    assert len(generation.triples)
    assert generation.bound > first
    assert_no_group_contradicts(generation, X, k)


def test_a_proof_before_the_end_holds_too():
    X = tiny_matrix(3, 14, 2, "spread")
    generation = ColumnGeneration(X, 3)
    while not len(generation.triples):
        generation.prove()
        assert generation.bound > 0
        assert_no_group_contradicts(generation, X, 3)
        generation.step()


def test_groups_near_the_prices_are_all_there_are():
    X = tiny_matrix(1, 12, 2, "spread")
    _, generation = generate(X, 3)
    assert generation.solution is not None
    limit = 0.3 * generation.bound
    numbers = generation.near_groups(limit, 10**6)
    assert numbers is not None
    found = {tuple(group[group >= 0].tolist()) for group in generation.pool.members[numbers]}
    cuts = generation.solution.cuts
    expected = set()
    for groups in groups_by_size(12, 3):
        costs = reduced_costs(X, groups, generation.solution.prices, cuts.triples, cuts.penalties)
        expected |= {tuple(group) for group in groups[costs < limit].tolist()}
    assert found == expected
    assert generation.near_groups(limit, len(expected)) is not None
    assert generation.near_groups(limit, len(expected) - 1) is None


@pytest.mark.parametrize(("k", "seed"), [(2, 1), (2, 8), (3, 0), (3, 1), (3, 7)])
def test_the_triples_that_a_solution_violates(k, seed):
    generation = ColumnGeneration(tiny_matrix(seed, 14, 2, "spread"), k)
    while not generation.is_closed:
        generation.step()
    assert generation.solution is not None
    members, values = generation.pool.members[generation.solution.groups], generation.solution.values
    triples = np.array(list(combinations(range(14), 3)))
    held = np.array([value_held(members, values, triple) for triple in triples])
    expected = {tuple(triple) for triple in triples[held > 1.02].tolist()}
    assert expected
    found = violated(members, values, np.empty((0, 3), dtype=np.int64))
    assert {tuple(triple) for triple in found.tolist()} == expected
    assert len(found) == len(expected)
    sums = [value_held(members, values, triple) for triple in found]
    assert sums == pytest.approx(sorted(sums, reverse=True))
    assert np.array_equal(violated(members, values, found[:1]), found[1:])


def value_held(members: np.ndarray, values: np.ndarray, triple: np.ndarray) -> float:
    """Return the values of the groups that hold two or three of these records."""
    return float(values[np.isin(members, triple).sum(axis=1) >= 2].sum())


def test_what_cuts_cost_groups_of_several_sizes():
    rng = np.random.default_rng(0)
    triples = np.array(list(combinations(range(9), 3)))
    penalties = rng.random(len(triples))
    groups = [np.sort(rng.choice(9, size, replace=False)) for size in (2, 3, 4, 5) * 5]
    members = np.array([[*group, *[-1] * (5 - len(group))] for group in groups], dtype=np.int32)
    expected = [penalties_of(group[np.newaxis], triples, penalties)[0] for group in groups]
    assert Cuts(9, triples, penalties).costs_of(members) == pytest.approx(np.array(expected))


def test_no_group_of_iris_contradicts_prices_and_cuts():
    """All pairs and triples of 150 records, which are all groups there are for k = 2."""
    X = load_iris().data
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    X += 0.01 * np.random.default_rng(0).normal(size=X.shape)  # without its many ties there is something to cut
    first, generation = generate(X, 2)
    prices, cuts = generation.proof
    assert generation.bound > first
    assert generation.bound <= prices.sum() - cuts.penalties.sum()
    assert cuts.penalties.max() > 0
    pairs = np.array(list(combinations(range(150), 2)))
    assert reduced_costs(X, pairs, prices, cuts.triples, cuts.penalties).min() >= -1e-12
    assert least_reduced_cost_of_triples(X, prices, cuts) >= -1e-12


def test_no_triple_of_census_contradicts_the_prices(reference_data):
    """All 209 million are tried; the value of the linear program is the one that another implementation found."""
    X = pd.read_csv(reference_data("census.csv")).to_numpy(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    generation = ColumnGeneration(X, 3)
    while not generation.is_closed:
        generation.step()
    assert generation.bound == pytest.approx(651.699, abs=0.001)
    assert least_reduced_cost_of_triples(X, *generation.proof) >= -1e-12


def least_reduced_cost_of_triples(X: np.ndarray, prices: np.ndarray, cuts: Cuts) -> float:
    """Return the least over all triples, one first record after the other."""
    n = len(X)
    weights = ((X[:, np.newaxis] - X) ** 2).sum(axis=2) / 3 - (prices[:, np.newaxis] + prices) / 2
    for triple, penalty in zip(cuts.triples.tolist(), cuts.penalties.tolist(), strict=True):
        for i, j in permutations(triple, 2):
            weights[i, j] += penalty
    np.fill_diagonal(weights, np.inf)
    least = np.inf
    for i in range(n - 2):
        costs = weights[i + 1 :, i + 1 :] + weights[i, i + 1 :]
        costs += weights[i, i + 1 :, np.newaxis]
        for cut in np.flatnonzero(cuts.triples[:, 0] == i):  # counted for each of its three pairs, paid once
            _, j, last = cuts.triples[cut] - i - 1
            costs[[j, last], [last, j]] -= 2 * cuts.penalties[cut]
        least = min(least, float(costs.min()))
    return least


def random_cuts(rng: np.random.Generator, n: int, count: int, most: float) -> Cuts:
    triples = np.array([np.sort(rng.choice(n, 3, replace=False)) for _ in range(count)], dtype=np.int64).reshape(-1, 3)
    return Cuts(n, np.unique(triples, axis=0), most * rng.random(len(np.unique(triples, axis=0))))


def by_records(found: FoundGroups) -> dict[tuple[int, ...], float]:
    return {
        tuple(sorted(group)): cost
        for groups, costs in zip(found.groups, found.costs, strict=True)
        for group, cost in zip(groups.tolist(), costs.tolist(), strict=True)
    }


@settings(max_examples=100)
@given(
    k=st.integers(2, 4),
    more=st.integers(0, 10),
    d=st.integers(1, 4),
    seed=st.integers(0, 10_000),
    kind=st.sampled_from([*KINDS, "all equal", "twins"]),
    n_cuts=st.sampled_from([0, 0, 3, 12]),
    place=st.sampled_from([-0.5, -1e-9, 0.0, 1e-9, 0.3, 2.0]),
)
def test_below_finds_the_groups_that_trying_all_of_them_does(k, more, d, seed, kind, n_cuts, place):
    n = min(max(k + more, 3), 14 if k < 4 else 11)
    rng = np.random.default_rng(seed)
    X = np.ones((n, d)) if kind == "all equal" else tiny_matrix(seed, n, d, kind if kind in KINDS else "spread")
    if kind == "twins":
        X = X[rng.integers(0, n, n)]
    by_size = groups_by_size(n, k)
    unit = np.median([reduced_costs(X, groups, np.zeros(n), np.empty((0, 3)), np.empty(0)).min() for groups in by_size])
    unit = max(float(unit), 0.1)
    prices = unit / k * rng.choice([0.5, 1.0, 1.5, -0.2], n) if seed % 2 else unit / k * 1.5 * rng.random(n)
    cuts = random_cuts(rng, n, n_cuts, unit / 2)
    limit = place * unit

    found = Pricing(X, k, nearest_records(X, n - 1)).below(prices, limit, cuts, 10**9)

    assert found.is_complete
    assert found.has_all
    costs_found = by_records(found)
    least = np.full(n, np.inf)
    slack = 1e-11 * max(unit, abs(limit))
    for groups in by_size:
        costs = reduced_costs(X, groups, prices, cuts.triples, cuts.penalties)
        for group, cost in zip(groups.tolist(), costs.tolist(), strict=True):
            if tuple(group) in costs_found:
                assert costs_found.pop(tuple(group)) == pytest.approx(cost, abs=slack)
                assert cost < limit + slack
            else:
                assert cost > limit - slack
            if cost < limit - slack:
                least[group] = np.minimum(least[group], cost / len(group))
    assert not costs_found
    clear = np.isfinite(least)
    assert found.least[clear] == pytest.approx(least[clear], abs=slack)
    assert (found.least[~clear] >= min(limit / k, limit / (2 * k - 1)) - slack).all()


@settings(max_examples=40)
@given(k=st.integers(2, 4), more=st.integers(0, 20), seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS))
def test_groups_that_grow_cost_what_is_said(k, more, seed, kind):
    n = max(k + more, 3)
    rng = np.random.default_rng(seed)
    X = tiny_matrix(seed, n, 2, kind)
    prices = rng.random(n)
    cuts = random_cuts(rng, n, 5, 0.5)
    found = Pricing(X, k, nearest_records(X, min(n - 1, 8))).grown(prices, cuts)
    least = np.full(n, np.inf)
    for groups, costs in zip(found.groups, found.costs, strict=True):
        assert all(len(set(group)) == len(group) for group in groups.tolist())
        assert (groups == np.arange(n)[:, np.newaxis]).any(axis=1).all()
        expected = reduced_costs(X, groups, prices, cuts.triples, cuts.penalties)
        assert costs == pytest.approx(expected, rel=1e-9, abs=1e-9)
        for group, cost in zip(groups, expected, strict=True):
            least[group] = np.minimum(least[group], cost / len(group))
    assert found.least == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert not found.is_complete


def test_a_search_that_is_given_up_says_so():
    X = tiny_matrix(0, 14, 2, "spread")
    found = Pricing(X, 3, nearest_records(X, 13)).below(np.ones(14), 0.0, Cuts(14), 5)
    assert not found.is_complete
    assert not found.has_all


def test_groups_that_there_is_no_room_for_still_count_among_the_least(monkeypatch):
    X = tiny_matrix(0, 14, 2, "spread")
    search = Pricing(X, 3, nearest_records(X, 13))
    every = search.below(np.ones(14), 0.0, Cuts(14), 10**9)
    monkeypatch.setattr(column_generation, "_GROUPS_A_TASK", 3)
    few = search.below(np.ones(14), 0.0, Cuts(14), 10**9)
    assert (few.is_complete, few.has_all) == (True, False)
    assert [len(groups) for groups in few.groups] == [3, 3, 3]
    assert np.array_equal(few.least, every.least)
