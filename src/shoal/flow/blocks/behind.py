"""Which records are behind the released values of a block: k of them observed, and none that counts too much.

Groups are joined for that, and the partition that a release shows has them as they are then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata, or_lower_k
from shoal.describe.tied_columns import tied_columns
from shoal.edits.keep.block_edits import BlockEdits
from shoal.errors import TooFewRecordsError
from shoal.flow.blocks.grouping import Grouping, group_centres
from shoal.flow.blocks.largest_shares import limits_on, refuse_large_share
from shoal.flow.blocks.work import Work
from shoal.partition import Partition
from shoal.replace import Aggregate, Members, TooFewObservedError
from shoal.replace.contributions import TooLargeShareError, joined_to_shares
from shoal.replace.members import joined_to_at_least_k
from shoal.replace.same_records import Behind, joined_in_any, over_the_same_records

__all__ = ["GroupedBlock", "partition_behind", "records_behind"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class GroupedBlock:
    """One block of variables whose records are in groups.

    Attributes
    ----------
    work, number, block
        What it belongs to, its number, and its columns.
    values, matrix
        The variables as numbers, and what distances were taken between.
    strata, grouping, everyone
        The parts of the file that no group mixes, the groups, and the records of each.
    edits
        How the block keeps the rules, if there are any.
    """

    work: Work
    number: int
    block: Sequence[str]
    values: Mapping[str, Doubles]
    matrix: Matrix
    strata: Strata
    grouping: Grouping
    everyone: Members
    edits: BlockEdits | None

    @property
    def fills(self) -> bool:
        """Whether missing values get the value of their group."""
        return self.work.plan.missing == "fill"

    @property
    def is_shared(self) -> bool:
        """Whether one replacement is for all columns together, so that the same records are behind all of them."""
        return self.work.plan.replacements[self.block[0]].scope == "block"

    @cached_property
    def centres(self) -> Doubles:
        """The centres of the groups."""
        return group_centres(self.matrix, self.everyone)


def records_behind(grouped: GroupedBlock) -> dict[str, Behind]:
    """Return which records are behind the representatives of each variable."""
    observed = {name: ~np.isnan(grouped.values[name]) for name in grouped.block}
    behind = {name: Behind(_own_labels(grouped, name, observed[name]), observed[name]) for name in grouped.block}
    dominance = grouped.work.plan.dominance
    tied: list[tuple[str, ...]] = []
    if not grouped.matrix.complete or dominance is not None:
        tied = _tied(grouped)
    for columns in tied if not grouped.matrix.complete else ():
        own = {name: behind[name] for name in columns}
        with _naming(grouped, " together with ".join(f'"{name}"' for name in columns), grouped.strata):
            grouping, work = grouped.grouping, grouped.work
            behind |= over_the_same_records(
                own, grouping.labels, grouped.centres, work.plan.k, grouping.stratum_of_group, work.units
            )
    if grouped.work.weights is None and dominance is None:
        return behind
    varying = tuple(name for name in grouped.block if name not in grouped.matrix.constant)
    if grouped.matrix.complete and (dominance is None or grouped.is_shared):  # the same weights are behind all columns
        joined = _none_too_large(grouped, {name: behind[name] for name in varying[:1]})
        alike = grouped.block if grouped.is_shared else varying
        return behind | {name: one for one in joined.values() for name in alike}
    for columns in _with_rules(grouped, tied, varying):
        behind |= _none_too_large(grouped, {name: behind[name] for name in columns})
    return behind


def _own_labels(grouped: GroupedBlock, name: str, observed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the groups for one variable, joined where fewer than k of its values are observed."""
    labels, k, units = grouped.grouping.labels, grouped.work.plan.k, grouped.work.units
    if name in grouped.matrix.constant and not grouped.is_shared:
        # All its values are the same, so all records are one group; those without any other value among them.
        one, needed = np.zeros(1, np.int64), np.ones(1, dtype=bool) if grouped.fills else None
        with _naming(grouped, f'"{name}"', None):
            return joined_to_at_least_k(np.zeros_like(labels), observed, np.zeros((1, 1)), k, one, needed, units)
    if grouped.matrix.complete:
        return labels
    part = grouped.grouping.stratum_of_group
    needed = np.ones(len(part), dtype=bool) if grouped.fills else None
    with _naming(grouped, f'"{name}"', grouped.strata):
        return joined_to_at_least_k(labels, observed, grouped.centres, k, part, needed, units)


def _tied(grouped: GroupedBlock) -> list[tuple[str, ...]]:
    """Return the sets of columns whose representatives are means, of numbers that linear relations tie."""
    averaged: dict[type, dict[str, Doubles]] = {}
    for name in grouped.block:
        replacement = grouped.work.plan.replacements[name]
        numbers = replacement.averaged(grouped.values[name]) if isinstance(replacement, Aggregate) else None
        if numbers is not None and name not in grouped.matrix.constant:
            averaged.setdefault(type(replacement), {})[name] = numbers
    tied = [set(columns) for numbers in averaged.values() for columns in tied_columns(numbers)]
    together = _with_rules(grouped, tied, grouped.block)
    return [columns for columns in together if any(own.issubset(columns) for own in tied)]


def _with_rules(
    grouped: GroupedBlock, tied: Sequence[set[str] | tuple[str, ...]], columns: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return these columns in sets: those that are tied or that rules join together, each of the others alone."""
    demands = () if grouped.edits is None else grouped.edits.demands
    joined: list[set[str]] = [{name} for name in columns]
    for one in [*map(set, tied), *(set(demand.rule.variables) for demand in demands)]:
        own = one.intersection(columns)
        touched = [other for other in joined if other & own]
        joined = [other for other in joined if not other & own] + ([own.union(*touched)] if own else [])
    return [tuple(name for name in grouped.block if name in one) for one in joined]


def _none_too_large(grouped: GroupedBlock, behind: Mapping[str, Behind]) -> dict[str, Behind]:
    """Return what is behind some columns that are joined alike, so that no record counts too much in any of them."""
    part = grouped.grouping.stratum_of_group
    limits = [
        limit
        for name, one in behind.items()
        for limit in limits_on(grouped.work, name, grouped.values[name], one.counted)
    ]
    if not any(one.above(behind[one.column].labels, len(part)).any() for one in limits):
        return dict(behind)
    joint = joined_in_any(behind, grouped.grouping.labels, len(part))
    try:
        labels = joined_to_shares(joint, [one.contributions for one in limits], grouped.centres, part)
    except TooLargeShareError as error:
        refuse_large_share(grouped.work.plan, limits[error.number], grouped.strata, error.parts)
    return {name: Behind(labels, one.counted) for name, one in behind.items()}


def partition_behind(
    grouped: GroupedBlock, behind: Mapping[str, Behind], columns: Sequence[str], kept: NDArray[np.int64]
) -> Partition:
    """Return the groups as they are behind the released values, those that were joined in all columns as one.

    Parameters
    ----------
    grouped
        The block and its groups.
    behind
        What is behind the values of each column that is replaced.
    columns
        All columns of the block, categories that keep their values among them.
    kept
        The combination of values that every record keeps; empty where it keeps none.
    """
    grouping = labels = grouped.grouping.labels
    varying = [name for name in behind if name not in grouped.matrix.constant]
    first = np.unique(labels[labels >= 0], return_index=True)[1]
    first = np.flatnonzero(labels >= 0)[first]  # a record of every group
    joint = {name: one.labels[first] for name, one in behind.items()}
    if any(len(np.unique(joint[name])) < len(first) for name in varying):
        combinations = _only_combination(labels, kept, len(first)) if len(kept) else np.zeros(len(first), np.int64)
        alike = np.column_stack([*(joint[name] for name in varying), combinations])
        lowest, number = np.unique(alike, axis=0, return_index=True, return_inverse=True)[1:]
        place = np.argsort(np.argsort(lowest))[number.reshape(-1)]
        labels = np.where(grouping >= 0, place[grouping], -1)
        joint = {name: of_group[np.sort(lowest)] for name, of_group in joint.items()}
    joined = {}
    for name, of_group in joint.items():
        lowest, number = np.unique(of_group, return_index=True, return_inverse=True)[1:]
        if len(lowest) < len(of_group):
            joined[name] = lowest[number.reshape(-1)]
    counted = {name: one.counted for name, one in behind.items() if not one.counted[labels >= 0].all()}
    return Partition(labels, tuple(columns), joined, counted)


def _only_combination(labels: NDArray[np.int64], kept: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """Return the combination that all records of a group keep; below 0, another for every group, where they differ."""
    inside = labels >= 0
    least, largest = np.full(groups, kept.max()), np.full(groups, -1)
    np.minimum.at(least, labels[inside], kept[inside])
    np.maximum.at(largest, labels[inside], kept[inside])
    return np.where(least == largest, least, -1 - np.arange(groups))


@contextmanager
def _naming(grouped: GroupedBlock, what: str, strata: Strata | None) -> Iterator[None]:
    """Name the variables and the stratum in which fewer than k values are observed."""
    k = grouped.work.plan.k
    try:
        yield
    except TooFewObservedError as error:
        where = strata.where if strata else ""
        of_units = "" if grouped.work.units is None else " in different units"
        found = error.observed
        there = "there is 1" if found == 1 else f"there are {found}"
        raise TooFewRecordsError(
            f"k={k} needs at least {k} observed values of {what}{where}{of_units}; {there}. "
            f"Drop the variable (role identifier){or_lower_k(found)}.",
            k=k,
            records=found,
            column=what.split('"')[1],
        ) from None
