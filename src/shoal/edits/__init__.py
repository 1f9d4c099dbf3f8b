"""Edits: rules that hold in the data, before and after masking."""

from typing import Any

from shoal.edits.check import Check, RuleStatus, check
from shoal.edits.rules import Rule, parse_rule, parse_rules
from shoal.edits.source import read_edits, rules_in
from shoal.edits.suggested import SuggestedRule, suggested_rules

__all__ = [
    "Check",
    "Rule",
    "RuleStatus",
    "SuggestedRule",
    "check",
    "parse_rule",
    "parse_rules",
    "read_edits",
    "rules_in",
    "schematron_of",
    "suggested_rules",
]


def __getattr__(name: str) -> Any:
    if name == "schematron_of":
        from shoal.edits.schematron import schematron_of  # for a quick start: lxml and elementpath are slow to import

        return schematron_of
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
