"""What recodes did for k, counted for the plan and said in notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.describe.units import units_of
from shoal.flow.outcome import RecodedColumn
from shoal.flow.recoding.key_columns import key_columns
from shoal.recode.effect import RecodeEffect, effect_on
from shoal.recode.recoded_table import RecodedTable

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["counted_recodes", "effect_of_plan", "notes_on_recodes"]


def effect_of_plan(plan: Plan, recoded: RecodedTable) -> RecodeEffect | None:
    """Count what the recodes of a plan do over the keys; None if there are no keys.

    These are the columns with the role key or, if there are none, the categories that are protected or recoded, and the
    strata.
    """
    keys = key_columns(plan, recoded.table, {**recoded.kinds, **plan.kinds})
    if not keys:
        return None
    units = None if plan.unit is None else units_of(recoded.table, plan.unit)
    return effect_on(recoded, [name for name in recoded.table.names if name in plan.recodes], keys, plan.k, units)


def counted_recodes(plan: Plan, recoded: RecodedTable) -> dict[str, RecodedColumn]:
    """Return by column how many values a recode left, and how many records it left below k over the keys."""
    effect = effect_of_plan(plan, recoded) if plan.recodes else None
    if effect is None:
        return {}
    return {
        name: RecodedColumn(
            values_before=effect.before.values[name],
            values_after=counts.values[name],
            below_k_before=effect.before.below_k,
            below_k_after=counts.below_k,
            below_k_together=effect.together.below_k,
            is_key=name in effect.keys,
        )
        for name, counts in effect.alone.items()
    }


def notes_on_recodes(recoded: RecodedTable) -> list[str]:
    """Say how many values were codes for a missing one."""
    if not recoded.made_missing:
        return []
    named = ", ".join(f"{name} ({count:,})" for name, count in recoded.made_missing.items())
    return [f"Values that are codes for a missing one were made missing: {named}."]
