"""Fuzzy regression over pages has the models of `FuzzyCRegression`, which is the reference here."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from shoal.describe.standardize import standard_scale
from shoal.errors import ConvergenceWarning, DataError, TooFewRecordsError
from shoal.partition.fuzzy import FuzzyCRegression
from shoal.replace import FuzzyRegression
from shoal.scale.iterated.passes import loaded
from shoal.scale.iterated.rewritten.regression import rewritten_by_models
from shoal.scale.iterated.rewritten.variables import Layout


def _file() -> tuple[np.ndarray, np.ndarray]:
    """Return two lines in a cloud: what is predicted from, and two targets."""
    rng = np.random.default_rng(6)
    Y = rng.normal(size=(500, 2)) + 3
    slope = np.where(rng.random(500) < 0.5, 4.0, -3.0)
    first = slope * Y[:, 0] + 0.3 * rng.normal(size=500)
    return Y, np.column_stack([first, Y[:, 1] + 0.5 * first + 0.2 * rng.normal(size=500)])


def _pages(pages_for, Y, X, size):
    scales = [standard_scale(column) for column in X.T]
    others = [standard_scale(column).apply(column) for column in Y.T]
    scaled = [scale.apply(column) for scale, column in zip(scales, X.T, strict=True)]
    return pages_for(np.column_stack([*others, *scaled, X]), size), Layout(Y.shape[1], scales)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("m", [1.5, 2.0])
def test_values_are_those_of_the_models_in_memory(pages_for, run, intercept, m):
    Y, X = _file()
    how = FuzzyRegression(3, m=m, intercept=intercept, max_iter=25, confidential=["a", "b"])
    pages, layout = _pages(pages_for, Y, X, 120)
    _, converged = run(rewritten_by_models(pages, layout, how, 9))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = FuzzyCRegression(3, m=m, intercept=intercept, max_iter=25, random_state=9).fit(Y, X)
    expected = models.fitted_values(Y, models.labels_)
    new = np.concatenate([loaded(page, "new") for page in pages])
    assert (np.abs(new - expected) < 1e-9 * X.std(axis=0)).all()
    assert converged == models.converged_


def test_memberships_that_come_to_rest_are_said_to(pages_for, run):
    Y, X = _file()
    pages, layout = _pages(pages_for, Y, X, 120)
    how = FuzzyRegression(2, m=2.0, max_iter=300, confidential=["a", "b"])
    assert run(rewritten_by_models(pages, layout, how, 9))[1]


def test_records_that_a_model_fits_exactly_are_refused(pages_for, run):
    Y, _ = _file()
    X = np.column_stack([2 * Y[:, 0], Y[:, 1] - Y[:, 0]])
    pages, layout = _pages(pages_for, Y, X, 120)
    with pytest.raises(DataError, match="Fuzzy regression leaves 500 of 500 records as they are"):
        run(rewritten_by_models(pages, layout, FuzzyRegression(1, confidential=["a", "b"]), 9))


def test_nothing_to_predict_from_and_too_few_records_are_refused(pages_for, run):
    Y, X = _file()
    pages, layout = _pages(pages_for, Y[:, :0], X, 120)
    with pytest.raises(DataError, match="needs other variables"):
        run(rewritten_by_models(pages, layout, FuzzyRegression(2, confidential=["a", "b"]), 9))
    pages, layout = _pages(pages_for, Y[:5], X[:5], 3)
    with pytest.raises(TooFewRecordsError, match="n_clusters=6"):
        run(rewritten_by_models(pages, layout, FuzzyRegression(6, confidential=["a", "b"]), 9))
