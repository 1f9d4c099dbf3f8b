"""Every representative is taken over at least k observed values (promise 1)."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import TooFewRecordsError
from shoal.replace import neighbours
from shoal.replace.members import TooFewObservedError, joined_to_at_least_k, members


def as_dict(found):
    return {
        int(group): found.records[found.starts[i] : found.starts[i + 1]].tolist()
        for i, group in enumerate(found.groups)
    }


def slow_joined(labels, observed, centres, k, part_of_group):
    """The same, one group and one neighbour after another, joined groups kept as sets."""
    g, d = centres.shape
    count = [sum(1 for r in range(len(labels)) if labels[r] == i and observed[r]) for i in range(g)]

    def distance(i, j):
        known = [c for c in range(d) if not np.isnan(centres[i, c]) and not np.isnan(centres[j, c])]
        if not known:
            return np.inf
        return sum((centres[i, c] - centres[j, c]) ** 2 for c in known) * (d / len(known))

    sets = [{i} for i in range(g)]
    for i in range(g):
        if not 0 < count[i] < k:
            continue
        others = [j for j in range(g) if j != i and part_of_group[j] == part_of_group[i] and count[j]]
        for j in sorted(others, key=lambda j, i=i: (distance(i, j), j)):
            if sum(count[x] for x in sets[i]) >= k:
                break
            both = sets[i] | sets[j]
            for x in both:
                sets[x] = both
        if sum(count[x] for x in sets[i]) < k:
            raise TooFewObservedError(int(part_of_group[i]), count[i], k)
    return [-1 if label < 0 else min(sets[label]) for label in labels]


def random_case(seed, g, size=4, d=3, parts=2, gaps=0.1, places=None):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.append(np.repeat(np.arange(g), size), [-1, -1]))
    observed = rng.random(len(labels)) < 0.7
    centres = rng.normal(size=(g, d)) if places is None else rng.integers(0, places, size=(g, d)).astype(float)
    centres[rng.random((g, d)) < gaps] = np.nan
    return labels, observed, centres, rng.integers(0, parts, g)


def test_members_are_the_observed_records_of_each_group():
    labels = np.array([2, 0, -1, 2, 0, 1])
    observed = np.array([True, True, True, False, True, False])
    assert as_dict(members(labels, observed)) == {0: [1, 4], 2: [0]}


def test_members_know_their_sizes_and_entries():
    found = members(np.array([0, 3, 3, 0, 3]), np.ones(5, dtype=bool))
    assert found.sizes.tolist() == [2, 3]
    assert found.entries.tolist() == [0, 0, 1, 1, 1]


def test_enough_observed_values_change_nothing():
    labels = np.array([0, 1, 0, 1, -1])
    found = joined_to_at_least_k(labels, np.ones(5, dtype=bool), np.zeros((2, 1)), 2, np.zeros(2, dtype=int))
    assert found.tolist() == labels.tolist()


def test_a_short_group_is_joined_to_the_nearest_of_its_own_part():
    labels = np.repeat(np.arange(4), 2)
    observed = np.array([True, False, True, True, True, True, True, True])
    centres = np.array([[0.0], [9.0], [1.0], [3.0]])
    found = joined_to_at_least_k(labels, observed, centres, 2, np.array([0, 0, 1, 0]))
    assert found.tolist() == [0, 0, 1, 1, 2, 2, 0, 0]  # group 2 is nearer, but of another part


def test_the_neighbour_shares_the_value_so_that_nothing_can_be_subtracted():
    """With means 2.75 over (5, 1, 2, 3) and 2 over (1, 2, 3) anyone could find the 5: both groups get 2.75."""
    labels = np.repeat(np.arange(2), 3)
    observed = np.array([True, False, False, True, True, True])
    found = joined_to_at_least_k(labels, observed, np.array([[0.0], [1.0]]), 3, np.zeros(2, dtype=int))
    assert len(set(found.tolist())) == 1


def test_equal_distances_go_to_the_lower_number():
    labels = np.repeat(np.arange(3), 2)
    observed = np.array([True, True, True, False, True, True])
    found = joined_to_at_least_k(labels, observed, np.array([[1.0], [0.0], [-1.0]]), 2, np.zeros(3, dtype=int))
    assert found.tolist() == [0, 0, 0, 0, 2, 2]


def test_a_group_whose_centre_is_unknown_is_joined_too():
    labels = np.repeat(np.arange(3), 2)
    observed = np.array([True, True, True, True, True, False])
    centres = np.array([[1.0], [0.0], [np.nan]])
    assert joined_to_at_least_k(labels, observed, centres, 2, np.zeros(3, dtype=int)).tolist() == [0, 0, 1, 1, 0, 0]


def test_a_part_without_any_value_needs_no_representative():
    labels = np.array([0, 0, 1, 1])
    observed = np.array([True, True, False, False])
    found = joined_to_at_least_k(labels, observed, np.array([[0.0], [np.nan]]), 2, np.array([0, 1]))
    assert members(found, observed).groups.tolist() == [0]


def test_a_part_with_too_few_values_is_an_error_that_says_which():
    labels = np.repeat(np.arange(4), 3)
    observed = np.ones(12, dtype=bool)
    observed[[6, 7, 9, 10, 11]] = False
    with pytest.raises(TooFewObservedError) as error:
        joined_to_at_least_k(labels, observed, np.zeros((4, 1)), 3, np.array([4, 4, 7, 7]))
    assert (error.value.part, error.value.observed, error.value.k) == (7, 1, 3)
    assert isinstance(error.value, TooFewRecordsError) and isinstance(error.value, ValueError)
    assert vars(pickle.loads(pickle.dumps(error.value))) == vars(error.value)


@given(
    seed=st.integers(0, 2**32),
    g=st.integers(4, 40),
    k=st.integers(2, 30),
    parts=st.integers(1, 3),
    gaps=st.sampled_from([0.0, 0.05, 0.6]),
    places=st.sampled_from([None, 1, 3]),
    tree_from=st.sampled_from([2, 500]),
)
def test_joined_groups_against_a_plain_loop(seed, g, k, parts, gaps, places, tree_from):
    labels, observed, *case, part_of_group = random_case(seed, g, parts=parts, gaps=gaps, places=places)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "_TREE_FROM", tree_from)
        patch.setattr(neighbours, "_PAIRS_AT_ONCE", 100)
        try:
            expected = slow_joined(labels, observed, *case, k, part_of_group)
        except TooFewObservedError:
            with pytest.raises(TooFewObservedError):
                joined_to_at_least_k(labels, observed, *case, k, part_of_group)
        else:
            found = joined_to_at_least_k(labels, observed, *case, k, part_of_group)
            assert found.tolist() == expected
            assert members(found, observed).sizes.min() >= k


@pytest.mark.parametrize("places", [None, 2, 6])
def test_many_groups_against_a_plain_loop(places):
    # Enough groups for the tree, with centres that lack a column and (places) many that are equal.
    *case, part_of_group = random_case(1, 700, parts=1, gaps=0.02, places=places)
    assert joined_to_at_least_k(*case, 6, part_of_group).tolist() == slow_joined(*case, 6, part_of_group)


@given(seed=st.integers(0, 2000), g=st.integers(1, 12), k=st.integers(2, 5))
def test_with_units_k_different_ones_have_a_value_behind_every_representative(seed, g, k):
    """Counted with sets; groups that share units are joined further, and never across parts."""
    labels, observed, centres, part = random_case(seed, g, places=3)
    units = np.random.default_rng(seed).integers(0, 8, len(labels))

    def different(within):
        return len({int(units[row]) for row in np.flatnonzero(observed) if within(labels[row])})

    short = [
        number for number in set(part.tolist()) if 0 < different(lambda one, n=number: one >= 0 and part[one] == n) < k
    ]
    try:
        joined = joined_to_at_least_k(labels, observed, centres, k, part, units=units)
    except TooFewObservedError as error:
        assert error.part in short
        return
    assert not short
    for group in set(joined[(joined >= 0) & observed].tolist()):
        rows = np.flatnonzero((joined == group) & observed)
        assert len(set(units[rows].tolist())) >= k
        assert len(set(part[labels[rows]].tolist())) == 1
    together = {(int(one), int(other)) for one, other in zip(labels, joined, strict=True)}
    assert len(together) == len(set(labels.tolist()))  # groups are joined whole
