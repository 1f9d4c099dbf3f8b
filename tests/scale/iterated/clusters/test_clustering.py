"""Fuzzy clusters over pages are those of the estimators in memory, which are the reference of all numbers here."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from shoal.errors import ConvergenceWarning
from shoal.partition.fuzzy import EntropyFuzzyCMeans, FuzzyCMeans
from shoal.partition.fuzzy.alternating import Entropic, c_means_rule, memberships
from shoal.partition.fuzzy.projection import feasible_set
from shoal.scale.iterated.clusters.clustering import clustered


def _records() -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.vstack([rng.normal(size=(300, 3)), rng.normal(size=(400, 3)) + 4, [[30.0, 0.0, 0.0]]])


def _fitted(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(_records())


@pytest.mark.parametrize("init", ["k-means++", "random", "farthest"])
@pytest.mark.parametrize("m", [1.0, 1.3, 2.0])
@pytest.mark.parametrize("size", [97, 701])
def test_centres_and_memberships_are_those_of_the_estimator(pages_for, run, init, m, size):
    estimator = _fitted(FuzzyCMeans(5, m=m, init=init, n_init=2, max_iter=60, tol=1e-4, random_state=3))
    found = run(clustered(pages_for(_records(), size), 5, c_means_rule(m), estimator))
    assert np.abs(found.centres - estimator.cluster_centers_).max() < 1e-9
    assert np.abs(memberships(_records(), found.centres, c_means_rule(m)) - estimator.memberships_).max() < 1e-9
    assert (found.n_iter, found.converged) == (estimator.n_iter_, estimator.converged_)


def test_entropy_has_the_centres_of_its_estimator(pages_for, run):
    estimator = _fitted(EntropyFuzzyCMeans(5, lam=3.0, max_iter=60, tol=1e-4, random_state=3))
    found = run(clustered(pages_for(_records(), 150), 5, Entropic(3.0), estimator))
    assert np.abs(found.centres - estimator.cluster_centers_).max() < 1e-9


@pytest.mark.parametrize(
    ("seed", "estimator", "rule"),
    [
        (21, FuzzyCMeans(6, m=1.005, init="random", random_state=21, max_iter=20), c_means_rule(1.005)),
        (45, EntropyFuzzyCMeans(6, lam=1e3, init="random", random_state=45, max_iter=20), Entropic(1e3)),
        (45, FuzzyCMeans(6, m=1.0, init="random", random_state=45, max_iter=20), c_means_rule(1.0)),
    ],
    ids=["fuzzy", "entropy", "crisp"],
)
def test_a_centre_that_loses_its_records_moves_as_in_memory(pages_for, run, seed, estimator, rule):
    # Seeds for which a centre's weights are all too small for numbers on the way.
    X = np.sort(np.random.default_rng(seed).standard_cauchy(size=(14, 2)).round(3), axis=0) * 10
    found = run(clustered(pages_for(X, 7), 6, rule, estimator.fit(X)))
    assert np.abs(found.centres - estimator.cluster_centers_).max() < 1e-9


@pytest.mark.parametrize("mode", ["alternate", "project"])
def test_centres_keep_linear_constraints_as_the_estimator_does(pages_for, run, mode):
    constraints = (np.array([[1.0, 1.0, -1.0]]), np.array([2.0]))
    estimator = _fitted(FuzzyCMeans(4, constraints=constraints, mode=mode, max_iter=40, tol=1e-4))
    allowed = feasible_set(3, constraints, None, None)
    each_time = mode == "alternate"
    found = run(
        clustered(
            pages_for(_records(), 150), 4, c_means_rule(2.0), estimator, allowed.project, projects_each_time=each_time
        )
    )
    assert np.abs(found.centres - estimator.cluster_centers_).max() < 1e-9
    assert np.abs(found.centres @ [1.0, 1.0, -1.0] - 2.0).max() < 1e-9
