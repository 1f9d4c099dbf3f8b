"""What was counted while blocks were protected: by column for the outcome, and as notes for a reader."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal.flow.blocks.largest_shares import COUNTED_FROM
from shoal.flow.blocks.work import ProtectedBlock

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["counted", "note_on_kept", "notes_on_counts"]

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
