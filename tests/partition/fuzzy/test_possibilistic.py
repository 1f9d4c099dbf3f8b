"""Possibilistic c-means: the algorithm written out, outliers, and what it is known for."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.measure import fuzzy_rand_index
from shoal.partition.fuzzy import FuzzyCMeans, PossibilisticCMeans


def squared(X, V):
    return ((X[:, None] - V[None]) ** 2).sum(axis=2)


def brute_force(X, V, m):
    """Fuzzy c-means from V until it rests, eta from it, then possibilistic c-means, by the formulas of METHODS 7."""
    for _ in range(3000):
        u = np.maximum(squared(X, V), 1e-300) ** (-1 / (m - 1))
        w = (u / u.sum(axis=1, keepdims=True)) ** m
        V = w.T @ X / w.sum(axis=0)[:, None]
    u = np.maximum(squared(X, V), 1e-300) ** (-1 / (m - 1))
    w = (u / u.sum(axis=1, keepdims=True)) ** m
    eta = (w * squared(X, V)).sum(axis=0) / w.sum(axis=0)
    for _ in range(3000):
        w = (1 / (1 + (squared(X, V) / eta) ** (1 / (m - 1)))) ** m
        V = w.T @ X / w.sum(axis=0)[:, None]
    return V, eta, 1 / (1 + (squared(X, V) / eta) ** (1 / (m - 1)))


@pytest.mark.parametrize("m", [1.5, 2.0, 2.7])
@pytest.mark.parametrize("whole", [False, True])
def test_against_the_algorithm_written_out(m, whole):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2)) + 5 * rng.integers(0, 3, size=(60, 1))
    X = np.round(X) if whole else X  # with many records that are the same
    start = np.array([[0.2, 0.1], [5.1, 4.8], [10.3, 9.7]])
    centres, eta, typicalities = brute_force(X, start, m)
    fitted = PossibilisticCMeans(3, m=m, init=start, tol=1e-13, max_iter=3000).fit(X)
    assert fitted.cluster_centers_ == pytest.approx(centres, abs=1e-8)
    assert fitted.eta_ == pytest.approx(eta, rel=1e-8)
    assert fitted.typicalities_ == pytest.approx(typicalities, abs=1e-8)
    assert np.array_equal(fitted.labels_, typicalities.argmax(axis=1))
    assert np.array_equal(fitted.memberships_, fitted.typicalities_)
    assert fitted.converged_
    objective = (typicalities**m * squared(X, centres) + eta * (1 - typicalities) ** m).sum()
    assert fitted.objective_[-1] == pytest.approx(objective, rel=1e-9)


def test_an_outlier_is_typical_of_nothing():
    """Of the two clusters of the toy of METHODS 7, and a record far from both."""
    X = np.array([0, 0.2, 0.4, 5, 5.2, 5.4, 200])[:, None]
    fitted = PossibilisticCMeans(2, init=[[0.2], [5.2]], m=1.5).fit(X[:-1])
    assert fitted.cluster_centers_[:, 0] == pytest.approx([0.2, 5.2], abs=0.01)
    assert fitted.predict_memberships(X)[-1].max() < 1e-6  # of a fuzzy partition it would be one half
    assert fitted.predict(X).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_typicalities_are_no_memberships():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    typicalities = PossibilisticCMeans(3, max_iter=1000).fit(X).typicalities_
    assert typicalities.sum(axis=1).max() > 1 + 1e-6
    with pytest.raises(ParameterError, match="sum to more than 1"):
        fuzzy_rand_index(typicalities, FuzzyCMeans(3).fit(X).memberships_)


def test_clusters_of_equal_records():
    X = np.repeat([[0.0, 0], [3, 4]], 5, axis=0)
    fitted = PossibilisticCMeans(2, init=[[0.0, 0], [3, 4]]).fit(X)
    assert fitted.cluster_centers_.tolist() == [[0, 0], [3, 4]]
    assert fitted.typicalities_ == pytest.approx(np.repeat(np.eye(2), 5, axis=0))
