"""Cells: parts of the file in which every record satisfies the same alternatives of the conditional rules.

Within a cell what a rule asks for is one convex thing, which representatives keep. A cell with fewer than k records
takes in the nearest records that satisfy what its own satisfy, from cells that can spare them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.edits.evaluation import Records, holds
from shoal.edits.keep.atoms import Atom, Linear, Product, Requirement
from shoal.edits.keep.block_edits import BlockEdits, Demand
from shoal.errors import DataError, TooFewRecordsError

__all__ = ["Cells", "cells_of"]

Doubles = NDArray[np.float64]
Truths = NDArray[np.bool_]

_MOST_CHOICES = 64


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of every record, and what holds in each.

    Attributes
    ----------
    codes
        The cell of every record, 0, 1, ...
    parts
        The part (stratum) each cell belongs to.
    atoms
        What every record of a cell satisfies, and its representatives must.
    filled
        What was done where a rule sets fewer than k records apart, a sentence each.
    """

    codes: NDArray[np.int64]
    parts: NDArray[np.int64]
    atoms: tuple[tuple[Atom, ...], ...]
    filled: tuple[str, ...]

    def alike(self) -> list[list[int]]:
        """Return the cells in which the very same atoms hold, together."""
        found: dict[tuple[int, ...], list[int]] = {}
        for cell, atoms in enumerate(self.atoms):
            found.setdefault(tuple(map(id, atoms)), []).append(cell)
        return list(found.values())


def cells_of(
    edits: BlockEdits, records: Records, parts: NDArray[np.int64], points: Doubles, k: int, *, repair: bool = False
) -> Cells:
    """Split the parts of a file so that one alternative of every requirement holds throughout a cell.

    Parameters
    ----------
    edits
        What the rules ask of the block.
    records
        The file.
    parts
        The part of every record that no cell may leave, 0, 1, ...
    points
        The records as points, to find the nearest.
    k
        The fewest records in a cell.
    repair
        Whether sums need not hold yet, because representatives will be made to satisfy them.

    Raises
    ------
    TooFewRecordsError
        A rule sets fewer than k records apart, and no others satisfy what they do.
    """
    truths = [_truths(demand, records, repair) for demand in edits.demands]
    soft = _sign_patterns(edits, records)
    codes = np.full(len(parts), -1, dtype=np.int64)
    part_of_cell: list[int] = []
    atoms: list[tuple[Atom, ...]] = []
    filled: list[str] = []
    for part in range(int(parts.max()) + 1):
        rows = np.flatnonzero(parts == part)
        splitter = _Splitter([truth[:, rows] for truth in truths], edits.demands, points[rows], k)
        found, choices = splitter.split()
        filled += splitter.filled
        for cell, chosen in enumerate(choices):
            holding = tuple(
                atom for demand, one in zip(edits.demands, chosen, strict=True) for atom in demand.alternatives[one]
            )
            members = rows[found == cell]
            for piece in _pieces(members, soft[members], points, k):
                codes[piece] = len(part_of_cell)
                part_of_cell.append(part)
                atoms.append(holding)
    return Cells(codes, np.array(part_of_cell, dtype=np.int64), tuple(atoms), tuple(filled))


def _truths(demand: Demand, records: Records, repair: bool) -> Truths:
    """Return which alternatives each record satisfies; one with a gap, or to be repaired, satisfies all."""
    n = len(records)
    gaps = np.zeros(n, dtype=bool)
    for name in Requirement(demand.alternatives).variables:
        gaps |= records.gaps(name)
    found = []
    for alternative in demand.alternatives:
        mends = repair and len(demand.alternatives) == 1 and all(isinstance(atom, Linear) for atom in alternative)
        truth = np.ones(n, dtype=bool)
        for atom in () if mends else alternative:
            truth &= holds(atom.source, records)
        found.append(truth | gaps)
    return np.array(found)


class _Splitter:
    """Splits one part of the file."""

    def __init__(self, truths: list[Truths], demands: Sequence[Demand], points: Doubles, k: int) -> None:
        self._truths, self._demands, self._points, self._k = truths, demands, points, k
        self.filled: list[str] = []
        n = len(points)
        self._choice = np.zeros((n, len(truths)), dtype=np.int64)
        for place, truth in enumerate(truths):
            lost = ~truth.any(axis=0)
            if lost.any():
                raise DataError(
                    f'{int(lost.sum())} records satisfy the rule "{demands[place].rule.shown}" only in a way that no '
                    "representative keeps. Leave the rule out, or name all its variables in columns."
                )
            common = np.flatnonzero(truth.all(axis=1))
            self._choice[:, place] = common[0] if len(common) else truth.argmax(axis=0)

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
        """Give a small cell the nearest records that satisfy what its own do."""
        options = [np.flatnonzero(truth[:, few].all(axis=1)) for truth in self._truths]
        distance = (self._points - self._points[few].mean(axis=0)) ** 2
        distance = np.where(np.isnan(distance), 0.0, distance).sum(axis=1)
        best: tuple[float, NDArray[np.int64], tuple[int, ...]] | None = None
        for number, chosen in enumerate(product(*options)):
            if number == _MOST_CHOICES:
                break
            fits = np.logical_and.reduce([truth[one] for truth, one in zip(self._truths, chosen, strict=True)])
            fits[few] = False
            there = (self._choice == chosen).all(axis=1)
            there[few] = False
            taken = (
                np.flatnonzero(there)  # a cell that is large enough, or will be filled in its turn
                if there.any()
                else self._taken(np.flatnonzero(fits), cell, sizes, distance, self._k - len(few))
            )
            if taken is not None and (best is None or distance[taken].mean() < best[0]):
                best = float(distance[taken].mean()), taken, tuple(int(one) for one in chosen)
        if best is None:
            raise self._too_few(few)
        self.filled.append(
            f"{self._to_blame()} {_records(len(few))} apart, grouped with the nearest {len(best[1])} to satisfy the "
            "same."
        )
        self._choice[few] = best[2]
        self._choice[best[1]] = best[2]

    def _taken(
        self,
        pool: NDArray[np.int64],
        cell: NDArray[np.int64],
        sizes: NDArray[np.int64],
        distance: Doubles,
        needed: int,
    ) -> NDArray[np.int64] | None:
        """Return the nearest records of the pool whose cells can spare them, or whole cells; None if too few."""
        nearest = pool[np.lexsort((pool, distance[pool]))]
        spare = np.maximum(sizes - self._k, 0)
        taken: list[int] = []
        for row in nearest.tolist():
            if spare[cell[row]] > 0:
                spare[cell[row]] -= 1
                taken.append(row)
                if len(taken) == needed:
                    return np.array(taken, dtype=np.int64)
        inside = np.bincount(cell[pool], minlength=len(sizes))
        whole = np.flatnonzero((inside == sizes) & (inside > 0))
        if len(whole) == 0:
            return None
        nearest_cell = min(whole.tolist(), key=lambda one: (distance[pool[cell[pool] == one]].mean(), one))
        return np.asarray(pool[cell[pool] == nearest_cell])  # with it, the next round is one cell shorter

    def _to_blame(self) -> str:
        """Return what the rules do of which no alternative holds for all records: 'The rule "..." sets'."""
        split = [place for place, truth in enumerate(self._truths) if not np.all(truth, axis=1).any()]
        rules = list(dict.fromkeys(f'"{self._demands[place].rule.shown}"' for place in split))
        if len(rules) == 1:
            return f"The rule {rules[0]} sets"
        return f"The rules {' and '.join(rules[:2])}{f' and {len(rules) - 2} more' if len(rules) > 2 else ''} set"

    def _too_few(self, few: NDArray[np.int64]) -> TooFewRecordsError:
        """Say which rule sets too few records apart."""
        return TooFewRecordsError(
            f"{self._to_blame()} {_records(len(few))} apart, and k={self._k} needs {self._k} that can be put together "
            "without breaking a rule. Leave those records out, leave a rule out, or lower k."
        )


def _records(number: int) -> str:
    return f"{number} record{'s' * (number != 1)}"


def _sign_patterns(edits: BlockEdits, records: Records) -> NDArray[np.int64]:
    """Number the records by which variables of products are negative, zero or positive."""
    names = {
        name
        for demand in edits.demands
        for alternative in demand.alternatives
        for atom in alternative
        if isinstance(atom, Product)
        for name in atom.variables
        if edits.operators.get(name) == "geometric-mean"
    }
    if not names:
        return np.zeros(len(records), dtype=np.int64)
    signs = np.column_stack([np.sign(np.nan_to_num(records.numbers(name))) for name in sorted(names)])
    return np.unique(signs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _pieces(
    members: NDArray[np.int64], patterns: NDArray[np.int64], points: Doubles, k: int
) -> list[NDArray[np.int64]]:
    """Split a cell by sign patterns; a piece with fewer than k records joins the nearest one."""
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
