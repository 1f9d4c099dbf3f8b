"""Which columns are tied by a linear relation, such as one amount in two currencies, or net + tax = gross."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["tied_columns"]

# A column is tied to others if they explain it to within this share of its standard deviation.
_UNEXPLAINED = 0.01
# A coefficient below this, between standard scores, does not make a column part of a relation.
_NEGLIGIBLE = 0.01

# Sets of columns to look for relations in; in a wide table with few complete records there could be as many as columns.
_MOST_SETS = 50

_TOO_FEW = 20  # records to find relations in

_Doubles = NDArray[np.float64]


def tied_columns(values: Mapping[str, _Doubles]) -> list[tuple[str, ...]]:
    """Return the sets of columns that linear relations tie together, each with two columns or more.

    Relations are looked for in the records in which all columns are observed. Where these are too few, each column is
    compared with as many of the others as there are records for, and each pair for itself. So that chance does not make
    a relation, there are at least four records more than columns; for up to three columns, one more will do. In a file
    of fewer than twenty records, columns that cannot be compared count as tied.
    """
    names = list(values)
    if len(names) < 2:
        return []
    columns = np.array(list(values.values()))
    observed = ~np.isnan(columns)
    tied = {name: {name} for name in names}
    together = np.eye(len(names), dtype=bool)
    for start in range(min(len(names), _MOST_SETS)):
        if together[start].sum() == 1:
            places = _compared_with(start, observed)
            together[np.ix_(places, places)] = True
            rows = observed[places].all(axis=0)
            for relation in _relations(columns[places][:, rows]):
                _join(tied, [names[places[place]] for place in relation])
    if not together.all():
        pairs = _tied_pairs(columns, observed) if columns.shape[1] >= _TOO_FEW else np.ones_like(together)
        for one, other in np.argwhere(pairs & ~together):
            _join(tied, [names[one], names[other]])
    sets = {id(one): one for one in tied.values() if len(one) > 1}
    return [tuple(name for name in names if name in one) for one in sets.values()]


def _compared_with(start: int, observed: NDArray[np.bool_]) -> list[int]:
    """Return a column and as many of the others as can be compared with it, those with most common records first."""
    rows = observed[start]
    places = [start]
    common = (observed & rows).sum(axis=1)
    for place in np.argsort(-common, kind="stable"):
        if place != start and (rows & observed[place]).sum() >= len(places) + (2 if len(places) < 3 else 5):
            rows = rows & observed[place]
            places.append(int(place))
    return places


def _relations(columns: _Doubles) -> Iterable[list[int]]:
    """Return the columns of every linear relation among complete columns.

    Columns are taken one after the other, the one with the largest part not explained by those before first, until
    nothing is left to explain (Cholesky's decomposition with pivots).
    """
    varying = [place for place, column in enumerate(columns) if column.size and column.min() < column.max()]
    if not 2 <= len(varying) < columns.shape[1]:
        return []
    chosen = np.ldexp(columns[varying], -np.frexp(np.abs(columns[varying]).max(axis=1))[1][:, None])
    scores = (chosen - chosen.mean(axis=1, keepdims=True)) / chosen.std(axis=1, keepdims=True)
    correlations = scores @ scores.T / scores.shape[1]
    left = correlations.copy()
    pivots: list[int] = []
    while (largest := int(left.diagonal().argmax())) not in pivots and left[largest, largest] > _UNEXPLAINED**2:
        pivots.append(largest)
        left = left - np.outer(left[largest], left[largest]) / left[largest, largest]
    explained = [place for place in range(len(varying)) if place not in pivots]
    coefficients = np.linalg.solve(correlations[np.ix_(pivots, pivots)], correlations[np.ix_(pivots, explained)])
    return [
        [
            varying[place],
            *(varying[pivot] for pivot, factor in zip(pivots, own, strict=True) if abs(factor) >= _NEGLIGIBLE),
        ]
        for place, own in zip(explained, coefficients.T, strict=True)
    ]


def _tied_pairs(columns: _Doubles, observed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which pairs of columns are tied in the records that have both, four or more of them."""
    scores = np.zeros_like(columns)
    for own, column, rows in zip(scores, columns, observed, strict=True):
        if rows.any() and (known := column[rows]).min() < known.max():
            known = np.ldexp(known, -np.frexp(np.abs(known).max())[1])
            own[rows] = (known - known.mean()) / known.std()
    common = observed.astype(np.float64)
    counts = np.maximum(common @ common.T, 1.0)
    means, squares = scores @ common.T / counts, scores**2 @ common.T / counts
    products = scores @ scores.T / counts - means * means.T
    variances = squares - means**2
    left = variances * variances.T - products**2  # of one by the other, times its variance
    varies = np.minimum(variances, variances.T) > 1e-6  # less, and rounding would decide
    return (counts >= 4) & varies & (left <= _UNEXPLAINED**2 * variances * variances.T)


def _join(tied: dict[str, set[str]], names: list[str]) -> None:
    together = set().union(*(tied[name] for name in names))
    for name in together:
        tied[name] = together
