"""How many records agree with each, where a missing value agrees with every value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes

__all__ = ["agreeing_records"]

Whole64 = NDArray[np.int64]

_MOST = 10**8  # rows that may be compared: some ten seconds' work


def agreeing_records(columns: Sequence[Whole64], records: int) -> Whole64 | None:
    """Return for every record how many agree with it, itself among them; None where counting would take too long.

    Parameters
    ----------
    columns
        Codes of the values, -1 for a missing value, which agrees with every value.
    records
        How many records there are.

    Notes
    -----
    Records are taken by the set of columns that they have observed: two of them agree if they have the same values in
    the columns observed in both. The work grows with the number of such sets, which may be as large as that of records.
    """
    rows = joined_codes(columns, records)
    first = np.unique(rows, return_index=True)[1]
    counts = np.bincount(rows)
    table = np.column_stack([column[first] for column in columns]) if columns else np.zeros((len(first), 0), np.int64)
    observed, pattern = np.unique(table >= 0, axis=0, return_inverse=True)
    members = [np.flatnonzero(pattern.reshape(-1) == number) for number in range(len(observed))]
    if len(observed) * len(table) > _MOST:
        return None
    agreeing = np.zeros(len(table), dtype=np.int64)
    for one, here in enumerate(members):
        for other, there in enumerate(members[: one + 1]):
            both = np.flatnonzero(observed[one] & observed[other])
            together = np.concatenate([here, there])
            alike = joined_codes([table[together, place] for place in both], len(together))
            mine, theirs = alike[: len(here)], alike[len(here) :]
            size = int(alike.max()) + 1
            agreeing[here] += np.bincount(theirs, counts[there], size).astype(np.int64)[mine]
            if other != one:
                agreeing[there] += np.bincount(mine, counts[here], size).astype(np.int64)[theirs]
    return agreeing[rows]
