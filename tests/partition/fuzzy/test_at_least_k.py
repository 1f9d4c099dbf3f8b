"""At-least-k fuzzy c-means: it ends, no group is below k, and it is the slow version that it should be."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracles.slow_at_least_k import SlowAtLeastK
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.partition.fuzzy import AtLeastK


@parametrize_with_checks([AtLeastK(k=10)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@settings(max_examples=60)
@given(
    k=st.integers(2, 12),
    n=st.integers(0, 120),
    d=st.integers(1, 4),
    seed=st.integers(0, 1000),
    m=st.sampled_from([1.01, 1.2, 2.0, 5.0]),
    values=st.sampled_from([1, 2, 5, 1000]),
)
def test_groups_have_k_to_2k_minus_1_records(k, n, d, seed, m, values):
    X = np.random.default_rng(seed).integers(0, values, size=(k + n, d)).astype(float)
    labels = AtLeastK(k, m=m, max_iter=30).fit(X).labels_
    sizes = np.bincount(labels)
    assert labels.shape == (k + n,)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@given(k=st.integers(2, 10), extra=st.integers(0, 1), seed=st.integers(0, 100))
def test_n_just_above_a_multiple_of_k(k, extra, seed):
    for multiple in (1, 2, 3, 6):
        X = np.random.default_rng(seed).normal(size=(multiple * k + extra, 2))
        sizes = np.bincount(AtLeastK(k).fit(X).labels_)
        assert k <= sizes.min() and sizes.max() <= 2 * k - 1


parameters = st.fixed_dictionaries(
    {
        "m": st.sampled_from([1.02, 1.2, 2.0, 4.0]),
        "m_least": st.sampled_from([0.0, 0.1, 1.0]),
        "m_step": st.sampled_from([1.0, 1.05, 3.0]),
        "m_max": st.sampled_from([1.5, 2.5]),
        "cluster_size": st.sampled_from([1, 2, 3, 4.5]),
        "c_step": st.sampled_from([0.0, 0.5, 1.0]),
        "dissolve": st.sampled_from([0.0, 0.34, 0.5, 0.9, 1.0]),
        "fill": st.sampled_from([0.0, 0.5, 1.0]),
        "max_iter": st.sampled_from([1, 20]),
    }
)


@settings(max_examples=60)
@given(
    k=st.integers(2, 5),
    n=st.integers(0, 45),
    d=st.integers(1, 3),
    seed=st.integers(0, 1000),
    values=st.sampled_from([1, 2, 4, 1000]),
    options=parameters,
)
def test_is_the_slow_version_ties_and_duplicates_included(k, n, d, seed, values, options):
    X = np.random.default_rng(seed).integers(0, values, size=(k + n, d)).astype(float)
    fast, slow = AtLeastK(k, **options).fit(X), SlowAtLeastK(k, **options).fit(X)
    assert np.array_equal(fast.labels_, slow.labels)
    assert fast.fallback_share_ == slow.fallback_share
    expected = [slow.leaf_memberships(x, options["m"]) for x in X]
    assert fast.memberships_ == pytest.approx(np.array(expected), rel=1e-9, abs=1e-300)
    sizes = np.bincount(fast.labels_)
    assert k <= sizes.min() and sizes.max() <= 2 * k - 1


@settings(max_examples=30)
@given(k=st.integers(2, 8), seed=st.integers(0, 100), kind=st.sampled_from(["constant", "pairs", "one far", "column"]))
def test_degenerate_tables_end_with_groups_of_at_least_k(k, seed, kind):
    rng = np.random.default_rng(seed)
    for n in (k, 2 * k - 1, 2 * k, 2 * k + 1, 3 * k, 6 * k, 6 * k + 1):
        X = rng.normal(size=(n, 3))
        if kind == "constant":
            X[:] = 7.0
        elif kind == "pairs":
            X = np.repeat(X[: (n + 1) // 2], 2, axis=0)[:n]
        elif kind == "one far":
            X[0] = 1e9
        else:
            X[:, 1] = 5.0
        found = AtLeastK(k).fit(X)
        sizes = np.bincount(found.labels_)
        assert k <= sizes.min() and sizes.max() <= 2 * k - 1
        assert found.memberships_.shape == (n, len(sizes))
        assert found.memberships_.sum(axis=1) == pytest.approx(np.ones(n))


def test_records_that_are_all_alike_are_left_to_mdav():
    alike = AtLeastK(3).fit(np.ones((12, 2)))
    assert alike.fallback_share_ == 1
    apart = AtLeastK(3).fit(np.random.default_rng(0).normal(size=(60, 2)))
    assert apart.fallback_share_ == 0


def test_without_filling_most_sets_are_left_to_mdav():
    X = np.random.default_rng(0).normal(size=(60, 2)) ** 3
    assert AtLeastK(3, fill=1.0).fit(X).fallback_share_ > 0.3


def test_a_record_belongs_most_to_groups_near_by():
    """Two far heaps: the memberships of a record in the groups of the other heap are almost none."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 50])
    found = AtLeastK(3).fit(X)
    other = np.array([(X[found.labels_ == group].mean(axis=0) > 25).all() for group in range(found.labels_.max() + 1)])
    assert found.memberships_[:30][:, other].sum(axis=1).max() < 1e-6
    assert found.memberships_[30:][:, ~other].sum(axis=1).max() < 1e-6
    again = found.predict_memberships(X[:5])
    assert np.array_equal(again, found.memberships_[:5])


def test_a_pickled_copy_keeps_groups_and_not_the_matrix():
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = AtLeastK(3).fit(X)
    copy = pickle.loads(pickle.dumps(found))
    assert np.array_equal(copy.predict_memberships(X), found.memberships_)
    with pytest.raises(ParameterError, match="predict_memberships"):
        _ = copy.memberships_


# The information loss without any repair, when sets were left to MDAV as soon as a cluster was below k.
WITHOUT_REPAIR = {
    "census": {3: 6.6916, 5: 9.9627, 10: 14.9698},
    "tarragona": {3: 18.7293, 5: 23.1169, 10: 35.0082},
}


@pytest.mark.parametrize("file", WITHOUT_REPAIR)
@pytest.mark.parametrize("k", [3, 5, 10])
def test_reference_files(reference_data, file, k):
    """Under a tenth is left to MDAV, and the loss is at most a twentieth above that without repair."""
    X = pd.read_csv(reference_data(f"{file}.csv")).to_numpy(dtype=float)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    found = AtLeastK(k).fit(X)
    means = pd.DataFrame(X).groupby(found.labels_).transform("mean").to_numpy()
    loss = 100 * ((X - means) ** 2).sum() / ((len(X) - 1) * X.shape[1])
    assert loss < 1.05 * WITHOUT_REPAIR[file][k]
    assert found.fallback_share_ < 0.1
    assert np.bincount(found.labels_).min() >= k


def test_nothing_is_drawn():
    X = np.random.default_rng(0).normal(size=(200, 3))
    assert np.array_equal(AtLeastK(4).fit(X).labels_, AtLeastK(4).fit(X).labels_)


def test_fewer_records_than_k_are_refused():
    with pytest.raises(TooFewRecordsError, match="k=6"):
        AtLeastK(6).fit(np.zeros((5, 2)))


def test_a_value_outside_its_limits_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    for name, limit in AtLeastK.limits.items():
        for value in limit.bad_values():
            with pytest.raises(ParameterError, match=name):
                AtLeastK(**{"k": 3, name: value}).fit(X)
