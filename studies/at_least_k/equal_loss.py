"""What an intruder finds at equal information loss: fuzzy clusters, drawn groups of at least k, and MDAV.

The loss is that of "fuzzy" with its defaults. "at-least-k" with the same k is drawn with the m2, and MDAV has the k,
whose loss comes nearest to it. One intruder knows the method and takes every centre that may have been drawn; the other
takes the nearest centres whatever the method is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.at_least_k.releases import table_of

SEED, NEAR = 1, 0.02  # losses this near to each other, relative, are equal
LEAST_M2, MOST_M2 = 1.01, 4.0


def released(table: pd.DataFrame, k: int, **how: Any) -> tuple[Any, float]:
    """Return a release and its information loss."""
    release = shoal.protect(table, k, seed=SEED, **how)
    return release, float(release.evaluate(measures=["information_loss"]).information_loss)


def nearest_loss(target: float, low: Any, high: Any, between: Callable[[Any, Any], Any], make: Callable) -> tuple:
    """Return the setting, release and loss nearest to a loss, by halving; the loss grows with the setting."""
    best = None
    while True:
        middle = between(low, high)
        release, loss = make(middle)
        if best is None or abs(loss - target) < abs(best[2] - target):
            best = middle, release, loss
        if middle in (low, high) or abs(loss / target - 1) < NEAR:
            return best
        low, high = (middle, high) if loss < target else (low, middle)


def compared(folder: Path, case: tuple[str, int]) -> list[dict[str, Any]]:
    """Return the three rows of a file and a k."""
    warnings.simplefilter("ignore", ShoalWarning)
    file, k = case
    table = table_of(folder, file)
    fuzzy, target = released(table, k, method="fuzzy")
    m2, drawn, of_drawn = nearest_loss(
        target,
        LEAST_M2,
        MOST_M2,
        lambda low, high: round((low + high) / 2, 2),
        lambda m2: released(table, k, method="at-least-k", replace=f"membership-draw:m2={m2}"),
    )
    larger, mdav, of_mdav = nearest_loss(
        target, 2, len(table) // 4, lambda low, high: (low + high) // 2, lambda size: released(table, size)
    )
    return [
        row_of(file, k, "fuzzy", k, 1.2, fuzzy, target, table),
        row_of(file, k, "at-least-k, drawn", k, m2, drawn, of_drawn, table),
        row_of(file, k, "mdav", larger, None, mdav, of_mdav, table),
    ]


def row_of(file: str, asked: int, name: str, k: int, m2: float | None, release: Any, loss: float, table: Any) -> dict:
    own = release.evaluate(measures=["transparency_attack"]).transparency_attack
    nearest = shoal.measure.transparency_attack(table, release.data, method="mdav", k=asked)
    risks = {"knows the method": own.expected, "takes the nearest": nearest.expected, "linkage": own.linkage}
    return {"file": file, "k": asked, "method": name, "its k": k, "m2": m2, "loss": loss} | risks
