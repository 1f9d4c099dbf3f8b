"""Nobody has too large a share of what is behind a released value, or it is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_shares import slow_joined_to_shares
from shoal.replace import contributions as module
from shoal.replace.contributions import Contributions, TooLargeShareError, joined_to_shares


def drawn(seed, groups, *, size=3, parts=2, places=None, zeros=0.5, units=None, several=1, most=None):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.append(np.repeat(np.arange(groups), size), [-1, -1]))
    centres = rng.normal(size=(groups, 2)) if places is None else rng.integers(0, places, (groups, 2)).astype(float)
    centres[rng.random((groups, 2)) < 0.1] = np.nan
    contributions = []
    for _ in range(several):
        amounts = np.where(rng.random(len(labels)) < zeros, 0.0, rng.integers(1, 12, len(labels)).astype(float))
        who = None if units is None else rng.integers(0, units, len(labels))
        contributions.append(Contributions(amounts, rng.choice([0.3, 0.5, 0.8]) if most is None else most, who))
    return labels, contributions, centres, rng.integers(0, parts, groups)


@given(
    seed=st.integers(0, 10_000),
    groups=st.integers(1, 25),
    places=st.sampled_from([None, 1, 3]),
    units=st.sampled_from([None, 5, 30]),
    several=st.integers(1, 3),
)
def test_groups_are_joined_as_one_after_the_other_would_be(seed, groups, places, units, several):
    labels, contributions, centres, part = drawn(seed, groups, places=places, units=units, several=several)
    expected = slow_joined_to_shares(labels, contributions, centres, part)
    if expected is None:
        with pytest.raises(TooLargeShareError):
            joined_to_shares(labels, contributions, centres, part)
        return
    assert joined_to_shares(labels, contributions, centres, part).tolist() == expected


@pytest.mark.parametrize("places", [None, 1, 6])
def test_a_tree_finds_the_neighbours_that_comparing_all_finds(monkeypatch, places):
    """Ties included: with one place, all groups are equally near."""
    labels, contributions, centres, part = drawn(3, 1500, places=places, parts=1, zeros=0.6, most=0.5)
    by_tree = joined_to_shares(labels, contributions, centres, part)
    monkeypatch.setattr(module, "_TREE_FROM", 10**9)
    np.testing.assert_array_equal(by_tree, joined_to_shares(labels, contributions, centres, part))
    assert len(np.unique(by_tree)) < 1400


def test_a_group_that_is_joined_takes_the_nearest_that_has_something():
    labels = np.repeat(np.arange(4), 2)
    amounts = np.array([8.0, 0, 0, 0, 9, 9, 8, 8])
    joined = joined_to_shares(labels, [Contributions(amounts, 0.5)], np.array([[0.0], [1], [3], [2]]), np.zeros(4, int))
    assert joined.tolist() == [0, 0, 1, 1, 2, 2, 0, 0]  # not the second, which has nothing


def test_halves_are_allowed_and_a_little_more_is_not():
    labels, part, centres = np.repeat([0, 1], 2), np.zeros(2, int), np.zeros((2, 1))
    equal = Contributions(np.array([0.1, 0.1, 3, 3]), 0.5)
    assert joined_to_shares(labels, [equal], centres, part) is labels
    more = Contributions(np.array([0.1, 0.1 + 1e-9, 3, 3]), 0.5)
    assert joined_to_shares(labels, [more], centres, part).tolist() == [0, 0, 0, 0]


def test_contributions_of_one_contributor_add_up():
    amounts, labels = np.array([4.0, 4, 5, 1]), np.zeros(4, int)
    assert Contributions(amounts, 0.5).totals(labels, 1).largest.tolist() == [5]
    one = Contributions(amounts, 0.5, who=np.array([7, 7, 2, 3])).totals(labels, 1)
    assert (one.largest.tolist(), one.contributors.tolist(), one.above(0.5).tolist()) == ([8], [3], [True])


def test_numbers_whose_sum_overflows_are_compared_all_the_same():
    values = np.array([1.7e308, -1.7e308, 1.7e308, 1e300])
    one = Contributions.of(values, np.ones(4, dtype=bool), 0.5).totals(np.array([0, 0, 1, 1]), 2)
    assert one.above(0.5).tolist() == [False, True]


def test_a_share_that_no_joining_mends_is_refused_with_what_it_is_about():
    labels, part = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1])
    fine, wrong = Contributions(np.ones(6), 0.5), Contributions(np.array([1.0, 1, 1, 1, 9, 1]), 0.5)
    with pytest.raises(TooLargeShareError) as caught:
        joined_to_shares(labels, [fine, wrong], np.zeros((3, 1)), part)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.number, again.parts) == (1, 1)
