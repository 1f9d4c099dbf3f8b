"""Hybrid data with categories, which the paper leaves to later work: persons of testdata.csv, several k and methods."""

from __future__ import annotations

import warnings
from itertools import combinations, product

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.hybrid_data.moments import floored

KEPT = ["urbrur", "roof", "walls", "electcon", "sex", "age"]
CATEGORIES = ["relat", "hhcivil", "water"]
NUMBERS = ["expend", "income", "savings"]
SIZES = (25, 50, 100, 200, 500)
METHODS = {
    "ipso, k = 10": {"k": 10, "replace": "ipso"},
    "muralidhar-sarathy, k = 10": {"k": 10, "replace": "muralidhar-sarathy"},
    "hybrid, k = 25": {"k": 25, "replace": "hybrid:small_groups=merge"},
}
SEEDS = range(5)


def cramers_v(a: pd.Series, b: pd.Series) -> float:
    counts = pd.crosstab(a, b).to_numpy(float)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / counts.sum() / (min(counts.shape) - 1)))


def association(file: pd.DataFrame) -> float:
    """Return the mean Cramer's V of rewritten with kept categories."""
    return float(np.mean([cramers_v(file[a], file[b]) for a, b in product(CATEGORIES, KEPT[:-1])]))


def correlation_ratio(numbers: pd.Series, categories: pd.Series) -> float:
    """Return the root of the share of the variance between categories."""
    return float(numbers.groupby(categories).transform("mean").std(ddof=0) / numbers.std(ddof=0))


def _codes_as_text(persons: pd.DataFrame) -> pd.DataFrame:
    return persons[[*KEPT, *CATEGORIES, *NUMBERS]].astype(dict.fromkeys([*KEPT[:-1], *CATEGORIES], str))


def _associations(file: pd.DataFrame) -> dict[str, float]:
    """Return means over pairs of variables."""
    among = [cramers_v(file[a], file[b]) for a, b in combinations(CATEGORIES, 2)]
    numbers = [correlation_ratio(file[a], file[b]) for a, b in product(NUMBERS, CATEGORIES)]
    return {
        "V with kept": association(file),
        "V of rewritten": float(np.mean(among)),
        "age by rewritten": float(np.mean([correlation_ratio(file["age"], file[name]) for name in CATEGORIES])),
        "numbers by rewritten": float(np.mean(numbers)),
    }


def mixed_methods(persons: pd.DataFrame) -> pd.DataFrame:
    """Return associations in the original and, as means over seeds, in releases; and the most that a count is off."""
    frame = _codes_as_text(persons)
    chance = 100 * float((frame.relat.value_counts(normalize=True) ** 2).sum())
    rows = [{"file": "original", **_associations(frame), "keep relat, %": chance}]
    for name, options in METHODS.items():
        found = []
        for seed in SEEDS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ShoalWarning)
                masked = shoal.protect(
                    frame, columns=list(frame), confidential=[*NUMBERS, *CATEGORIES], seed=seed, **options
                ).data
            cells = [
                (pd.crosstab(frame[a], frame[b]) - pd.crosstab(masked[a], masked[b])).abs().to_numpy().sum() / 2
                for a, b in product(CATEGORIES, KEPT[:-1])
            ]
            same = (frame[NUMBERS + CATEGORIES] == masked[NUMBERS + CATEGORIES]).all(axis=1)
            kept = 100 * float((frame.relat == masked.relat).mean())
            found.append(
                {**_associations(masked), "keep relat, %": kept, "in another cell": max(cells), "unchanged": same.sum()}
            )
        means, most = pd.DataFrame(found).mean(), pd.DataFrame(found).max()
        counts = ["in another cell", "unchanged"]
        rows.append({"file": name, **means.drop(counts), **most[counts]})
    return pd.DataFrame(rows)


def mixed_files(persons: pd.DataFrame) -> pd.DataFrame:
    """Return, for each k, what is exact and how near the rest comes; and IPSO, which has one group."""
    frame = _codes_as_text(persons)
    masks = {f"hybrid, k = {k}": {"k": k, "replace": "hybrid:small_groups=merge"} for k in SIZES}
    masks["IPSO, k = 25"] = {"k": 25, "replace": "ipso"}
    rows = []
    for name, options in masks.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            release = shoal.protect(frame, columns=list(frame), confidential=[*NUMBERS, *CATEGORIES], seed=0, **options)
        masked = release.data
        moments = (
            np.cov(((file[NUMBERS] - frame[NUMBERS].mean()) / frame[NUMBERS].std()).T) for file in (frame, masked)
        )
        before, after = moments
        counts = sum(
            int(frame[column].value_counts().sub(masked[column].value_counts(), fill_value=0).abs().sum())
            for column in CATEGORIES
        )
        rows.append(
            {
                "release": name,
                "groups": release.plan.outcome.groups[0],
                "covariances off by": floored(np.abs(before - after).max()),
                "counts off by": counts,
                "Cramer's V": association(masked),
                "original's": association(frame),
                "keep relat, %": 100 * float((frame.relat == masked.relat).mean()),
                "linkage, %": float(shoal.measure.distance_linkage(frame[NUMBERS], masked[NUMBERS])),
            }
        )
    return pd.DataFrame(rows)
