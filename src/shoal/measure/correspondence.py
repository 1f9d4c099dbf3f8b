"""Whether the rows of two files belong together: a permuted copy would seem safe, measured against the wrong records.

The similarity of every original row to every masked row is a matrix, and its diagonal is what rows have in common with
their own counterparts. Were the masked rows in random order, the sum of the diagonal would have a mean and a variance
that follow from the matrix alone (Hoeffding 1951, "A combinatorial central limit theorem"); the test is by how many
standard deviations it is above that mean. Similarity is the product of standard scores, or how near ranks are,
whichever shows more; of categories, whether they are equal. Groups that have the means or medians of their records need
no test. By chance a file in random order passes in one of fifty cases below 100 records, and in one of 500 above.

Where a file was sorted, by region perhaps, rows that are exchanged with near ones have much in common all the same. So
variables that vary among near rows as they do in the whole file are tested again, within stretches of twenty rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.measure.pairs import Pair

__all__ = ["refuse_unrelated_rows"]

Doubles = NDArray[np.float64]

_FEWEST = 20  # records; fewer say too little
_MANY = 100  # records, from which on chance has to be less, and near rows are tested too
_ROWS = 1000  # of a larger file so many are tested, in stretches
_STRETCH = 20
_MOST_COLUMNS = 200
_ENOUGH = (2.5, 3.5)  # standard deviations: of few records, of many
_NEARLY_ALL = 0.5  # of the variation of a column is within stretches
_FAR = 4.0  # standard deviations: a few extreme values would decide alone
_SAME = 1e-6  # standard deviations, between a mean and the same mean computed again
_NONE = 1e-12  # no variation, but for rounding


def refuse_unrelated_rows(files: Pair) -> None:
    """Raise DataError if the rows of two files show no sign that they belong together; few records give no verdict."""
    if len(files.original) >= _FEWEST and not _are_related(files):
        raise DataError(
            "The rows of the two files do not belong together: masked rows are no nearer to their own original rows "
            "than to others. Name the plan of the release (--plan), which knows their order, or put both files in the "
            "same order; if they are, as fully synthetic data may be, say so with aligned=True (--aligned)."
        )


def _are_related(files: Pair) -> bool:
    records = len(files.original)
    if any(_are_centres(*column) for column in zip(files.numbers[0].T, files.numbers[1].T, strict=True)):
        return True
    columns = _columns(files, _tested_rows(records))
    enough = _ENOUGH[records >= _MANY]
    anywhere = _deviations(columns, [slice(None)])
    if anywhere is None or anywhere < enough or records < _MANY:
        return anywhere is None or anywhere >= enough
    stretches = [slice(start, start + _STRETCH) for start in range(0, len(columns[0][0]), _STRETCH)]
    nearby = _deviations([column for column in columns if _varies_nearby(column)], stretches)
    return nearby is None or nearby >= enough


def _are_centres(before: Doubles, after: Doubles) -> bool:
    """Whether masked values that several records share are the means, or the medians, of their original values.

    That cannot be chance where most original values differ. Groups may then be as loose as they like.
    """
    if np.isnan(before).any() or np.isnan(after).any() or len(np.unique(before)) < len(before) / 2:
        return False
    shared, group, sizes = np.unique(after, return_inverse=True, return_counts=True)
    if sizes.min() == 1 or len(shared) == 1:
        return False
    in_groups = np.split(before[np.lexsort((before, group))], np.cumsum(sizes)[:-1])
    close = _SAME * float(before.std())
    for own, value in zip(in_groups, shared.tolist(), strict=True):
        centres = np.array([own.mean(), np.median(own), own[(len(own) - 1) // 2], own[len(own) // 2]])
        if np.abs(centres - value).min() > close:
            return False
    return True


# A column of both files and whether it holds numbers; otherwise codes of categories.
_Column = tuple[NDArray[np.float64], NDArray[np.float64], bool]


def _tested_rows(records: int) -> NDArray[np.int64]:
    """Return the numbers of the rows to test: all, or stretches of consecutive ones that are evenly spaced."""
    if records <= _ROWS:
        return np.arange(records)
    starts = np.linspace(0, records - _STRETCH, _ROWS // _STRETCH).astype(np.int64)
    return (starts[:, None] + np.arange(_STRETCH)).ravel()


def _columns(files: Pair, rows: NDArray[np.int64]) -> list[_Column]:
    """Return the columns of both files at some rows; of very many, evenly spaced ones."""
    columns: list[_Column] = [
        (files.numbers[0][rows, place], files.numbers[1][rows, place], True)
        for place in range(len(files.numeric_names))
    ]
    for place, name in enumerate(files.category_names):
        before, after = (codes[rows, place].astype(np.float64) for codes in files.categories)
        columns.append((before, after, name in files.ordered_names))
    return columns[:: -(-len(columns) // _MOST_COLUMNS)]


def _deviations(columns: list[_Column], stretches: list[slice]) -> float | None:
    """Return by how many standard deviations rows are more similar to their own than by chance within stretches.

    None if there is nothing to tell rows apart by.
    """
    found = []
    for form, similar in ((_scores, _products), (_ranks, _nearness)):
        prepared = [
            (*form(before, after), similar) if is_numeric else (before, after, _equality)
            for before, after, is_numeric in columns
        ]
        excess = variance = 0.0
        for stretch in stretches:
            similarity: Doubles = np.zeros((1, 1))
            for before, after, how in prepared:
                similarity = similarity + how(before[stretch, None], after[None, stretch])
            similarity = similarity - similarity.mean(axis=0) - similarity.mean(axis=1)[:, None] + similarity.mean()
            excess += float(np.trace(similarity))
            variance += float(np.square(similarity).sum()) / max(len(similarity) - 1, 1)
        if variance > _NONE:
            found.append(excess / variance**0.5)
    return max(found, default=None)


def _equality(before: Doubles, after: Doubles) -> Doubles:
    return np.asarray(before == after, dtype=np.float64)


def _products(before: Doubles, after: Doubles) -> Doubles:
    return before * after


def _nearness(before: Doubles, after: Doubles) -> Doubles:
    return -np.abs(before - after)


def _scores(before: Doubles, after: Doubles) -> tuple[Doubles, Doubles]:
    """Return both columns in standard deviations of the original from its mean, 0 for a missing value."""
    observed = before[~np.isnan(before)]
    spread = float(observed.std()) if observed.size else 0.0
    if spread == 0.0:
        return np.zeros(len(before)), np.zeros(len(after))
    scores = (np.clip((one - observed.mean()) / spread, -_FAR, _FAR) for one in (before, after))
    first, second = (np.nan_to_num(one, nan=0.0) for one in scores)
    return first, second


def _ranks(before: Doubles, after: Doubles) -> tuple[Doubles, Doubles]:
    """Return the place of every value among those of the original, from 0 to 1; the middle for a missing value."""
    ordered = np.sort(before[~np.isnan(before)])

    def places(values: Doubles) -> Doubles:
        below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
        return np.where(np.isnan(values), 0.5, below / (2 * max(len(ordered), 1)))

    return places(before), places(after)


def _varies_nearby(column: _Column) -> bool:
    """Whether a column varies within stretches nearly as much as in the whole file, before and after."""
    before, after, is_numeric = column
    values = _ranks(before, after) if is_numeric else (before, after)
    return all(_variation_nearby(one, is_numeric) >= _NEARLY_ALL for one in values)


def _variation_nearby(values: Doubles, is_numeric: bool) -> float:
    """Return the mean difference between rows of the same stretch, as a part of that between any two rows."""
    whole = values[: len(values) // _STRETCH * _STRETCH].reshape(-1, 2, _STRETCH // 2)
    if is_numeric:
        nearby, anywhere = float(np.square(whole[:, 0] - whole[:, 1]).mean()), 2 * float(values.var())
    else:
        shares = np.unique(values, return_counts=True)[1] / len(values)
        nearby, anywhere = float((whole[:, 0] != whole[:, 1]).mean()), 1 - float(np.square(shares).sum())
    return nearby / anywhere if anywhere > _NONE else 0.0
