"""Groups of the whole file whose members all have one value of a confidential variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.scale.input.chunks import read_rows
from shoal.scale.input.row_hashes import hashed_values
from shoal.scale.iterated.clusters.drawing import labels_of
from shoal.scale.iterated.passes import Page, Pass, Passes

__all__ = ["alike_in"]

Labels = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def alike_in(
    pages: Sequence[Page], names: Sequence[str], moved: Mapping[int, tuple[Labels, Labels]], group_of: Labels
) -> Passes[dict[str, int]]:
    """Return, by column, in how many groups all observed values are the same.

    Parameters
    ----------
    pages
        The pages of one stratum.
    names
        The confidential columns.
    moved
        Records that have another centre than the one they drew.
    group_of
        The group of every centre.
    """
    answers = yield Pass(pages, _ends_of, (names, moved, group_of))
    counts = {}
    for place, name in enumerate(names):
        low = np.min([one[place][0] for one in answers], axis=0)
        high = np.max([one[place][1] for one in answers], axis=0)
        counts[name] = int((low == high).sum())
    return counts


def _ends_of(
    page: Page, names: Sequence[str], moved: Mapping[int, tuple[Labels, Labels]], group_of: Labels
) -> list[tuple[Hashes, Hashes]]:
    """Return the least and the largest hash of the values in every group; they are equal where the values are."""
    rows = read_rows(page.rows)
    groups = group_of[labels_of(page, moved)]
    ends = []
    for name in names:
        observed = ~np.asarray(rows[name].is_null(nan_is_null=True))
        hashes = hashed_values(rows[name])[observed]
        low = np.full(int(group_of.max()) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
        high = np.zeros(len(low), dtype=np.uint64)
        np.minimum.at(low, groups[observed], hashes)
        np.maximum.at(high, groups[observed], hashes)
        ends.append((low, high))
    return ends
