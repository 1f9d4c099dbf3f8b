"""Conditions: an amount that is 0 wherever another is 0, in some categories, or below some age."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from shoal.describe.variables import word_like
from shoal.edits.expressions import (
    Among,
    Conditional,
    Expression,
    NumberLiteral,
    TermComparison,
    VariableName,
)
from shoal.edits.rules import Rule
from shoal.edits.suggested.category_columns import CategoryColumn, category_columns
from shoal.edits.suggested.implications import not_implied
from shoal.edits.suggested.number_columns import Booleans, NumberColumns
from shoal.edits.suggested.suggestion import FEWEST, SuggestedRule, suggestion_of

__all__ = ["condition_suggestions"]

_AGES = re.compile("age")
_AGE_LIMITS = (21, 18, 16, 15, 14, 12, 10, 6, 5)  # below which children do not work, marry or go to school
_MOST = 10  # conditions


@dataclass(frozen=True, eq=False)
class _ZeroCondition:
    """A condition, and the records that fulfil it."""

    expression: Expression
    column: str
    rows: Booleans


def condition_suggestions(
    columns: NumberColumns, among: list[str], known: Iterable[tuple[str, str]]
) -> Iterator[SuggestedRule]:
    """Yield the conditions, at most ten, under which an amount is 0, where it would often not be 0 by chance.

    Parameters
    ----------
    columns
        The columns of the table.
    among
        Those that rules may be about.
    known
        Pairs of columns that are not negative, of which the first never exceeds the second.
    """
    amounts = [name for name in among if name not in columns.codes and (columns.values[name] == 0).any()]
    zeros = {name: columns.values[name] == 0 for name in amounts}
    conditions: dict[str, _ZeroCondition] = {}
    for name in amounts:
        equal = TermComparison("==", VariableName(name), NumberLiteral(0.0))
        conditions[name] = _ZeroCondition(equal, name, zeros[name])
    edges = [
        (name, amount)
        for name, amount in _zero_together(columns, amounts)
        if _implies(conditions[name], amount, columns)
    ]
    of_categories = category_columns(columns)
    for amount in amounts:
        by_category = [one for column in of_categories for one in _by_category(columns, column, amount)]
        for condition in [*by_category, *_by_age(columns, amount)]:
            text = Rule(condition.expression).text
            conditions.setdefault(text, condition)
            edges.append((text, amount))
    both_zero = [(upper, lower) for lower, upper in known if upper in zeros and lower in zeros]
    for text, amount in not_implied(edges, both_zero)[:_MOST]:
        condition = conditions[text]
        rule = Conditional(condition.expression, TermComparison("==", VariableName(amount), NumberLiteral(0.0)))
        words = Rule(condition.expression).text
        suggestion = suggestion_of(rule, "condition", columns.records, applies=condition.rows, condition=words)
        if suggestion is not None:
            yield suggestion


def _zero_together(columns: NumberColumns, amounts: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of which, in a sample, the second is 0 wherever the first is."""
    sample = np.array([columns.sample[name] for name in amounts])
    other = (sample != 0) & ~np.isnan(sample)
    for name, column in zip(amounts, sample, strict=True):
        for place in np.flatnonzero(~other[:, column == 0].any(axis=1)):
            yield name, amounts[place]


def _implies(condition: _ZeroCondition, amount: str, columns: NumberColumns) -> bool:
    """Whether an amount is 0 under a condition, and would be something else in twenty records by chance."""
    values = columns.values[amount]
    observed = ~np.isnan(values) & ~np.isnan(columns.values.get(condition.column, values))
    applies = condition.rows & observed
    other = values != 0
    if condition.column == amount or (other & applies).any():
        return False
    return int(applies.sum()) * float(other[observed].mean()) >= FEWEST


def _by_category(columns: NumberColumns, column: CategoryColumn, amount: str) -> Iterator[_ZeroCondition]:
    """Yield the categories of a column in which an amount is always 0."""
    values = columns.values[amount]
    observed = ~np.isnan(values) & (column.numbered >= 0)
    if column.name == amount or not observed.any():
        return
    numbered, other = column.numbered[observed], values[observed] != 0
    counts = np.bincount(numbered, minlength=len(column.categories))
    not_zero = np.bincount(numbered, weights=other, minlength=len(column.categories))
    chosen = [
        place
        for place in range(len(column.categories))
        if not not_zero[place] and counts[place] * float(other.mean()) >= FEWEST
    ]
    if chosen:
        categories = tuple(column.categories[place] for place in chosen)
        variable = VariableName(column.name)
        one = TermComparison("==", variable, categories[0])
        expression = one if len(categories) == 1 else Among(variable, categories)
        yield _ZeroCondition(expression, column.name, np.isin(column.numbered, chosen))


def _by_age(columns: NumberColumns, amount: str) -> Iterator[_ZeroCondition]:
    """Yield the highest of some limits below which an amount is always 0, for columns that are called age."""
    for name in columns.names:
        if not word_like(_AGES, name) or name in columns.codes:
            continue
        for limit in _AGE_LIMITS:
            below = TermComparison("<", VariableName(name), NumberLiteral(float(limit)))
            with np.errstate(invalid="ignore"):
                condition = _ZeroCondition(below, name, columns.values[name] < limit)
            if _implies(condition, amount, columns):
                yield condition
                break
