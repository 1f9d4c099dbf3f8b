"""Groups in which the confidential variables are distributed nearly as in the file, and the check that they are.

Whoever knows that a person is in a group whose incomes are all high knows more than the file tells of everybody, even
where no two of them are alike (Li, Li and Venkatasubramanian, 2007, t-closeness).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata
from shoal.errors import DataError, NotCloseError
from shoal.flow.blocks.confidential.diversity import confidential_codes
from shoal.flow.blocks.grouping import Grouping, points_of
from shoal.flow.blocks.work import Work
from shoal.measure.risk.keys.confidential_values import is_ordered, observed_codes
from shoal.measure.risk.keys.t_closeness import distances_of_classes
from shoal.partition import Partition
from shoal.partition.closeness import AS_MADE, Distributions, close_groups

if TYPE_CHECKING:
    pass

__all__ = ["kept_closeness", "with_closeness"]

Whole64 = NDArray[np.int64]

_ROUNDING = 1e-9  # by which two ways to compute a distance may differ
_STEP = 1e-4  # the smallest distance that can be had is given in


@dataclass(frozen=True, eq=False)
class _Variable:
    """A confidential variable: its values that occur, numbered, -1 for a missing value, and whether they have order."""

    codes: Whole64
    ordered: bool


def with_closeness(work: Work, block: Sequence[str], matrix: Matrix, strata: Strata, grouping: Grouping) -> Grouping:
    """Return groups of at least k in which no confidential variable is farther than `closeness` from the file.

    The distribution meant is that of the true values of the members of a group, whether or not they are released, and
    of all records of the file, those without any other value among them. Missing values are left out. Every stratum
    takes the way to make such groups that has the least loss; with units, groups are only merged.

    Raises
    ------
    NotCloseError
        If a whole stratum is farther from the file.
    """
    t = work.plan.closeness
    variables = _variables(work, block)
    if t is None or not variables:
        return grouping
    part = np.where(grouping.labels >= 0, grouping.stratum_of_group[grouping.labels], -1)
    _refuse_far(work, strata, part, variables, t)
    whole = Distributions.of([one.codes for one in variables.values()], [one.ordered for one in variables.values()])
    points = points_of(matrix)
    labels = np.full(len(part), -1, dtype=np.int64)
    strata_of_groups: list[Whole64] = []
    ways: Counter[str] = Counter()
    groups = 0
    for stratum in np.unique(part[part >= 0]).tolist():
        rows = np.flatnonzero(part == stratum)
        with progress.share(len(rows) / len(part)):
            close = close_groups(
                np.ascontiguousarray(points[rows]),
                np.unique(grouping.labels[rows], return_inverse=True)[1].reshape(-1).astype(np.int64),
                replace(whole, codes=np.ascontiguousarray(whole.codes[:, rows])),
                work.plan.k,
                t,
                merge_only=work.units is not None,
            )
        labels[rows] = close.labels + groups
        found = int(close.labels.max()) + 1
        strata_of_groups.append(np.full(found, stratum, dtype=np.int64))
        groups += found
        ways[close.way] += 1
    return replace(
        grouping,
        labels=labels,
        stratum_of_group=np.concatenate(strata_of_groups),
        notes=(*grouping.notes, _note(work, t, variables, ways)),
    )


def kept_closeness(work: Work, partitions: Sequence[Partition]) -> float | None:
    """Return the largest distance of a group to the file, computed anew; DataError if it is above what was promised.

    None where nothing was promised.
    """
    t = work.plan.closeness
    if t is None:
        return None
    largest = 0.0
    for partition in partitions:
        for one in _variables(work, partition.columns).values():
            distances = distances_of_classes(partition.labels, one.codes, ordered=one.ordered)
            largest = float(np.fmax.reduce(distances, initial=largest))
    if largest > t + _ROUNDING:
        raise DataError(f"A group is farther from the file than closeness={t:g}; nothing is released.")
    return largest


def _variables(work: Work, block: Sequence[str]) -> dict[str, _Variable]:
    """Return the confidential variables of a block and those released as they are, but for those with no value."""
    plan, table = work.plan, work.table
    return {
        name: _Variable(observed_codes(table, name), is_ordered(table, name, plan.kinds))
        for name, codes in confidential_codes(work, block).items()
        if (codes >= 0).any()
    }


def _refuse_far(work: Work, strata: Strata, part: Whole64, variables: Mapping[str, _Variable], t: float) -> None:
    """Raise NotCloseError if all records of a stratum together are farther from the file: so is one of its groups."""
    far: dict[str, float] = {}
    for name, one in variables.items():
        distances = distances_of_classes(part, one.codes, ordered=one.ordered)
        far[name] = float(np.fmax.reduce(distances, initial=0.0))
    name = max(far, key=far.__getitem__)
    if far[name] <= t + _ROUNDING:
        return
    smallest = min(1.0, math.ceil(far[name] / _STEP) * _STEP)
    apart = " where the same alternatives of the rules hold" if strata is not work.strata else ""
    where = f"{strata.where}{apart}" or " with any value"
    ways = "merge strata" if strata.columns else "leave the rules out" if apart else "drop records without any value"
    raise NotCloseError(
        f'closeness={t:g} cannot be had: all records{where} together are farther from the file in "{name}". The '
        f"smallest closeness is {smallest:.4f}. Raise it, or {ways}.",
        closeness=round(smallest, 4),
        column=name,
        strata=strata.columns or None,
    )


def _note(work: Work, t: float, variables: Mapping[str, _Variable], ways: Mapping[str, int]) -> str:
    """Say what holds, and how the groups were made."""
    weights = "; sampling weights do not count" if work.weights is not None else ""
    names = ", ".join(variables)
    if set(ways) == {AS_MADE}:
        how = "the groups of the method are already"
    elif len(ways) == 1:
        how = f"the way with the least loss was {next(iter(ways))}"
    else:
        counts = ", ".join(f"{way} ({count:,})" for way, count in sorted(ways.items()))
        how = f"the ways with the least loss, by strata, were {counts}"
    return f"Confidential values of a group ({names}) are within t = {t:g} of the file's: {how}{weights}."
