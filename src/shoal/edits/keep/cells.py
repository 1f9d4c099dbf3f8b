"""Cells: parts of the file in which every record satisfies the same alternatives of the conditional rules.

Within a cell what a rule requires is convex, so that representatives keep it. A cell with fewer than k records takes in
the nearest records that satisfy the same alternatives, from cells that can spare them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.edits.atoms import Atom, Linear, Product, Requirement
from shoal.edits.checked_records import CheckedRecords
from shoal.edits.evaluation import holds
from shoal.edits.keep.block_edits import BlockEdits, Demand
from shoal.errors import DataError, TooFewRecordsError

__all__ = ["Cells", "alternatives_held", "cells_of"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]

_MOST_CHOICES = 64


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of every record, and what holds in each cell.

    Attributes
    ----------
    codes
        The cell of every record, 0, 1, ...
    parts
        The part (stratum) each cell belongs to.
    atoms
        What every record of a cell satisfies, and its representatives must.
    filled
        How each cell with fewer than k records was enlarged, a sentence each.
    """

    codes: NDArray[np.int64]
    parts: NDArray[np.int64]
    atoms: tuple[tuple[Atom, ...], ...]
    filled: tuple[str, ...]

    def alike(self) -> list[list[int]]:
        """Return the cells in groups, those in which the same atoms hold together."""
        cells: dict[tuple[int, ...], list[int]] = {}
        for cell, atoms in enumerate(self.atoms):
            cells.setdefault(tuple(map(id, atoms)), []).append(cell)
        return list(cells.values())


def cells_of(
    edits: BlockEdits,
    records: CheckedRecords,
    parts: NDArray[np.int64],
    points: Doubles,
    k: int,
    *,
    repair: bool = False,
) -> Cells:
    """Split the parts of a file so that one alternative of every requirement holds throughout a cell.

    Parameters
    ----------
    edits
        What the rules require of the block.
    records
        The records of the file.
    parts
        The part (stratum) of every record, 0, 1, ...; no cell has records of two parts.
    points
        The records as points, to find the nearest ones.
    k
        The fewest records in a cell.
    repair
        Whether records may break sums and bounds, because representatives are moved to where these hold.

    Raises
    ------
    TooFewRecordsError
        A rule separates fewer than k records from the others, and no others satisfy the same alternatives.
    """
    satisfied = [_satisfied(demand, records, repair) for demand in edits.demands]
    patterns = _sign_patterns(edits, records)
    codes = np.full(len(parts), -1, dtype=np.int64)
    part_of_cell: list[int] = []
    atoms: list[tuple[Atom, ...]] = []
    filled: list[str] = []
    for part in range(int(parts.max()) + 1):
        rows = np.flatnonzero(parts == part)
        splitter = _Splitter([one[:, rows] for one in satisfied], edits.demands, points[rows], k)
        cell_of_record, choices = splitter.split()
        filled += splitter.filled
        for cell, chosen in enumerate(choices):
            holding = tuple(
                atom for demand, one in zip(edits.demands, chosen, strict=True) for atom in demand.alternatives[one]
            )
            members = rows[cell_of_record == cell]
            for piece in _split_by_pattern(members, patterns[members], points, k):
                codes[piece] = len(part_of_cell)
                part_of_cell.append(part)
                atoms.append(holding)
    return Cells(codes, np.array(part_of_cell, dtype=np.int64), tuple(atoms), tuple(filled))


def alternatives_held(edits: BlockEdits, records: CheckedRecords, *, repair: bool = False) -> NDArray[np.int64]:
    """Return what `cells_of` parts records by, a row for each: those alike in all of it are never parted."""
    satisfied = [row for demand in edits.demands for row in _satisfied(demand, records, repair)]
    return np.column_stack([*satisfied, *_signs(edits, records).T]).astype(np.int64)


def _satisfied(demand: Demand, records: CheckedRecords, repair: bool) -> Booleans:
    """Return which alternatives each record satisfies, a row for each alternative.

    A record with a missing value, or one that is repaired, satisfies all of them.
    """
    n = len(records)
    missing = np.zeros(n, dtype=bool)
    for name in Requirement(demand.alternatives).variables:
        missing |= records.missing(name)
    rows = []
    for alternative in demand.alternatives:
        repaired = repair and len(demand.alternatives) == 1 and all(isinstance(atom, Linear) for atom in alternative)
        satisfied = np.ones(n, dtype=bool)
        for atom in () if repaired else alternative:
            satisfied &= holds(atom.source, records)
        rows.append(satisfied | missing)
    return np.array(rows)


class _Splitter:
    """Splits one part of the file into cells.

    Parameters
    ----------
    satisfied
        For each demand, which of its alternatives each record satisfies.
    """

    def __init__(self, satisfied: list[Booleans], demands: Sequence[Demand], points: Doubles, k: int) -> None:
        self._satisfied, self._demands, self._points, self._k = satisfied, demands, points, k
        self.filled: list[str] = []
        # The alternative of each demand that each record counts under; where one holds for all records, that one.
        self._choice = np.zeros((len(points), len(satisfied)), dtype=np.int64)
        for place, rows in enumerate(satisfied):
            none = ~rows.any(axis=0)
            if none.any():
                raise DataError(
                    f'{int(none.sum())} records satisfy the rule "{demands[place].rule.shown}" only in a way that no '
                    "representative keeps. Leave the rule or replace out, or name all its variables in columns."
                )
            common = np.flatnonzero(rows.all(axis=1))
            self._choice[:, place] = common[0] if len(common) else rows.argmax(axis=0)

    def split(self) -> tuple[NDArray[np.int64], list[tuple[int, ...]]]:
        """Return the cell of every record, and the alternatives chosen in each."""
        while True:
            choices, cell = np.unique(self._choice, axis=0, return_inverse=True)
            cell = cell.reshape(-1)
            sizes = np.bincount(cell, minlength=len(choices))
            small = int(sizes.argmin())
            if sizes[small] >= self._k or len(choices) == 1:
                return cell, [tuple(int(one) for one in choice) for choice in choices]
            self._fill(np.flatnonzero(cell == small), cell, sizes)

    def _fill(self, few: NDArray[np.int64], cell: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        """Enlarge a small cell by the nearest records that satisfy the same alternatives."""
        options = [np.flatnonzero(rows[:, few].all(axis=1)) for rows in self._satisfied]
        distance = (self._points - self._points[few].mean(axis=0)) ** 2
        distance = np.where(np.isnan(distance), 0.0, distance).sum(axis=1)
        best: tuple[float, NDArray[np.int64], tuple[int, ...]] | None = None
        for number, chosen in enumerate(product(*options)):
            if number == _MOST_CHOICES:
                break
            fits = np.logical_and.reduce([rows[one] for rows, one in zip(self._satisfied, chosen, strict=True)])
            fits[few] = False
            in_cell = (self._choice == chosen).all(axis=1)
            in_cell[few] = False
            joining = (
                np.flatnonzero(in_cell)  # a cell that is large enough, or will be enlarged in its turn
                if in_cell.any()
                else self._spared(np.flatnonzero(fits), cell, sizes, distance, self._k - len(few))
            )
            if joining is not None and (best is None or distance[joining].mean() < best[0]):
                best = float(distance[joining].mean()), joining, tuple(int(one) for one in chosen)
        if best is None:
            raise self._too_few(few)
        self.filled.append(
            f"{self._separating_rules()} {_records(len(few))} from the others; grouped with the nearest {len(best[1])} "
            "that satisfy the same."
        )
        self._choice[few] = best[2]
        self._choice[best[1]] = best[2]

    def _spared(
        self,
        pool: NDArray[np.int64],
        cell: NDArray[np.int64],
        sizes: NDArray[np.int64],
        distance: Doubles,
        needed: int,
    ) -> NDArray[np.int64] | None:
        """Return the nearest records of the pool whose cells can spare them, or a whole cell; None if too few."""
        nearest = pool[np.lexsort((pool, distance[pool]))]
        spare = np.maximum(sizes - self._k, 0)
        rows: list[int] = []
        for row in nearest.tolist():
            if spare[cell[row]] > 0:
                spare[cell[row]] -= 1
                rows.append(row)
                if len(rows) == needed:
                    return np.array(rows, dtype=np.int64)
        inside = np.bincount(cell[pool], minlength=len(sizes))
        whole = np.flatnonzero((inside == sizes) & (inside > 0))
        if len(whole) == 0:
            return None
        nearest_cell = min(whole.tolist(), key=lambda one: (distance[pool[cell[pool] == one]].mean(), one))
        return np.asarray(pool[cell[pool] == nearest_cell])  # the next round has one cell less

    def _separating_rules(self) -> str:
        """Name the rules of which no alternative holds for all records: 'The rule "..." separates'."""
        split = [place for place, rows in enumerate(self._satisfied) if not np.all(rows, axis=1).any()]
        rules = list(dict.fromkeys(f'"{self._demands[place].rule.shown}"' for place in split))
        if len(rules) == 1:
            return f"The rule {rules[0]} separates"
        return f"The rules {' and '.join(rules[:2])}{f' and {len(rules) - 2} more' if len(rules) > 2 else ''} separate"

    def _too_few(self, few: NDArray[np.int64]) -> TooFewRecordsError:
        """Return the error that says which rule separates too few records."""
        return TooFewRecordsError(
            f"{self._separating_rules()} {_records(len(few))} from the others, and k={self._k} needs {self._k} that "
            "can be grouped without breaking a rule. Leave those records out, leave a rule out, or lower k."
        )


def _records(number: int) -> str:
    return f"{number} record{'s' * (number != 1)}"


def _sign_patterns(edits: BlockEdits, records: CheckedRecords) -> NDArray[np.int64]:
    """Return a number for every record, the same where variables of products have the same signs."""
    signs = _signs(edits, records)
    if not signs.shape[1]:
        return np.zeros(len(records), dtype=np.int64)
    return np.unique(signs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _signs(edits: BlockEdits, records: CheckedRecords) -> Doubles:
    """Return the signs of the variables of products, a row for each record."""
    names = {
        name
        for demand in edits.demands
        for alternative in demand.alternatives
        for atom in alternative
        if isinstance(atom, Product)
        for name in atom.variables
        if edits.operators.get(name) == "geometric-mean"
    }
    columns = [np.sign(np.nan_to_num(records.numbers(name))) for name in sorted(names)]
    return np.column_stack(columns) if columns else np.zeros((len(records), 0))


def _split_by_pattern(
    members: NDArray[np.int64], patterns: NDArray[np.int64], points: Doubles, k: int
) -> list[NDArray[np.int64]]:
    """Split a cell by the signs of its records; a piece with fewer than k records joins the nearest one."""
    pieces = [members[patterns == one] for one in np.unique(patterns)]
    while len(pieces) > 1 and min(len(piece) for piece in pieces) < k:
        pieces.sort(key=len)
        few = pieces.pop(0)
        centre = points[few].mean(axis=0)
        nearest = min(
            range(len(pieces)),
            key=lambda place: float(np.nansum((points[pieces[place]].mean(axis=0) - centre) ** 2)),
        )
        pieces[nearest] = np.sort(np.concatenate([pieces[nearest], few]))
    return pieces
