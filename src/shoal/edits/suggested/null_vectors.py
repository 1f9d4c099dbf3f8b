"""Linear relations between columns: all of them, then those with the fewest columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from shoal.edits.suggested.number_columns import Doubles

__all__ = ["IndependentVectors", "sparse_null_vectors"]

_NOTHING = 1e-9  # of the largest number: what is left by rounding
_DEPENDENT = 1e-7  # of the largest number: what is left of a vector that is a sum of others
_ROUNDS, _MOST_KEPT, _MOST_SHARED = 3, 40, 8  # of the search for relations with fewer columns


def sparse_null_vectors(columns: Doubles) -> list[Doubles]:
    """Return factors whose sum over the columns is the same in every record, those of fewest columns first.

    Parameters
    ----------
    columns
        Complete columns, one a row, of more records than columns. Each varies, or takes no part.
    """
    centred = columns - columns[:, :1]
    scales = np.abs(centred).max(axis=1)
    varying = np.flatnonzero(scales > 0)
    relations = _null_vectors(centred[varying] / scales[varying, None])
    vectors = []
    for relation in _fewest_columns(relations):
        factors = np.zeros(len(columns))
        factors[varying] = relation / scales[varying]
        vectors.append(factors)
    return vectors


class IndependentVectors:
    """Vectors of which none is a sum of multiples of the others."""

    def __init__(self) -> None:
        self._echelon: list[tuple[int, Doubles]] = []

    def __len__(self) -> int:
        return len(self._echelon)

    def add(self, vector: Doubles) -> bool:
        """Add a vector, and return whether it is no sum of multiples of those before; otherwise it is not added."""
        left = vector / np.abs(vector).max()
        for place, row in self._echelon:
            if left[place]:
                left = left - left[place] * row
        largest = int(np.abs(left).argmax())
        if abs(left[largest]) <= _DEPENDENT:
            return False
        self._echelon.append((largest, left / left[largest]))
        return True


def _null_vectors(columns: Doubles) -> list[Doubles]:
    """Return as many independent relations as there are, by elimination with complete pivoting."""
    left = columns.copy()
    factors = np.eye(len(columns))
    open_ones = list(range(len(columns)))
    while open_ones:
        sizes = np.abs(left[open_ones])
        place, record = np.unravel_index(int(sizes.argmax()), sizes.shape)
        if sizes[place, record] <= _NOTHING:
            break
        pivot = open_ones.pop(int(place))
        share = left[open_ones, record] / left[pivot, record]
        left[open_ones] -= share[:, None] * left[pivot]
        factors[open_ones] -= share[:, None] * factors[pivot]
    return [_cleaned(factors[place]) for place in open_ones]


def _fewest_columns(vectors: list[Doubles]) -> list[Doubles]:
    """Return independent relations of as few columns as can be had by eliminating one column from two relations."""
    known = {_support(vector): vector for vector in vectors}
    for _ in range(_ROUNDS if len(vectors) > 1 else 0):
        kept = sorted(known, key=lambda support: (len(support), support))[:_MOST_KEPT]
        fresh = {
            support: combined
            for one, other in combinations(kept, 2)
            for combined in _combined(known[one], known[other])
            if (support := _support(combined)) not in known and len(support) < max(len(one), len(other))
        }
        if not fresh:
            break
        known |= fresh
    chosen = IndependentVectors()
    by_size = sorted(known, key=lambda support: (len(support), support))
    return [known[support] for support in by_size if len(chosen) < len(vectors) and chosen.add(known[support])]


def _combined(one: Doubles, other: Doubles) -> Iterator[Doubles]:
    for place in np.flatnonzero((one != 0) & (other != 0))[:_MOST_SHARED]:
        combined = _cleaned(one - other * (one[place] / other[place]))
        combined[place] = 0.0
        if combined.any():
            yield combined


def _cleaned(vector: Doubles) -> Doubles:
    largest = np.abs(vector).max()
    return np.where(np.abs(vector) > _NOTHING * largest, vector / largest, 0.0) if largest > 0 else vector


def _support(vector: Doubles) -> tuple[int, ...]:
    return tuple(np.flatnonzero(vector).tolist())
