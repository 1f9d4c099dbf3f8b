"""t-close groups: as the slow versions make them, of at least k, all close, and with no more loss than merging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_close_groups import dealt, exchanged, largest, merged
from shoal.partition import MDAV
from shoal.partition.closeness import (
    AS_MADE,
    MERGED,
    Distributions,
    bucket_sizes,
    close_groups,
    grouped_from_buckets,
    merged_until_close,
    squared_error,
)
from shoal.partition.kernels.closeness import dealt_from_buckets, grouped_with_exchanges


@st.composite
def files(draw, fewest=6, most=40):
    """Draw points with ties, groups of at least k, and confidential variables, some values of which are missing."""
    n = draw(st.integers(fewest, most))
    k = draw(st.integers(2, min(4, n // 2)))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X = rng.integers(0, draw(st.sampled_from([3, 50])), size=(n, draw(st.integers(1, 3)))).astype(float)
    codes, ordered = [], draw(st.lists(st.booleans(), min_size=1, max_size=2))
    for _ in ordered:
        values = rng.integers(0, draw(st.sampled_from([1, 3, 100])), size=n)
        own = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)
        if draw(st.booleans()) and n > 3:
            missing = np.where(rng.random(n) < 0.3, True, False)
            missing[0] = False
            own[missing] = -1
            own[~missing] = np.unique(own[~missing], return_inverse=True)[1].reshape(-1)
        codes.append(own)
    return X, codes, ordered, k, draw(st.sampled_from([0.0, 0.05, 0.15, 0.3, 0.6]))


def columns_of(codes):
    return [[None if one < 0 else one for one in own.tolist()] for own in codes]


def groups_of(labels):
    return [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]


def as_sets(groups):
    return sorted(sorted(group) for group in groups)


@given(files())
def test_the_distance_of_some_records_is_exact(file):
    X, codes, ordered, k, _ = file
    found = Distributions.of(codes, ordered)
    for rows in (range(k), range(len(X)), [0], range(1, len(X), 2)):
        assert found.distance(np.array(rows)) == largest(rows, columns_of(codes), ordered)


@given(files())
def test_merging_is_that_of_the_slow_version(file):
    X, codes, ordered, k, t = file
    labels = MDAV(k=k).fit(X).labels_.astype(np.int64)
    found = merged_until_close(X, labels, Distributions.of(codes, ordered), t)
    assert as_sets(groups_of(found)) == as_sets(merged(X, groups_of(labels), columns_of(codes), ordered, t))


@given(files(), st.sampled_from([1, 5, 100]))
def test_exchanges_are_those_of_the_slow_version(file, most):
    X, codes, ordered, k, t = file
    found = Distributions.of(codes, ordered)
    labels = grouped_with_exchanges(X, found.codes, k, t, most, *found.file)
    assert as_sets(groups_of(labels)) == as_sets(exchanged(X, columns_of(codes), ordered, k, t, most))


@given(files(), st.integers(1, 4), st.integers(1, 2))
def test_groups_from_buckets_are_those_of_the_slow_version(file, buckets, each):
    X = file[0]
    n = len(X)
    groups = n // (buckets * each)
    if groups < 1:
        return
    asked = np.full((groups, buckets), each)
    asked[0, buckets // 2] += n - groups * buckets * each
    bucket = np.repeat(np.arange(buckets), asked.sum(axis=0))[np.random.default_rng(n).permutation(n)]
    labels = dealt_from_buckets(X, bucket, asked)
    assert as_sets(groups_of(labels)) == as_sets(dealt(X, bucket, asked))


@given(files(), st.booleans())
def test_all_groups_are_close_have_k_and_lose_no_more_than_merged_ones(file, merge_only):
    X, codes, ordered, k, t = file
    labels = MDAV(k=k).fit(X).labels_.astype(np.int64)
    found = Distributions.of(codes, ordered)
    close = close_groups(X, labels, found, k, t, merge_only=merge_only)
    assert np.bincount(close.labels).min() >= k
    assert set(close.labels) == set(range(close.labels.max() + 1))
    for group in groups_of(close.labels):
        assert largest(group, columns_of(codes), ordered) <= t
    by_merging = merged_until_close(X, labels, found, t)
    assert squared_error(X, close.labels) <= squared_error(X, by_merging) * (1 + 1e-9)
    if merge_only:
        assert close.way in (AS_MADE, MERGED)
    if all(largest(group, columns_of(codes), ordered) <= t for group in groups_of(labels)):
        assert close.way == AS_MADE and (close.labels == labels).all()


@given(st.integers(2, 500), st.integers(2, 12), st.sampled_from([-0.1, 0.0, 0.01, 0.05, 0.1, 0.2, 1.0]))
def test_buckets_keep_t_by_their_number_alone_where_no_value_occurs_twice(n, k, t):
    """The bound of Soria-Comas and others (2015), proposition 2: (n - b) / (2 (n - 1) b)."""
    rng = np.random.default_rng(n)
    codes = rng.permutation(n)[None].astype(np.int64)
    found = Distributions.of(codes, [True])
    for buckets, each in bucket_sizes(n, k, t):
        assert buckets * each >= k
        if n % (buckets * each):
            continue
        labels = grouped_from_buckets(rng.normal(size=(n, 2)), codes, buckets, each)
        assert all(found.distance(np.array(group)) <= max(t, 0) + 1e-12 for group in groups_of(labels))


def test_groups_from_buckets_have_their_share_of_several_variables():
    rng = np.random.default_rng(0)
    codes = np.vstack([rng.permutation(900), rng.integers(0, 4, 900), rng.permutation(900)])
    labels = grouped_from_buckets(rng.normal(size=(900, 2)), codes, 27, 1)
    found = Distributions.of(list(codes), [True, False, True])
    assert np.bincount(labels).min() >= 27
    assert np.mean([found.distance(np.array(group)) for group in groups_of(labels)]) < 0.1


@pytest.mark.parametrize("t", [0.1, 0.2])
def test_on_census_much_less_is_lost_than_by_merging(reference_data, t):
    table = np.loadtxt(reference_data("census.csv"), delimiter=",", skiprows=1)
    X = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    codes = np.unique(table[:, 4], return_inverse=True)[1].reshape(1, -1).astype(np.int64)
    labels = MDAV(k=5).fit(X).labels_.astype(np.int64)
    found = Distributions.of(list(codes), [True])
    close = close_groups(X, labels, found, 5, t)
    by_merging = merged_until_close(X, labels, found, t)
    assert squared_error(X, close.labels) < 0.6 * squared_error(X, by_merging)
