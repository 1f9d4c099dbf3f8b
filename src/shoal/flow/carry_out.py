"""Carrying out a plan: check it against the table, protect each block, put the release together, describe it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from shoal import progress
from shoal.describe import select
from shoal.describe.kinds.identifiers import warn_of_index
from shoal.describe.kinds.undecided import refuse_undecided
from shoal.describe.matrix import Matrix, block_matrix, block_values
from shoal.describe.missing import refuse_counted_missing, refuse_infinities
from shoal.describe.standardize import Scale
from shoal.describe.strata import strata_of
from shoal.describe.weights import positive_weights, refuse_extreme_weights
from shoal.edits.keep.block_edits import BlockEdits
from shoal.errors import (
    MethodError,
    PlanError,
    TooFewRecordsError,
)
from shoal.flow.blocks.kept_categories import refuse_few_within
from shoal.flow.blocks.largest_shares import refuse_large_shares
from shoal.flow.blocks.unit_levels import at_level, levels_of, protect_levels
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.chain.steps import joined_to, plan_before, table_after
from shoal.flow.chain.whole_chain import steps_of, unnamed_in_chain
from shoal.flow.drawn_by_key import new_ids
from shoal.flow.outcome import Input, Reading, installed_versions
from shoal.flow.recoding.asked import recoded_by_plan
from shoal.flow.recoding.counted import counted_recodes, notes_on_recodes
from shoal.flow.release import Release
from shoal.flow.release_outcome import outcome_of
from shoal.flow.rules.checked_rules import refuse_rules_broken_by_chance
from shoal.flow.rules.decimals import refuse_unroundable, rounded_release, rounding_notes
from shoal.flow.rules.kept_rules import block_edits_of, refuse_broken_file, refuse_broken_release
from shoal.flow.rules.ruled_values import record_rules_of
from shoal.read import Table, as_table
from shoal.read.files import quoted_names
from shoal.recode.effect import lost_by_recoding
from shoal.recode.recoded_table import RecodedTable
from shoal.replace.family import DRAWN, GROUPED, PERTURBED, SYNTHETIC, Family

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["Engine", "carry_out", "protect_blocks", "refuse_incomplete", "rehearse", "table_for"]

Engine = Callable[[Work], list[ProtectedBlock]]
"""What protects every block of a plan: `protect_blocks` on this machine, or another engine in its place."""


def carry_out(
    plan: Plan,
    table: Table,
    *,
    edits: Sequence[BlockEdits] | None = None,
    engine: Engine | None = None,
    recoded: RecodedTable | None = None,
    after: Release | None = None,
    is_last: bool = True,
    scales: Mapping[str, Scale] | None = None,
) -> Release:
    """Carry out a plan, and return the release with the plan's outcome filled in.

    Parameters
    ----------
    plan, table
        What to do, and to what.
    edits
        How each block keeps the rules, if that was planned already.
    engine
        What protects the blocks; by default this process does, one block after the other.
    recoded
        The table after the plan's recodes, if they were made already.
    after
        The release of the steps before, and `table` is what the last step starts from; by default all are carried out.
    is_last
        Whether no further step follows, so that what the release lets through is warned of.
    scales
        The scale of every variable in the whole file, where `table` is a part of it; by default those of `table`.
    """
    if plan.before and after is None:
        after = carry_out(plan_before(plan), table, engine=engine, is_last=False)
        table = table_after(after)
    recoded = recoded_by_plan(plan, table) if recoded is None else recoded
    with threadpool_limits(1, user_api="blas"):  # threads add up in another order, and the last digits would differ
        work = _check(plan, recoded.table, edits, scales)
        blocks = (engine or protect_blocks)(work)
        masked, notes = _assemble(work, blocks)
        notes += notes_on_recodes(recoded)
        outcome = outcome_of(work, blocks, masked, notes, is_last=is_last)
        lost = lost_by_recoding(recoded, [name for name in table.names if name in plan.recodes])
        outcome = outcome.model_copy(update={"recoded": counted_recodes(plan, recoded), "lost_by_recoding": lost})
    release = Release(
        original=table,
        masked=masked,
        partitions=tuple(block.partition for block in blocks),
        coarser=recoded.table,
        plan=plan.model_copy(
            update={
                "steps": [block.steps for block in blocks] if any(block.steps for block in blocks) else [],
                "input": _input_of(table),
                "outcome": outcome,
                "versions": installed_versions(),
            }
        ),
    )
    return release if after is None else joined_to(after, release)


def rehearse(plan: Plan, table: Table) -> Work:
    """Return what a plan is carried out with, or raise what that would raise, such as RuleError for some groups.

    Of a chain it is the last step; those before it are carried out.
    """
    if plan.before:
        table = table_after(carry_out(plan_before(plan), table, is_last=False))
    with threadpool_limits(1, user_api="blas"):
        work = _check(plan, recoded_by_plan(plan, table).table, None)
        _assemble(work, protect_blocks(work))
    return work


def _protects_block(family: Family) -> Callable[[Work, int, Sequence[str]], ProtectedBlock]:
    """Return what protects a block of a family; imported when it is needed, to keep start-up quick."""
    if family is SYNTHETIC:
        from shoal.flow.blocks.synthetic import protect_synthetic_block as protect_block
    elif family is DRAWN:
        from shoal.flow.blocks.fuzzy import protect_fuzzy_block as protect_block
    elif family is PERTURBED:
        from shoal.flow.blocks.perturbed import protect_perturbed_block as protect_block
    else:
        from shoal.flow.blocks.crisp import protect_crisp_block as protect_block
    return protect_block


def protect_blocks(work: Work) -> list[ProtectedBlock]:
    """Protect every block of variables, one after the other, in this process."""
    family = work.plan.family
    protect_block = _protects_block(family)
    protected: list[ProtectedBlock] = []
    for number, block in enumerate(work.plan.blocks):
        with progress.share(1 / len(work.plan.blocks)):
            inside = work.levels is not None and family.makes_groups
            one = protect_levels(work, number, block, protected) if inside else protect_block(work, number, block)
            protected.append(one)
    return protected


def _check(
    plan: Plan, table: Table, edits: Sequence[BlockEdits] | None, scales: Mapping[str, Scale] | None = None
) -> Work:
    """Refuse a table that the plan cannot protect, before anything is masked."""
    if len(table) < plan.k:
        raise TooFewRecordsError(
            f"k={plan.k} needs at least {plan.k} records; the table has {len(table)}."
            f"{' Lower k.' if len(table) > 1 else ' One record cannot be protected.'}",
            k=plan.k,
            records=len(table),
        )
    warn_of_index(table)
    refuse_infinities(table, plan.columns)
    refuse_incomplete(plan, lambda name: int(table.missing(name).sum()))
    weights = _weights(plan, table)
    strata = strata_of(table, plan.strata)
    strata.refuse_fewer_than(plan.k)
    levels = levels_of(plan, table, strata)
    refuse_few_within(plan, table, strata, levels)
    if plan.steps and len(plan.steps) != len(plan.blocks):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")
    values = [block_values(table, block, plan.kinds) for block in plan.grouped_blocks]
    matrices = [_matrix(plan, block, len(table), scales) for block in values]
    planned = block_edits_of(plan, table) if edits is None else edits
    refuse_broken_file(plan, table, planned)
    refuse_unroundable(plan, table)
    work = Work(plan, table, strata, weights, planned, values, matrices, record_rules_of(plan, table), levels)
    for number in range(len(plan.blocks) if plan.family.makes_groups else 0):
        at_own_level = at_level(work, number)
        refuse_large_shares(at_own_level, number, at_own_level.strata)
    return work


def _matrix(
    plan: Plan, values: Mapping[str, NDArray[np.float64]], records: int, scales: Mapping[str, Scale] | None
) -> Matrix:
    """Return what distances are taken between; a constant where all columns of a block keep their values."""
    distance = plan.masking.method.scaled_for
    if not values:
        return Matrix(np.zeros((records, 1)), (), distance, (), complete=True)
    grouped = {name: values[name] for name in plan.grouped_by(values)}
    return block_matrix(grouped, plan.kinds, standardize=plan.standardize, distance=distance, scales=scales)


def _assemble(work: Work, blocks: Sequence[ProtectedBlock]) -> tuple[Table, list[str]]:
    """Put the new columns into the table, and return it with notes on the rules; a broken rule is an error."""
    computed = {name: values for block in blocks for name, values in block.computed.items()}
    taken = {name: rows for block in blocks for name, rows in block.taken.items()}
    masked = work.table.replaced(computed, taken, drop=work.plan.identifiers, fill=work.plan.missing == "fill")
    masked = masked.blanked({name: cells for block in blocks for name, cells in block.suppressed.items()})
    masked = rounded_release(work, masked).written_alike().only_present()
    if work.units is not None and work.plan.unit is not None and not work.plan.drop_unit:
        masked = masked.renumbered(work.plan.unit, new_ids(work.plan.key, work.table.fingerprint(), work.units))
    if not work.plan.family.makes_groups:
        refuse_rules_broken_by_chance(work.plan, work.table, masked)
    notes = refuse_broken_release(work.plan, work.table, masked, work.edits)
    return masked, [*notes, *rounding_notes(work.plan)]


def refuse_incomplete(plan: Plan, missing: Callable[[str], int]) -> None:
    """Raise MissingValuesError where values are missing that the plan needs; `missing` counts those of a column."""
    if plan.family.rewrites:
        name = plan.replacements[plan.columns[0]].name
        advice = f'Replace "{name}" needs complete records. Fill them, or drop the variables (role identifier).'
        refuse_counted_missing({name: missing(name) for name in plan.columns}, advice)
    if plan.missing == "error":
        needs, way = _complete_only(plan)
        advice = (
            f'{needs}Fill them, or {way} missing="fill" (--missing fill) to give them the values of their group; '
            'missing="keep" (--missing keep) leaves them, and records may be unique by what is missing.'
        )
        if not plan.family.makes_groups:
            advice = 'Fill them, or use missing="keep" (--missing keep), which leaves them where they are.'
        refuse_counted_missing({name: missing(name) for name in [*plan.rewritten, *plan.strata]}, advice)


def _complete_only(plan: Plan) -> tuple[str, str]:
    """Say what of a plan needs complete records, if anything does, and what to use with missing values."""
    method = plan.masking.method
    if not method.supports_missing:
        return f'The method "{method.name}" groups complete records. ', 'use the method "mdav" with'
    for replacement in plan.replacements.values():
        if not replacement.supports_missing:
            return f'Replace "{replacement.name}" needs complete records. ', 'use another, such as "mean", with'
    return "", "use"


def _weights(plan: Plan, table: Table) -> NDArray[np.float64] | None:
    if plan.weights is None:
        return None
    weights = positive_weights(table, plan.weights)
    method, replacements = plan.masking.method, plan.replacements.values()
    if not (method.supports_weights and all(one.supports_weights for one in replacements)):
        shared = plan.masking.replacement
        owner = (
            f'replace "{shared.name}"'
            if shared is not None and shared.family.rewrites
            else f'The method "{method.name}"'
        )
        raise MethodError(
            f'{owner} does not support sampling weights. Give "{plan.weights}" another role.', method=method.name
        )
    if plan.family is GROUPED:
        refuse_extreme_weights(weights, plan.weights)
    return weights


def _input_of(table: Table) -> Input:
    return Input(
        path=None if table.source is None else str(table.source.resolve()),
        sha256=table.fingerprint(),
        records=len(table),
        reading=Reading(**table.reading),
    )


def _refuse_unnamed(plan: Plan, table: Table) -> None:
    """Raise PlanError for columns that the plan's own file did not have: they would be released as they are.

    Of a plan that was never carried out it is not known what its file had; columns that have to be decided are refused.
    """
    unnamed = unnamed_in_chain(plan, table.names)
    if plan.outcome is None:
        refuse_undecided(table, unnamed)
    elif unnamed:
        them = "a column" if len(unnamed) == 1 else f"{len(unnamed)} columns"
        raise PlanError(
            f"The table has {them} that the plan does not know: {quoted_names(unnamed)}. To drop one, give it the role "
            f'identifier in the plan ([roles], "{unnamed[0]}" = "identifier"); with the role other it is released as '
            "it is. To protect it, make a new plan."
        )


def table_for(plan: Plan, data: Any = None) -> Table:
    """Return the table a plan is to be carried out on: `data`, or the plan's own input if it has not changed."""
    if plan.divided is not None:
        raise PlanError("The plan is one for a cluster. Carry it out with shoal protect --plan, or with protect_parts.")
    reading = {} if plan.input is None else plan.input.reading.model_dump(exclude_none=True)
    if data is not None:
        table = as_table(data, **reading)
        if plan.input is None or table.fingerprint() != plan.input.sha256:
            _refuse_unnamed(plan, table)
    elif plan.input is None or plan.input.path is None:
        raise PlanError(
            "The plan does not name its input, because it was made from a table in memory. Say which to use."
        )
    elif not os.path.exists(plan.input.path):  # noqa: PTH110  # Path's raises OSError for a name that is too long
        raise PlanError(
            f'The plan\'s input "{plan.input.path}" is not there. Say which file to use.', path=plan.input.path
        )
    else:
        table = as_table(plan.input.path, **reading)
        if table.fingerprint() != plan.input.sha256:
            raise PlanError(
                f'"{plan.input.path}" has changed since the plan was made. Name the file to use if that is meant.',
                path=plan.input.path,
            )
    first = steps_of(plan)[0]
    select(
        recoded_by_plan(first, table).table,
        columns=first.columns,
        blocks=first.blocks,
        roles=first.roles,
        kinds=first.kinds,
    )
    return table
