"""Cells that were released unchanged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication

__all__ = ["unchanged"]


@file_measure(
    About(
        name="unchanged",
        title="Cells left unchanged",
        definition="Percentage of the cells with a value in both files whose masked value is the original one.",
        reference="Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer and de Wolf (2012), "
        "Statistical Disclosure Control, Wiley",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
        counts="cells",
        slow=False,
        publication=Publication.AS_MEASURED,
        # The percentage less that of the categories would be a count in the numeric columns.
        not_published_with=("categories_changed",),
    )
)
def unchanged(files: Pair) -> MeasuredValue:
    """Return the percentage of cells released unchanged, with the percentage of each variable in `.by_column`.

    `.records` is the number of records with a value in both files in some cell, and the same value in all such cells.
    """
    n = len(files.original)
    cells, same = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    by_column: dict[str, float] = {}
    for name in files.columns:
        rows = np.flatnonzero(~files.original.missing(name) & ~files.masked.missing(name))
        if rows.size:
            alike = _alike(files, name, rows)
            cells[rows] += 1
            same[rows] += alike
            by_column[name] = 100 * float(alike.mean())
    if not by_column:
        raise NotApplicableError("No cell has a value in both files, so that there is nothing to compare.")
    whole = int(((cells > 0) & (same == cells)).sum())
    return MeasuredValue(100 * float(same.sum() / cells.sum()), by_column=by_column, records=whole)


def _alike(files: Pair, name: str, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return in which of some rows a column has the same value in both files."""
    tables = files.original, files.masked
    if not files.original.is_numeric(name):
        place = files.category_names.index(name)
        before, after = (codes[rows, place] for codes in files.categories)
    elif all(table.is_integer(name) for table in tables):
        # Not as floats, which cannot represent all whole numbers beyond 2**53.
        before, after = (table.whole_numbers(name, rows) for table in tables)
    else:
        before, after = (table.numbers(name)[rows] for table in tables)
    return np.asarray(before == after, dtype=bool)
