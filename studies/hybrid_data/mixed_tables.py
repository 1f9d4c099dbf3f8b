"""Hybrid data with categories, which the paper leaves to later work: persons of testdata.csv, several k."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.hybrid_data.moments import floored

KEPT = ["urbrur", "roof", "walls", "electcon", "sex", "age"]
CATEGORIES = ["relat", "hhcivil", "water"]
NUMBERS = ["expend", "income", "savings"]
SIZES = (25, 50, 100, 200, 500)


def cramers_v(a: pd.Series, b: pd.Series) -> float:
    counts = pd.crosstab(a, b).to_numpy(float)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / counts.sum() / (min(counts.shape) - 1)))


def association(file: pd.DataFrame) -> float:
    """Return the mean Cramer's V of rewritten with kept categories."""
    return float(np.mean([cramers_v(file[a], file[b]) for a, b in product(CATEGORIES, KEPT[:-1])]))


def mixed_files(persons: pd.DataFrame) -> pd.DataFrame:
    """Return, for each k, what is exact and how near the rest comes; and IPSO, which has one group."""
    frame = persons[[*KEPT, *CATEGORIES, *NUMBERS]].astype(dict.fromkeys([*KEPT[:-1], *CATEGORIES], str))
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
