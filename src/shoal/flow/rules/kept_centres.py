"""Rules of all kinds that averages can keep, kept by the centres of fuzzy clusters before any is drawn.

Clusters are found cell by cell. The records of a cell satisfy the same alternatives of every rule, and weighted means
of them keep what is linear. The rest is as with groups: variables are computed from the others, rounded or moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix
from shoal.describe.standardize import Scale
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.kept_groups import KeptGroups, kept_in_groups

__all__ = ["KeptCentres"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class KeptCentres:
    """Moves the centres of one block to where the rules hold.

    Attributes
    ----------
    edits, cells
        What the rules require of the block, and what holds in each cell.
    values, matrix
        The variables of the block, and what clusters are found in.
    scales
        The scale of every column of the matrix.
    k
        So many of the nearest records tell where a centre may be moved.
    repair
        Whether centres are moved to where sums and bounds hold that the file breaks.
    """

    edits: BlockEdits
    cells: Cells
    values: Mapping[str, Doubles]
    matrix: Matrix
    scales: Sequence[Scale]
    k: int
    repair: bool

    @cached_property
    def _spreads(self) -> dict[str, float]:
        return {name: float(np.std(column, ddof=1)) for name, column in self.values.items()}

    def kept(self, cell: int, rows: NDArray[np.int64], means: Doubles) -> tuple[Doubles, dict[str, Doubles]]:
        """Return the centres in the units of the matrix, and their values in the file by column.

        Parameters
        ----------
        cell, rows
            A cell, and the records of it among which the clusters were found.
        means
            The centres as they are, in the units of the matrix.
        """
        varying = [name for name in self.values if name not in self.matrix.constant]
        centres = {name: np.full(len(means), column[0]) for name, column in self.values.items()}
        centres |= {name: self.scales[place].undo(means[:, place]) for place, name in enumerate(varying)}
        groups = KeptGroups(self.edits, self.cells.atoms[cell], self._spreads, self.repair)
        X = self.matrix.values[rows]
        distances = (np.square(X - mean).sum(axis=1) for mean in means)
        nearest = [rows[np.argsort(distance, kind="stable")[: self.k]] for distance in distances]
        found = kept_in_groups(groups, centres, {}, nearest, self.values)
        scaled = [self.scales[place].apply(found[name]) for place, name in enumerate(varying)]
        return np.column_stack(scaled) if scaled else means, found  # with nothing that varies the matrix is zero
