"""Products: a column that is the product of two others, such as value == price * amount."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from shoal.edits.expressions import Arithmetic, NumberLiteral, Term, TermComparison, VariableName
from shoal.edits.suggested.number_columns import Doubles, NumberColumns, spread_out
from shoal.edits.suggested.simple_numbers import simple_number
from shoal.edits.suggested.suggestion import FEWEST, SuggestedRule, suggestion_of

__all__ = ["product_suggestions"]

_TOLERANCE = 1e-9  # relative, of the sample; what is suggested is checked as every rule is
_FEW_RECORDS = 120  # of the sample, to discard most products
_FEW_VALUES = 5  # different ones; a product with less is a choice


def product_suggestions(columns: NumberColumns, among: list[str]) -> Iterator[SuggestedRule]:
    """Yield the products of two columns, or these times a simple number, that are another column in every record."""
    names = [name for name in among if len(np.unique(columns.sample[name])) > _FEW_VALUES]
    sample = np.array([columns.sample[name][spread_out(len(columns.sample[name]), _FEW_RECORDS)] for name in names])
    for one, other in combinations(range(len(names)), 2):
        for place in _proportional(sample, sample[one] * sample[other]):
            suggestion = None if place in (one, other) else _suggestion(columns, names[place], names[one], names[other])
            if suggestion is not None:
                yield suggestion


def _proportional(sample: Doubles, product: Doubles) -> list[int]:
    """Return the columns that seem to be the product times a number, in the records where neither is 0."""
    with np.errstate(all="ignore"):
        ratios = sample / product
        telling = np.isfinite(ratios) & (ratios != 0)
        least = np.where(telling, ratios, np.inf).min(axis=1)
        greatest = np.where(telling, ratios, -np.inf).max(axis=1)
        alike = greatest - least <= _TOLERANCE * np.maximum(np.abs(least), np.abs(greatest))
    return np.flatnonzero(alike & (telling.sum(axis=1) >= FEWEST)).tolist()


def _suggestion(columns: NumberColumns, whole: str, one: str, other: str) -> SuggestedRule | None:
    values = [columns.values[name] for name in (whole, one, other)]
    telling = np.logical_and.reduce([(column != 0) & ~np.isnan(column) for column in values])
    if int(telling.sum()) < FEWEST:
        return None
    factor = simple_number(float(np.median(values[0][telling] / (values[1] * values[2])[telling])))
    if factor is None:
        return None
    left: Term = VariableName(whole)
    right: Term = Arithmetic("*", VariableName(one), VariableName(other))
    inverse = simple_number(1 / factor)
    if factor < 1 and inverse is not None:
        left = Arithmetic("*", NumberLiteral(inverse), left)
    elif factor != 1:
        right = Arithmetic("*", Arithmetic("*", NumberLiteral(factor), VariableName(one)), VariableName(other))
    return suggestion_of(TermComparison("==", left, right), "product", columns.records)
