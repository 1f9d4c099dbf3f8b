"""The conventions of scikit-learn, beside scikit-learn's own base class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from shoal.errors import ParameterError
from shoal.partition import MDAV, MDAVGeneric, Refine
from shoal.partition.fuzzy import FuzzyCMeans, FuzzyCRegression


class Rival(ClusterMixin, BaseEstimator):
    """What Refine would be with scikit-learn's base class, as far as parameters go."""

    __init__ = Refine.__init__

    allow_nan = False


def nested(kind):
    return kind(5, start=MDAV(3, variant="two-k"), steps=7)


@pytest.mark.parametrize("deep", [False, True])
def test_parameters_are_those_that_scikit_learn_would_give(deep):
    names = list(nested(Rival).get_params(deep))
    assert sorted(nested(Refine).get_params(deep)) == sorted(names)
    assert nested(Refine).get_params(deep)["k"] == 5


def test_parameters_of_a_parameter_are_set():
    estimator = nested(Refine).set_params(start__k=4, seconds=None)
    assert (estimator.start.k, estimator.start.variant, estimator.seconds, estimator.k) == (4, "two-k", None, 5)
    assert estimator.set_params(start=MDAV(8), start__variant="two-k").start.variant == "two-k"


def test_a_parameter_that_does_not_exist_is_named():
    with pytest.raises(ParameterError, match="MDAV has no parameter 'kay'"):
        MDAV(3).set_params(kay=4)


@pytest.mark.parametrize("kind", [Refine, Rival])
def test_what_was_changed_is_shown(kind):
    assert repr(kind(5, steps=7)) == f"{kind.__name__}(k=5, steps=7)"


@pytest.mark.parametrize("copied", [clone, Refine.unfitted])
def test_a_copy_is_unfitted_and_its_parameters_are_copies(copied):
    start = np.repeat(np.arange(4), 5)
    fitted = Refine(5, start=start, steps=7).fit(np.random.default_rng(0).normal(size=(20, 2)))
    copy = copied(fitted)
    assert not hasattr(copy, "labels_")
    assert copy.start is not start
    assert np.array_equal(copy.start, start)
    estimator = nested(Refine)
    assert copied(estimator).start is not estimator.start
    assert copied(estimator).get_params().keys() == estimator.get_params().keys()


@pytest.mark.parametrize("estimator", [FuzzyCMeans(2), FuzzyCRegression(2)])
def test_nothing_is_predicted_before_fitting(estimator):
    with pytest.raises(NotFittedError, match="Call fit first"):
        estimator.predict(np.zeros((3, 2)))


def test_tags_are_those_of_scikit_learn():
    assert get_tags(MDAV(3)).estimator_type == get_tags(nested(Rival)).estimator_type == "clusterer"
    assert not get_tags(MDAV(3)).input_tags.allow_nan
    assert get_tags(MDAVGeneric(3)).input_tags.allow_nan
    assert get_tags(FuzzyCRegression(2)).estimator_type == "regressor"
    assert get_tags(FuzzyCRegression(2)).target_tags.multi_output
