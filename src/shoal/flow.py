"""The flow: read, describe, partition, replace. `protect` settles a plan; `carry_out` does what the plan says."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.choices import build, spell
from shoal.describe import Kind, Selection, select
from shoal.describe.matrix import Matrix, block_matrix, block_values
from shoal.describe.missing import refuse_gaps, refuse_infinities
from shoal.describe.strata import Strata, strata_of
from shoal.errors import DataError, DescriptionWarning, ParameterError, PlanError, TooFewRecordsError
from shoal.limits import OneOf, OrNone, Whole, check_limits
from shoal.partition import PARTITIONERS, Partition, Partitioner
from shoal.plan import Input, Outcome, Plan, Reading, installed_versions
from shoal.read import Table, as_table
from shoal.release import Release
from shoal.replace import REPLACEMENTS, Aggregate, Members, TooFewObservedError
from shoal.replace.members import joined_to_at_least_k, members

__all__ = ["carry_out", "protect", "table_for"]

# What serves a variable whose kind the chosen replacement does not.
_FOR_KIND: dict[Kind, str] = {"continuous": "mean", "ordinal": "median", "nominal": "mode"}


def protect(
    data: Any,
    k: int,
    columns: Iterable[Any] | None = None,
    roles: Mapping[Any, str] | None = None,
    method: str | Mapping[str, Any] | Partitioner = "mdav",
    replace: str | Aggregate | Mapping[Any, str | Aggregate] = "mean",
    blocks: int | Iterable[Iterable[Any]] | None = None,
    *,
    kinds: Mapping[Any, str] | None = None,
    strata: Any = None,
    weights: Any = None,
    missing: Literal["error", "keep"] = "error",
    standardize: bool = True,
    seed: int | None = None,
) -> Release:
    """Protect a table: put its records into groups of at least `k` and give each group one set of values.

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file. It is not changed.
    k
        The fewest records that may share a released value. There is no default: k decides how safe the release is.
    columns
        The variables to protect. By default all numeric ones that have no role identifier, weight or stratum.
    roles
        What columns are for: ``{"id": "identifier"}``. Identifiers are dropped from the release; a weight counts in
        the representatives, not in the distances; groups stay within a stratum. Only the roles given here count.
    method
        How records are grouped: a name, a name with parameters (``"mdav:variant=two-k"``, or a mapping, as in a plan)
        or an estimator such as ``shoal.partition.MDAV(k=5)``.
    replace
        What stands for a group: a name, an object such as ``shoal.replace.OrderStatistic(q=0.25)``, or one of them per
        column in a mapping. Ordinal variables take the median and nominal ones the mode where it does not serve them.
    blocks
        Variables that are grouped together: lists of columns, or the number of columns in a block, cut in the order
        of the file. By default all are one block.
    kinds
        Columns that are not what their type says: ``{"industry": "nominal"}`` for a column of codes.
    strata
        Columns whose values a group may not mix.
    weights
        The column of sampling weights.
    missing
        "error" refuses gaps and names them; "keep" leaves them where they are and protects every observed cell.
    standardize
        Whether distances are taken on (x - mean) / sd, with n - 1; the scale is that of the whole file.
    seed
        What random choices start from, those of a method that is named too; an estimator has its own `random_state`.
        Drawn and recorded in the plan if not given.

    Returns
    -------
    Release
        The protected table, the groups, the plan that repeats it, and the measures.
    """
    check_limits(
        {"k": Whole(2), "missing": OneOf(("error", "keep")), "seed": OrNone(Whole(0))},
        {"k": k, "missing": missing, "seed": seed},
    )
    if not isinstance(standardize, bool):
        raise ParameterError(f"standardize must be True or False; got {standardize!r}.")
    if isinstance(method, Partitioner) and method.k != k:
        raise ParameterError(f"k={k} and the method's k={method.k} differ. Give the same k twice.")
    table = as_table(data)
    selection = select(table, columns=columns, blocks=blocks, roles=roles, kinds=kinds, strata=strata, weights=weights)
    seed = secrets.randbits(63) if seed is None else int(seed)
    plan = Plan(
        k=int(k),
        blocks=[list(block) for block in selection.blocks],
        kinds=dict(selection.kinds),
        roles=dict(selection.roles),
        method=_checked_method(method, int(k), seed),
        replace=_replacement_per_column(replace, selection),
        missing=missing,
        standardize=standardize,
        seed=seed,
    )
    return carry_out(plan, table)


def table_for(plan: Plan, data: Any = None) -> Table:
    """Return the table a plan is to be carried out on: `data`, or the plan's own input if it has not changed."""
    reading = {} if plan.input is None else plan.input.reading.model_dump(exclude_none=True)
    if data is not None:
        table = as_table(data, **reading)
    elif plan.input is None or plan.input.path is None:
        raise PlanError(
            "The plan does not name its input, because it was made from a table in memory. Say which to use."
        )
    elif not Path(plan.input.path).exists():
        raise PlanError(f'The plan\'s input "{plan.input.path}" is not there. Say which file to use.')
    else:
        table = as_table(plan.input.path, **reading)
        if table.fingerprint() != plan.input.sha256:
            raise PlanError(
                f'"{plan.input.path}" has changed since the plan was made. Name the file to use if that is meant.'
            )
    select(
        table,
        columns=plan.columns,
        blocks=plan.blocks,
        roles=plan.roles,
        kinds=plan.kinds,
    )
    return table


def carry_out(plan: Plan, table: Table) -> Release:
    """Do what a plan says, and return the release with the plan's outcome filled in."""
    if len(table) < plan.k:
        raise TooFewRecordsError(f"k={plan.k} needs at least {plan.k} records; the table has {len(table)}. Lower k.")
    refuse_infinities(table, plan.columns)
    if plan.missing == "error":
        refuse_gaps(table, [*plan.columns, *plan.strata], 'Fill them, or say missing="keep" to leave them as they are.')
    weights = _weights(plan, table)
    strata = strata_of(table, plan.strata)
    strata.refuse_fewer_than(plan.k)
    if plan.steps and [len(made) for made in plan.steps] != [len(strata)] * len(plan.blocks):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")

    done = []
    for number, block in enumerate(plan.blocks):
        with progress.share(1 / len(plan.blocks)):
            done.append(_protect_block(plan, table, number, block, strata, weights))

    computed = {name: values for block in done for name, values in block.computed.items()}
    taken = {name: rows for block in done for name, rows in block.taken.items()}
    masked = table.replaced(computed, taken, drop=plan.identifiers)
    partitions = tuple(block.partition for block in done)
    outcome = Outcome(
        groups=[len(partition.sizes) for partition in partitions],
        smallest_group=min(partition.k for partition in partitions),
        largest_group=max(int(partition.sizes.max()) for partition in partitions),
        smallest_support=min(block.smallest_support for block in done),
        became_float=[name for name in computed if table.frame.schema[name] != masked.frame.schema[name]],
        constant=[name for block in done for name in block.matrix.constant],
        gower_blocks=[number for number, block in enumerate(done) if block.matrix.distance == "gower"],
        joined={name: count for block in done for name, count in block.joined.items()},
        empty_records=int(np.any([partition.labels < 0 for partition in partitions], axis=0).sum()),
    )
    for name in outcome.constant:
        warnings.warn(
            f'All values of "{name}" are the same: it is left out of distances.', DescriptionWarning, stacklevel=3
        )
    source = Input(
        path=None if table.source is None else str(table.source.resolve()),
        sha256=table.fingerprint(),
        records=len(table),
        reading=Reading(**table.reading),
    )
    return Release(
        original=table,
        masked=masked,
        partitions=partitions,
        plan=plan.model_copy(
            update={
                "steps": [block.steps for block in done if block.steps],
                "input": source,
                "outcome": outcome,
                "versions": installed_versions(),
            }
        ),
    )


@dataclass(frozen=True)
class _Block:
    """What came of one block of variables."""

    matrix: Matrix
    partition: Partition
    computed: Mapping[str, NDArray[np.float64]]
    taken: Mapping[str, NDArray[np.int64]]
    joined: Mapping[str, int]
    smallest_support: int
    steps: list[int]


def _protect_block(
    plan: Plan,
    table: Table,
    number: int,
    block: Sequence[str],
    strata: Strata,
    weights: NDArray[np.float64] | None,
) -> _Block:
    values = block_values(table, block, plan.kinds)
    matrix = block_matrix(values, plan.kinds, standardize=plan.standardize)
    labels, stratum_of_group, steps = _labels(plan, number, block, matrix, strata)
    everyone = members(labels, labels >= 0)
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
        representatives = replacement.representatives(
            values[name], behind, rng=np.random.default_rng([plan.seed, number, place]), weights=weights, column=name
        )
        released = representatives[np.searchsorted(behind.groups, own_labels[observed])]
        if replacement.keeps_values:
            taken[name] = np.arange(len(table))
            taken[name][observed] = released
        else:
            computed[name] = np.full(len(table), np.nan)
            computed[name][observed] = released
        supports.extend(behind.sizes.tolist())
    return _Block(
        matrix, Partition(labels, tuple(block)), computed, taken, joined, min(supports, default=len(table)), steps
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


def _labels(
    plan: Plan, number: int, block: Sequence[str], matrix: Matrix, strata: Strata
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Partition every stratum; return each record's group, each group's stratum, and the steps of each search."""
    method = build(plan.method, PARTITIONERS, "method", k=plan.k)
    if not matrix.complete or any(plan.kinds[name] not in method.kinds for name in block):
        method = method.for_mixed(distance=matrix.distance, nominal=matrix.nominal)
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


def _weights(plan: Plan, table: Table) -> NDArray[np.float64] | None:
    if plan.weights is None:
        return None
    refuse_gaps(table, [plan.weights], "Every record needs a weight.")
    refuse_infinities(table, [plan.weights])
    weights = table.numbers(plan.weights)
    wrong = np.flatnonzero(weights <= 0)
    if wrong.size:
        raise DataError(
            f'Weights must be positive; "{plan.weights}" has {wrong.size} that are zero or negative, the first in '
            f"record {wrong[0] + 1}. Correct them, or leave those records out."
        )
    return weights


def _checked_method(method: Any, k: int, seed: int) -> dict[str, Any]:
    spelled = spell(method, PARTITIONERS, "method")
    if isinstance(method, Partitioner):
        del spelled["k"]
    made = build(spelled, PARTITIONERS, "method", k=k)
    if hasattr(made, "random_state") and "random_state" not in spelled:
        made.set_params(random_state=seed % 2**32)  # scikit-learn's limit
    complete = spell(made, PARTITIONERS, "method")
    return {key: value for key, value in complete.items() if key != "k"}  # the plan has k once


def _replacement_per_column(replace: Any, selection: Selection) -> dict[str, dict[str, Any]]:
    """Settle what stands for a group in every column: what was asked for, or what serves the column's kind."""
    per_column = {str(name): given for name, given in replace.items()} if isinstance(replace, Mapping) else {}
    astray = sorted(set(per_column) - set(selection.columns))
    if astray:
        raise ParameterError(f'replace names "{astray[0]}", which is not among the columns to protect.')
    settled = {}
    for name in selection.columns:
        kind = selection.kinds[name]
        named = name in per_column
        asked = per_column[name] if named else ("mean" if isinstance(replace, Mapping) else replace)
        chosen = build(spell(asked, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
        spelled = spell(chosen, REPLACEMENTS, "replace")
        if kind not in chosen.kinds and named:
            raise ParameterError(f'replace "{spelled["name"]}" does not serve "{name}", which is {kind}.')
        settled[name] = spelled if kind in chosen.kinds else {"name": _FOR_KIND[kind]}
    return settled
