"""The records of one block of variables put into groups, stratum by stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal import progress
from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata
from shoal.describe.variables import texts_of_codes
from shoal.errors import DataError, MethodError, PlanError, TooFewRecordsError
from shoal.flow.blocks.work import Work, fallback_notes
from shoal.partition import Partitioner

__all__ = ["Grouping", "group_records"]


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
    """

    labels: NDArray[np.int64]
    stratum_of_group: NDArray[np.int64]
    steps: list[int]
    notes: tuple[str, ...] = ()


def group_records(work: Work, number: int, block: Sequence[str], matrix: Matrix, strata: Strata) -> Grouping:
    """Partition every stratum of the block with this number."""
    plan = work.plan
    method = clone(plan.masking.method)  # fitting changes an estimator, and the plan's own stays as it is
    assert isinstance(method, Partitioner)
    if not (matrix.all_comparable or method.supports_missing):
        raise MethodError(
            f'The method "{method.name}" groups complete records; some here have missing values. Fill them, leave the '
            'variables out, or use the method "mdav".',
            method=method.name,
        )
    if not matrix.all_comparable or any(plan.kinds[name] not in method.kinds for name in block):
        varying = [name for name in block if name not in matrix.constant]
        method = method.for_mixed(
            distance=matrix.distance,
            nominal=matrix.nominal,
            texts=lambda place: texts_of_codes(work.table, varying[place]),
        )
    if plan.steps and len(plan.steps[number]) != len(strata):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")
    observed = ~np.isnan(matrix.values).all(axis=1)
    labels = np.full(len(matrix.values), -1, dtype=np.int64)
    groups_per_stratum = []
    steps: list[int] = []
    left = 0.0
    for stratum in range(len(strata)):
        rows = np.flatnonzero((strata.codes == stratum) & observed)
        if len(rows) == 0:
            groups_per_stratum.append(0)
            continue
        if len(rows) < plan.k:
            raise TooFewRecordsError(
                f"k={plan.k} needs at least {plan.k} records{strata.where} with a value in one of "
                f"{', '.join(block)}; there are {len(rows)}. Merge strata, leave the variables out, or lower k.",
                k=plan.k,
                records=len(rows),
                strata=strata.columns or None,
            )
        part = method.for_part(len(rows) / len(labels) * len(block) / len(plan.columns))
        if plan.steps:  # as many as were made before, however long they take
            part.set_params(steps=plan.steps[number][stratum])
        with progress.share(len(rows) / len(labels)):
            found = part.fit(matrix.values if len(rows) == len(labels) else matrix.values[rows]).labels_
        if hasattr(part, "steps_"):
            steps.append(int(part.steps_))
        left += len(rows) * getattr(part, "fallback_share_", 0.0)
        sizes = np.bincount(found)
        if sizes.min() < plan.k:  # whatever the method says of itself, k is a promise
            raise DataError(f"The method made a group of {sizes.min()} records where k={plan.k}; nothing is released.")
        labels[rows] = found + sum(groups_per_stratum)
        groups_per_stratum.append(len(sizes))
    stratum_of_group = np.repeat(np.arange(len(strata)), groups_per_stratum)
    return Grouping(labels, stratum_of_group, steps, fallback_notes(method.fallback, left / len(labels)))
