"""A mixed survey for the studio: persons in households, categories, weights, missing values, sums that hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["RULES", "write_survey"]

RULES = ("net == wage + capital - tax", "tax <= wage")


def write_survey(path: Path, households: int = 240, seed: int = 7) -> Path:
    """Write a CSV file of about two and a half times as many persons as households; return its path."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, households)
    household = np.repeat(np.arange(households), sizes)
    records = len(household)
    regions = rng.choice(["North", "East", "South", "West"], households, p=[0.4, 0.3, 0.2, 0.1])
    wage = np.round(np.exp(rng.normal(10, 0.6, records)))
    capital = np.round(np.exp(rng.normal(6, 1, records)))
    tax = np.floor(wage * rng.uniform(0.1, 0.3, records))
    education = rng.choice(["primary", "secondary", "tertiary"], records, p=[0.3, 0.5, 0.2]).astype(object)
    education[rng.random(records) < 0.03] = None
    savings = np.round(np.exp(rng.normal(8, 1, records)))
    savings[rng.random(records) < 0.04] = np.nan
    table = pd.DataFrame(
        {
            "person": [f"P{number:05d}" for number in rng.permutation(records)],
            "interviewed": np.datetime64("2023-03-01") + rng.integers(0, 60, records),  # a date has to be decided
            "household": 1000 + household,
            "region": regions[household],
            "sex": rng.choice(["f", "m"], records),
            "age": rng.integers(0, 95, records),
            "education": education,
            "weight": np.round(rng.uniform(50, 150, households), 1)[household],
            "wage": wage,
            "capital": capital,
            "tax": tax,
            "net": wage + capital - tax,
            "savings": savings,
        }
    )
    table.to_csv(path, index=False)
    return path
