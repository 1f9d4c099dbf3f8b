"""Which columns are tied by a linear relation, such as one amount in two currencies, or net + tax = gross."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

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
# Columns of which every three are compared as well, if not all can be compared at once; and the records that takes.
_MOST_FOR_TRIPLES, _FOR_TRIPLES = 20, 6

_Doubles = NDArray[np.float64]


def tied_columns(values: Mapping[str, _Doubles]) -> list[tuple[str, ...]]:
    """Return the sets of columns that linear relations tie together, each with two columns or more.

    Relations are looked for in the records in which all columns are observed. Where these are too few, each column is
    compared with as many of the others as there are records for, and every two and three by themselves. So that chance
    does not make a relation, there are at least four records more than columns; for up to three columns, one more will
    do. In a file of fewer than twenty records all columns count as tied unless they can be compared at once.
    """
    names = list(values)
    if len(names) < 2:
        return []
    columns = np.array(list(values.values()))
    observed = ~np.isnan(columns)
    tied = {name: {name} for name in names}
    if columns.shape[1] < _TOO_FEW and len(_compared_with(0, observed)) < len(names):
        return [tuple(names)]
    for relation in _all_relations(columns, observed):
        _join(tied, [names[place] for place in relation])
    sets = {id(one): one for one in tied.values() if len(one) > 1}
    return [tuple(name for name in names if name in one) for one in sets.values()]


def _all_relations(columns: _Doubles, observed: NDArray[np.bool_]) -> Iterator[Sequence[int]]:
    """Yield the columns of every relation that is found."""
    together = np.eye(len(columns), dtype=bool)
    for start in range(min(len(columns), _MOST_SETS)):
        if together[start].sum() == 1:
            places = _compared_with(start, observed)
            together[np.ix_(places, places)] = True
            yield from _relations_of(places, columns, observed)
    if together.all():
        return
    yield from np.argwhere(_tied_pairs(columns, observed) & ~together).tolist()
    for three in combinations(range(len(columns) if len(columns) <= _MOST_FOR_TRIPLES else 0), 3):
        if observed[list(three)].all(axis=0).sum() >= _FOR_TRIPLES:
            yield from _relations_of(list(three), columns, observed)


def _relations_of(places: list[int], columns: _Doubles, observed: NDArray[np.bool_]) -> Iterator[list[int]]:
    rows = observed[places].all(axis=0)
    for relation in _relations(columns[places][:, rows]):
        yield [places[place] for place in relation]


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
