"""The search of Refine: it can be interrupted and go on."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.partition import MDAV
from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.geometry.squared_distances import sse_by_group, total_sse
from shoal.partition.refine.search import Optimum, RefineSearch, groups_of


def records(n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.exp(rng.normal(size=(n, 3)) + rng.normal(size=(n, 1)))


@pytest.mark.parametrize("pauses", [[960], [32, 960], [320, 640, 960]])
def test_a_search_with_pauses_takes_the_same_steps(pauses):
    """960 steps are enough for the search to rest and to start afresh."""
    X, k = records(60), 3
    neighbours = nearest_records(X, 24)
    optimum = Optimum(X, neighbours, k, 0.0)
    labels = MDAV(k).fit(X).labels_
    at_once, one = (RefineSearch(X, groups_of(X, labels, k), neighbours, k, optimum, 5) for _ in range(2))
    at_once.go_on(None, 960)
    for steps in pauses:
        one.go_on(None, steps)
        assert one.n_steps == steps
        assert total_sse(X, one.labels) <= total_sse(X, labels)
    assert np.array_equal(one.labels, at_once.labels)


def test_all_about_a_group_stays_true():
    X, k = records(), 4
    neighbours = nearest_records(X, 24)
    groups = groups_of(X, MDAV(k).fit(X).labels_, k)
    RefineSearch(X, groups, neighbours, k, Optimum(X, neighbours, k, 0.0), 0).go_on(None, 500)
    labels = groups.labels.astype(np.int64)
    in_use = np.sort(groups.numbers[: groups.in_use[0]])
    assert np.array_equal(in_use, np.unique(labels))
    assert np.array_equal(groups.sizes, np.bincount(labels, minlength=len(groups.sizes)))
    assert np.allclose(groups.sse, sse_by_group(X, labels, len(groups.sse)))
    for group in in_use:
        assert set(groups.members[group, : groups.sizes[group]]) == set(np.flatnonzero(labels == group))
    assert groups.visits[in_use].min() > 0
