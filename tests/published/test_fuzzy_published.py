"""Worked numbers: the toy of METHODS 7, and what is and is not true of large m and small lambda."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.datasets import expenditure
from shoal.partition.fuzzy import EntropyFuzzyCMeans, FuzzyCMeans, FuzzyPossibilisticCMeans, NoiseClustering

# Two groups and an outlier. The expected numbers were computed for METHODS.md, independently of this code.
TOY = np.array([0, 0.2, 0.4, 5, 5.2, 5.4, 20])[:, None]


def centres_of(estimator):
    return np.sort(estimator.fit(TOY).cluster_centers_[:, 0])


def test_fuzzy_c_means_gives_the_outlier_a_centre():
    assert centres_of(FuzzyCMeans(2)) == pytest.approx([2.665, 19.948], abs=5e-4)


def test_possibilistic_centres_of_the_toy():
    estimator = FuzzyPossibilisticCMeans(2, eta=2.0)
    assert centres_of(estimator) == pytest.approx([2.66, 19.97], abs=5e-3)
    assert estimator.typicalities_.sum(axis=0) == pytest.approx([1, 1])


def test_noise_takes_the_outlier():
    estimator = NoiseClustering(2, lam=0.1, init=[[0], [5]])
    assert centres_of(estimator) == pytest.approx([0.201, 5.203], abs=5e-4)
    assert estimator.delta_**2 == pytest.approx(5.44, abs=5e-3)
    assert estimator.memberships_[-1, -1] == pytest.approx(0.963, abs=5e-4)
    assert estimator.labels_.tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_much_distance_to_noise_is_fuzzy_c_means():
    start = [[0], [20]]
    noise, fuzzy = NoiseClustering(2, delta=1e6, init=start), FuzzyCMeans(2, init=start)
    assert centres_of(noise) == pytest.approx(centres_of(fuzzy), abs=1e-6)


def isotropic():
    X = np.random.default_rng(0).normal(size=(500, 3))
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_for_large_m_memberships_tend_to_one_in_c_and_centres_to_the_mean_on_isotropic_data():
    X = isotropic()
    for m in (10, 1e3, 1e5):
        fitted = FuzzyCMeans(4, m=m).fit(X)
        assert np.abs(fitted.memberships_ - 1 / 4).max() < 1e-3
        assert np.abs(fitted.cluster_centers_).max() < 1e-4


def test_for_large_m_centres_need_not_reach_the_mean():
    """Table 1 of seed 000: a coordinate of a centre stays 1.75 sd from the mean, against the paper's Proposition 2."""
    X = expenditure().to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    start = 0.05 * np.random.default_rng(0).normal(size=(4, 3))  # they leave even from there
    for m in (10, 1e3, 1e5):
        fitted = FuzzyCMeans(4, m=m, init=start).fit(X)
        assert np.abs(fitted.cluster_centers_).max() == pytest.approx(1.75, abs=0.01)
    # Memberships do tend to 1/c, but for the records that centres came to lie on.
    elsewhere = fitted.memberships_.max(axis=1) < 0.999
    assert elsewhere.sum() >= 8
    assert np.abs(fitted.memberships_[elsewhere] - 1 / 4).max() < 1e-3


@pytest.mark.parametrize("table", ["isotropic", "expenditure"])
def test_for_small_lambda_memberships_tend_to_one_in_c_and_centres_to_the_mean(table):
    X = isotropic() if table == "isotropic" else expenditure().to_numpy()
    scale = X.std()
    for lam in (1e-3, 1e-6, 1e-12):
        fitted = EntropyFuzzyCMeans(4, lam=lam / scale**2).fit(X)
        assert np.abs(fitted.memberships_ - 1 / 4).max() < 1e-4
        assert np.abs(fitted.cluster_centers_ - X.mean(axis=0)).max() < 1e-4 * scale


def test_large_lambda_is_crisp():
    X = isotropic()
    u = EntropyFuzzyCMeans(4, lam=1e5, max_iter=1000).fit(X).memberships_
    assert np.median(u.max(axis=1)) == 1
