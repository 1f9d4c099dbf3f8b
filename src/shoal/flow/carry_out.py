"""Carrying out a plan: check it against the table, protect each block, put the release together, describe it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from shoal import progress
from shoal.describe import select
from shoal.describe.combinations import records_alike
from shoal.describe.kinds.default_kinds import FEW_VALUES, taken_for_codes
from shoal.describe.kinds.identifiers import warn_of_index
from shoal.describe.matrix import block_matrix, block_values
from shoal.describe.missing import refuse_infinities, refuse_missing
from shoal.describe.strata import strata_of
from shoal.describe.weights import warn_of_weights
from shoal.edits.keep.block_edits import BlockEdits
from shoal.errors import (
    DataError,
    DescriptionWarning,
    DisclosureWarning,
    MethodError,
    PlanError,
    TooFewRecordsError,
    warn,
)
from shoal.flow.blocks.counted import counted, notes_on_counts, notes_on_kept
from shoal.flow.blocks.crisp import protect_crisp_block
from shoal.flow.blocks.diversity import alike_groups, confidential_codes
from shoal.flow.blocks.fuzzy import protect_fuzzy_block
from shoal.flow.blocks.largest_shares import refuse_large_shares
from shoal.flow.blocks.synthetic import protect_synthetic_block
from shoal.flow.blocks.unit_levels import levels_of, new_ids, protect_levels, warn_of_unit
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.outcome import Input, Outcome, Reading, installed_versions
from shoal.flow.release import Release
from shoal.flow.rules.decimals import refuse_unroundable, rounded_release, rounding_notes
from shoal.flow.rules.kept_ranges import outside_range
from shoal.flow.rules.kept_rules import block_edits_of, refuse_broken_file, refuse_broken_release
from shoal.flow.rules.ruled_values import record_rules_of
from shoal.measure.headline import Alike, alike_records, released_columns, unique_units, unit_numbers
from shoal.read import Table, as_table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["Engine", "carry_out", "protect_blocks", "rehearse", "table_for"]

Engine = Callable[[Work], list[ProtectedBlock]]
"""What protects every block of a plan: `protect_blocks` on this machine, or another engine in its place."""


def carry_out(
    plan: Plan, table: Table, *, edits: Sequence[BlockEdits] | None = None, engine: Engine | None = None
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
    """
    with threadpool_limits(1, user_api="blas"):  # threads add up in another order, and the last digits would differ
        work = _check(plan, table, edits)
        blocks = (engine or protect_blocks)(work)
        masked, notes = _assemble(work, blocks)
        outcome = _describe(work, blocks, masked, notes)
    return Release(
        original=table,
        masked=masked,
        partitions=tuple(block.partition for block in blocks),
        plan=plan.model_copy(
            update={
                "steps": [block.steps for block in blocks if block.steps],
                "input": _input_of(table),
                "outcome": outcome,
                "versions": installed_versions(),
            }
        ),
    )


def rehearse(plan: Plan, table: Table) -> Work:
    """Return what a plan is carried out with, or raise what that would raise, such as RuleError for some groups."""
    with threadpool_limits(1, user_api="blas"):
        work = _check(plan, table, None)
        _assemble(work, protect_blocks(work))
    return work


def protect_blocks(work: Work) -> list[ProtectedBlock]:
    """Protect every block of variables, one after the other, in this process."""
    protect_block = protect_crisp_block
    if work.plan.is_synthetic:
        protect_block = protect_synthetic_block
    elif work.plan.draws:
        protect_block = protect_fuzzy_block
    protected: list[ProtectedBlock] = []
    for number, block in enumerate(work.plan.blocks):
        with progress.share(1 / len(work.plan.blocks)):
            inside = work.levels is not None
            one = protect_levels(work, number, block, protected) if inside else protect_block(work, number, block)
            protected.append(one)
    return protected


def _check(plan: Plan, table: Table, edits: Sequence[BlockEdits] | None) -> Work:
    """Refuse a table that the plan cannot protect, before anything is masked."""
    if len(table) < plan.k:
        raise TooFewRecordsError(
            f"k={plan.k} needs at least {plan.k} records; the table has {len(table)}. Lower k.",
            k=plan.k,
            records=len(table),
        )
    warn_of_index(table)
    refuse_infinities(table, plan.columns)
    _refuse_incomplete(plan, table)
    weights = _weights(plan, table)
    strata = strata_of(table, plan.strata)
    strata.refuse_fewer_than(plan.k)
    levels = levels_of(plan, table, strata)
    if plan.steps and len(plan.steps) != len(plan.blocks):
        raise PlanError("The plan's steps are for other blocks or strata. Take steps out of the plan.")
    values = [block_values(table, block, plan.kinds) for block in plan.blocks]
    matrices = [
        block_matrix(
            {name: block[name] for name in plan.grouped_by(block)},
            plan.kinds,
            standardize=plan.standardize,
            distance=plan.masking.method.scaled_for,
        )
        for block in values
    ]
    planned = block_edits_of(plan, table) if edits is None else edits
    refuse_broken_file(plan, table, planned)
    refuse_unroundable(plan, table)
    work = Work(plan, table, strata, weights, planned, values, matrices, record_rules_of(plan, table), levels)
    for number in range(len(plan.blocks)):
        refuse_large_shares(work, number, strata)
    return work


def _assemble(work: Work, blocks: Sequence[ProtectedBlock]) -> tuple[Table, list[str]]:
    """Put the new columns into the table, and return it with notes on the rules; a broken rule is an error."""
    computed = {name: values for block in blocks for name, values in block.computed.items()}
    taken = {name: rows for block in blocks for name, rows in block.taken.items()}
    masked = work.table.replaced(computed, taken, drop=work.plan.identifiers, fill=work.plan.missing == "fill")
    masked = rounded_release(work, masked).only_present()
    if work.units is not None and work.plan.unit is not None and not work.plan.drop_unit:
        masked = masked.renumbered(work.plan.unit, new_ids(work.units, work.plan.key))
    notes = refuse_broken_release(work.plan, work.table, masked, work.edits)
    return masked, [*notes, *rounding_notes(work.plan)]


def _describe(work: Work, blocks: Sequence[ProtectedBlock], masked: Table, notes: Sequence[str]) -> Outcome:
    """Say what carrying out the plan did, and warn of constant columns."""
    partitions = [block.partition for block in blocks]
    before, after = work.table.frame.schema, masked.frame.schema
    notes = [*notes]
    inside = 0 if work.levels is None else sum(map(work.levels.is_inside, range(len(blocks))))
    if len(blocks) - inside > 1 and not work.plan.is_synthetic:
        _warn_of_whole_records(work.plan, masked)
    counts = counted(blocks)
    notes += notes_on_counts(work.plan, counts)
    notes += _kind_notes(work)
    unchanged = [name for name in work.plan.unchanged(masked.names) if not masked.missing(name).all()]
    unique_by_unchanged = _warn_of_unchanged(work.table, unchanged)
    expected = min(block.smallest_expected for block in blocks)
    if expected < math.inf:
        tenths = math.floor(10 * expected + 1e-6) / 10  # never more than it is
        notes.append(f"The smallest expected number of records of a centre is {tenths:.1f}.")
    alike = _alike(work, blocks)
    whole, with_weights = _alike_as_whole(work, masked)
    notes += notes_on_kept(work.plan, masked, whole.uniques)
    warn_of_unit(work, partitions)
    outcome = Outcome(
        groups=[len(partition.sizes) for partition in partitions],
        smallest_group=min(partition.k for partition in partitions),
        largest_group=max(int(partition.sizes.max()) for partition in partitions),
        smallest_support=min(block.smallest_support for block in blocks),
        became_float=[
            name for name in work.plan.columns if after[name].is_float() and before[name] != after[name]
        ],  # a type may also have lost categories
        constant=[name for block in blocks for name in block.matrix.constant],
        alike=alike,
        outside=outside_range(work.plan, work.table, masked),
        unchanged=unchanged,
        unique_by_unchanged=unique_by_unchanged,
        k=whole.k,
        uniques=whole.uniques,
        units=whole.units,
        unique_units=_unique_units(work, masked),
        uniques_with_weights=None if with_weights is None else with_weights.uniques,
        notes=list(dict.fromkeys([*notes, *(note for block in blocks for note in block.notes)])),
        empty_records=int(np.any([partition.labels < 0 for partition in partitions], axis=0).sum()),
        **counts,
    )
    if work.plan.weights is not None:
        unchanged = [name for name in masked.names if name not in (*work.plan.rewritten, work.plan.weights)]
        warn_of_weights(masked, work.plan.weights, unchanged)
    for name in outcome.constant:
        warn(f'All values of "{name}" are the same: it is left out of distances.', DescriptionWarning)
    return outcome


def _alike_as_whole(work: Work, masked: Table) -> tuple[Alike, Alike | None]:
    """Count how alike whole released records are, and how alike with their sampling weights, where there are some."""
    weights, unit = work.plan.weights, work.plan.unit
    columns, units = released_columns(masked, weights, unit), unit_numbers(work.table, masked, unit)
    whole = alike_records(masked, columns, units)
    return whole, None if weights is None else alike_records(masked, [*columns, weights], units)


def _unique_units(work: Work, masked: Table) -> int | None:
    """Count the units that are unique by the set of their records, where the release shows which records these are."""
    plan = work.plan
    if work.units is None or plan.unit not in masked:
        return None
    return unique_units(masked, released_columns(masked, plan.weights, plan.unit), work.units)


def _warn_of_whole_records(plan: Plan, masked: Table) -> None:
    """Warn of whole records that are unique or have too few like them."""
    alike = records_alike(masked, released_columns(masked, plan.weights, plan.unit))
    short = int((alike < plan.k).sum())
    if short:
        warn(
            f"Whole records are not {plan.k} alike: over all released columns {int((alike == 1).sum()):,} of "
            f"{len(alike):,} are unique, and {short:,} have fewer than {plan.k} like them. k={plan.k} holds in each of "
            f"the {len(plan.blocks)} blocks alone; leave blocks out to group all columns together.",
            DisclosureWarning,
        )


def _warn_of_unchanged(table: Table, unchanged: Sequence[str]) -> int:
    """Count the records that no other is like in columns that are released as they are, and warn of these."""
    if not unchanged:
        return 0
    unique = int((records_alike(table, unchanged) == 1).sum())
    warn(
        f"NOT PROTECTED ({len(unchanged):,}): {', '.join(unchanged)}. On these, {unique:,} of {len(table):,} records "
        f"are unique.",
        DisclosureWarning,
    )
    return unique


def _kind_notes(work: Work) -> list[str]:
    """Say which columns of whole numbers are taken as codes, if any are."""
    codes = [
        name
        for name, kind in work.plan.kinds.items()
        if kind == "nominal" and work.table.is_numeric(name) and taken_for_codes(work.table, name)
    ]
    if not codes:
        return []
    return [
        f"Whole numbers with at most {FEW_VALUES} different values are taken as codes of categories: "
        f'{", ".join(codes)}. If they are amounts, say so (--kind "{codes[0]}=continuous").'
    ]


def _alike(work: Work, blocks: Sequence[ProtectedBlock]) -> dict[str, int]:
    """Count the groups whose members have one value of a confidential variable, and warn of them."""
    if work.plan.is_synthetic:
        return {}
    counts: dict[str, int] = {}
    for block, columns in zip(blocks, work.plan.blocks, strict=True):
        found = alike_groups(block.partition.labels, confidential_codes(work, columns))
        counts |= {name: max(count, counts.get(name, 0)) for name, count in found.items()}
    if counts:
        named = ", ".join(f'"{name}" ({count:,})' for name, count in counts.items())
        warn(
            f"Groups whose members all have the same value of a confidential variable disclose it: {named}. "
            "diversity=2 (--diversity 2) joins them to others.",
            DisclosureWarning,
        )
    return counts


def _refuse_incomplete(plan: Plan, table: Table) -> None:
    """Raise MissingValuesError where values are missing that the plan needs."""
    if plan.is_synthetic:
        name = plan.replacements[plan.columns[0]].name
        advice = f'replace "{name}" needs complete records. Fill them, or drop the variables (role identifier).'
        refuse_missing(table, plan.columns, advice)
    if plan.missing == "error":
        way = "use" if plan.masking.method.supports_missing else 'use the method "mdav" with'
        advice = (
            f'Fill them, or {way} missing="fill" (--missing fill) to give them the values of their group; '
            'missing="keep" (--missing keep) leaves them, and records may be unique by what is missing.'
        )
        refuse_missing(table, [*plan.columns, *plan.strata], advice)


def _weights(plan: Plan, table: Table) -> NDArray[np.float64] | None:
    if plan.weights is None:
        return None
    refuse_missing(table, [plan.weights], "Every record needs a weight.")
    refuse_infinities(table, [plan.weights])
    weights = table.numbers(plan.weights)
    wrong = np.flatnonzero(weights <= 0)
    if wrong.size:
        raise DataError(
            f'Weights must be positive; "{plan.weights}" has {wrong.size} that are zero or negative, the first in '
            f"record {wrong[0] + 1}. Correct them, or leave those records out."
        )
    method, replacements = plan.masking.method, plan.replacements.values()
    if not (method.supports_weights and all(one.supports_weights for one in replacements)):
        shared = plan.masking.replacement
        owner = f'replace "{shared.name}"' if shared is not None and shared.rewrites else f'The method "{method.name}"'
        raise MethodError(
            f'{owner} does not support sampling weights. Give "{plan.weights}" another role.', method=method.name
        )
    return weights


def _input_of(table: Table) -> Input:
    return Input(
        path=None if table.source is None else str(table.source.resolve()),
        sha256=table.fingerprint(),
        records=len(table),
        reading=Reading(**table.reading),
    )


def table_for(plan: Plan, data: Any = None) -> Table:
    """Return the table a plan is to be carried out on: `data`, or the plan's own input if it has not changed."""
    reading = {} if plan.input is None else plan.input.reading.model_dump(exclude_none=True)
    if data is not None:
        table = as_table(data, **reading)
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
    select(
        table,
        columns=plan.columns,
        blocks=plan.blocks,
        roles=plan.roles,
        kinds=plan.kinds,
    )
    return table
