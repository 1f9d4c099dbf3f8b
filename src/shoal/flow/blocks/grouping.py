"""The records of one block of variables put into groups, stratum by stratum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata, or_lower_k
from shoal.describe.variables import texts_of_codes
from shoal.errors import DataError, MethodError, PlanError, TooFewRecordsError
from shoal.flow.blocks.work import Work, fallback_notes
from shoal.flow.proven.losses import added_bounds
from shoal.partition.base import Partitioner
from shoal.partition.geometry.different_units import with_k_units
from shoal.partition.geometry.squared_distances import safely_scaled
from shoal.replace import Members

if TYPE_CHECKING:
    from shoal.partition import LowerBound

__all__ = ["Grouping", "group_centres", "group_records", "points_of", "with_empty_records"]

_MOST_NUMBERS = 2**28  # 2 GiB: what indicators may take
_STEPS_A_GROUP = 4  # of a search that starts from given groups
_MOST_CATEGORIES = 30  # of a variable that have an indicator, those that most records have


@dataclass(frozen=True)
class Grouping:
    """The groups of one block.

    Attributes
    ----------
    labels
        The group of every record; -1 for a record without any observed value in the block.
    stratum_of_group
        The stratum of every group.
    steps
        The steps of each search, stratum by stratum.
    notes
        What a reader of the release should know.
    lower_bound
        What the method proved that no groups of all strata can be below, if it did.
    """

    labels: NDArray[np.int64]
    stratum_of_group: NDArray[np.int64]
    steps: list[int]
    notes: tuple[str, ...] = ()
    lower_bound: LowerBound | None = None


def group_records(work: Work, number: int, block: Sequence[str], matrix: Matrix, strata: Strata) -> Grouping:
    """Partition every stratum of the block with this number."""
    plan = work.plan
    assert isinstance(plan.masking.method, Partitioner)
    method = plan.masking.method.unfitted()  # fitting changes an estimator, and the plan's own stays as it is
    if not (matrix.all_comparable or method.supports_missing):
        raise MethodError(
            f'The method "{method.name}" groups complete records; some here have missing values. Fill them, or use the '
            'method "mdav".',
            method=method.name,
        )
    if plan.steps and len(plan.steps[number]) != len(strata):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")
    observed = ~np.isnan(matrix.values).all(axis=1)
    points = matrix.values if work.units is None else points_of(matrix)
    of_stratum = _rows_of(strata, np.asarray(observed))
    labels = np.full(len(matrix.values), -1, dtype=np.int64)
    groups_per_stratum = []
    steps: list[int] = []
    bounds: list[LowerBound | None] = []
    unsearched = [0] if hasattr(method, "steps") else []
    left, groups = 0.0, 0
    for stratum in range(len(strata)):
        rows = of_stratum[stratum]
        if len(rows) == 0:
            groups_per_stratum.append(0)
            steps += unsearched
            continue
        if _is_one_group(work, strata, rows):
            labels[strata.codes == stratum] = groups
            groups_per_stratum.append(1)
            groups += 1
            steps += unsearched
            continue
        _refuse_too_few(work, strata, rows, block)
        part = _for_stratum(method, work, (number, stratum), len(block), rows)
        with progress.share(len(rows) / len(labels)):
            part, own = _form(part, work, block, matrix, rows)
            found = part.fit(own).labels_
        bounds.append(part.lower_bound_)
        if unsearched:
            steps.append(int(vars(part)["steps_"]))
        left += len(rows) * getattr(part, "fallback_share_", 0.0)
        sizes = np.bincount(found)
        if sizes.min() < plan.k:  # whatever the method says of itself, k is a promise
            raise DataError(f"The method made a group of {sizes.min()} records where k={plan.k}; nothing is released.")
        found = with_k_units(points, found, work.units, plan.k, rows)
        labels[rows] = found + groups
        groups_per_stratum.append(int(found.max()) + 1)
        groups += groups_per_stratum[-1]
    stratum_of_group = np.repeat(np.arange(len(strata)), groups_per_stratum)
    if work.wider is not None and strata is work.strata:
        stratum_of_group = work.wider.codes[_first_of_each(labels)]
    of_bounds = dict.fromkeys(bound.note for bound in bounds if bound is not None and bound.note)
    notes = (*fallback_notes(method.fallback, left / len(labels)), *of_bounds)
    return Grouping(labels, stratum_of_group, steps, notes, added_bounds(bounds))


def _for_stratum(
    method: Partitioner, work: Work, place: tuple[int, int], columns: int, rows: NDArray[np.int64]
) -> Partitioner:
    """Return the method for some records of a block: with its part of the time, or a search on from given groups.

    `place` is the number of the block and of the stratum, `columns` how many columns of the block are grouped.
    """
    plan = work.plan
    if work.start is not None:
        from shoal.partition import Refine  # quick start-up

        numbers = np.unique(work.start[rows], return_inverse=True)[1].reshape(-1)
        steps = _STEPS_A_GROUP * (int(numbers.max()) + 1)
        return Refine(plan.k, start=numbers, steps=steps, random_state=plan.seed % 2**32)
    part = method.for_part(len(rows) / len(work.table) * columns / len(plan.columns))
    if plan.steps:  # as many as were made before, however long they take
        part.set_params(steps=plan.steps[place[0]][place[1]])
    return part


def _is_one_group(work: Work, strata: Strata, rows: NDArray[np.intp]) -> bool:
    """Whether records inside a wider part have too few values to be grouped, and are one group that is filled."""
    if work.wider is None or strata is not work.strata or work.plan.missing != "fill":
        return False
    return (len(rows) if work.units is None else len(np.unique(work.units[rows]))) < work.plan.k


def _form(
    method: Partitioner, work: Work, block: Sequence[str], matrix: Matrix, rows: NDArray[np.intp]
) -> tuple[Partitioner, NDArray[np.float64]]:
    """Return the form of the method for some records of a block, and the matrix of them that it takes."""
    values = matrix.values if len(rows) == len(matrix.values) else matrix.values[rows]
    is_served = matrix.all_comparable and all(work.plan.kinds[name] in method.kinds for name in block)
    by_codes = not matrix.nominal or matrix.distance == "gower" or method.scope == "file"
    if is_served and by_codes:
        return method, values
    width = matrix.width(rows) if is_served else 0
    if is_served and not method.takes_codes(values, width):
        if width > _MOST_NUMBERS / len(rows):
            raise MethodError(
                f'The method "{method.name}" needs a column for every category, {width:,} of them, which is too many '
                f'for {len(rows):,} records. Recode the variables with most categories, or use the method "mdav".',
                method=method.name,
            )
        return method, matrix.embedded(rows)
    varying = [name for name in block if name not in matrix.constant]
    form = method.for_mixed(
        kinds={work.plan.kinds[name] for name in block},
        distance=matrix.distance,
        nominal=matrix.nominal,
        texts=lambda place: texts_of_codes(work.table, varying[place]),
    )
    return form, values


def with_empty_records(grouping: Grouping, strata: Strata, k: int) -> Grouping:
    """Return groups in which records without any observed value are in the largest group of their stratum.

    That is the group that they change least; among equals it is the first.
    """
    empty = np.flatnonzero(grouping.labels < 0)
    if len(empty) == 0:
        return grouping
    groups = len(grouping.stratum_of_group)
    sizes = np.bincount(grouping.labels[grouping.labels >= 0], minlength=groups)
    own = strata.codes[_first_of_each(grouping.labels)]  # inside groups of units it is not the stratum of the group
    order = np.lexsort((-np.arange(groups), sizes, own))
    largest = np.full(len(strata), -1, dtype=np.int64)
    largest[own[order]] = order  # the last of a stratum stays
    if (largest[strata.codes[empty]] < 0).any():
        raise TooFewRecordsError(
            f"k={k} needs at least {k} observed values{strata.where} to fill missing ones from; there are none. Merge "
            "strata, or drop the variables (role identifier).",
            k=k,
            records=0,
            strata=strata.columns or None,
        )
    labels = grouping.labels.copy()
    labels[empty] = largest[strata.codes[empty]]
    return replace(grouping, labels=labels)


def group_centres(matrix: Matrix, everyone: Members) -> NDArray[np.float64]:
    """Return the mean of every group over its observed values; nominal columns, which have no mean, stay out."""
    ordered = [place for place in range(matrix.values.shape[1]) if place not in matrix.nominal]
    values = np.zeros((len(everyone.records), 1))
    if ordered:
        values = safely_scaled(matrix.values[:, ordered])[everyone.records]
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), everyone.starts[:-1])
    counts = np.add.reduceat(known, everyone.starts[:-1], dtype=np.float64)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def _refuse_too_few(work: Work, strata: Strata, rows: NDArray[np.int64], block: Sequence[str]) -> None:
    """Raise TooFewRecordsError if these records of a stratum are fewer than k, or of fewer than k units."""
    k, units = work.plan.k, work.units
    have = len(rows) if units is None else len(np.unique(units[rows]))
    if have >= k:
        return
    what, apart = ("records", "") if units is None else ("different units", "")
    if units is not None and strata is not work.strata:
        apart = " and where the same alternatives of the rules hold"
    way_out = "leave the rules out" if apart else "drop the variables (role identifier)"
    where, merge = strata.where, "Merge strata"
    if any(name in work.plan.categories for name in strata.columns):  # only these are not shared with the next
        asked = "closeness" if work.plan.diversity is None else "diversity"
        where, merge = f" alike in {', '.join(strata.columns)}", "Recode these"
        way_out = way_out if work.wider is not None else f"leave {asked} out, which shares no values between them"
    there = "there is 1" if have == 1 else f"there are {have}"
    lower = or_lower_k(have)
    raise TooFewRecordsError(
        f"k={k} needs at least {k} {what}{where}{apart} with a value in one of {', '.join(block)}; {there}. "
        f"{merge}{',' if lower else ' or'} {way_out}{lower}.",
        k=k,
        records=have,
        strata=strata.columns or None,
    )


def _rows_of(strata: Strata, observed: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return the observed records of every stratum, in their order."""
    rows = np.flatnonzero(observed)
    rows = rows[np.argsort(strata.codes[rows], kind="stable")]
    return np.split(rows, np.searchsorted(strata.codes[rows], np.arange(1, len(strata))))


def _first_of_each(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first record of every group."""
    grouped = np.flatnonzero(labels >= 0)
    return grouped[np.unique(labels[grouped], return_index=True)[1]]


def points_of(matrix: Matrix) -> NDArray[np.float64]:
    """Return records as points: an indicator of each frequent category, means where values are missing."""
    columns = []
    indicator = 1.0 if matrix.distance == "euclidean" else math.sqrt(0.5)
    for place, values in enumerate(matrix.values.T):
        if place in matrix.nominal:
            numbers, counts = np.unique(values[~np.isnan(values)], return_counts=True)
            frequent = numbers[np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]]
            columns += [np.where(values == number, indicator, 0.0) for number in frequent]
        else:
            columns.append(np.where(np.isnan(values), np.nanmean(values), values))
    return safely_scaled(np.column_stack(columns))
