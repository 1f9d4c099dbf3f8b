"""What carrying out the plan did to the whole file, put together from what it did in every block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.describe.variables import distinct_values
from shoal.errors import DataError
from shoal.flow.blocks.counted import (
    kind_notes,
    note_on_kept,
    notes_on_counts,
    warn_of_alike_groups,
    warn_of_constant,
    warn_of_unchanged,
    warn_of_whole_records,
)
from shoal.flow.blocks.kept_categories import notes_on_suppressed
from shoal.flow.outcome import Outcome
from shoal.flow.plan import Plan
from shoal.flow.rules.decimals import rounding_notes
from shoal.flow.rules.kept_rules import notes_on_rules
from shoal.read import Table
from shoal.scale.released.counted_alike import CountedAlike

__all__ = ["WholeAlike", "joined_counts", "whole_outcome"]

_BY_COLUMN = ("joined", "suppressed", "filled", "lone", "dominated", "held_by_one", "alike", "outside")


@dataclass(frozen=True)
class WholeAlike:
    """How alike the records of the whole release are.

    Attributes
    ----------
    k, uniques
        As in the headline.
    below
        The records of combinations that fewer than k records, or units, have.
    """

    k: int
    uniques: int
    below: int


def joined_counts(buckets: Sequence[CountedAlike | None], lone_units: int | None) -> WholeAlike:
    """Return how alike records are, from what was counted in every bucket.

    `lone_units` is how many units have a combination alone; None where every record is its own.
    """
    counted = [one for one in buckets if one is not None]
    uniques = sum(one.alone for one in counted) if lone_units is None else lone_units
    return WholeAlike(min(one.fewest for one in counted), uniques, sum(one.below for one in counted))


def whole_outcome(
    plan: Plan,
    outcomes: Sequence[Outcome],
    alike: WholeAlike,
    unchanged: WholeAlike | None,
    with_weights: WholeAlike | None,
    sample: Table,
    records: int,
    units: int | None,
) -> Outcome:
    """Return the outcome of the whole file, and warn of what it lets through; DataError if k is not kept.

    Parameters
    ----------
    plan, outcomes
        What was done, and what it did in every block.
    alike, unchanged, with_weights
        How alike records are over everything released, in the columns that are released as they are (None if there
        are none), and over everything with the sampling weights (None without).
    sample
        Some rows of the file, recoded.
    records, units
        How many there are; no units where every record is one.
    """
    totals: dict[str, dict[str, int]] = {what: _added([getattr(one, what) for one in outcomes]) for what in _BY_COLUMN}
    effective = [one.effective_number for one in outcomes if one.effective_number is not None]
    counts = {**totals, **({"effective_number": min(effective)} if effective else {})}
    as_is = list(dict.fromkeys(name for one in outcomes for name in one.unchanged))
    apart = len(plan.blocks) if plan.unit is None else 1
    has_missing = plan.missing == "keep" and any(
        sample.missing(name).any() for name in plan.columns if name not in plan.categories
    )
    promised = not plan.family.no_k and not as_is and apart == 1 and not has_missing
    if promised and alike.k < plan.k:
        raise DataError(f"Records are {alike.k} alike where k={plan.k} was promised; nothing is released.")
    if not plan.family.no_k and not promised and not as_is:
        warn_of_whole_records(plan, records, alike.uniques, alike.below, apart, units)
    warn_of_unchanged(as_is, 0 if unchanged is None else unchanged.uniques, records)
    warn_of_alike_groups(totals["alike"])
    constant = [name for name in plan.columns if all(name in one.constant for one in outcomes)]
    constant = [name for name in constant if distinct_values(sample, name, sample.missing(name)) <= 1]
    warn_of_constant(constant)
    notes = _notes_on_rules(plan, outcomes) + rounding_notes(plan) + notes_on_counts(plan, counts)
    notes += notes_on_suppressed(plan, totals["suppressed"], records) + kind_notes(plan, sample)
    if has_missing:
        notes.append(note_on_kept(records, alike.uniques, units))
    return Outcome(
        groups=[sum(groups) for groups in zip(*(one.groups for one in outcomes), strict=True)],
        smallest_group=min(one.smallest_group for one in outcomes),
        largest_group=max(one.largest_group for one in outcomes),
        smallest_support=min(one.smallest_support for one in outcomes),
        became_float=list(dict.fromkeys(name for one in outcomes for name in one.became_float)),
        constant=constant,
        unchanged=as_is,
        unique_by_unchanged=0 if unchanged is None else unchanged.uniques,
        k=alike.k,
        uniques=alike.uniques,
        units=units,
        uniques_with_weights=None if with_weights is None else with_weights.uniques,
        notes=notes,
        empty_records=sum(one.empty_records for one in outcomes),
        **counts,  # type: ignore[arg-type]
    )


def _notes_on_rules(plan: Plan, outcomes: Sequence[Outcome]) -> list[str]:
    """Say that all rules hold, and which of them only up to rounding, in some block."""
    said = {note for one in outcomes for note in one.notes}
    up_to_rounding = [rule for rule in plan.edits if said & set(notes_on_rules([rule], [rule])[1:])]
    return notes_on_rules(plan.edits, up_to_rounding)


def _added(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for one in counts:
        total.update(one)
    return dict(total)
