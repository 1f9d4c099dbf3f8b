"""The information loss of 2001."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.errors import NotApplicableError
from shoal.measure.utility.mean_variation import mean_variation


def test_like_the_five_formulas():
    """Against NumPy: 20 times the sum of the mean relative changes of the five."""
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(60, 4)) @ rng.normal(size=(4, 4))
    Y = X + 0.1 * rng.normal(size=X.shape)
    pairs = np.triu_indices(4, 1)

    def change(before, after):
        return np.mean(np.abs(after - before) / np.abs(before))

    expected = {
        "values": change(X, Y),
        "means": change(X.mean(axis=0), Y.mean(axis=0)),
        "covariances": change(np.cov(X.T)[pairs], np.cov(Y.T)[pairs]),
        "variances": change(X.var(axis=0), Y.var(axis=0)),
        "correlations": change(np.corrcoef(X.T)[pairs], np.corrcoef(Y.T)[pairs]),
    }
    found = mean_variation(X, Y)
    assert found == pytest.approx(20 * sum(expected.values()))
    assert dict(found.parts) == pytest.approx(expected)


def test_zeros_count_only_if_they_stay():
    """x: 0 stays 0 counts 0, 0 to 3 is left out, 2 to 3 counts one half; y: all stay."""
    original = pd.DataFrame({"x": [0.0, 0, 2, -2], "y": [1.0, 2, 4, 4]})
    masked = pd.DataFrame({"x": [0.0, 3, 3, -2], "y": [1.0, 2, 4, 4]})
    found = mean_variation(original, masked)
    assert found.values == pytest.approx(0.5 / 7)
    assert found.means == 0  # the mean of x was 0 and is not any more; that of y stays
    assert found.variances == pytest.approx((4.5 / 2 - 1) / 2)
    assert found.covariances is found.correlations is None  # of the only pair it was 0


def test_a_mean_of_rounding_errors_is_zero():
    x = np.array([0.1, 0.2, -0.3])
    assert abs(x.mean()) > 0
    assert mean_variation(x[:, None], 2 * x[:, None]).means == 0


def test_one_variable_has_no_pairs():
    x = pd.DataFrame({"x": [1.0, 2, 4]})
    found = mean_variation(x, 2 * x)
    assert found.covariances is found.correlations is None
    assert found == pytest.approx(100 * (1 + 1 + 3) / 3)


def test_nothing_but_zeros_that_change():
    with pytest.raises(NotApplicableError, match="a number other than 0"):
        mean_variation(pd.DataFrame({"x": [0.0]}), pd.DataFrame({"x": [np.nan]}))
