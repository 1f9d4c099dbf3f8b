"""What carrying out a plan did: counted for the plan, said in notes, and warned of where it lets something through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import (
    joined_codes,
    numbers_of_values,
    same_combinations,
    unique_records,
)
from shoal.describe.variables import distinct_values
from shoal.describe.weights import warn_of_weights
from shoal.errors import DataError, DisclosureWarning, warn
from shoal.flow.blocks.confidential.closeness import kept_closeness
from shoal.flow.blocks.confidential.diversity import alike_groups, confidential_codes
from shoal.flow.blocks.counted import (
    counted,
    kind_notes,
    note_on_kept,
    notes_on_counts,
    warn_of_alike_groups,
    warn_of_constant,
    warn_of_unchanged,
    warn_of_whole_records,
)
from shoal.flow.blocks.kept_categories import notes_on_suppressed, warn_of_readable_cells
from shoal.flow.blocks.perturbed import note_on_unchanged, warn_of_no_k
from shoal.flow.blocks.unit_levels import warn_of_unit
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.chain.steps import from_earlier_steps, warn_of_steps
from shoal.flow.chain.whole_chain import no_k_in_chain, protected_in_chain, steps_of
from shoal.flow.outcome import Outcome
from shoal.flow.proven.losses import losses_of
from shoal.flow.rules.kept_ranges import outside_range
from shoal.measure.headline import Alike, alike_records, released_columns, unique_units, unit_numbers
from shoal.parameters.typed import typed
from shoal.partition.geometry.different_units import count_units
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["counted_anew", "outcome_of"]


def outcome_of(
    work: Work, blocks: Sequence[ProtectedBlock], masked: Table, notes: Sequence[str], *, is_last: bool = True
) -> Outcome:
    """Return what carrying out the plan did, and warn of what it lets through; DataError if k is not kept.

    Where another step follows (not `is_last`), nothing is said yet of columns that are not protected, nor of whole
    records.
    """
    partitions = [block.partition for block in blocks]
    before, after = work.table.frame.schema, masked.frame.schema
    notes = [*notes]
    apart = len(blocks) - (0 if work.levels is None else sum(map(work.levels.is_inside, range(len(blocks)))))
    combinations = same_combinations(masked, released_columns(masked, work.plan.weights, work.plan.unit))
    # Missing values of categories that keep theirs count as a category, and are no reason for fewer than k.
    changed = [name for name in work.plan.columns if name not in work.plan.categories]
    has_missing = any(masked.missing(name).any() for name in changed)
    keeps_missing = work.plan.missing == "keep" and has_missing
    no_k = no_k_in_chain(work.plan)
    if is_last and no_k and any(not step.family.makes_groups for step in steps_of(work.plan)):
        warn_of_no_k(work.plan, combinations, no_k)
    if not work.plan.family.makes_groups:
        notes.insert(0, note_on_unchanged(work, blocks, masked))
    units = unit_numbers(work.table, masked, work.plan.unit)
    whole = alike_records(combinations, units)
    if is_last and not work.plan.before:
        _warn_of_whole_records(work, combinations, units, whole, apart, keeps_missing)
    counts = counted(blocks)
    notes += notes_on_counts(work.plan, counts)
    notes += notes_on_suppressed(work.plan, counts["suppressed"], len(masked))
    warn_of_readable_cells(work, blocks)
    _warn_of_values_of_one(work, counts["held_by_one"], sum(len(partition.sizes) for partition in partitions))
    notes += kind_notes(work.plan, work.table)
    unchanged = [name for name in work.plan.unchanged(masked.names) if not masked.missing(name).all()]
    unique_by_unchanged = _unique_by_unchanged(work.table, unchanged, is_last=is_last)
    expected = min(block.smallest_expected for block in blocks)
    if expected < math.inf:
        tenths = math.floor(10 * expected + 1e-6) / 10  # never more than it is
        notes.append(f"The smallest expected number of records of a centre is {tenths:.1f}.")
    alike = _alike(work, blocks)
    if is_last and work.plan.before and not unchanged:
        warn_of_steps(work.plan, whole, len(masked))
    promised = not work.plan.family.no_k and not (has_missing or unchanged) and apart == 1
    promised = promised and not from_earlier_steps(work.plan, masked.names)
    if promised and whole.k < work.plan.k:
        raise DataError(f"Records are {whole.k} alike where k={work.plan.k} was promised; nothing is released.")
    if keeps_missing:
        notes.append(note_on_kept(len(masked), whole.uniques, whole.units))
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
        closeness=kept_closeness(work, partitions),
        outside=outside_range(work.plan, work.table, masked),
        unchanged=unchanged,
        unique_by_unchanged=unique_by_unchanged,
        **_alike_counts(work.plan, masked, combinations, units),
        notes=list(dict.fromkeys([*notes, *(note for block in blocks for note in block.notes)])),
        proven=losses_of(work.plan, blocks),
        empty_records=int(np.any([partition.labels < 0 for partition in partitions], axis=0).sum()),
        **counts,
    )
    if work.plan.weights is not None and is_last:
        unchanged = [name for name in masked.names if name not in (*protected_in_chain(work.plan), work.plan.weights)]
        warn_of_weights(masked, work.plan.weights, unchanged)
    warn_of_constant(
        outcome.constant, "it is left out of distances" if work.plan.family.makes_groups else "it stays as it is"
    )
    return outcome


def counted_anew(plan: Plan, original: Table, masked: Table) -> Outcome:
    """Return the outcome of a plan with how alike records are in another form of the release, as text has it."""
    outcome = plan.outcome
    assert outcome is not None and outcome.uniques is not None
    combinations = same_combinations(masked, released_columns(masked, plan.weights, plan.unit))
    counts = _alike_counts(plan, masked, combinations, unit_numbers(original, masked, plan.unit))
    before, after = (
        note_on_kept(len(masked), uniques, outcome.units) for uniques in (outcome.uniques, counts["uniques"])
    )
    return outcome.model_copy(update={**counts, "notes": [after if note == before else note for note in outcome.notes]})


def _alike_counts(
    plan: Plan, masked: Table, combinations: NDArray[np.int64], units: NDArray[np.int64] | None
) -> dict[str, Any]:
    """Return how alike records are over everything released, as an outcome has it; also if weights are known too."""
    whole = alike_records(combinations, units)
    with_weights = None
    if plan.weights is not None:
        weights = numbers_of_values(masked, plan.weights)
        with_weights = alike_records(joined_codes([combinations, weights], len(masked)), units).uniques
    return {
        "k": whole.k,
        "uniques": whole.uniques,
        "units": whole.units,
        "unique_units": unique_units(combinations, units) if units is not None and plan.unit in masked else None,
        "uniques_with_weights": with_weights,
    }


def _warn_of_whole_records(
    work: Work,
    combinations: NDArray[np.int64],
    units: NDArray[np.int64] | None,
    whole: Alike,
    apart: int,
    keeps_missing: bool,
) -> None:
    """Warn of whole records that are unique or have too few like them, because of blocks or of missing values."""
    plan = work.plan
    if not plan.family.shows_groups or not (apart > 1 or keeps_missing):
        return
    sizes = np.bincount(combinations)
    behind = sizes if units is None else count_units(combinations, units)
    short = int(sizes[behind < plan.k].sum())
    warn_of_whole_records(plan, len(combinations), whole.uniques, short, apart, whole.units)


def _warn_of_values_of_one(work: Work, held_by_one: Mapping[str, int], groups: int) -> None:
    """Warn of categories that mostly differ and are mostly released as one record has them, such as names."""
    mostly = [
        name
        for name, count in held_by_one.items()
        if work.plan.kinds[name] == "nominal" and 2 * count > groups and _mostly_differs(work.table, name)
    ]
    if mostly:
        named = ", ".join(f'"{name}" ({held_by_one[name]:,} of {groups:,})' for name in mostly)
        warn(
            f"In most groups the released value is that of one record alone: {named}. If it names a person or a firm, "
            f"drop the column ({typed('--role', mostly[0], 'identifier')}), or make its categories coarser.",
            DisclosureWarning,
        )


def _mostly_differs(table: Table, name: str) -> bool:
    missing = table.missing(name)
    return 2 * distinct_values(table, name, missing) > len(table) - int(missing.sum())


def _unique_by_unchanged(table: Table, unchanged: Sequence[str], *, is_last: bool) -> int:
    """Count the records that no other is like in columns that are released as they are, and warn of these at last."""
    unique = unique_records(table, unchanged) if unchanged else 0
    if is_last:
        warn_of_unchanged(unchanged, unique, len(table))
    return unique


def _alike(work: Work, blocks: Sequence[ProtectedBlock]) -> dict[str, int]:
    """Count the groups whose members have one value of a confidential variable, and warn of them."""
    if not work.plan.family.shows_groups:
        return {}
    counts: dict[str, int] = {}
    for block, columns in zip(blocks, work.plan.blocks, strict=True):
        found = alike_groups(block.partition.labels, confidential_codes(work, columns))
        counts |= {name: max(count, counts.get(name, 0)) for name, count in found.items()}
    warn_of_alike_groups(counts)
    return counts
