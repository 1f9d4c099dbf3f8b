"""Disclosure risk at equal information loss: fuzzy releases of Census beside MDAV and univariate microaggregation.

The intruder knows the method, its parameters, and all variables of the target. MDAV and univariate microaggregation
have the k whose loss is nearest to that of the fuzzy release.
"""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import shoal
from shoal.errors import ShoalWarning

FUZZY = ((3, 1.1, 1.1), (3, 1.2, 1.2), (5, 1.2, 1.2), (10, 1.2, 1.3))
OTHERS: dict[str, dict[str, Any]] = {
    "MDAV": {},
    "optimal univariate": {"method": "optimal-univariate", "blocks": 1},
}
SEEDS = range(3)
MEASURES = ("information_loss", "distance_linkage", "transparency_attack")
COLUMNS = ("loss", "linkage", "attack")


def mean_measures(frame: pd.DataFrame, k: int, seeds: range, **options: Any) -> NDArray[np.float64]:
    """Return loss, linkage and expected rate of the attack, averaged over seeds."""
    rows = []
    for seed in seeds:
        evaluation = shoal.protect(frame, k, seed=seed, **options).evaluate(measures=MEASURES)
        attack = evaluation.transparency_attack.expected
        rows.append([evaluation.information_loss, evaluation.distance_linkage, attack])
    return np.mean(rows, axis=0)


def with_loss(frame: pd.DataFrame, loss: float, **options: Any) -> tuple[int, NDArray[np.float64]]:
    """Return the k and the measures of the release whose loss is nearest to `loss`, by bisection."""

    @cache
    def loss_at(k: int) -> float:
        release = shoal.protect(frame, k, seed=0, **options)
        return float(release.evaluate(measures=["information_loss"]).information_loss)

    low, high = 2, len(frame) // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if loss_at(middle) < loss else (low, middle)
    k = min(low, high, key=lambda one: abs(loss_at(one) - loss))
    return k, mean_measures(frame, k, range(1), **options)


def compared(census: Path, setting: tuple[int, float, float]) -> list[dict[str, Any]]:
    """Return the rows of one fuzzy release: its own, MDAV's with the same k, and those with about the same loss."""
    warnings.simplefilter("ignore", ShoalWarning)
    frame = shoal.read_table(census)
    k, m1, m2 = setting
    own = mean_measures(frame, k, SEEDS, method=f"fuzzy:m={m1}", replace=f"membership-draw:m2={m2}")
    rows = [("fuzzy", k, own), ("MDAV, the same k", k, mean_measures(frame, k, range(1)))]
    for name, options in OTHERS.items():
        rows.append((f"{name}, the same loss", *with_loss(frame, float(own[0]), **options)))
    return [
        {"m1": m1, "m2": m2, "release": name, "k": size}
        | dict(zip(COLUMNS, measures, strict=True))
        | {"the larger": max(measures[1:])}
        for name, size, measures in rows
    ]


def table(pool: Executor, census: Path) -> pd.DataFrame:
    """Return the comparison of all settings, in percent of the records and of the variance."""
    return pd.DataFrame([row for rows in pool.map(partial(compared, census), FUZZY) for row in rows])
