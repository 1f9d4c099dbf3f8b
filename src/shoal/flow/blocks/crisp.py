"""One block of variables protected by crisp groups: partition, then a representative for every group."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.describe.matrix import Matrix, block_matrix, block_values
from shoal.describe.strata import Strata
from shoal.edits.keep.block_edits import BlockEdits
from shoal.errors import DataError, DisclosureWarning, MethodError, PlanError, TooFewRecordsError
from shoal.flow.blocks.edited import geometric_means, kept_by
from shoal.flow.kept_rules import split_by_rules
from shoal.flow.plan import Plan
from shoal.parameters.choices import build
from shoal.partition import METHODS, Partition
from shoal.read import Table
from shoal.replace import REPLACEMENTS, Medoid, Members, TooFewObservedError
from shoal.replace.members import joined_to_at_least_k, members

__all__ = ["ProtectedBlock", "labels_of", "protect_crisp_block"]


@dataclass(frozen=True)
class ProtectedBlock:
    """What came of one block of variables."""

    matrix: Matrix
    partition: Partition
    computed: Mapping[str, NDArray[np.float64]]
    taken: Mapping[str, NDArray[np.int64]]
    joined: Mapping[str, int]
    smallest_support: int
    steps: list[int]
    notes: tuple[str, ...] = ()


def protect_crisp_block(
    plan: Plan,
    table: Table,
    number: int,
    block: Sequence[str],
    strata: Strata,
    weights: NDArray[np.float64] | None,
    edits: BlockEdits | None = None,
) -> ProtectedBlock:
    """Group every stratum and give every group its representatives, variable by variable, so that rules hold."""
    values = block_values(table, block, plan.kinds)
    matrix = block_matrix(values, plan.kinds, standardize=plan.standardize)
    cells = None
    if edits is not None and edits.demands:
        cells = split_by_rules(plan, table, edits, matrix, strata)
        strata = Strata(cells.codes, tuple(strata.names[part] for part in cells.parts))
    labels, stratum_of_group, steps = labels_of(plan, number, block, matrix, strata)
    everyone = members(labels, labels >= 0)
    if plan.replace[block[0]]["name"] == "medoid":
        return _of_medoids(block, matrix, labels, everyone, steps)
    complete = not any(np.isnan(column).any() for column in values.values())
    rngs = [np.random.default_rng([plan.seed, number, place]) for place in range(len(block))]
    powers = _of_products(edits, values, everyone, weights, rngs[0]) if complete else {}
    centres = None if matrix.complete else _centres(matrix, everyone)
    computed: dict[str, NDArray[np.float64]] = {}
    taken: dict[str, NDArray[np.int64]] = {}
    joined: dict[str, int] = {}
    supports = []
    for place, name in enumerate(block):
        observed = ~np.isnan(values[name])
        own_labels, behind = labels, everyone
        if name in matrix.constant:
            # All its values are the same, so all records are one group; those without any other value among them.
            own_labels = _joined(plan, name, np.zeros_like(labels), observed, np.zeros((1, 1)), np.zeros(1, np.int64))
        elif centres is not None:
            own_labels = _joined(plan, name, labels, observed, centres, stratum_of_group, strata)
            fewer = len(everyone.groups) - len(np.unique(own_labels[labels >= 0]))
            if fewer:
                joined[name] = fewer
        if own_labels is not labels or not observed.all():
            behind = members(own_labels, observed)
        replacement = build(plan.replace[name], REPLACEMENTS, "replace")
        representatives = (
            powers[name]
            if name in powers and behind is everyone
            else replacement.representatives(values[name], behind, rng=rngs[place], weights=weights, column=name)
        )
        released = representatives[np.searchsorted(behind.groups, own_labels[observed])]
        if replacement.keeps_values:
            taken[name] = np.arange(len(table))
            taken[name][observed] = released
        else:
            computed[name] = np.full(len(table), np.nan)
            computed[name][observed] = released
        supports.extend(behind.sizes.tolist())
    if edits is not None and not complete:  # then no rule is between variables
        computed |= {name: np.rint(computed[name]) for name in edits.whole}
    elif edits is not None and cells is not None:
        spreads = {name: float(np.std(values[name], ddof=1)) for name in edits.movable}
        computed = kept_by(edits, cells, computed, labels, spreads, repair=plan.repair)
    return ProtectedBlock(
        matrix, Partition(labels, tuple(block)), computed, taken, joined, min(supports, default=len(table)), steps
    )


def _of_products(
    edits: BlockEdits | None,
    values: Mapping[str, NDArray[np.float64]],
    everyone: Members,
    weights: NDArray[np.float64] | None,
    rng: np.random.Generator,
) -> dict[str, NDArray[np.float64]]:
    """Return the geometric means of variables in products, which may have any sign."""
    if edits is None:
        return {}
    powers = {name: values[name] for name in edits.movable if edits.operators[name] == "geometric-mean"}
    if all((column > 0).all() for column in powers.values()):
        return {}
    return geometric_means(powers, everyone, weights, rng)


def _of_medoids(
    block: Sequence[str], matrix: Matrix, labels: NDArray[np.int64], everyone: Members, steps: list[int]
) -> ProtectedBlock:
    """Release one of its records for every group."""
    if not matrix.complete:
        raise MethodError("A medoid is a complete record; some here have gaps. Fill them, or use another replacement.")
    warnings.warn(
        "A medoid is one of the records: for every group an original record is released as it is.",
        DisclosureWarning,
        stacklevel=5,
    )
    rows = Medoid().records(matrix.values, matrix.nominal, everyone)[labels]
    return ProtectedBlock(
        matrix=matrix,
        partition=Partition(labels, tuple(block)),
        computed={},
        taken=dict.fromkeys(block, rows),
        joined={},
        smallest_support=int(everyone.sizes.min()),
        steps=steps,
        notes=("For every group one of its records is released as it is (medoid).",),
    )


def _joined(
    plan: Plan,
    name: str,
    labels: NDArray[np.int64],
    observed: NDArray[np.bool_],
    centres: NDArray[np.float64],
    stratum_of_group: NDArray[np.int64],
    strata: Strata | None = None,
) -> NDArray[np.int64]:
    """Return the labels for one variable, groups joined where fewer than k of its values are observed."""
    try:
        return joined_to_at_least_k(labels, observed, centres, plan.k, stratum_of_group)
    except TooFewObservedError as error:
        where = strata.where(error.part) if strata else ""
        raise TooFewRecordsError(
            f'k={plan.k} needs at least {plan.k} observed values of "{name}"{where}; there are {error.observed}. '
            "Leave the variable out, or lower k."
        ) from None


def labels_of(
    plan: Plan, number: int, block: Sequence[str], matrix: Matrix, strata: Strata
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Partition every stratum; return each record's group, each group's stratum, and the steps of each search."""
    method = build(plan.method, METHODS, "method", k=plan.k)
    if not matrix.complete or any(plan.kinds[name] not in method.kinds for name in block):
        method = method.for_mixed(distance=matrix.distance, nominal=matrix.nominal)
    if plan.steps and len(plan.steps[number]) != len(strata):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")
    observed = ~np.isnan(matrix.values).all(axis=1)
    labels = np.full(len(matrix.values), -1, dtype=np.int64)
    groups_per_stratum = []
    steps: list[int] = []
    for stratum in range(len(strata)):
        rows = np.flatnonzero((strata.codes == stratum) & observed)
        if len(rows) == 0:
            groups_per_stratum.append(0)
            continue
        if len(rows) < plan.k:
            raise TooFewRecordsError(
                f"k={plan.k} needs at least {plan.k} records{strata.where(stratum)} with a value in one of "
                f"{', '.join(block)}; there are {len(rows)}. Merge strata, leave the variables out, or lower k."
            )
        part = method.for_part(len(rows) / len(labels) * len(block) / len(plan.columns))
        if plan.steps:  # as many as were made before, however long they take
            part.set_params(steps=plan.steps[number][stratum])
        with progress.share(len(rows) / len(labels)):
            found = part.fit(matrix.values if len(rows) == len(labels) else matrix.values[rows]).labels_
        if hasattr(part, "steps_"):
            steps.append(int(part.steps_))
        sizes = np.bincount(found)
        if sizes.min() < plan.k:  # whatever the method says of itself, k is a promise
            raise DataError(f"The method made a group of {sizes.min()} records where k={plan.k}; nothing is released.")
        labels[rows] = found + sum(groups_per_stratum)
        groups_per_stratum.append(len(sizes))
    return labels, np.repeat(np.arange(len(strata)), groups_per_stratum), steps


def _centres(matrix: Matrix, everyone: Members) -> NDArray[np.float64]:
    """Return the mean of every group over its observed values; nominal columns, which have no mean, stay out."""
    ordered = [place for place in range(matrix.values.shape[1]) if place not in matrix.nominal]
    values = matrix.values[:, ordered][everyone.records] if ordered else np.zeros((len(everyone.records), 1))
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), everyone.starts[:-1])
    counts = np.add.reduceat(known, everyone.starts[:-1], dtype=np.float64)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
