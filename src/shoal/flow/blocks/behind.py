"""Which records are behind the released values of a block: k of them observed, and none that counts too much."""

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
from shoal.replace import Aggregate, Members, TooFewObservedError
from shoal.replace.contributions import TooLargeShareError, joined_to_shares
from shoal.replace.members import joined_to_at_least_k
from shoal.replace.same_records import Behind, joined_in_any, over_the_same_records

__all__ = ["GroupedBlock", "records_behind"]

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
    if grouped.matrix.complete and dominance is None:  # the same weights are behind all columns
        joined = _none_too_large(grouped, {name: behind[name] for name in varying[:1]})
        return behind | {name: one for one in joined.values() for name in varying}
    for columns in _with_rules(grouped, tied, varying):
        behind |= _none_too_large(grouped, {name: behind[name] for name in columns})
    return behind


def _own_labels(grouped: GroupedBlock, name: str, observed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the groups for one variable, joined where fewer than k of its values are observed."""
    labels, k, units = grouped.grouping.labels, grouped.work.plan.k, grouped.work.units
    if name in grouped.matrix.constant:
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
