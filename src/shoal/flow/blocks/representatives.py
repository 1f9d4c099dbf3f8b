"""The representatives of the groups of one block, variable by variable, and what is counted about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.flow.blocks.behind import GroupedBlock, records_behind
from shoal.flow.blocks.largest_shares import contributed_sums
from shoal.flow.proven.squared_error import squared_error
from shoal.partition.geometry.different_units import count_units
from shoal.replace import Aggregate, Medoid, Members
from shoal.replace.aggregate import signed_geometric_means
from shoal.replace.members import members
from shoal.replace.same_records import Behind

__all__ = ["Representatives"]

Doubles = NDArray[np.float64]


@dataclass
class Representatives:
    """The representatives of the groups of one block, once they are computed.

    Attributes
    ----------
    grouped
        The block and its groups.
    behind
        Which records are behind the values of each column.
    computed, taken
        New values by column, or the record whose value each record gets.
    joined, filled, held_by_one, lone, dominated
        By column, as in `shoal.flow.outcome.Outcome`; columns with none are left out.
    supports, effective
        How many records are behind the values, and the smallest effective number of them where they have weights.
    squared_error
        That of the groups as they are released, in the matrix of the block; None where values are missing.
    """

    grouped: GroupedBlock
    behind: dict[str, Behind] = field(default_factory=dict)
    computed: dict[str, Doubles] = field(default_factory=dict)
    taken: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)
    filled: dict[str, int] = field(default_factory=dict)
    held_by_one: dict[str, int] = field(default_factory=dict)
    lone: dict[str, int] = field(default_factory=dict)
    dominated: dict[str, int] = field(default_factory=dict)
    supports: list[int] = field(default_factory=list)
    effective: list[float] = field(default_factory=list)
    squared_error: float | None = None

    def compute(self) -> None:
        """Fill in the new values of every column."""
        grouped = self.grouped
        seed, places = grouped.work.plan.seed, range(len(grouped.block))
        rngs = [np.random.default_rng([seed, grouped.number, place]) for place in places]
        self.behind = behind = records_behind(grouped)
        averaged = {name: self._averaged(one) for name, one in behind.items()}
        known = self._of_products(behind, averaged, rngs[0]) | self._medoids(averaged)
        for name, rng in zip(grouped.block, rngs, strict=True):
            self._replace(name, behind[name], averaged[name], rng, known)
            self._count(name, behind[name], averaged[name])
        if grouped.matrix.complete:
            varying = [name for name in grouped.block if name not in grouped.matrix.constant]
            self.squared_error = squared_error(grouped.matrix, [behind[name].labels for name in varying])

    def _averaged(self, behind: Behind) -> Members:
        """Return the records that the representatives of one column are taken over."""
        if behind.labels is self.grouped.grouping.labels and behind.counted.all():
            return self.grouped.everyone
        return members(behind.labels, behind.counted)

    def _medoids(self, averaged: Mapping[str, Members]) -> dict[str, NDArray[np.int64]]:
        """Return the medoid of every group, the same for all columns; nothing for other replacements."""
        grouped = self.grouped
        medoid, matrix = grouped.work.plan.replacements[grouped.block[0]], grouped.matrix
        if not isinstance(medoid, Medoid):
            return {}
        everyone = averaged[grouped.block[0]]
        chosen = medoid.records(matrix.values, matrix.nominal, everyone, matrix.mismatch, grouped.work.weights)
        return dict.fromkeys(grouped.block, chosen)

    def _replace(
        self, name: str, behind: Behind, averaged: Members, rng: np.random.Generator, known: Mapping[str, NDArray[Any]]
    ) -> None:
        work, values = self.grouped.work, self.grouped.values[name]
        replaced = ~np.isnan(values) | self.grouped.fills
        replacement = work.plan.replacements[name]
        assert isinstance(replacement, Aggregate | Medoid)
        representatives: NDArray[Any] | None = known.get(name)
        if isinstance(replacement, Aggregate) and representatives is None:
            representatives = replacement.representatives(values, averaged, rng=rng, weights=work.weights, column=name)
        assert representatives is not None
        released = representatives[np.searchsorted(averaged.groups, behind.labels[replaced])]
        if replacement.keeps_values:
            self.taken[name] = np.arange(len(work.table))
            self.taken[name][replaced] = released
            _add(self.held_by_one, name, _held_by_one(values, averaged, representatives))
        else:
            self.computed[name] = np.full(len(work.table), np.nan)
            self.computed[name][replaced] = released

    def _count(self, name: str, behind: Behind, averaged: Members) -> None:
        """Count what a reader should know about the records behind the values of one column."""
        grouped = self.grouped
        units = grouped.work.units
        behind_each = averaged.sizes if units is None else count_units(averaged.entries, units[averaged.records])
        self.supports.extend(behind_each.tolist())
        if grouped.fills:
            _add(self.filled, name, int(np.isnan(grouped.values[name]).sum()))
        if name in grouped.matrix.constant:
            return
        if behind.labels is not grouped.grouping.labels:
            left = np.unique(behind.labels[grouped.grouping.labels >= 0])
            _add(self.joined, name, len(grouped.everyone.groups) - len(left))
        if grouped.work.weights is not None and len(averaged.groups):
            self.effective.append(_smallest_effective(grouped.work.weights, averaged))
        sums = contributed_sums(grouped.work, name, grouped.values[name], behind.labels, behind.counted)
        if sums is not None:
            totals, most = sums
            _add(self.lone, name, int(totals.lone.sum()))
            _add(self.dominated, name, int(totals.above(most).sum()))

    def _of_products(
        self, behind: Mapping[str, Behind], averaged: Mapping[str, Members], rng: np.random.Generator
    ) -> dict[str, Doubles]:
        """Return the geometric means of variables in products, which may have any sign."""
        edits = self.grouped.edits
        if edits is None:
            return {}
        named = [name for name in edits.movable if edits.operators[name] == "geometric-mean"]
        powers = {name: self.grouped.values[name] for name in named}
        missing = any(np.isnan(column).any() for column in powers.values())
        if all((column > 0).all() for column in powers.values()) or missing:
            return {}
        found: dict[str, Doubles] = {}
        for first in named:  # columns that a rule joins have the same groups
            if first not in found:
                alike = {name: powers[name] for name in named if behind[name].labels is behind[first].labels}
                found |= signed_geometric_means(alike, averaged[first], self.grouped.work.weights, rng)
        return found


def _held_by_one(values: Doubles, averaged: Members, representatives: NDArray[np.int64]) -> int:
    """Return in how many groups one record alone has the value of the record that stands for the group."""
    if not len(averaged.records):
        return 0
    alike = values[averaged.records] == np.repeat(values[representatives], averaged.sizes)
    return int((np.add.reduceat(alike, averaged.starts[:-1], dtype=np.int64) == 1).sum())


def _smallest_effective(weights: Doubles, averaged: Members) -> float:
    """Return the smallest effective number of records of a group, (sum w)^2 / sum w^2."""
    own = weights[averaged.records]
    relative = own / np.repeat(np.maximum.reduceat(own, averaged.starts[:-1]), averaged.sizes)
    sums, squares = (np.add.reduceat(one, averaged.starts[:-1]) for one in (relative, relative * relative))
    return float((sums * sums / squares).min())


def _add(counts: dict[str, int], name: str, count: int) -> None:
    if count:
        counts[name] = count
