"""Muralidhar and Sarathy's hybrid data: exact moments, and an alpha that noise can follow."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.replace.synthetic.muralidhar_sarathy import MuralidharSarathy

ORIG4 = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]


def apart(X, Y, values):
    """Return the largest difference of means and covariances, in standard deviations."""
    before, after = np.hstack([X, Y]), np.hstack([values, Y])
    sd = before.std(axis=0, ddof=1)
    covariances = np.abs(np.cov(before.T) - np.cov(after.T)) / np.outer(sd, sd)
    return max(float((np.abs(before.mean(axis=0) - after.mean(axis=0)) / sd).max()), float(covariances.max()))


def mixed(seed, n, columns):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns))


def with_covariances(S, n=50):
    """Return a matrix whose covariances are exactly S."""
    basis = np.linalg.qr(np.column_stack([np.ones(n), np.random.default_rng(0).normal(size=(n, len(S)))]))[0][:, 1:]
    return basis @ np.linalg.cholesky(np.asarray(S)).T * np.sqrt(n - 1)


def one_group(X):
    return np.zeros(len(X), dtype=np.int64)


@pytest.fixture(scope="module")
def orig4(reference_data):
    data = pd.read_csv(reference_data("census.csv")).astype(float)
    return data[ORIG4].to_numpy(), data.drop(columns=ORIG4).to_numpy()


@pytest.mark.parametrize("alpha", [(0.9, 0.9), (0.9, 0.8)])
def test_alphas_that_noise_can_follow(alpha):
    """METHODS 2, S = [[1, .8], [.8, 1]]: the noise has eigenvalues .038, .342 and .0354, .5146."""
    X = with_covariances([[1, 0.8], [0.8, 1]])
    new = MuralidharSarathy(alpha).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1)).values
    noise = new - X * alpha
    expected = {0.9: [0.038, 0.342], 0.8: [0.0354, 0.5146]}[alpha[1]]
    assert np.linalg.eigvalsh(np.cov(noise.T)) == pytest.approx(expected, abs=1e-4)
    assert apart(X, X[:, :0], new) < 1e-8


@pytest.mark.parametrize(("alpha", "scale"), [((0.9, 0.5), None), ((0.9, 0.2), "0.7657")])
def test_alphas_that_noise_cannot_follow(alpha, scale):
    """METHODS 2: (.9, .2) has operator norm 1.3046, and 0.7665 is the largest feasible multiple; shoal leaves noise."""
    X = with_covariances([[1, 0.8], [0.8, 1]])
    with pytest.raises(ParameterError, match=f"Multiply it by at most {scale or '0.'}"):
        MuralidharSarathy(alpha).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))


def test_the_scale_that_is_named_is_feasible_and_a_larger_one_is_not():
    X = with_covariances([[1, 0.8], [0.8, 1]])
    alpha = np.array([0.9, 0.2])
    MuralidharSarathy(alpha * 0.7657).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))
    with pytest.raises(
        ParameterError, match=r"combinations of them, follow from the release. Multiply it by at most 0\."
    ):
        MuralidharSarathy(alpha * 0.7664).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))
    with pytest.raises(ParameterError, match="not positive semidefinite"):
        MuralidharSarathy(alpha * 0.7667).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))
    with pytest.raises(ParameterError, match=r"Multiply it by at most 0\.7664"):
        MuralidharSarathy(alpha, accept_unchanged=True).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))


def canonical(X, Y, values):
    """Return the canonical correlations of old and new residuals."""
    A = np.column_stack([np.ones(len(X)), Y])
    bases = [np.linalg.qr(V - A @ np.linalg.lstsq(A, V, rcond=None)[0])[0] for V in (X, values)]
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)


def test_no_combination_of_variables_is_kept(orig4):
    """The scale that the error names, and a projector between roots of S, which keeps one combination to rounding."""
    X, Y = orig4
    alpha = np.array([0.9, 0.5, 0.9, 0.9])
    with pytest.raises(ParameterError, match="Multiply it by at most") as caught:
        MuralidharSarathy(alpha).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    scale = float(re.search(r"at most (0\.\d+)", str(caught.value))[1])
    new = MuralidharSarathy(alpha * scale).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    assert canonical(X, Y, new.values).max() <= 0.999 + 1e-9
    S = np.array([[1, 0.8], [0.8, 1]])
    values, vectors = np.linalg.eigh(S)
    root, back = (vectors * values**power @ vectors.T for power in (0.5, -0.5))
    projector = np.full((2, 2), 0.5)
    X = with_covariances(S)
    with pytest.raises(ParameterError, match="follow from the release"):
        MuralidharSarathy(root @ projector @ back).synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))
    new = MuralidharSarathy(0.99 * root @ projector @ back).synthetic(
        X, X[:, :0], one_group(X), np.random.default_rng(1)
    )
    assert canonical(X, X[:, :0], new.values).max() == pytest.approx(0.99, abs=1e-6)


def test_a_word_among_the_numbers_is_named():
    with pytest.raises(ParameterError, match='"half" is none'):
        MuralidharSarathy(alpha=[0.5, "half"])


def test_census(orig4):
    """METHODS 2: with alpha = .5 the correlations of old and new are .963, .983, .984, .961."""
    X, Y = orig4
    new = MuralidharSarathy().synthetic(X, Y, one_group(X), np.random.default_rng(0))
    correlations = [np.corrcoef(X[:, j], new.values[:, j])[0, 1] for j in range(4)]
    assert correlations == pytest.approx([0.963, 0.983, 0.984, 0.961], abs=1e-3)
    assert apart(X, Y, new.values) < 1e-8
    assert new.unchanged == 0
    with pytest.raises(ParameterError, match="not positive semidefinite"):
        MuralidharSarathy([0.9, 0.5, 0.9, 0.9]).synthetic(X, Y, one_group(X), np.random.default_rng(0))


@given(st.integers(0, 2_000), st.integers(1, 3), st.integers(0, 3), st.floats(-0.95, 0.95), st.integers(1, 3))
def test_means_and_covariances_are_kept(seed, L, M, alpha, parts):
    V = mixed(seed, 60, L + M)
    if L > 2:
        V[:, 2] = V[:, 0] + V[:, 1]
    if M > 2:
        V[:, -1] = V[:, -2] - V[:, -3]
    if L > 1 and M > 0:
        V[:, 1] = V[:, 0] + V[:, L]
    X, Y = V[:, :L] * 1e5, V[:, L:] * 1e-4
    groups = np.arange(60) % parts
    new = MuralidharSarathy(alpha).synthetic(X, Y, groups, np.random.default_rng(seed))
    assert apart(X, Y, new.values) < 1e-8
    if L > 1 and M > 0:
        assert new.values[:, 1] / 1e5 == pytest.approx(new.values[:, 0] / 1e5 + V[:, L], abs=1e-6)


@given(st.integers(0, 2_000), st.integers(1, 4), st.integers(0, 3))
def test_matrices_scaled_to_be_feasible_keep_covariances_too(seed, L, M):
    """The largest singular value by its definition, S^(-1/2) alpha S^(1/2)."""
    rng = np.random.default_rng(seed)
    V = mixed(seed, 50, L + M)
    X, Y = V[:, :L] * 10.0 ** rng.integers(-5, 6, size=L), V[:, L:]
    alpha = rng.normal(size=(L, L)) * (rng.random((L, L)) < 0.7)
    A = np.column_stack([np.ones(50), Y])
    E = X - A @ np.linalg.lstsq(A, X, rcond=None)[0]
    # Units first, so that the root of S is well conditioned.
    sd = E.std(axis=0)
    S = np.cov((E / sd).T).reshape(L, L)
    values, vectors = np.linalg.eigh(S)
    norm = np.linalg.norm(
        np.diag(values**-0.5) @ vectors.T @ (alpha * sd / sd[:, None]) @ vectors @ np.diag(values**0.5), 2
    )
    if norm == 0:
        return
    largest = alpha / norm
    new = MuralidharSarathy((0.99 * largest).tolist(), accept_unchanged=True)
    assert apart(X, Y, new.synthetic(X, Y, one_group(X), rng).values) < 1e-8
    with pytest.raises(ParameterError):
        MuralidharSarathy((1.01 * largest).tolist()).synthetic(X, Y, one_group(X), rng)


def test_an_alpha_that_breaks_a_relation_is_refused():
    V = mixed(0, 40, 3)
    X = np.column_stack([V[:, 0], V[:, 1], V[:, 0] + V[:, 1]])
    with pytest.raises(ParameterError, match="breaks a linear relation"):
        MuralidharSarathy((0.5, 0.5, 0.1)).synthetic(X, V[:, 2:], one_group(X), np.random.default_rng(0))
    new = MuralidharSarathy((0.5, 0.5, 0.5)).synthetic(X, V[:, 2:], one_group(X), np.random.default_rng(0)).values
    assert new[:, 2] == pytest.approx(new[:, 0] + new[:, 1], abs=1e-9)
    assert apart(X, V[:, 2:], new) < 1e-8


def test_alpha_one_would_be_the_original():
    V = mixed(0, 40, 3)
    with pytest.raises(DataError, match="leaves 40 of 40 records"):
        MuralidharSarathy(1).synthetic(V[:, :2], V[:, 2:], one_group(V), np.random.default_rng(0))
    assert MuralidharSarathy(1, accept_unchanged=True).synthetic(
        V[:, :2], V[:, 2:], one_group(V), np.random.default_rng(0)
    ).values == pytest.approx(V[:, :2])


def test_too_few_records():
    V = mixed(0, 14, 5)
    with pytest.raises(TooFewRecordsError, match=r"needs up to 8 records.*2 of 2 groups"):
        MuralidharSarathy().synthetic(V[:, :3], V[:, 3:4], np.arange(14) % 2, np.random.default_rng(0))


@pytest.mark.parametrize("name", sorted(MuralidharSarathy.limits))
def test_bad_parameters_are_refused(name):
    for value in MuralidharSarathy.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            MuralidharSarathy(**{name: value})
    with pytest.raises(ParameterError, match="between -1 and 1"):
        MuralidharSarathy(1.2)
    with pytest.raises(ParameterError, match="each of the 2"):
        MuralidharSarathy((0.5, 0.5, 0.5)).synthetic(
            mixed(0, 20, 2), np.zeros((20, 0)), np.zeros(20, dtype=int), np.random.default_rng(0)
        )


def test_alpha_has_two_dimensions_at_most():
    for alpha in ([[[0.5]]], np.full((2, 2, 2), 0.1), [[0.5, [0.1]], [0.2, 0.3]]):
        with pytest.raises(ParameterError, match="alpha must be a number, one for each"):
            MuralidharSarathy(alpha=alpha)


@pytest.mark.parametrize("alpha", [[[-1.0, 0.0], [0.0, -1.0]], [[0.0, 1.0], [1.0, 0.0]], [[0.9995, 0.0], [0.0, 0.5]]])
def test_a_matrix_that_leaves_a_variable_without_noise_is_refused(alpha):
    """A mirror image, and two variables in each other's place: whoever knows alpha has the original."""
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(50, 2)))[0]
    X = np.linalg.qr(X - X.mean(axis=0))[0]  # uncorrelated, of one length: any such alpha is possible
    arguments = (X, X[:, :0], np.zeros(50, dtype=int), np.random.default_rng(1))
    with pytest.raises(ParameterError, match="follow from the release"):
        MuralidharSarathy(alpha=alpha).synthetic(*arguments)
    MuralidharSarathy(alpha=alpha, accept_unchanged=True).synthetic(*arguments)


def test_groups_without_residuals_are_too_small():
    rng = np.random.default_rng(0)
    X, Y, groups = rng.normal(size=(40, 1)), rng.normal(size=(40, 4)), np.repeat(np.arange(8), 5)
    with pytest.raises(TooFewRecordsError, match=r"needs up to 7 records in a group.*; 8 of 8 groups have too few"):
        MuralidharSarathy().synthetic(X, Y, groups, rng)
    assert MuralidharSarathy(accept_unchanged=True).synthetic(X, Y, groups, rng).unchanged == 40
