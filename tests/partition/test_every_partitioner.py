"""What every partitioner promises, tested on all that have a name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracles.unusable_matrices import assert_refused_without_values, every_unusable_matrix
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.partition import PARTITIONERS, HACMixed, MDAVGeneric, OptimalUnivariate, Refine


class OptimalUnivariateOfTheFirstColumn(OptimalUnivariate):
    """Takes the matrices with several columns that the checks bring; the class itself refuses them, by design."""

    def _partition(self, X):
        return super()._partition(np.ascontiguousarray(X[:, :1]))


EVERY = {**PARTITIONERS, "optimal-univariate": OptimalUnivariateOfTheFirstColumn, "mdav-generic": MDAVGeneric}
EVERY |= {"hac-mixed": HACMixed}

# A search by the clock cannot be repeated; one in steps can.
SETTINGS = {Refine: {"seconds": None, "steps": 200}}


def make(partitioner, **parameters):
    return partitioner(**{**SETTINGS.get(partitioner, {}), **parameters})


every_partitioner = pytest.mark.parametrize("partitioner", EVERY.values(), ids=EVERY.keys())


@parametrize_with_checks([make(partitioner, k=10) for partitioner in EVERY.values()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@every_partitioner
@settings(max_examples=40)
@given(n=st.integers(2, 150), d=st.integers(1, 5), seed=st.integers(0, 1000), data=st.data())
def test_groups_have_k_and_labels_are_all_used(partitioner, n, d, seed, data):
    k = data.draw(st.integers(2, n))
    X = np.random.default_rng(seed).integers(0, 10, size=(n, d)).astype(float)
    labels = make(partitioner, k=k).fit(X).labels_
    assert labels.shape == (n,)
    assert labels.dtype == np.int64
    assert labels.min() >= 0
    assert np.bincount(labels).min() >= k  # a label that is skipped has no records


@every_partitioner
def test_a_value_outside_its_limits_is_refused(partitioner):
    X = np.random.default_rng(0).normal(size=(30, 2))
    for name, limit in partitioner.limits.items():
        for value in limit.bad_values():
            estimator = make(partitioner, **{"k": 3, name: value})
            with pytest.raises(ParameterError, match=name):
                estimator.fit(X)


@every_partitioner
def test_fewer_records_than_k_are_refused(partitioner):
    with pytest.raises(TooFewRecordsError, match="k=6"):
        make(partitioner, k=6).fit(np.zeros((5, 2)))


@every_partitioner
def test_missing_values_are_refused_or_handled(partitioner):
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[4, 1] = np.nan
    estimator = make(partitioner, k=3)
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        assert np.bincount(estimator.fit(X).labels_).min() >= 3
    else:
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(X)


@every_partitioner
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_input_stays_as_it_is_and_a_second_fit_agrees(partitioner, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(200, 4)), order=order)
    before = X.copy()
    estimator = make(partitioner, k=4)
    first = estimator.fit(X).labels_.copy()
    assert np.array_equal(X, before)
    assert np.array_equal(estimator.fit(X).labels_, first)
    assert np.array_equal(clone(estimator).fit_predict(X), first)


@every_partitioner
def test_k_is_asked_for(partitioner):
    with pytest.raises(TypeError, match="k"):
        partitioner()


@every_partitioner
def test_one_group_when_there_is_no_room_for_two(partitioner):
    X = np.random.default_rng(0).normal(size=(19, 2))
    assert not make(partitioner, k=10).fit(X).labels_.any()


@every_partitioner
@every_unusable_matrix
def test_no_value_of_the_data_is_in_an_error(partitioner, X):
    assert_refused_without_values(partitioner(3).fit, X)
