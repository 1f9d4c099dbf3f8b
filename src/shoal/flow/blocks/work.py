"""What protecting the blocks of a plan starts from, and what comes of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.edits.keep.block_edits import BlockEdits
    from shoal.edits.keep.records import RecordRules
    from shoal.flow.plan import Plan
    from shoal.partition import LowerBound, Partition

__all__ = ["Levels", "ProtectedBlock", "Work", "fallback_notes"]


@dataclass(frozen=True, eq=False)
class Levels:
    """The units (households, firms) of a table, and which blocks are about them.

    Attributes
    ----------
    units
        The unit of every record, 0, 1, ...
    first
        The first record of every unit.
    constant
        For every block, whether all its variables are constant within every unit.
    """

    units: NDArray[np.int64]
    first: NDArray[np.int64]
    constant: tuple[bool, ...]

    def is_inside(self, number: int) -> bool:
        """Whether a block is grouped inside the groups of the block before it."""
        return 0 < number < len(self.constant) and self.constant[number - 1] and not self.constant[number]


@dataclass(frozen=True)
class Work:
    """A plan that was checked against its table, and what all its blocks share.

    Attributes
    ----------
    plan, table
        What is done, and to what.
    strata
        The parts of the file that no group may mix.
    weights
        The sampling weights, if there are any.
    edits
        How each block keeps the rules; empty where there are none, or all are sums and bounds that centres keep.
    values
        The variables of every block as numbers, by column.
    matrices
        What distances are taken between, for every block.
    record_rules
        The rules of every block whose values are drawn for each record; empty where there are none.
    levels
        The units that at least k of every group are different in; None where every record is one.
    wider
        What neighbouring groups may share a value within, where that is wider than `strata`.
    start
        The groups to search on from, in place of those that the plan's method makes.
    """

    plan: Plan
    table: Table
    strata: Strata
    weights: NDArray[np.float64] | None
    edits: Sequence[BlockEdits]
    values: Sequence[Mapping[str, NDArray[np.float64]]]
    matrices: Sequence[Matrix]
    record_rules: Sequence[RecordRules] = ()
    levels: Levels | None = None
    wider: Strata | None = None
    start: NDArray[np.int64] | None = None

    @property
    def units(self) -> NDArray[np.int64] | None:
        """The unit of every record; None where every record is one."""
        return None if self.levels is None else self.levels.units


@dataclass(frozen=True)
class ProtectedBlock:
    """What came of one block of variables.

    Attributes
    ----------
    matrix, partition
        The numbers that were grouped, and the groups.
    computed
        New values by column.
    taken
        By column, the number of the record whose value each record gets.
    joined
        By column, how many groups were joined to a neighbour so that k values are observed and none counts too much.
    filled
        By column, how many missing values got the value of their group.
    held_by_one
        By column, in how many groups the released value is that of one record alone.
    suppressed
        By column, which cells are made missing.
    lone, dominated
        By column, in how many groups one record makes up the whole sum, or more than the share that is counted from.
    smallest_support
        The fewest records behind any released value.
    effective_number
        The smallest effective number of records behind a value with weights, infinity without weights.
    smallest_expected
        The fewest records that any released centre was expected to get; infinity where none are drawn.
    steps
        The steps of a search, by stratum.
    notes
        What a reader of the release should know.
    squared_error
        That of the released groups in the matrix; None where values are missing or there are no such groups.
    lower_bound
        What the search proved that no groups can be below, if it did.
    """

    matrix: Matrix
    partition: Partition
    computed: Mapping[str, NDArray[np.float64]]
    taken: Mapping[str, NDArray[np.int64]]
    joined: Mapping[str, int]
    smallest_support: int
    steps: list[int]
    notes: tuple[str, ...] = ()
    held_by_one: Mapping[str, int] = field(default_factory=dict)
    smallest_expected: float = math.inf
    filled: Mapping[str, int] = field(default_factory=dict)
    lone: Mapping[str, int] = field(default_factory=dict)
    dominated: Mapping[str, int] = field(default_factory=dict)
    effective_number: float = math.inf
    suppressed: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    squared_error: float | None = None
    lower_bound: LowerBound | None = None


def fallback_notes(fallback: str, share: float) -> tuple[str, ...]:
    """Return the note on a method that leaves records to another where it finds no groups; none for others."""
    return (f"{100 * share:.1f} % of the records were left to {fallback}.",) if fallback else ()
