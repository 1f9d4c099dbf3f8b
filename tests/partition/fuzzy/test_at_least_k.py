"""At-least-k fuzzy c-means: it ends, and no group is below k."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

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


def test_census(reference_data):
    """METHODS 9 reached 1043 with groups up to 2k; groups of 2k come apart here."""
    X = pd.read_csv(reference_data("census.csv")).to_numpy(dtype=float)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    labels = AtLeastK(3).fit(X).labels_
    means = pd.DataFrame(X).groupby(labels).transform("mean").to_numpy()
    assert ((X - means) ** 2).sum() < 1100
    assert np.bincount(labels).min() == 3


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
