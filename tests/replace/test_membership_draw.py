"""Centres drawn by membership: nobody is released as a centre, and the draw follows the memberships."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.partition.fuzzy.alternating import Fuzzy, memberships
from shoal.replace import MembershipDraw
from shoal.replace.membership_draw import merged, soft_groups


def weights_and_centres(seed, n=60, c=20, d=2, m=1.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) ** 3
    weights = np.asarray(memberships(X, X[rng.choice(n, c, replace=False)], Fuzzy(m))) ** m
    return X, weights, weights.T @ X / weights.sum(axis=0)[:, None]


@given(st.integers(0, 200), st.integers(2, 12))
def test_merged_centres_average_at_least_k_records(seed, k):
    """The effective number from the weights themselves: every merged centre is a sum of columns."""
    X, weights, centres = weights_and_centres(seed)
    found, behind = merged(weights, centres, k)
    assert behind.min() >= k
    assert len(found) == len(behind)
    # Weighted by all they average, the centres keep the mean of all.
    total = weights.sum(axis=0)
    assert found.min() >= X.min() and found.max() <= X.max()
    if len(found) == 1:
        assert found[0] == pytest.approx(total @ centres / total.sum())


def test_merging_by_hand():
    """Two records at 0 and 1 with a centre each, and one far away: the first two are merged at their mean."""
    weights = np.eye(3)
    found, behind = merged(np.vstack([weights, [0, 0, 1.0]]), np.array([[0.0], [1.0], [9.0]]), 2)
    assert found.tolist() == [[0.5], [9.0]]
    assert behind.tolist() == [2, 2]


def test_nothing_is_merged_where_nothing_need_be():
    _, weights, centres = weights_and_centres(1)
    found, behind = merged(weights, centres, 1)
    assert np.array_equal(found, centres)
    assert behind == pytest.approx(weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0))


@given(st.integers(0, 200), st.integers(2, 15))
def test_every_centre_is_carried_by_at_least_k(seed, k):
    X, _, centres = weights_and_centres(seed)
    found = soft_groups(X, centres, np.full(len(centres), 99.0), Fuzzy(1.5), k, np.random.default_rng(seed))
    assert np.bincount(found.labels).min() >= k
    assert found.labels.max() == len(found.centres) - 1


def test_the_draw_follows_the_memberships():
    """Frequencies over many draws beside the memberships, within five standard errors."""
    centres = np.array([[0.0], [1.0], [4.0]])
    X = np.full((40_000, 1), 0.4)
    found = soft_groups(X, centres, np.ones(3), Fuzzy(2.0), 0, np.random.default_rng(0))
    share = np.bincount(found.labels, minlength=3) / len(X)
    expected = memberships(X[:1], centres, Fuzzy(2.0))[0]
    assert np.abs(share - expected).max() < 5 * np.sqrt(0.25 / len(X))


def test_large_m2_gives_each_centre_k_records_on_average():
    """Probabilistic k-anonymity: for large m2 and c = n/k the expected number of records per centre is k."""
    rng = np.random.default_rng(3)
    k, X = 5, rng.normal(size=(500, 3))
    probabilities = memberships(X, X[rng.choice(500, 100, replace=False)] + 0.1, Fuzzy(1e5))
    assert np.asarray(probabilities).sum(axis=0) == pytest.approx(np.full(100, k), rel=1e-3)


def test_for_fixed_centres_the_expected_loss_does_not_fall_as_m2_grows():
    """The part of Proposition 8 of seed 000 that holds."""
    X, _, centres = weights_and_centres(5)
    distances = np.square(X[:, None, :] - centres).sum(axis=2)
    losses = [
        float((memberships(X, centres, Fuzzy(m2)) * distances).sum()) for m2 in (1.05, 1.2, 1.5, 2, 3, 5, 10, 100)
    ]
    assert np.all(np.diff(losses) >= -1e-9)


def test_no_record_gets_a_centre_that_is_as_good_as_itself_unless_many_are_the_same():
    X = np.array([[0.0], [5.0], [5.0], [9.0], [0.3]])
    centres = np.array([[0.0], [5.0], [8.0]])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = soft_groups(X, centres, np.ones(3), Fuzzy(1.1), 2, rng, unchanged=np.array([1e-3]))
        assert found.centres[found.labels[0], 0] != 0
        assert found.centres[found.labels[1:3], 0].tolist() == [5, 5]
    alone = soft_groups(X, X[:1], np.ones(1), Fuzzy(1.1), 2, rng, unchanged=np.array([1e-3]))
    assert alone.centres.tolist() == [[0.0]]


@pytest.mark.parametrize(
    "parameters", [{"m2": 1}, {"lam2": 0}, {"at_least": 1}, {"at_least": "kk"}, {"at_least": True}, {"per_variable": 1}]
)
def test_parameters_out_of_bounds(parameters):
    with pytest.raises(ParameterError, match=f"{next(iter(parameters))} must be"):
        MembershipDraw(**parameters)
