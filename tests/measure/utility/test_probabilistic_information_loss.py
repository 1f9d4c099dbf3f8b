"""Probabilistic information loss, against the formulas as published and values worked out elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import NotApplicableError
from shoal.measure.utility.probabilistic_information_loss import probabilistic_information_loss

# Blocks of three in the order that another public copy of the Census file has, order B of METHODS.
BLOCKS = [
    ["AFNLWGT", "AGI", "EMCONTRB"],
    ["FEDTAX", "PTOTVAL", "STATETAX"],
    ["TAXINC", "POTHVAL", "INTVAL"],
    ["PEARNVAL", "FICA", "WSALVAL"],
    ["ERNVAL"],
]


def as_in_the_table(X: np.ndarray, Y: np.ndarray, *, step: int = 5, last_h: bool = False) -> dict[str, float]:
    """Return the loss and its components, each formula as it stands in section 5 of METHODS, one pair at a time.

    A public implementation takes quantiles in steps of 10 % and gives the h of the last variable to the variance of
    all quantiles, by mistake: `step` and `last_h`.
    """
    n, p = X.shape

    def loss(before, after, variance):
        return 100 * math.erf(abs(after - before) / math.sqrt(variance) / math.sqrt(2))

    def moment(file, *powers):
        deviations = file - file.mean(axis=0)
        return np.prod([deviations[:, j] ** power for j, power in enumerate(powers)], axis=0).mean()

    found = {"mean": [], "variance": [], "covariance": [], "correlation": [], "quantile": []}
    h = (X.max(axis=0) - X.min(axis=0)) / 1000
    for j in range(p):
        x, y = X[:, [j]], Y[:, [j]]
        found["mean"].append(loss(x.mean(), y.mean(), moment(x, 2) / n))
        found["variance"].append(loss(moment(x, 2), moment(y, 2), (moment(x, 4) - moment(x, 2) ** 2) / n))
        before, after = np.sort(X[:, j]), np.sort(Y[:, j])
        for percent in range(step, 100, step):
            q = percent / 100
            Q, masked_Q = before[(n - 1) * percent // 100], after[(len(Y) - 1) * percent // 100]
            c = ((before > Q - h[j]) & (before < Q + h[j])).sum()
            variance = q * (1 - q) * n * (2 * h[-1 if last_h else j]) ** 2 / c**2
            found["quantile"].append(loss(Q, masked_Q, variance))
        for i in range(j):
            x, y = X[:, [i, j]], Y[:, [i, j]]
            m11, m20, m02, m22 = moment(x, 1, 1), moment(x, 2, 0), moment(x, 0, 2), moment(x, 2, 2)
            found["covariance"].append(loss(m11, moment(y, 1, 1), (m22 - m11**2) / n))
            r = m11 / math.sqrt(m20 * m02)
            masked_r = moment(y, 1, 1) / math.sqrt(moment(y, 2, 0) * moment(y, 0, 2))
            variance = (r**2 / n) * (
                m22 / m11**2
                + (moment(x, 4, 0) / m20**2 + moment(x, 0, 4) / m02**2 + 2 * m22 / (m20 * m02)) / 4
                - (moment(x, 3, 1) / (m11 * m20) + moment(x, 1, 3) / (m11 * m02))
            )
            found["correlation"].append(loss(r, masked_r, variance))
    parts = {name: float(np.mean(losses)) for name, losses in found.items() if losses}
    return {"overall": float(np.mean(list(parts.values()))), **parts}


def test_a_shift_by_half_worked_by_hand():
    """x = 1..10, x' = x + 0.5: the standard error of the mean is sqrt(8.25 / 10) = .908295, z = .550482."""
    x = pd.DataFrame({"x": np.arange(1.0, 11)})
    found = probabilistic_information_loss(x, x + 0.5)
    assert found.mean == pytest.approx(41.8011, abs=5e-5)
    assert found.mean == pytest.approx(100 * math.erf(0.5 / 0.908295 / math.sqrt(2)), rel=1e-6)
    assert found.variance == 0
    assert found.covariance is None and found.correlation is None
    assert found == pytest.approx((found.mean + 0 + found.quantile) / 3)


@pytest.fixture(scope="module")
def census(reference_data):
    return pd.read_csv(reference_data("census.csv"))


@pytest.fixture(scope="module")
def masked(census):
    return {k: shoal.protect(census, k).data for k in (3, 5, 10, 25)}


def test_components_for_census(census, masked):
    """Values of METHODS, section 5."""
    found = probabilistic_information_loss(census, masked[3])
    worked = {"mean": 0, "variance": 70.04, "covariance": 18.47, "correlation": 53.41, "quantile": 61.97}
    assert {name: round(part, 2) for name, part in found.parts.items()} == worked


# METHODS prints 63.68 for k=25; its own formulas give 63.6748, here as in the oracle.
@pytest.mark.parametrize(("k", "worked"), [(3, 40.78), (5, 49.22), (10, 56.51), (25, 63.67)])
def test_census(census, masked, k, worked):
    assert round(probabilistic_information_loss(census, masked[k]), 2) == worked


@pytest.mark.parametrize(("k", "worked"), [(3, 37.88), (5, 45.98), (10, 52.95), (25, 60.03)])
def test_the_oracle_gives_the_values_of_the_public_implementation_too(census, masked, k, worked):
    """Values of METHODS, section 5: so the formulas are read as their authors do."""
    found = as_in_the_table(census.to_numpy(float), masked[k].to_numpy(float), step=10, last_h=True)
    assert round(found["overall"], 2) == worked


def test_census_in_blocks_of_three(census):
    """Value of METHODS, section 6."""
    assert round(probabilistic_information_loss(census, shoal.protect(census, 6, blocks=BLOCKS).data), 1) == 25.6


@pytest.mark.parametrize("records", [200, 137])
def test_like_the_formulas_one_by_one(records):
    """Against brute force, also for a masked file of another length."""
    rng = np.random.default_rng(5)
    X = rng.exponential(size=(200, 4)) @ rng.normal(size=(4, 4))
    Y = (X + 0.2 * rng.normal(size=X.shape))[:records]
    expected = as_in_the_table(X, Y)
    found = probabilistic_information_loss(X, Y)
    assert found == pytest.approx(expected.pop("overall"), rel=1e-10)
    assert dict(found.parts) == pytest.approx(expected, rel=1e-10)


def test_with_missing_values_each_statistic_uses_what_is_observed():
    """Against brute force on the values, or the pairs of values, that each file has."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(150, 3)) @ rng.normal(size=(3, 3))
    Y = X + 0.3 * rng.normal(size=X.shape)
    X[rng.random(150) < 0.2, 0] = np.nan
    Y[rng.random(150) < 0.2, 1] = np.nan
    expected = {"mean": [], "variance": [], "covariance": [], "correlation": [], "quantile": []}
    for columns in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
        x, y = (file[:, columns][~np.isnan(file[:, columns]).any(axis=1)] for file in (X, Y))
        found = as_in_the_table(x, y)
        for name in ("mean", "variance", "quantile") if len(columns) == 1 else ("covariance", "correlation"):
            expected[name].append(found[name])
    found = probabilistic_information_loss(X, Y)
    assert dict(found.parts) == pytest.approx({name: np.mean(parts) for name, parts in expected.items()}, rel=1e-10)


def test_a_permutation_keeps_what_is_univariate():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(100, 2)) @ [[1, 1], [0, 1]]
    found = probabilistic_information_loss(X, np.column_stack([rng.permutation(column) for column in X.T]))
    assert (found.mean, found.variance, found.quantile) == (0, 0, 0)
    assert found.covariance > 90 and found.correlation > 90


def test_constant_variables_count_where_they_have_a_statistic():
    """A constant has mean, variance and covariances without error: 0 if they stay, 100 if not."""
    x = np.array([1.0, 2, 4, 8])
    original = pd.DataFrame({"x": x, "c": 5.0})
    same = probabilistic_information_loss(original, original)
    assert (same.mean, same.covariance, same.correlation, same.quantile) == (0, 0, None, 0)
    moved = probabilistic_information_loss(original, original.assign(c=6.0))
    assert (moved.mean, moved.variance, moved.covariance, moved.quantile) == (50, 0, 0, 0)
    spread = probabilistic_information_loss(original, original.assign(c=[4.0, 6, 5, 5]))
    assert (spread.mean, spread.variance) == (0, 50)
    assert probabilistic_information_loss(original[["c"]], original[["c"]]).quantile is None


def test_two_values_half_and_half_have_a_variance_without_error():
    """For 0 and 1 in equal numbers the fourth moment is the square of the second: the standard error is 0."""
    original = pd.DataFrame({"x": [0.1, 0.3] * 15})
    assert probabilistic_information_loss(original, original.iloc[::-1]).variance == 0
    assert probabilistic_information_loss(original, original.assign(x=[0.1, 0.3, 0.3] * 10)).variance == 100


def test_a_value_at_the_end_of_the_interval_is_outside_in_any_unit():
    """The range is 1000 and h is 1: neighbours one apart are not within h, whatever rounding says."""
    x = np.concatenate([np.arange(300.0, 700), [0.0, 1000.0]])
    found = probabilistic_information_loss(x[:, None], x[:, None] + 2)
    for factor in (0.1, 0.3, 1 / 7, 1e-9):
        again = probabilistic_information_loss(x[:, None] * factor, (x[:, None] + 2) * factor)
        assert again.quantile == pytest.approx(found.quantile, rel=1e-9)


def test_far_from_zero_digits_are_not_lost():
    """A shift of the whole file changes nothing; the fourth powers of such values have no digit left for the spread."""
    rng = np.random.default_rng(8)
    X = rng.integers(0, 1000, size=(300, 3)) / 8
    Y = np.round(X)
    far = probabilistic_information_loss(X + 2.0**30, Y + 2.0**30)
    assert far == pytest.approx(probabilistic_information_loss(X, Y), rel=1e-9)


def test_nothing_observed():
    with pytest.raises(NotApplicableError, match="has values in both files"):
        probabilistic_information_loss(pd.DataFrame({"x": [1.0, 2]}), pd.DataFrame({"x": [np.nan, np.nan]}))
