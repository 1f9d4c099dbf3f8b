"""How much of what a column tells is lost when it is recoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes, numbered, values_of
from shoal.recode.recoded_table import RecodedTable

__all__ = ["joined_loss", "joined_losses", "lost_by_recoding"]

Whole64 = NDArray[np.int64]


def lost_by_recoding(recoded: RecodedTable, columns: Iterable[str]) -> dict[str, float]:
    """Return by column what its recodes took away, in percent: 100 H(before | after) / H(before).

    H is the entropy of the values, of a number too; a missing value counts as one. A column that has one value only has
    nothing to lose.
    """
    return {
        name: _lost(numbered(values_of(recoded.before, name)), numbered(values_of(recoded.table, name)))
        for name in columns
    }


def joined_loss(first: float, second: float) -> float:
    """Return what is lost in percent if something loses a share, and what is left of it another."""
    lower, higher = sorted(min(max(one, 0.0), 100.0) for one in (first, second))
    return lower + higher - lower * higher / 100


def joined_losses(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Return what columns lose in percent if they lose a share, and what is left of them another."""
    return {name: joined_loss(first.get(name, 0.0), second.get(name, 0.0)) for name in {**first, **second}}


def _lost(before: Whole64, after: Whole64) -> float:
    whole = _entropy(before)
    if whole <= 0:
        return 0.0
    left = _entropy(joined_codes([before, after], len(before))) - _entropy(after)
    return float(min(max(100 * left / whole, 0.0), 100.0))


def _entropy(codes: Whole64) -> float:
    """Return the entropy of values, whatever they are called."""
    from shoal.arithmetic import log  # the same on every processor: plans have what comes of it

    counts = np.sort(np.unique(codes, return_counts=True)[1]).astype(np.float64)
    if len(counts) < 2:
        return 0.0
    total = float(counts.sum())
    return float(log(np.array([total]))[0] - (counts * log(counts)).sum() / total)
