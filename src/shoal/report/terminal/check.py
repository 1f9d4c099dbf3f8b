"""Which rules the records of a table keep, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.terminal.names import one_line

if TYPE_CHECKING:
    from shoal.edits import Check, RuleStatus

__all__ = ["check_text"]


def check_text(name: str, check: Check) -> str:
    """Return which rules hold, one a line, and the records that break them, with their values if the check has them."""
    broken = sum(not one.holds for one in check.rules)
    rules = f"{len(check.rules):,} rule{'s' if len(check.rules) != 1 else ''}"
    outcome = f"{broken:,} of {rules} broken" if broken else f"{rules}, none of them broken"
    lines = [f"{name}: {check.records:,} records, {outcome}", ""]
    for one in check.rules:
        lines += [_rule_text(one), *_records_that_break_it(one)]
    meaning = "relative, for rules with arithmetic; other comparisons are exact"
    return "\n".join([*lines, "", f"tolerance {check.tolerance:g}: {meaning}"])


def _rule_text(status: RuleStatus) -> str:
    name = f"{one_line(status.name)}: " if status.name else ""
    line = f"{'holds' if status.holds else 'BROKEN':<8}{name}{one_line(status.rule, most=80)}"
    if not status.holds:
        line += f": by {_count(status.broken)}"
        if status.first:
            line += ": " if len(status.first) == status.broken else ", the first "
            line += ", ".join(str(record) for record in status.first)
    return line + (f" ({_count(status.missing)} with a missing value left out)" if status.missing else "")


def _records_that_break_it(status: RuleStatus) -> list[str]:
    return [
        f"{'':<8}record {record}: "
        + ", ".join(f"{one_line(name)} = {one_line(str(cell))}" for name, cell in values.items())
        for record, values in zip(status.first, status.values or (), strict=False)
    ]


def _count(records: int) -> str:
    return f"{records:,} record{'s' if records != 1 else ''}"
