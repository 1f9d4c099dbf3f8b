"""The sums and bounds of rewritten variables, with the right sides that they have in every record."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.edits.atoms import Linear
from shoal.edits.checked_records import CheckedRecords
from shoal.edits.keep.records.nearest_values import nearest_values

__all__ = ["RecordSums"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Places = NDArray[np.int64]

# How far below its bound a sum is kept that may not reach it, if there is room; of the size of its terms.
_STRICT = 1e-8
# A sum that misses by less of the size of its terms holds, and is then computed to the last digit.
_NEARLY = 1e-10


class RecordSums:
    """Sums and bounds once the values that stay are put in.

    Parameters
    ----------
    atoms
        The sums and bounds, each with a rewritten variable in it.
    columns
        The rewritten variables.
    records
        The original records.
    """

    def __init__(self, atoms: Sequence[Linear], columns: Sequence[str], records: CheckedRecords) -> None:
        self.atoms, self._columns = atoms, columns
        none = np.empty((len(records), 0))  # a block may have no numbers to rewrite
        self.original: Doubles = np.column_stack([none, *(records.numbers(name) for name in columns)])
        largest = np.abs(self.original).max(axis=0, initial=0.0)
        with np.errstate(over="ignore"):
            spread = self.original.std(axis=0)
        self.scale: Doubles = np.where((spread > 0) & np.isfinite(spread), spread, np.where(largest > 0, largest, 1.0))
        self.is_equality: Booleans = np.array([atom.relation == "==" for atom in atoms], dtype=bool)
        self.rows: Doubles = np.array(
            [[atom.coefficients.get(name, 0.0) for name in columns] for atom in atoms]
        ).reshape(len(atoms), len(columns))
        self.right, self.sizes = np.zeros((2, len(records), len(atoms)))
        for place, atom in enumerate(atoms):
            staying = [part * records.numbers(name) for name, part in atom.coefficients.items() if name not in columns]
            self.right[:, place] = atom.constant - np.sum(staying, axis=0)
            rewritten = (np.abs(self.rows[place]) * largest).sum()
            self.sizes[:, place] = abs(atom.constant) + np.abs(staying).sum(axis=0) + rewritten
        strict = np.array([atom.relation == "<" for atom in atoms], dtype=bool)
        # In units in which rows are about one standard deviation long: no square of theirs is too small or too large.
        units = np.abs(self.rows * self.scale).max(axis=1, initial=0.0)
        self.rows, self.right, self.sizes = self.rows / units[:, None], self.right / units, self.sizes / units
        self._lengths: Doubles = np.sqrt(np.square(self.rows * self.scale).sum(axis=1))
        room = self.right - products(self.original, self.rows.T)
        self.right -= np.where(strict, np.clip(room, 0.0, _STRICT * self.sizes), 0.0)

    def excess(self, values: Doubles, records: Places) -> Doubles:
        """Return left side less right side of every sum and bound, for these records."""
        return products(values, self.rows.T) - self.right[records]

    def apart(self, values: Doubles, records: Places) -> Doubles:
        """Return how far values are from each sum and bound, in standard deviations; 0 where it holds."""
        excess = self.excess(values, records)
        nearly = np.abs(excess) <= _NEARLY * self.sizes[records]
        apart = np.where(self.is_equality, np.where(nearly, 0.0, np.abs(excess)), np.maximum(excess, 0.0))
        return np.asarray(apart / self._lengths)

    def nearest(self, values: Doubles, records: Places, applies: Booleans, movable: Collection[str]) -> Doubles:
        """Return the nearest values that keep the sums and bounds that apply; NaN where there are none.

        Parameters
        ----------
        values, records
            m x d, and the m records that they are for.
        applies
            m x a: which sums and bounds have to hold in which of them.
        movable
            The variables that may change.
        """
        moves = np.array([name in movable for name in self._columns], dtype=bool)
        right = self.right[records] - products(values[:, ~moves], self.rows[:, ~moves].T)
        broken = (applies & (self.apart(values, records) > 0)).any(axis=1)
        moved = values.copy()
        moved[np.ix_(broken, moves)] = nearest_values(
            values[np.ix_(broken, moves)],
            self.scale[moves],
            self.rows[:, moves],
            right[broken],
            self.is_equality,
            applies[broken],
        )
        return moved
