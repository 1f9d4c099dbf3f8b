"""Differences of means, variances, covariances, correlations and quantiles."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.errors import NotApplicableError
from shoal.measure.utility.differences import (
    correlation_difference,
    covariance_difference,
    mean_difference,
    quantile_difference,
    variance_difference,
)

NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def files():
    rng = np.random.default_rng(0)
    original = pd.DataFrame(rng.exponential(size=(80, 3)) @ rng.normal(size=(3, 3)), columns=NAMES)
    return original, (original + rng.normal(size=original.shape)).iloc[:70]


def test_means(files):
    """Against pandas."""
    original, masked = files
    found = mean_difference(original, masked)
    expected = (masked.mean() - original.mean()).abs() / original.std()
    assert found == pytest.approx(expected.mean())
    assert found.by_column == pytest.approx(expected.to_dict())


def test_variances(files):
    """Against pandas."""
    original, masked = files
    found = variance_difference(original, masked)
    expected = (masked.var() - original.var()).abs() / original.var()
    assert found == pytest.approx(expected.mean())
    assert found.by_column == pytest.approx(expected.to_dict())


def test_quantiles(files):
    """Against NumPy's quantiles by the lower of two order statistics."""
    original, masked = files
    q = np.arange(5, 100, 5) / 100
    quantiles = [np.quantile(file, q, axis=0, method="lower") for file in files]
    expected = (np.abs(quantiles[1] - quantiles[0]) / original.std().to_numpy()).mean(axis=0)
    found = quantile_difference(original, masked)
    assert found == pytest.approx(expected.mean())
    assert found.by_column == pytest.approx(dict(zip(NAMES, expected, strict=True)))


@pytest.mark.parametrize("missing", [False, True])
def test_covariances_and_correlations(files, missing):
    """Against pandas, which takes the records in which both are observed, too."""
    original, masked = (file.copy() for file in files)
    if missing:
        original.loc[original.index[::7], "a"] = np.nan
        masked.loc[masked.index[::5], "b"] = np.nan
    sd = original.std().to_numpy()
    for measure, expected in (
        (covariance_difference, (masked.cov() - original.cov()).abs() / np.outer(sd, sd)),
        (correlation_difference, (masked.corr() - original.corr()).abs()),
    ):
        apart = expected.to_numpy()[np.triu_indices(3, 1)]
        found = measure(original, masked)
        assert found == pytest.approx(apart.mean())
        assert found.worst["difference"] == pytest.approx(apart.max())
        assert found.worst["columns"] == [["a", "b"], ["a", "c"], ["b", "c"]][int(apart.argmax())]


def test_a_correlation_that_is_gone_is_zero():
    original = pd.DataFrame({"x": [1.0, 2, 3], "y": [2.0, 4, 6]})
    assert correlation_difference(original, original.assign(y=4.0)) == pytest.approx(1)


@pytest.mark.parametrize("measure", [covariance_difference, correlation_difference])
def test_pairs_need_two_variables_that_vary(measure):
    x = pd.DataFrame({"x": [1.0, 2, 3]})
    with pytest.raises(NotApplicableError, match="two numeric variables"):
        measure(x, x)
    with pytest.raises(NotApplicableError, match="two numeric variables"):
        measure(x.assign(c=1.0), x.assign(c=2.0))


def test_values_that_are_needed():
    original = pd.DataFrame({"x": [1.0, 2, 3]})
    with pytest.raises(NotApplicableError, match="has a value in the masked file"):
        mean_difference(original, original * np.nan)
    with pytest.raises(NotApplicableError, match="has two values in the masked file"):
        variance_difference(original, original.iloc[:1])
