"""Noise has the covariance asked for: by the draw itself, and on average over many draws."""

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.replace import Noise
from shoal.replace.perturb.base import Part
from shoal.replace.synthetic.residuals import normal_numbers


def part_of(X, weights=None):
    values = {f"x{place}": np.array(column, dtype=np.float64) for place, column in enumerate(np.transpose(X))}
    return Part(values, dict.fromkeys(values, "continuous"), {}, k=2, weights=weights)


def released(noise, X, seed=0, weights=None):
    computed = noise.perturbed(part_of(X, weights), np.random.default_rng(seed)).computed
    return np.column_stack([*computed.values()])


@pytest.fixture(name="X")
def sample():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((300, 3)) @ np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -3.0], [0.0, 0.0, 0.5]])
    return X + np.array([100.0, -5.0, 0.0])


def mixing_of(noise, X, seed=0, weights=None):
    """Return A with noise = Z A for the normal numbers Z that the seed gives; they are checked to be all there is."""
    Z = normal_numbers(np.random.default_rng(seed), X.shape)
    e = released(noise, X, seed, weights) - X
    A = np.linalg.lstsq(Z, e, rcond=None)[0]
    np.testing.assert_allclose(Z @ A, e, atol=1e-9 * np.abs(X).max())
    return A


@pytest.mark.parametrize("alpha", [0.01, 0.1, 2.0])
def test_correlated_noise_is_normal_numbers_times_a_root_of_alpha_s(X, alpha):
    A = mixing_of(Noise(alpha=alpha), X)
    np.testing.assert_allclose(A.T @ A, alpha * np.cov(X.T), rtol=1e-9, atol=1e-9 * alpha)


def test_uncorrelated_noise_has_the_variances_and_no_covariance(X):
    A = mixing_of(Noise(alpha=0.3, correlated=False), X)
    np.testing.assert_allclose(A.T @ A, np.diag(0.3 * X.var(axis=0, ddof=1)), rtol=1e-9, atol=1e-9)


def test_weighted_noise_has_the_weighted_covariance(X):
    weights = np.random.default_rng(0).random(len(X)) + 0.1
    A = mixing_of(Noise(alpha=0.3), X, weights=weights)
    n = len(X)
    np.testing.assert_allclose(A.T @ A, 0.3 * np.cov(X.T, aweights=weights, ddof=0) * n / (n - 1), rtol=1e-9, atol=1e-9)


def test_the_covariance_of_many_draws_is_the_one_asked_for(X):
    e = np.concatenate([released(Noise(alpha=0.2), X, seed) - X for seed in range(200)])
    np.testing.assert_allclose(np.cov(e.T), 0.2 * np.cov(X.T), atol=0.03)
    assert np.abs(e.mean(axis=0)).max() < 0.02


@pytest.mark.parametrize("correlated", [True, False])
def test_kept_variances_are_those_of_the_original_on_average(X, correlated):
    noise = Noise(alpha=0.5, correlated=correlated, keep_variance=True)
    variances = np.mean([np.cov(released(noise, X, seed).T) for seed in range(300)], axis=0)
    np.testing.assert_allclose(np.diag(variances), X.var(axis=0, ddof=1), rtol=0.02)
    if correlated:
        np.testing.assert_allclose(variances, np.cov(X.T), atol=0.15)
    plain = released(Noise(alpha=0.5, correlated=correlated), X, 3)
    mean = X.mean(axis=0)
    np.testing.assert_allclose(released(noise, X, 3), (plain - mean) / np.sqrt(1.5) + mean, rtol=1e-12)


def test_correlated_noise_follows_sums(X):
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    after = released(Noise(alpha=1.0), X)
    np.testing.assert_allclose(after[:, 3], after[:, 0] + after[:, 1], rtol=1e-12)


def test_missing_values_stay_and_the_others_get_noise(X):
    X[::7, 1] = np.nan
    after = released(Noise(alpha=0.1), X)
    assert (np.isnan(after) == np.isnan(X)).all()
    assert (after[~np.isnan(X)] != X[~np.isnan(X)]).all()
    Z = normal_numbers(np.random.default_rng(0), X.shape)
    complete = ~np.isnan(X).any(axis=1)
    A = np.linalg.lstsq(Z[complete], (after - X)[complete], rcond=None)[0]
    np.testing.assert_allclose(A.T @ A, 0.1 * np.cov(X[complete].T), rtol=1e-8, atol=1e-9)


def test_a_covariance_needs_complete_records():
    X = [[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan], [np.nan, 5.0]]
    with pytest.raises(DataError, match="correlated=false"):
        released(Noise(), X)
    assert (np.isnan(released(Noise(correlated=False), X)) == np.isnan(X)).all()


@pytest.mark.parametrize("size", [1e-300, 1e-5, 1e5, 1e300])
def test_noise_has_the_scale_of_the_data(X, size):
    np.testing.assert_allclose(released(Noise(), X * size), released(Noise(), X) * size, rtol=1e-9)


def test_constant_columns_stay_and_the_largest_numbers_are_refused():
    X = np.column_stack([np.full(10, 0.1), np.arange(10.0)])
    assert (released(Noise(), X)[:, 0] == 0.1).all()
    with pytest.raises(DataError, match="floats"):
        released(Noise(alpha=5.0), np.array([[1.7e308], [-1.7e308]] * 20))
