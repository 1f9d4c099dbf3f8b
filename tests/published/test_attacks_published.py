"""The transparency attack on drawn centres: the measured values of METHODS 14, beside the uniform rule of before."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning

NEGLIGIBLE = 0.001
DRAWN = {"at-least-k": {"method": "at-least-k", "replace": "membership-draw"}, "fuzzy": {"method": "fuzzy"}}


@pytest.fixture
def table(reference_data):
    return lambda file: pd.read_csv(reference_data(f"{file}.csv"))


def standardized(table: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Return a file in units of the original."""
    return ((other - table.mean()) / table.std(ddof=1)).to_numpy(float)


@pytest.mark.parametrize(
    ("file", "k", "method", "uniform", "best"),
    [
        ("census", 3, "at-least-k", 10.8, 24.7),
        ("tarragona", 3, "at-least-k", 6.6, 25.3),
        ("tarragona", 10, "at-least-k", 1.0, 5.7),
        ("tarragona", 10, "fuzzy", 0.4, 1.7),
    ],
)
def test_the_most_likely_centre_gives_away_more_than_one_at_random(table, file, k, method, uniform, best):
    """The published values are of one draw; over seeds 0 to 2 ours are 24.7, 25.2, 5.7 and 1.7."""
    original = table(file)
    release = shoal.protect(original, k, seed=0, **DRAWN[method])
    found = release.evaluate(measures=["transparency_attack"]).transparency_attack
    assert found == found.best_guess == pytest.approx(best, abs=0.1)
    own, masked = standardized(original, original), standardized(original, release.data)
    centres, labels, sizes = np.unique(masked.round(9), axis=0, return_inverse=True, return_counts=True)
    apart = np.maximum(((own[:, None] - centres) ** 2).sum(axis=2), 1e-30)
    shares = (apart.min(axis=1, keepdims=True) / apart) ** (1 / (1.2 - 1))
    shares /= shares.sum(axis=1, keepdims=True)
    likely = shares >= np.minimum(NEGLIGIBLE, shares.max(axis=1, keepdims=True))
    at_random = likely[np.arange(len(own)), labels.reshape(-1)] / (likely @ sizes)
    assert 100 * at_random.mean() == pytest.approx(uniform, abs=0.06)


@pytest.mark.parametrize(
    ("file", "k", "expected"), [("census", 3, 29.3), ("tarragona", 3, 28.5), ("tarragona", 10, 7.0)]
)
def test_mdav_beside_it(table, file, k, expected):
    release = shoal.protect(table(file), k)
    found = release.evaluate(measures=["transparency_attack"]).transparency_attack
    assert round(float(found), 1) == expected


def test_variables_that_are_drawn_apart(table):
    """With the true memberships, which no intruder has, 18.5 % of the best guesses are right.

    METHODS 14 has 18.5 for one draw, 4.2 where all centres are as likely; over seeds 0 to 4 ours are 18.6 with the true
    memberships, and 17.3 with the centres that the release shows.
    """
    original = table("tarragona")
    with pytest.warns(DisclosureWarning, match="drawn for itself"):
        release = shoal.protect(original, 5, seed=0, method="at-least-k", replace="membership-draw:per_variable=true")
    own, masked = standardized(original, original), standardized(original, release.data)
    groups = shoal.partition.fuzzy.AtLeastK(5).fit(own)
    centres = np.array([own[groups.labels_ == group].mean(axis=0) for group in range(groups.labels_.max() + 1)])
    chances = np.ones((len(own), len(own)))
    for column in range(own.shape[1]):
        drawn = np.abs(masked[:, [column]] - centres[:, column]).argmin(axis=1)
        chances *= groups.memberships_[:, drawn]
    most = chances.max(axis=1, keepdims=True)
    is_most = chances >= most * (1 - 1e-9)
    assert 100 * np.mean(np.diag(is_most) / is_most.sum(axis=1)) == pytest.approx(18.5, abs=0.2)
    found = release.evaluate(measures=["transparency_attack"]).transparency_attack
    assert found.best_guess == pytest.approx(17.1, abs=0.1)
    assert found == found.expected == pytest.approx(17.7, abs=0.1)
