"""Pricing finds every group below a limit, as trying all groups does; and groups that grow cost what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.all_groups import groups_by_size, reduced_costs
from oracles.best_partitions import KINDS, tiny_matrix
from shoal.partition.bounds import pricing
from shoal.partition.bounds.cuts import Cuts
from shoal.partition.bounds.pricing import FoundGroups, Pricing
from shoal.partition.geometry.neighbours import nearest_records


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
    monkeypatch.setattr(pricing, "_GROUPS_A_TASK", 3)
    few = search.below(np.ones(14), 0.0, Cuts(14), 10**9)
    assert (few.is_complete, few.has_all) == (True, False)
    assert [len(groups) for groups in few.groups] == [3, 3, 3]
    assert np.array_equal(few.least, every.least)
