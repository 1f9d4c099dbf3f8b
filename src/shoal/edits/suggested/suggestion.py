"""A rule that every record of a table keeps, with the reason to suggest it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.edits.checked_records import CheckedRecords
from shoal.edits.expressions import Expression
from shoal.edits.rules import Rule, parse_rule

__all__ = ["FEWEST", "SuggestedRule", "SuggestionKind", "suggestion_of"]

FEWEST = 20  # records that speak for a rule, and that would be expected to break it if it held by chance

SuggestionKind = Literal["sum", "equal", "ratio", "product", "order", "condition", "bound"]

_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}


@dataclass(frozen=True)
class SuggestedRule:
    """A rule that every record of a table keeps; whether it is meant, only a person can say.

    Attributes
    ----------
    text
        The rule as a line of text, which `read_edits` reads.
    kind
        What it is: "sum", "equal", "ratio", "product", "order", "condition" or "bound".
    why
        One sentence with the number of records that speak for it.
    records
        How many records speak for it: those that have all its values and, with a condition, fulfil the condition.
    """

    text: str
    kind: SuggestionKind
    why: str
    records: int


def suggestion_of(
    expression: Expression,
    kind: SuggestionKind,
    records: CheckedRecords,
    *,
    applies: NDArray[np.bool_] | None = None,
    condition: str = "",
) -> SuggestedRule | None:
    """Return a suggestion; None if a record breaks the rule, as it is read from its text, or too few speak for it.

    Parameters
    ----------
    expression, kind
        What the rule says, and what it is.
    records
        All records of the table.
    applies, condition
        With a condition, the records that fulfil it, and the condition in words.
    """
    rule = parse_rule(Rule(expression).text)
    speaking = np.ones(len(records), dtype=bool) if applies is None else applies.copy()
    for name in rule.variables:
        speaking &= ~records.missing(name)
    count = int(speaking.sum())
    if count < FEWEST or rule.broken(records).any():
        return None
    return SuggestedRule(rule.text, kind, _reason(count, len(rule.variables), condition), count)


def _reason(records: int, variables: int, condition: str) -> str:
    if condition:
        return f"holds in all {records:,} records with {condition}"
    if variables == 1:
        return f"holds in all {records:,} records that have a value"
    values = "both values" if variables == 2 else f"all {_NUMBERS.get(variables, variables)} values"
    return f"holds in all {records:,} records that have {values}"
