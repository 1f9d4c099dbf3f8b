"""The flow: read, describe, partition, replace. `protect` settles a plan; `carry_out` does what the plan says."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from shoal import progress
from shoal.describe import select
from shoal.describe.missing import refuse_gaps, refuse_infinities
from shoal.describe.strata import strata_of
from shoal.edits import Rule, parse_rules
from shoal.errors import DataError, DescriptionWarning, MethodError, PlanError, TooFewRecordsError
from shoal.flow.blocks.crisp import protect_crisp_block
from shoal.flow.blocks.fuzzy import protect_fuzzy_block
from shoal.flow.blocks.synthetic import protect_synthetic_block
from shoal.flow.kept_rules import edits_of, refuse_broken_file, refuse_broken_release
from shoal.flow.plan import Input, Outcome, Plan, Reading, installed_versions
from shoal.flow.release import Release
from shoal.flow.settle import MDAV_BY_DEFAULT, MEAN_BY_DEFAULT, planned
from shoal.partition import SOFT_METHODS, Partitioner
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.read import Table, as_table
from shoal.replace import Aggregate, MembershipDraw, SyntheticReplacement

__all__ = ["carry_out", "protect", "table_for"]

_BLOCK_BY_BLOCK = "k holds in every block of columns; whole records can still be the only ones of their kind."


def protect(
    data: Any,
    k: int,
    columns: Iterable[Any] | None = None,
    roles: Mapping[Any, str] | None = None,
    method: str | Mapping[str, Any] | Partitioner | ConstrainedClusterer = MDAV_BY_DEFAULT,
    replace: str | Mapping[Any, Any] | Aggregate | MembershipDraw | SyntheticReplacement = MEAN_BY_DEFAULT,
    blocks: int | Iterable[Iterable[Any]] | None = None,
    *,
    kinds: Mapping[Any, str] | None = None,
    strata: Any = None,
    weights: Any = None,
    confidential: str | Iterable[str] | None = None,
    edits: str | os.PathLike[str] | Rule | Iterable[str | Rule] | None = None,
    repair: bool = False,
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
        or an estimator such as ``shoal.partition.MDAV(k=5)``. "fuzzy" and "entropy" are fuzzy clusters, whose centres
        are drawn by membership.
    replace
        What stands for a group: a name, an object such as ``shoal.replace.OrderStatistic(q=0.25)``, or one of them per
        column in a mapping. Ordinal variables take the median and nominal ones the mode where it does not serve them.
        A synthetic replacement, such as "hybrid", is for all columns together; it rewrites the confidential ones.
        A fuzzy method always takes `shoal.replace.MembershipDraw`, with parameters if they are given.
    blocks
        Variables that are grouped together: lists of columns, or the number of columns in a block, cut in the order
        of the file. By default all are one block.
    kinds
        Columns that are not what their type says: ``{"industry": "nominal"}`` for a column of codes.
    strata
        Columns whose values a group may not mix.
    weights
        The column of sampling weights.
    confidential
        For replace "ipso", "hybrid", "muralidhar-sarathy" and "fuzzy-regression": the variables to rewrite, by default
        those with the role confidential. The other columns stay as they are, and their relation to these is kept.
    edits
        Rules that hold in the file and will hold in the release: a list such as ``["net + tax == gross"]``, or the path
        of a file that `shoal.read_edits` reads. Variables joined by a rule form one block, and where `replace` is left
        out what stands for a group is chosen so that every rule is kept; the rest is grouped in threes, or in blocks
        of the size that `blocks` says. A rule that cannot be kept is refused.
    repair
        Whether a file that breaks linear rules is protected all the same: representatives are then moved to the nearest
        values that satisfy them. The fuzzy methods always do.
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
    options = {
        "columns": columns,
        "roles": roles,
        "method": method,
        "replace": replace,
        "blocks": blocks,
        "kinds": kinds,
        "strata": strata,
        "weights": weights,
        "confidential": confidential,
        "edits": edits,
        "repair": repair,
        "missing": missing,
        "standardize": standardize,
        "seed": seed,
    }
    return carry_out(*planned(data, k, **options))


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
    with threadpool_limits(1, user_api="blas"):  # threads add up in another order, and the last digits would differ
        return _carried_out(plan, table)


def _carried_out(plan: Plan, table: Table) -> Release:
    if len(table) < plan.k:
        raise TooFewRecordsError(f"k={plan.k} needs at least {plan.k} records; the table has {len(table)}. Lower k.")
    refuse_infinities(table, plan.columns)
    if plan.is_synthetic:
        name = plan.replace[plan.columns[0]]["name"]
        refuse_gaps(
            table, plan.columns, f'replace "{name}" needs complete records. Fill them, or leave the variables out.'
        )
    if plan.missing == "error":
        soft = plan.method["name"] in SOFT_METHODS
        hint = 'use the method "mdav" with missing="keep"' if soft else 'say missing="keep"'
        hint = f"Fill them, or {hint} (--missing keep) to leave them as they are."
        refuse_gaps(table, [*plan.columns, *plan.strata], hint)
    weights = _weights(plan, table)
    if weights is not None and (plan.is_synthetic or plan.method["name"] in SOFT_METHODS):
        what = f'replace "{plan.replace[plan.columns[0]]["name"]}"' if plan.is_synthetic else plan.method["name"]
        raise MethodError(f'{what} has no use for sampling weights. Give "{plan.weights}" another role.')
    strata = strata_of(table, plan.strata)
    strata.refuse_fewer_than(plan.k)
    if plan.steps and len(plan.steps) != len(plan.blocks):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")
    rules = parse_rules(plan.edits)
    edits = edits_of(plan, rules, table)
    refuse_broken_file(plan, rules, table, edits)

    done = []
    for number, block in enumerate(plan.blocks):
        own = edits[number] if edits else None
        with progress.share(1 / len(plan.blocks)):
            if plan.is_synthetic:
                done.append(protect_synthetic_block(plan, table, number, block, strata))
            elif plan.method["name"] in SOFT_METHODS:
                done.append(protect_fuzzy_block(plan, table, number, block, strata))
            else:
                done.append(protect_crisp_block(plan, table, number, block, strata, weights, own))

    computed = {name: values for block in done for name, values in block.computed.items()}
    taken = {name: rows for block in done for name, rows in block.taken.items()}
    masked = table.replaced(computed, taken, drop=plan.identifiers)
    notes = refuse_broken_release(rules, table, masked)
    if len(plan.blocks) > 1 and not plan.is_synthetic:
        notes.append(_BLOCK_BY_BLOCK)
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
        notes=list(dict.fromkeys([*notes, *(note for block in done for note in block.notes)])),
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
