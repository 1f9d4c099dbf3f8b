"""Correlations of the continuous variables before and after, as far as an audience may see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.read import Table
from shoal.report.facts.summary import Correlations

__all__ = ["MOST_CORRELATED", "correlations_of"]

Doubles = NDArray[np.float64]

MOST_CORRELATED = 40


def correlations_of(
    original: Table, masked: Table, columns: Sequence[str], *, fewest: int, internal: bool
) -> Correlations | None:
    """Return the correlations in both files, over the records that have every value in both.

    Parameters
    ----------
    original, masked
        The two files.
    columns
        The continuous variables; the first forty are taken.
    fewest
        With fewer complete records there are none.
    internal
        Whether those of the original may be seen; if not, the others are given to two decimals.
    """
    compared = list(columns[:MOST_CORRELATED])
    if len(compared) < 2:
        return None
    before, after = (np.column_stack([table.numbers(name) for name in compared]) for table in (original, masked))
    complete = ~(np.isnan(before).any(axis=1) | np.isnan(after).any(axis=1))
    if complete.sum() < max(3, fewest):
        return None
    with np.errstate(all="ignore"):  # a constant variable has no correlation
        one, other = (np.asarray(np.corrcoef(file[complete].T)) for file in (before, after))
    digits = 4 if internal else 2
    return Correlations(
        columns=compared,
        original=_rounded(one, digits) if internal else None,
        masked=_rounded(other, digits),
        difference=_rounded(other - one, digits),
    )


def _rounded(matrix: Doubles, digits: int) -> list[list[float | None]]:
    return [[round(float(cell), digits) if np.isfinite(cell) else None for cell in row] for row in matrix]
