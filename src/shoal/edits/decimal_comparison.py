"""Comparisons in decimal arithmetic, on numbers as the text of a file has them: 0.1 + 0.2 is 0.3."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.edits.checked_records import CheckedRecords
from shoal.edits.expressions import (
    Arithmetic,
    Negative,
    NumberLiteral,
    PlaceIn,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
)
from shoal.errors import RuleError

__all__ = ["compared_in_decimals"]

Decimals = NDArray[Any]

# Sums and products of numbers in a file are exact; nothing is an error, what is not finite is compared as false.
_EXACT = Context(prec=120, traps=[])
_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}


def compared_in_decimals(comparison: TermComparison, records: CheckedRecords) -> NDArray[np.bool_]:
    """Return for which records a comparison of numbers is true to the last digit; undefined results make it false."""
    with localcontext(_EXACT):
        one, other = _values(comparison.left, records), _values(comparison.right, records)
        true = np.asarray(_RELATIONS[comparison.relation](one, other), dtype=bool)
        return true & _is_finite(one) & _is_finite(other)


def _values(term: Term, records: CheckedRecords) -> Decimals:
    match term:
        case NumberLiteral(value=number):
            return _as_decimals(np.full(len(records), number))
        case VariableName(name=name):
            return _as_decimals(records.as_stored(name))
        case Negative(term=inner):
            return np.asarray(-_values(inner, records))
        case Arithmetic(sign=sign, left=left, right=right):
            computed = np.asarray(_SIGNS[sign](_values(left, records), _values(right, records)), dtype=object)
            computed[~_is_finite(computed)] = Decimal("NaN")
            return computed
        case TextLiteral() | PlaceIn():
            raise RuleError("Texts cannot be used in arithmetic.")


def _is_finite(decimals: Decimals) -> NDArray[np.bool_]:
    return np.fromiter((one.is_finite() for one in decimals), bool, len(decimals))


def _as_decimals(numbers: NDArray[Any]) -> Decimals:
    """Return numbers as the shortest text that reads back the same has them."""
    distinct, places = np.unique(numbers, return_inverse=True)
    decimals = np.empty(len(distinct), dtype=object)
    decimals[:] = [Decimal(str(number)) for number in distinct]
    return np.asarray(decimals[places.reshape(-1)])
