"""The draw: it follows the probabilities, and every centre that is released is carried by enough records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.fuzzy import AtLeastK
from shoal.partition.fuzzy.alternating import Crisp, Fuzzy, memberships
from shoal.replace.membership_draw import group_averages, merged
from shoal.replace.soft_groups import UNCHANGED, by_distance, by_membership, soft_groups


def records(seed, n=60, c=20, d=2):
    """Return skewed records, and some of them as centres."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) ** 3
    return X, X[rng.choice(n, c, replace=False)] + 0.01


@given(st.integers(0, 200), st.integers(2, 15))
def test_every_centre_is_carried_by_at_least_k(seed, k):
    X, centres = records(seed)
    chances = by_distance(X, centres, Fuzzy(1.5))
    found = soft_groups(X, centres, np.full(len(centres), 99.0), chances, k, np.random.default_rng(seed))
    assert np.bincount(found.labels).min() >= k
    assert found.labels.max() == len(found.centres) - 1


def test_the_draw_follows_the_memberships():
    """Frequencies over many draws beside the memberships, within five standard errors."""
    centres = np.array([[0.0], [1.0], [4.0]])
    X = np.full((40_000, 1), 0.4)
    found = soft_groups(X, centres, np.ones(3), by_distance(X, centres, Fuzzy(2.0)), 0, np.random.default_rng(0))
    share = np.bincount(found.labels, minlength=3) / len(X)
    expected = memberships(X[:1], centres, Fuzzy(2.0))[0]
    assert np.abs(share - expected).max() < 5 * np.sqrt(0.25 / len(X))


@given(st.integers(0, 200), st.integers(0, 9))
def test_a_crisp_draw_gives_everyone_the_nearest_centre_that_is_released(seed, fewest):
    """Whole numbers: many are equally near to several centres."""
    rng = np.random.default_rng(seed)
    X, centres = (rng.integers(0, 5, size=(n, 2)).astype(float) for n in (60, 12))
    chances = by_distance(X, centres, Crisp())
    one, other = (
        soft_groups(X, centres, np.arange(12.0), chances, fewest, np.random.default_rng(draw)) for draw in (0, 1)
    )
    assert np.array_equal(one.labels, other.labels)  # nothing is drawn
    distances = np.square(X[:, None] - one.centres).sum(axis=2)
    assert np.array_equal(distances[np.arange(60), one.labels], distances.min(axis=1))
    assert np.bincount(one.labels).min() >= fewest


def test_who_would_be_left_unchanged_draws_again_nearby_unless_many_are_as_near():
    X = np.array([[0.0], [5.0], [5.0], [5.05], [0.02], [0.03]])
    centres = np.array([[0.0], [5.0], [0.05]])
    chances = by_distance(X, centres, Fuzzy(1.1))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = soft_groups(X, centres, np.ones(3), chances, 2, rng, unit=np.ones(1))
        assert found.centres[found.labels[0], 0] != 0  # 0.05 is nearby
        assert found.centres[found.labels[1:3], 0].tolist() == [5, 5]  # two are the same
    found = soft_groups(X[:2], centres[:2], np.ones(2), chances, 1, rng, unit=np.ones(1))
    assert found.centres[found.labels, 0].tolist() == [0, 5]  # no other centre is nearby


@given(st.integers(0, 200), st.booleans())
def test_rounded_centres_leave_no_record_unchanged_that_has_another(seed, nested):
    """Whole numbers with many ties; the others are drawn with the probabilities that they have among themselves."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(40, 1)).astype(float)
    centres = rng.choice(12, size=(5, 1), replace=False).astype(float)
    chances, homes = by_distance(X, centres, Fuzzy(1.5)), np.arange(len(X)) % 5 if nested else None
    found = soft_groups(X, centres, np.ones(5), chances, 4, rng, homes=homes, unit=np.ones(1), rounded=True)
    released = found.centres[found.labels, 0]
    assert np.array_equal(found.centres, centres[found.places])
    assert np.bincount(found.labels).min() >= 4
    for value in np.unique(released[released == X[:, 0]]):
        assert len(found.centres) == 1 or (homes is None and (X[:, 0] == value).sum() >= 4)


def test_a_record_that_is_a_centre_draws_among_the_others_by_their_memberships():
    centres = np.array([[0.0], [1.0], [4.0]])
    X = np.vstack([np.zeros((1, 1)), np.full((60_000, 1), 9.0)])
    chances = by_distance(X, centres, Fuzzy(2.0))
    rng, drawn = np.random.default_rng(0), []
    for _ in range(400):
        found = soft_groups(X[:1], centres, np.ones(3), chances, 1_000, rng, unit=np.ones(1), rounded=True)
        drawn.append(found.centres[found.labels[0], 0])
    assert set(drawn) == {1.0, 4.0}
    expected = memberships(X[:1], centres[1:], Fuzzy(2.0))[0, 1]
    assert abs(np.mean(np.array(drawn) == 4.0) - expected) < 5 * np.sqrt(0.25 / 400)


def drawn_from_groups(X, k, m2, seed, fewest=None, unit=None):
    """Draw among the groups of at-least-k, merged so that each has at least `fewest` records."""
    found = AtLeastK(k, max_iter=20).fit(X)
    fewest = k if fewest is None else fewest
    averaged = merged(group_averages(X, found.labels_), fewest)
    chances = by_membership(found._memberships_of(X, m2), averaged.centre_of)
    homes = averaged.centre_of[found.labels_]
    unit = np.maximum(X.std(axis=0), 1e-9) if unit is None else unit
    rng = np.random.default_rng(seed)
    return soft_groups(X, averaged.means, averaged.behind, chances, fewest, rng, homes=homes, unit=unit), averaged


@given(
    seed=st.integers(0, 500),
    k=st.integers(2, 6),
    n=st.integers(0, 60),
    m2=st.sampled_from([1, 1.01, 1.2, 2.0, 50.0]),
    values=st.sampled_from([1, 2, 6, 1000, 10**6]),
    more=st.integers(0, 3),
)
def test_every_centre_of_groups_is_carried_by_and_averages_at_least_k(seed, k, n, m2, values, more):
    """Whatever is drawn, duplicates included; `more` asks for more than k."""
    X = np.random.default_rng(seed).integers(0, values, size=(2 * k + more + n, 2)).astype(float)
    drawn, averaged = drawn_from_groups(X, k, m2, seed, fewest=k + more)
    assert averaged.behind.min() >= k + more
    assert np.bincount(drawn.labels).min() >= k + more
    assert drawn.behind.min() >= k + more
    assert drawn.labels.max() == len(drawn.centres) - 1


def test_a_sharp_draw_leaves_everyone_in_the_own_group():
    """With two far heaps of k and m2 near 1 there is nothing to choose."""
    X = np.vstack([np.arange(8.0)[:, None] ** 0.5, 1000 + np.arange(8.0)[:, None] ** 0.5])
    drawn, _ = drawn_from_groups(X, 4, 1.0001, 0, unit=np.full(1, 0.1))
    means = np.array([X[drawn.labels == one].mean() for one in range(len(drawn.centres))])
    assert means == pytest.approx(drawn.centres[:, 0])


def test_records_return_to_the_group_that_too_few_drew():
    """All want the first centre; the second gets its own back, the one that wants it most first."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    centres = np.array([[1.0], [10.5]])
    wanted = np.array([[1.0, 0.0]] * 3 + [[1.0, 1e-30], [1.0, 1e-40]])
    homes = np.array([0, 0, 0, 1, 1])
    chances = by_membership(wanted, np.arange(2))
    rng = np.random.default_rng(0)
    for fewest, expected in ((2, [0, 0, 0, 1, 1]), (1, [0, 0, 0, 1, 0])):
        found = soft_groups(X, centres, np.ones(2), chances, fewest, rng, homes=homes, unit=np.full(1, 1e-6))
        assert found.labels.tolist() == expected


def test_a_centre_that_only_unchanged_records_could_carry_is_left_out():
    """The second record is its group's mean; it may not come back, and nobody else is near."""
    X = np.array([[0.0], [0.05], [0.1], [0.15], [0.2], [0.25], [0.05]])
    centres = np.array([[0.05], [0.2]])
    homes = np.array([0, 0, 0, 1, 1, 1, 0])
    chances = by_membership(np.full((7, 2), 0.5), np.arange(2))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = soft_groups(X, centres, np.ones(2), chances, 3, rng, homes=homes, unit=np.full(1, 2.0))
        released = found.centres[found.labels]
        assert (np.abs(X - released) > UNCHANGED * 2.0).all()
        assert np.bincount(found.labels).min() >= 3


@given(seed=st.integers(0, 300), k=st.integers(2, 5))
def test_nobody_is_unchanged_where_another_centre_is_near(seed, k):
    """Records so close that every centre is within a tenth of a standard deviation of every record."""
    X = np.random.default_rng(seed).normal(size=(50, 2))
    unit = np.full(2, 100.0)
    drawn, _ = drawn_from_groups(X, k, 1.05, seed, unit=unit)
    if len(drawn.centres) > 1:
        assert (np.abs(X - drawn.centres[drawn.labels]) > UNCHANGED * unit).any(axis=1).all()


@pytest.mark.parametrize("fewest", [0, 4])
def test_the_expected_number_of_records_is_the_sum_of_the_probabilities(fewest):
    """Against a loop, for the released centres, and against the mean over many draws."""
    X, centres = records(11, c=8)
    X[0] = centres[3]  # a record on a centre
    chances = by_distance(X, centres, Fuzzy(1.6))
    expected = sum(chances(np.array([row]), np.arange(8))[0] for row in range(60))
    found = soft_groups(X, centres, np.ones(8), chances, fewest, np.random.default_rng(0))
    released = [centres.tolist().index(one) for one in found.centres.tolist()]
    assert found.expected == pytest.approx(expected[released])
    if not fewest:
        rng = np.random.default_rng(1)
        counts = np.zeros(8)
        for _ in range(2000):
            drawn = soft_groups(X, centres, np.ones(8), chances, 0, rng)
            used = [centres.tolist().index(one) for one in drawn.centres.tolist()]
            counts[used] += np.bincount(drawn.labels)
        assert np.abs(counts / 2000 - expected).max() < 5 * np.sqrt(60 / 4 / 2000)


def test_who_belongs_to_none_of_the_centres_is_expected_anywhere():
    wanted = np.array([[0.0, 0, 0], [0, 2, 2], [5, 0, 0]])
    chances = by_membership(wanted, np.arange(3))
    found = soft_groups(np.zeros((3, 1)), np.arange(3.0)[:, None], np.ones(3), chances, 0, np.random.default_rng(0))
    expected = np.array([1 + 1 / 3, 1 / 2 + 1 / 3, 1 / 2 + 1 / 3])
    assert found.expected == pytest.approx(expected[found.centres[:, 0].astype(int)])


def test_memberships_of_merged_clusters_are_added():
    chances = by_membership(np.array([[0.5, 0.2, 0.3]]), np.array([1, 0, 1]))
    assert chances(np.array([0]), np.array([0, 1])) == pytest.approx(np.array([[0.2, 0.8]]))


def test_who_belongs_to_none_of_the_centres_takes_any():
    X = np.zeros((3_000, 1))
    chances = by_membership(np.zeros((3_000, 3)), np.arange(3))
    found = soft_groups(X, np.arange(3.0)[:, None], np.ones(3), chances, 0, np.random.default_rng(0))
    assert np.bincount(found.labels, minlength=3).min() > 900
