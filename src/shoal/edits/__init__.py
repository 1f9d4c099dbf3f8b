"""Edits: rules that hold in the data, before and after masking."""

from typing import Any

from shoal.edits.check import Check, RuleStatus, check
from shoal.edits.rules import Rule, parse_rule, parse_rules
from shoal.edits.source import read_edits

__all__ = ["Check", "Rule", "RuleStatus", "check", "parse_rule", "parse_rules", "read_edits", "schematron_of"]


def __getattr__(name: str) -> Any:
    if name == "schematron_of":  # the only one that needs an XML library
        from shoal.edits.schematron import schematron_of

        return schematron_of
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
