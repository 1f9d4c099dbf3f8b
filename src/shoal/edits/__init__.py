"""Edits: rules that hold in the data, before and after masking."""

from shoal.edits.rules import LinearRule
from shoal.edits.text import parse_rule, parse_rules, read_edits

__all__ = ["LinearRule", "parse_rule", "parse_rules", "read_edits"]
