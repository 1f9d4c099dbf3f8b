"""IPSO over pages keeps what it keeps in memory: means and covariances (C), the regression (B)."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.describe.standardize import Scale, standard_scale
from shoal.errors import DataError, TooFewRecordsError
from shoal.replace import IPSO
from shoal.scale.iterated.passes import loaded
from shoal.scale.iterated.rewritten.ipso import rewritten_by_ipso
from shoal.scale.iterated.rewritten.variables import Layout

NAMES = ["income", "tax"]


def _file(records: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Return the others, and two confidential variables far from zero."""
    rng = np.random.default_rng(4)
    Y = rng.normal(size=(records, 3)) * [1.0, 1e3, 1e-3] + [5.0, 1e5, 0.0]
    income = 5e4 + 900 * Y[:, 0] + 3 * Y[:, 1] + 5e3 * rng.normal(size=records)
    return Y, np.column_stack([income, 0.2 * income + 700 * rng.normal(size=records)])


def _rewritten(pages_for, run, Y, X, size=130, **options):
    scales = [standard_scale(column) for column in X.T]
    others = [standard_scale(column).apply(column) for column in Y.T]
    scaled = [scale.apply(column) for scale, column in zip(scales, X.T, strict=True)]
    pages = pages_for(np.column_stack([*others, *scaled, X]), size)
    layout = Layout(Y.shape[1], scales)
    kept = run(rewritten_by_ipso(pages, layout, NAMES, IPSO(confidential=NAMES, **options), (1, 0, 0)))
    return np.concatenate([loaded(page, "new") for page in pages]), kept


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("size", [130, 600])
def test_means_and_covariances_are_kept(pages_for, run, orthogonal, size):
    Y, X = _file()
    new, kept = _rewritten(pages_for, run, Y, X, size, orthogonal=orthogonal)
    before, after = np.cov(np.column_stack([X, Y]).T), np.cov(np.column_stack([new, Y]).T)
    spread = X.std(axis=0)
    assert (np.abs(new.mean(axis=0) - X.mean(axis=0)) < 1e-9 * spread).all()
    scale = np.sqrt(np.outer(np.diag(before), np.diag(before)))
    assert (np.abs(after - before) < 1e-9 * scale).all()
    assert kept.unchanged == 0
    assert (np.abs(new - X) > 1e-6 * spread).any(axis=1).all()


def test_orthogonal_noise_has_nothing_of_the_old_residuals(pages_for, run):
    Y, X = _file()
    new, _ = _rewritten(pages_for, run, Y, X, orthogonal=True)
    A = np.column_stack([np.ones(len(Y)), (Y - Y.mean(axis=0)) / Y.std(axis=0)])
    fitted = A @ np.linalg.lstsq(A, X)[0]
    old, drawn = (X - fitted) / X.std(axis=0), (new - fitted) / X.std(axis=0)
    assert np.abs(old.T @ drawn).max() < 1e-9 * len(X)


def test_variant_b_keeps_the_regression_and_a_does_not(pages_for, run):
    Y, X = _file()
    A = np.column_stack([np.ones(len(Y)), (Y - Y.mean(axis=0)) / Y.std(axis=0)])
    before = np.linalg.lstsq(A, X)[0]
    close = [
        np.abs(np.linalg.lstsq(A, _rewritten(pages_for, run, Y, X, variant=variant)[0])[0] - before).max()
        for variant in ("A", "B")
    ]
    assert close[1] < 1e-9 * X.std()
    assert close[0] > 1e-3 * X.std()
    noise = _rewritten(pages_for, run, Y, X, variant="B")[0] - A @ before
    assert np.allclose(np.cov(noise.T), np.cov((X - A @ before).T), rtol=0.25)


def test_whole_numbers_that_round_back_are_drawn_again(pages_for, run):
    rng = np.random.default_rng(8)
    Y, X = rng.normal(size=(400, 1)), np.rint(rng.normal(size=(400, 1)) * 7 + 100)
    scale = standard_scale(X[:, 0])
    pages = pages_for(np.column_stack([Y, scale.apply(X[:, 0]), X]), 200)
    kept = run(rewritten_by_ipso(pages, Layout(1, [scale]), ["age"], IPSO(confidential=["age"]), (1, 0, 0)))
    new = np.concatenate([loaded(page, "new") for page in pages])
    assert kept.unchanged == 0
    assert (np.rint(new) != X).all()
    assert abs(new.mean() - X.mean()) < 1e-9 * X.std()
    assert abs(new.var() - X.var()) < 1e-9 * X.var()


def test_a_variable_that_follows_from_the_others_is_refused(pages_for, run):
    Y, X = _file()
    X[:, 1] = 3 * Y[:, 1] - 7
    with pytest.raises(DataError, match='"tax" follows from the variables that stay'):
        _rewritten(pages_for, run, Y, X)


def test_as_few_records_as_variables_are_refused(pages_for, run):
    Y, X = _file(5)
    with pytest.raises(TooFewRecordsError, match="2 records more"):
        _rewritten(pages_for, run, Y, X, 3)
    with pytest.raises(TooFewRecordsError, match="orthogonal=True needs up to 8 records"):
        _rewritten(pages_for, run, Y, X, 3, orthogonal=True)


def test_a_scale_with_an_exponent_is_undone():
    layout = Layout(0, [Scale(0.25, 0.5, 4)])
    assert layout.undone(np.array([[1.0]]))[0, 0] == 12.0
