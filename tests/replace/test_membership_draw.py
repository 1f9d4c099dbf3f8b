"""Centres drawn by membership: nobody is released as a centre, and the draw follows the memberships."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.partition.fuzzy.alternating import Fuzzy, memberships
from shoal.replace import MembershipDraw
from shoal.replace.membership_draw import averages, group_averages, merged


def clusters(seed, n=60, c=20, d=2, m=1.3):
    """Return records, their memberships in some centres as a function, and the centres that these make."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) ** 3
    start = X[rng.choice(n, c, replace=False)]

    def memberships_of(some):
        return np.asarray(memberships(some, start, Fuzzy(m)))

    return X, memberships_of, averages(X, memberships_of, m)


@given(st.integers(0, 200), st.integers(2, 12))
def test_merged_centres_average_at_least_k_records(seed, k):
    X, memberships_of, found = clusters(seed)
    after = merged(found, k)
    assert after.behind.min() >= k
    assert after.means.min() >= X.min() and after.means.max() <= X.max()
    if len(after.means) == 1:
        weights = memberships_of(X) ** 1.3
        assert after.means[0] == pytest.approx((weights.sum(axis=1) @ X) / weights.sum())


def test_effective_numbers_and_means_are_those_of_the_weights():
    X, memberships_of, found = clusters(1)
    weights = memberships_of(X) ** 1.3
    assert found.behind == pytest.approx(weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0))
    assert found.means == pytest.approx(weights.T @ X / weights.sum(axis=0)[:, None])
    again = merged(found, 1)
    assert np.array_equal(again.means, found.means)


def test_weights_too_small_for_numbers_still_count():
    """u = 1/50 to the power of 1000 is no number; relative to the largest all weights are one."""
    X = np.arange(50.0)[:, None]
    found = averages(X, lambda some: np.full((len(some), 50), 0.02), 1000.0)
    assert found.behind == pytest.approx(np.full(50, 50.0))
    assert found.means[:, 0] == pytest.approx(np.full(50, 24.5))


def test_averages_of_groups_are_their_means():
    X = np.array([[0.0], [1.0], [9.0], [11.0]])
    found = group_averages(X, np.array([0, 0, 1, 1]))
    assert found.means.tolist() == [[0.5], [10.0]]
    assert found.behind.tolist() == [2, 2]
    after = merged(found, 3)
    assert after.means.tolist() == [[5.25]]
    assert after.behind.tolist() == [4]
    assert after.centre_of.tolist() == [0, 0]


def test_merging_by_hand():
    """Two records at 0 and 1 with a centre each, and two far away: the first two are merged at their mean."""
    X = np.array([[0.0], [1.0], [9.0], [9.0]])
    weights = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    after = merged(averages(X, lambda some: weights[np.searchsorted(X[:, 0], some[:, 0])], 1.0), 2)
    assert after.means.tolist() == [[0.5], [9.0]]
    assert after.behind.tolist() == [2, 2]


def test_large_m2_gives_each_centre_k_records_on_average():
    """Probabilistic k-anonymity: for large m2 and c = n/k the expected number of records per centre is k."""
    rng = np.random.default_rng(3)
    k, X = 5, rng.normal(size=(500, 3))
    probabilities = memberships(X, X[rng.choice(500, 100, replace=False)] + 0.1, Fuzzy(1e5))
    assert np.asarray(probabilities).sum(axis=0) == pytest.approx(np.full(100, k), rel=1e-3)


def test_for_fixed_centres_the_expected_loss_does_not_fall_as_m2_grows():
    """The part of Proposition 8 of the paper on constraints that holds."""
    X, _, made = clusters(5)
    centres = made.means
    distances = np.square(X[:, None, :] - centres).sum(axis=2)
    losses = [
        float((memberships(X, centres, Fuzzy(m2)) * distances).sum()) for m2 in (1.05, 1.2, 1.5, 2, 3, 5, 10, 100)
    ]
    assert np.all(np.diff(losses) >= -1e-9)


@pytest.mark.parametrize(
    "parameters",
    [{"m2": 0.99}, {"lam2": 0}, {"at_least": 1}, {"at_least": "kk"}, {"at_least": True}, {"per_variable": 1}],
)
def test_parameters_out_of_bounds(parameters):
    with pytest.raises(ParameterError, match=f"{next(iter(parameters))} must be"):
        MembershipDraw(**parameters)
