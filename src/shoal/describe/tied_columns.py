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

_Doubles = NDArray[np.float64]


def tied_columns(values: Mapping[str, _Doubles]) -> list[tuple[str, ...]]:
    """Return the sets of columns that linear relations tie together, each with two columns or more.

    Relations are looked for in the records in which all columns are observed. Where these are too few, each column is
    compared with as many of the others as there are records for: two more than columns.
    """
    names = list(values)
    columns = np.array(list(values.values())).reshape(len(names), -1)
    observed = ~np.isnan(columns)
    tied = {name: {name} for name in names}
    looked_at: set[int] = set()
    for start in range(len(names)):
        if start in looked_at:
            continue
        places = _compared_with(start, observed)
        looked_at.update(places)
        rows = observed[places].all(axis=0)
        for relation in _relations(columns[places][:, rows]):
            _join(tied, [names[places[place]] for place in relation])
    sets = {id(one): one for one in tied.values() if len(one) > 1}
    return [tuple(name for name in names if name in one) for one in sets.values()]


def _compared_with(start: int, observed: NDArray[np.bool_]) -> list[int]:
    """Return a column and as many of the others as can be compared with it, those with most common records first."""
    rows = observed[start]
    places = [start]
    common = (observed & rows).sum(axis=1)
    for place in np.argsort(-common, kind="stable"):
        if place != start and (rows & observed[place]).sum() >= len(places) + 3:
            rows = rows & observed[place]
            places.append(int(place))
    return places


def _relations(columns: _Doubles) -> Iterable[list[int]]:
    """Return the columns of every linear relation among complete columns.

    Columns are taken one after the other, the one with the largest part not explained by those before first, until
    nothing is left to explain (Cholesky's decomposition with pivots).
    """
    varying = [place for place, column in enumerate(columns) if column.size and column.min() < column.max()]
    if len(varying) < 2:
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


def _join(tied: dict[str, set[str]], names: list[str]) -> None:
    together = set().union(*(tied[name] for name in names))
    for name in together:
        tied[name] = together
