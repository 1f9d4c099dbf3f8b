"""What carrying out a plan did: counted for the plan, said in notes, and warned of where it lets something through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from shoal.describe.combinations import records_alike
from shoal.describe.kinds.default_kinds import FEW_VALUES, taken_for_codes
from shoal.describe.variables import distinct_values
from shoal.describe.weights import warn_of_weights
from shoal.errors import DataError, DescriptionWarning, DisclosureWarning, warn
from shoal.flow.blocks.counted import counted, notes_on_counts, notes_on_kept
from shoal.flow.blocks.diversity import alike_groups, confidential_codes
from shoal.flow.blocks.unit_levels import warn_of_unit
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.outcome import Outcome
from shoal.flow.rules.kept_ranges import outside_range
from shoal.measure.headline import Alike, alike_records, released_columns, unique_units, unit_numbers
from shoal.read import Table

__all__ = ["outcome_of"]


def outcome_of(work: Work, blocks: Sequence[ProtectedBlock], masked: Table, notes: Sequence[str]) -> Outcome:
    """Return what carrying out the plan did, and warn of what it lets through; DataError if k is not kept."""
    partitions = [block.partition for block in blocks]
    before, after = work.table.frame.schema, masked.frame.schema
    notes = [*notes]
    apart = len(blocks) - (0 if work.levels is None else sum(map(work.levels.is_inside, range(len(blocks)))))
    _warn_of_whole_records(work, masked, apart)
    counts = counted(blocks)
    notes += notes_on_counts(work.plan, counts)
    _warn_of_values_of_one(work, counts["held_by_one"], sum(len(partition.sizes) for partition in partitions))
    notes += _kind_notes(work)
    unchanged = [name for name in work.plan.unchanged(masked.names) if not masked.missing(name).all()]
    unique_by_unchanged = _warn_of_unchanged(work.table, unchanged)
    expected = min(block.smallest_expected for block in blocks)
    if expected < math.inf:
        tenths = math.floor(10 * expected + 1e-6) / 10  # never more than it is
        notes.append(f"The smallest expected number of records of a centre is {tenths:.1f}.")
    alike = _alike(work, blocks)
    whole, with_weights = _alike_as_whole(work, masked)
    if apart == 1 and not unchanged and _promises_records(work, masked) and whole.k < work.plan.k:
        raise DataError(f"Records are {whole.k} alike where k={work.plan.k} was promised; nothing is released.")
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


def _promises_records(work: Work, masked: Table) -> bool:
    """Whether whole records are k alike by what was asked for: in groups, and with no missing value that stays."""
    plan = work.plan
    return not (plan.is_synthetic or plan.draws or any(masked.missing(name).any() for name in plan.columns))


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


def _warn_of_whole_records(work: Work, masked: Table, apart: int) -> None:
    """Warn of whole records that are unique or have too few like them, because of blocks or of missing values."""
    plan = work.plan
    kept = plan.missing == "keep" and any(masked.missing(name).any() for name in plan.columns)
    if plan.is_synthetic or not (apart > 1 or kept):
        return
    alike = records_alike(masked, released_columns(masked, plan.weights, plan.unit))
    short = int((alike < plan.k).sum())
    why = 'Missing values are kept; missing="fill" (--missing fill) gives them the values of their group.'
    if apart > 1:
        why = f"k={plan.k} holds in each of the {apart} blocks alone; leave blocks out to group all columns together."
    if short:
        warn(
            f"Whole records are not {plan.k} alike: over all released columns {int((alike == 1).sum()):,} of "
            f"{len(alike):,} are unique, and {short:,} have fewer than {plan.k} like them. {why}",
            DisclosureWarning,
        )


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
            f'drop the column (--role "{mostly[0]}=identifier"), or make its categories coarser.',
            DisclosureWarning,
        )


def _mostly_differs(table: Table, name: str) -> bool:
    missing = table.missing(name)
    return 2 * distinct_values(table, name, missing) > len(table) - int(missing.sum())


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
    labelled = [
        name for name, kind in work.plan.kinds.items() if kind == "continuous" and work.table.labels.values.get(name)
    ]
    notes = []
    if labelled:
        notes.append(
            f"Some values of {', '.join(labelled)} have labels and are averaged with the others. If they are codes, "
            "such as no answer, make them missing."
        )
    if not codes:
        return notes
    return [
        *notes,
        f"Whole numbers with at most {FEW_VALUES} different values are taken as codes of categories: "
        f'{", ".join(codes)}. If they are amounts, say so (--kind "{codes[0]}=continuous").',
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
