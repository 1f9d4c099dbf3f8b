"""What was counted while blocks were protected: by column for the outcome, as notes for a reader, and as warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal.describe.kinds.default_kinds import FEW_VALUES, taken_for_codes
from shoal.errors import DescriptionWarning, DisclosureWarning, warn
from shoal.flow.blocks.largest_shares import COUNTED_FROM
from shoal.flow.blocks.work import ProtectedBlock
from shoal.parameters.typed import typed
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = [
    "counted",
    "kind_notes",
    "note_on_kept",
    "notes_on_counts",
    "warn_of_alike_groups",
    "warn_of_constant",
    "warn_of_unchanged",
    "warn_of_whole_records",
]

_BY_COLUMN = ("joined", "filled", "held_by_one", "lone", "dominated")


def counted(blocks: Sequence[ProtectedBlock]) -> dict[str, Any]:
    """Return the counts of all blocks, as `Outcome` takes them."""
    counts: dict[str, Any] = {
        what: {name: count for block in blocks for name, count in getattr(block, what).items()} for what in _BY_COLUMN
    }
    counts["suppressed"] = {
        name: int(cells.sum()) for block in blocks for name, cells in block.suppressed.items() if cells.any()
    }
    effective = min(block.effective_number for block in blocks)
    if effective < math.inf:
        counts["effective_number"] = math.floor(1000 * effective + 1e-6) / 1000  # never more than it is
    return counts


def notes_on_counts(plan: Plan, counts: Mapping[str, Any]) -> list[str]:
    """Say what a reader should know of the counts."""
    notes = []
    if counts["filled"]:
        total = sum(counts["filled"].values())
        notes.append(f"Missing values that got the value of their group: {total:,}, in {_named(counts['filled'])}.")
    if "effective_number" in counts:
        notes.append(
            "No record carries more than half of the weight behind a released value; the smallest effective number of "
            f"records is {math.floor(10 * counts['effective_number']) / 10:.1f}."
        )
    if counts["held_by_one"]:
        named = _named(counts["held_by_one"])
        notes.append(f"Groups in which the released value is that of one record alone: {named}.")
    if counts["lone"]:
        notes.append(f"Groups in which one record makes up the whole sum: {_named(counts['lone'])}.")
    if counts["dominated"]:
        way_out = "" if plan.dominance is not None else " dominance=80 (--dominance 80) joins them to others."
        named = _named(counts["dominated"])
        share = COUNTED_FROM if plan.dominance is None else plan.dominance
        notes.append(f"Groups in which one record is more than {share:g} % of the sum: {named}.{way_out}")
    return notes


def note_on_kept(records: int, uniques: int, units: int | None) -> str:
    """Say how many records are unique where missing values are kept, or how many units have one that no other has."""
    alone = f"{uniques:,} of {records:,} records are unique"
    if units is not None:
        alone = f"{uniques:,} of {units:,} units have a record that no other unit has"
    return f"Missing values are kept: over all released columns {alone}, a missing value counted as a category."


def _named(counts: Mapping[str, int]) -> str:
    return ", ".join(f'"{name}" ({count:,})' for name, count in counts.items())


def warn_of_whole_records(
    plan: Plan, records: int, uniques: int, short: int, apart: int, units: int | None = None
) -> None:
    """Warn of whole records that are unique or have too few like them, because of blocks or of missing values.

    Parameters
    ----------
    plan
        What was done.
    records, uniques, short
        How many there are, how many no other is like, and how many fewer than k are like. With units `uniques` counts
        those that have a record which no other has, and `short` the records that fewer than k different units have.
    apart
        How many blocks were grouped apart from each other.
    units
        How many units there are; None where every record is its own.
    """
    why = 'Missing values are kept; missing="fill" (--missing fill) gives them the values of their group.'
    if apart > 1:
        why = f"k={plan.k} holds in each of the {apart} blocks alone; leave blocks out to group all columns together."
    found = f"{uniques:,} of {records:,} are unique, and {short:,} have fewer than {plan.k} like them"
    if units is not None:
        found = (
            f"{uniques:,} of {units:,} units have a record that no other unit has, and {short:,} of {records:,} "
            f"records have fewer than {plan.k} different units behind them"
        )
    if short:
        warn(
            f"Whole records are not {plan.k} alike: over all released columns {found}. {why}",
            DisclosureWarning,
        )


def warn_of_unchanged(unchanged: Sequence[str], unique: int, records: int) -> None:
    """Warn of columns that are released as they are, and of the records that no other is like in these."""
    if unchanged:
        warn(
            f"NOT PROTECTED ({len(unchanged):,}): {', '.join(unchanged)}. On these, {unique:,} of {records:,} records "
            f"are unique.",
            DisclosureWarning,
        )


def warn_of_alike_groups(counts: Mapping[str, int]) -> None:
    """Warn of groups whose members have one value of a confidential variable, by variable how many."""
    if counts:
        named = ", ".join(f'"{name}" ({count:,})' for name, count in counts.items())
        warn(
            f"Groups whose members all have the same value of a confidential variable disclose it: {named}. "
            "diversity=2 (--diversity 2) joins them to others.",
            DisclosureWarning,
        )


def warn_of_constant(constant: Sequence[str], why: str = "it is left out of distances") -> None:
    """Warn of columns whose values are all the same."""
    for name in constant:
        warn(f'All values of "{name}" are the same: {why}.', DescriptionWarning)


def kind_notes(plan: Plan, table: Table) -> list[str]:
    """Say which columns of whole numbers are taken as codes, if any are."""
    codes = [
        name
        for name, kind in plan.kinds.items()
        if kind == "nominal" and table.is_numeric(name) and taken_for_codes(table, name)
    ]
    labelled = [name for name, kind in plan.kinds.items() if kind == "continuous" and table.labels.values.get(name)]
    notes = []
    if labelled:
        notes.append(
            f"Some values of {', '.join(labelled)} have labels and are {plan.family.changed} with the others. If they "
            "are codes, such as no answer, make them missing."
        )
    if not codes:
        return notes
    return [
        *notes,
        f"Whole numbers with at most {FEW_VALUES} different values are taken as codes of categories: "
        f"{', '.join(codes)}. If they are amounts, say so ({typed('--kind', codes[0], 'continuous')}).",
    ]
