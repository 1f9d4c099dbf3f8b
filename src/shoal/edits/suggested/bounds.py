"""Bounds: 0, 1 and 100, where the values of a column reach towards them; never the least or greatest value observed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.describe.variables import word_like
from shoal.edits.expressions import Every, NumberLiteral, TermComparison, VariableName
from shoal.edits.suggested.number_columns import NumberColumns
from shoal.edits.suggested.suggestion import FEWEST, SuggestedRule, suggestion_of

__all__ = ["bound_suggestions"]

_SHARES = re.compile(r"shares?|prop|proportions?|prob|probability|fractions?|frac")
_PERCENTAGES = re.compile(r"percent(age|ages|s)?|pct|perc|pc")


def bound_suggestions(columns: NumberColumns, among: list[str]) -> Iterator[SuggestedRule]:
    """Yield the bounds of columns: not negative, at least 1, a share or a percentage."""
    for name in among:
        lower, upper = _lower(columns, name), _upper(columns, name)
        variable = VariableName(name)
        from_below = TermComparison(">=", variable, NumberLiteral(0.0 if lower is None else lower))
        if upper is not None:
            between = (
                TermComparison("<=", NumberLiteral(0.0), variable),
                TermComparison("<=", variable, NumberLiteral(upper)),
            )
            suggestion = suggestion_of(Every(between), "bound", columns.records)
        elif lower is not None:
            suggestion = suggestion_of(from_below, "bound", columns.records)
        else:
            suggestion = None
        if suggestion is not None:
            yield suggestion


def _lower(columns: NumberColumns, name: str) -> float | None:
    """Return 0 for a column that is not negative and comes near it, 1 for counts of which many are 1, else None."""
    least, greatest = columns.least[name], columns.greatest[name]
    if least < 0 or least > (greatest - least) / 2:  # the height of people is not negative, but who would say so
        return None
    ones = int((columns.values[name] == 1).sum())
    return 1.0 if least == 1 and name in columns.whole and ones >= FEWEST else 0.0


def _upper(columns: NumberColumns, name: str) -> float | None:
    """Return 1 for a share, 100 for a percentage, by the name of the column or its label, else None."""
    label = columns.records.table.labels.variables.get(name, "")
    least, greatest = columns.least[name], columns.greatest[name]
    if least < 0:
        return None
    if greatest <= 1 and name not in columns.whole and _is_called(_SHARES, name, label):
        return 1.0
    called = _is_called(_PERCENTAGES, name, label) or "%" in name + label
    return 100.0 if 1 < greatest <= 100 and called else None


def _is_called(pattern: re.Pattern[str], name: str, label: str) -> bool:
    return bool(word_like(pattern, name) or word_like(pattern, label))
