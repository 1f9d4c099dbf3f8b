"""No two means of tied variables differ by fewer than k records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.replace.members import TooFewObservedError, joined_to_at_least_k
from shoal.replace.same_records import Behind, over_the_same_records


def differences(behind, labels):
    """Return how many records one mean counts and another does not, for all groups and pairs of variables.

    Groups joined for either of two variables are compared whole: sums of parts are known to whoever knows the parts.
    """
    groups = {group: {group} for group in set(labels.tolist()) - {-1}}
    for one in behind.values():
        for group, own in zip(labels.tolist(), one.labels.tolist(), strict=True):
            if group >= 0:
                together = groups[group] | groups[own]
                for member in together:
                    groups[member] = together
    for together in {frozenset(one) for one in groups.values()}:
        inside = np.isin(labels, list(together))
        for one in behind.values():
            for other in behind.values():
                yield int((inside & one.counted & ~other.counted).sum())


@given(
    groups=st.integers(1, 8),
    k=st.integers(2, 4),
    variables=st.integers(2, 4),
    share=st.floats(0, 0.6),
    parts=st.integers(1, 2),
    seed=st.integers(0, 10**6),
)
def test_means_of_tied_variables_differ_by_no_record_or_at_least_k(groups, k, variables, share, parts, seed):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(groups), rng.integers(k, 2 * k, groups)), [-1]])
    part = np.sort(rng.integers(0, parts, groups))
    centres = rng.normal(size=(groups, 2))
    observed = rng.random((variables, len(labels))) >= share
    observed[:, -1] = False
    own = {}
    try:
        for name, mask in enumerate(observed):
            own[str(name)] = Behind(joined_to_at_least_k(labels, mask, centres, k, part), mask)
        behind = over_the_same_records(own, labels, centres, k, part)
    except TooFewObservedError:
        return
    for name, one in behind.items():
        assert not (one.counted & ~own[name].counted).any()
        assert set(one.labels[own[name].counted]) == set(one.labels[one.counted])  # a mean for every value
        for group in set(one.labels[one.counted].tolist()):
            assert (one.counted & (one.labels == group)).sum() >= k
            assert len(set(part[labels[one.labels == group]])) == 1
    assert all(count == 0 or count >= k for count in differences(behind, labels))


def test_a_value_missing_in_one_variable_does_not_count_in_the_other():
    labels = np.repeat([0, 1], 4)
    observed = {"x": np.ones(8, dtype=bool), "y": np.arange(8) != 2}
    own = {name: Behind(labels, mask) for name, mask in observed.items()}
    behind = over_the_same_records(own, labels, np.array([[0.0], [1.0]]), 3, np.zeros(2, np.int64))
    np.testing.assert_array_equal(behind["x"].counted, observed["y"])
    np.testing.assert_array_equal(behind["x"].labels, labels)


def test_variables_that_differ_by_k_records_keep_all_of_them():
    labels = np.zeros(7, dtype=np.int64)
    own = {"x": Behind(labels, np.ones(7, dtype=bool)), "y": Behind(labels, np.arange(7) >= 3)}
    behind = over_the_same_records(own, labels, np.zeros((1, 1)), 3, np.zeros(1, np.int64))
    assert behind["x"].counted.all() and behind["y"] is own["y"]


def test_too_few_records_with_all_of_them_are_refused():
    labels = np.zeros(4, dtype=np.int64)
    own = {"x": Behind(labels, np.arange(4) < 3), "y": Behind(labels, np.arange(4) > 0)}
    with pytest.raises(TooFewObservedError):
        over_the_same_records(own, labels, np.zeros((1, 1)), 3, np.zeros(1, np.int64))
