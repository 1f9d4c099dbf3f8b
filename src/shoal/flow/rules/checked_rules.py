"""Rules of a release whose values were exchanged or perturbed: nothing keeps them on purpose, so they are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.edits.checked_records import TableRecords
from shoal.errors import RuleError
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["refuse_rules_broken_by_chance"]


def refuse_rules_broken_by_chance(plan: Plan, table: Table, masked: Table) -> None:
    """Raise RuleError for the first rule that does not hold in some records of the release."""
    records = TableRecords(masked, table)
    for rule in plan.edits:
        broken = int(rule.broken(records).sum())
        if not broken:
            continue
        names = ", ".join(
            dict.fromkeys(f'"{plan.replacements[name].name}"' for name in rule.variables if name in plan.replacements)
        )
        decimals = "give its variables more decimals, " * (not set(plan.decimals).isdisjoint(rule.variables))
        raise RuleError(
            f'{broken:,} of {len(masked):,} records would break the rule "{rule.shown}" after replace {names}, which '
            f"keeps no rules; nothing is released. Leave the rule out, {decimals}or protect its variables by groups "
            '(method "mdav"), which keep it.',
            rule=rule.text,
        )
