"""The releases of Census that intruders and analysts look at."""

from __future__ import annotations

from typing import Any

import pandas as pd

import shoal
from shoal.flow.release import Release

__all__ = ["confidential", "released"]

_SEED = 1
_REWRITTEN = 6  # variables, the first of the file


def confidential(table: pd.DataFrame) -> list[str]:
    """Return the variables that hybrid and synthetic data rewrite where they do not rewrite all."""
    return list(table.columns[:_REWRITTEN])


def released(table: pd.DataFrame, k: int, **how: Any) -> Release:
    """Protect a table, always with the same seed."""
    return shoal.protect(table, k, seed=_SEED, **how)
