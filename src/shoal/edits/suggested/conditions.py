"""Conditions: an amount that is 0 wherever another is 0, in some categories, or below some age."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.kinds.undecided import undecided
from shoal.describe.variables import codes, distinct_values, texts_of_codes, word_like
from shoal.edits.expressions import (
    Among,
    Conditional,
    Expression,
    NumberLiteral,
    TermComparison,
    TextLiteral,
    VariableName,
)
from shoal.edits.rules import Rule
from shoal.edits.suggested.relations import not_implied
from shoal.edits.suggested.suggestion import FEWEST, Booleans, NumberColumns, SuggestedRule, can_be_named, suggestion_of

_MOST_CATEGORIES = 30  # categories


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories: the number of the category of every record, -1 for none, and the categories."""

    name: str
    numbered: NDArray[np.int64]
    categories: tuple[NumberLiteral | TextLiteral, ...]


def category_columns(columns: NumberColumns) -> list[CategoryColumn]:
    """Return the columns of two to thirty categories, in file order; numbers that seem to be codes are among them."""
    table = columns.records.table
    found = [
        _of_codes(columns, name) if name in columns.codes else _of_texts(columns, name)
        for name in table.names
        if can_be_named(name) and (name in columns.codes or not columns.records.is_numeric(name))
    ]
    return [one for one in found if one is not None and 2 <= len(one.categories) <= _MOST_CATEGORIES]


def _of_codes(columns: NumberColumns, name: str) -> CategoryColumn:
    values = columns.values[name]
    different = np.unique(values[~np.isnan(values)])
    numbered = np.where(np.isnan(values), -1, np.searchsorted(different, values))
    return CategoryColumn(name, numbered, tuple(NumberLiteral(one) for one in different.tolist()))


def _of_texts(columns: NumberColumns, name: str) -> CategoryColumn | None:
    table = columns.records.table
    if not isinstance(table.type_of(name), nw.String | nw.Categorical | nw.Enum):
        return None
    if distinct_values(table, name, table.missing(name)) > _MOST_CATEGORIES or undecided(table, name):
        return None
    numbered, texts = codes(table, name), texts_of_codes(table, name)
    if texts is None or not all(map(str.isprintable, texts.values())):
        return None
    places = np.full(max(texts, default=-1) + 2, -1, dtype=np.int64)  # the last one is for missing values
    places[list(texts)] = np.arange(len(texts))
    return CategoryColumn(name, places[numbered], tuple(TextLiteral(text) for text in texts.values()))


_AGES = re.compile("age")

_AGE_LIMITS = (21, 18, 16, 15, 14, 12, 10, 6, 5)  # below which children do not work, marry or go to school

_MOST_CONDITIONS = 10  # conditions


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
    for text, amount in not_implied(edges, both_zero)[:_MOST_CONDITIONS]:
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
