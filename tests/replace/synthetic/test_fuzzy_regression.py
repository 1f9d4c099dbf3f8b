"""Synthetic values from fuzzy c-regression: those of brute force at one model, and no record let through."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.replace.synthetic.fuzzy_regression import FuzzyRegression

ORIG4 = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]


def one_group(X):
    return np.zeros(len(X), dtype=np.int64)


def noisy_lines(seed, n=200):
    """Two targets, each on one of two lines."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(n, 2))
    side = rng.integers(0, 2, size=n)
    slopes = np.array([[[2.0, 1], [0, 3]], [[-2, 0], [1, -3]]])
    X = np.einsum("nij,ni->nj", slopes[side], Y) + 5 * side[:, None] + 0.05 * rng.normal(size=(n, 2))
    return X, Y, side


@given(st.integers(0, 300))
def test_one_model_is_least_squares(seed):
    X, Y, _ = noisy_lines(seed, 30)
    new = FuzzyRegression(1).synthetic(X, Y, one_group(X), np.random.default_rng(0)).values
    A = np.column_stack([np.ones(30), Y])
    assert new == pytest.approx(A @ np.linalg.lstsq(A, X, rcond=None)[0], abs=1e-9)


def test_two_lines_are_found():
    X, Y, side = noisy_lines(1)
    new = FuzzyRegression(2, m=1.5).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    assert np.abs(new.values - X).std() < 0.1
    assert new.unchanged == 0
    assert new.degrees is None
    assert "converged" in new.notes[0]
    assert len(np.unique(side)) == 2


def test_units_have_no_say():
    """Standardised inside: the largest target must not decide everything."""
    X, Y, _ = noisy_lines(2)
    plain = FuzzyRegression(3).synthetic(X, Y, one_group(X), np.random.default_rng(4)).values
    scale = np.array([1e9, 1e-7])
    other = FuzzyRegression(3).synthetic(X * scale, Y / scale, one_group(X), np.random.default_rng(4)).values
    assert other / scale == pytest.approx(plain, abs=1e-5)


@pytest.mark.parametrize("m", [1.01, 1.5, 2.0, 50.0])
def test_census_with_dependent_predictors(reference_data, m):
    """Nine predictors of rank eight, where the printed formula cannot be evaluated."""
    data = pd.read_csv(reference_data("census.csv")).astype(float)
    X, Y = data[ORIG4].to_numpy(), data.drop(columns=ORIG4).to_numpy()
    new = FuzzyRegression(6, m=m, max_iter=10).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    assert np.isfinite(new.values).all()
    assert new.unchanged == 0
    assert ((new.values - X).std(axis=0) < X.std(axis=0)).all()


def test_every_group_has_its_own_models():
    X, Y, _ = noisy_lines(7)
    groups = np.arange(200) % 3
    new = FuzzyRegression(2).synthetic(X, Y, groups, np.random.default_rng(0)).values
    again = FuzzyRegression(2).synthetic(X, Y, groups, np.random.default_rng(0)).values
    assert np.array_equal(new, again)
    assert not np.allclose(new, FuzzyRegression(2).synthetic(X, Y, one_group(X), np.random.default_rng(0)).values)


def test_models_that_fit_are_refused():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(30, 2))
    X = Y[:, :1] - Y[:, 1:]
    with pytest.raises(DataError, match="leaves 30 of 30 records"):
        FuzzyRegression(2).synthetic(X, Y, one_group(X), rng)
    assert FuzzyRegression(2, accept_unchanged=True).synthetic(X, Y, one_group(X), rng).unchanged == 30


def whole_line(noise):
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(2000, 2)) * 1000
    return np.rint(Y[:, :1] + rng.normal(size=(2000, 1)) * noise), Y


def test_a_whole_number_that_comes_back_by_chance_is_that_of_the_next_model():
    X, Y = whole_line(100)
    new = FuzzyRegression(2).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    assert (np.rint(new.values) == X).sum() == new.unchanged == 0
    with pytest.raises(DataError, match=r"leaves \d+ of 2000"):
        FuzzyRegression(1).synthetic(X, Y, one_group(X), np.random.default_rng(0))


def test_where_many_whole_numbers_come_back_it_is_no_chance():
    X, Y = whole_line(1)
    with pytest.raises(DataError, match="fits them without error, or nearly"):
        FuzzyRegression(2).synthetic(X, Y, one_group(X), np.random.default_rng(0))


def test_what_cannot_be_predicted_is_refused():
    X, Y, _ = noisy_lines(0, 20)
    with pytest.raises(DataError, match="needs other variables"):
        FuzzyRegression(2).synthetic(X, Y[:, :0], one_group(X), np.random.default_rng(0))
    with pytest.raises(TooFewRecordsError, match=r"n_clusters=6 .* 4 of 4 have fewer"):
        FuzzyRegression(6).synthetic(X, Y, np.arange(20) % 4, np.random.default_rng(0))


@pytest.mark.parametrize("name", sorted(FuzzyRegression.limits))
def test_bad_parameters_are_refused(name):
    for value in FuzzyRegression.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            FuzzyRegression(**{"n_clusters": 3, name: value})
