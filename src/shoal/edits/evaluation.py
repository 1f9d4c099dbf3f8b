"""Which records a rule holds for: its expression evaluated over whole columns."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import powers
from shoal.edits.checked_records import CheckedRecords, number_as_text
from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Conditional,
    Every,
    Expression,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    NumberLiteral,
    PlaceIn,
    Relation,
    Some,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
    XPathTest,
    variables_in,
)
from shoal.edits.ordered_categories import compared_by_place
from shoal.errors import RuleError

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


Doubles = NDArray[np.float64]

Booleans = NDArray[np.bool_]

TOLERANCE = 1e-9  # relative tolerance for rules with arithmetic


def broken(expression: Expression, records: CheckedRecords, tolerance: float | None = TOLERANCE) -> Booleans:
    """Return which records break a rule; a record with a missing value in one of its variables does not.

    Parameters
    ----------
    expression
        What the rule says.
    records
        The records to check.
    tolerance
        Relative tolerance for rules with arithmetic: two sides of which at least one is computed are equal if they
        differ by no more than this part of the size of their terms. A variable compared with a number or with another
        variable is compared exactly. None computes in decimals instead, with the numbers as a file has them.
    """
    breaking = ~holds(expression, records, tolerance)
    for name in variables_in(expression):
        breaking &= ~records.missing(name)
    return breaking


def holds(expression: Expression, records: CheckedRecords, tolerance: float | None = TOLERANCE) -> Booleans:
    """Return for which records an expression is true; one that cannot be computed, such as 1 / 0 > 0, is false."""
    match expression:
        case Every(parts=parts):
            return np.asarray(np.logical_and.reduce([holds(part, records, tolerance) for part in parts]))
        case Some(parts=parts):
            return np.asarray(np.logical_or.reduce([holds(part, records, tolerance) for part in parts]))
        case Not(part=part):
            return ~holds(part, records, tolerance)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            applies = holds(condition, records, tolerance)
            other = True if otherwise is None else holds(otherwise, records, tolerance)
            return np.where(applies, holds(then, records, tolerance), other).astype(bool)
        case TermComparison():
            return _compared(expression, records, tolerance)
        case Among(variable=VariableName(name=name), values=values):
            return _among(name, values, records)
        case IsInteger(variable=VariableName(name=name)):
            numbers = records.numbers(name)
            return np.asarray(np.isfinite(numbers) & (np.floor(numbers) == numbers))
        case InOriginal(variable=VariableName(name=name)):
            return _in_original(name, records)
        case XPathTest():
            from shoal.edits.xpath.by_record import holds_by_record  # for a quick start: elementpath is slow to import

            return holds_by_record(expression, records)


def term_values(term: Term, records: CheckedRecords) -> tuple[Doubles, Doubles | None]:
    """Return the value of a term for every record, and the size of what it is computed from.

    The size is what the tolerance is relative to; None for a number or a variable, which are not computed. A value that
    is not finite, such as 1 / 0, is NaN, and so is whatever is computed from it.
    """
    with np.errstate(all="ignore"):
        return _term_values(term, records)


def _term_values(term: Term, records: CheckedRecords) -> tuple[Doubles, Doubles | None]:
    match term:
        case NumberLiteral(value=number):
            return np.full(len(records), number), None
        case VariableName() | PlaceIn():
            return records.numbers(term.name) if isinstance(term, VariableName) else _places(term, records), None
        case Negative(term=inner):
            value, size = _term_values(inner, records)
            return -value, size
        case Arithmetic(sign=sign, left=left, right=right):
            (one, one_size), (other, other_size) = _term_values(left, records), _term_values(right, records)
            one_size = np.abs(one) if one_size is None else one_size
            other_size = np.abs(other) if other_size is None else other_size
            match sign:
                case "+":
                    return _finite(one + other), one_size + other_size
                case "-":
                    return _finite(one - other), one_size + other_size
                case "*":
                    return _finite(one * other), one_size * other_size
                case "/":
                    size = one_size / np.abs(other) * np.maximum(1.0, other_size / np.abs(other))
                    return _finite(one / other), size
                case "**":  # NaN to the power of 0 would be 1
                    value = np.where(np.isnan(one) | np.isnan(other), np.nan, _finite(powers(one, other)))
                    return value, np.abs(value) * np.maximum(1.0, other_size)
    raise RuleError("Texts cannot be used in arithmetic.")


def _finite(values: Doubles) -> Doubles:
    return np.where(np.isfinite(values), values, np.nan)


def _compared(comparison: TermComparison, records: CheckedRecords, tolerance: float | None) -> Booleans:
    left, right = comparison.left, comparison.right
    if _is_text(left, records) or _is_text(right, records):
        return _compared_texts(comparison, records)
    if tolerance is None and not (isinstance(left, PlaceIn) or isinstance(right, PlaceIn)):
        return compared_in_decimals(comparison, records)
    with np.errstate(all="ignore"):
        (one, one_size), (other, other_size) = _term_values(left, records), _term_values(right, records)
        equal: Booleans = one == other
        if one_size is not None or other_size is not None:
            size = (np.abs(one) if one_size is None else one_size) + (
                np.abs(other) if other_size is None else other_size
            )
            equal |= np.abs(one - other) <= np.where(np.isfinite(size), (tolerance or 0.0) * size, 0.0)
        return _by_relation(comparison.relation, one, other, equal)


def _by_relation(relation: Relation, one: Doubles, other: Doubles, equal: Booleans) -> Booleans:
    match relation:
        case "==":
            return equal
        case "!=":
            return ~equal & ~np.isnan(one) & ~np.isnan(other)
        case "<":
            return (one < other) & ~equal
        case "<=":
            return (one < other) | equal
        case ">":
            return (one > other) & ~equal
        case ">=":
            return (one > other) | equal


def _places(place: PlaceIn, records: CheckedRecords) -> Doubles:
    """Return the place of a value in a list for every record, NaN where it is not in it."""
    numbered = {text: float(number) for number, text in reversed(list(enumerate(place.order, start=1)))}
    if isinstance(place.value, TextLiteral):
        return np.full(len(records), numbered.get(place.value.value, np.nan))
    texts = records.texts(place.value.name).tolist()
    return np.fromiter((numbered.get(text, np.nan) for text in texts), np.float64, len(texts))


def _compared_texts(comparison: TermComparison, records: CheckedRecords) -> Booleans:
    if comparison.relation not in ("==", "!="):
        orders = {name: records.order(name) for name in variables_in(comparison)}
        by_place = compared_by_place(comparison, orders)
        one, other = _places(by_place.left, records), _places(by_place.right, records)  # type: ignore[arg-type]
        return _by_relation(comparison.relation, one, other, one == other)
    one, other = _as_texts(comparison.left, records), _as_texts(comparison.right, records)
    same = np.broadcast_to(one == other, len(records)).astype(bool)
    return same if comparison.relation == "==" else ~same


def _among(name: str, values: tuple[NumberLiteral | TextLiteral, ...], records: CheckedRecords) -> Booleans:
    if records.is_numeric(name) and all(isinstance(value, NumberLiteral) for value in values):
        return np.isin(records.numbers(name), [value.value for value in values])
    wanted = [value.value if isinstance(value, TextLiteral) else number_as_text(value.value) for value in values]
    return _are_among(records.texts(name), wanted)


def _in_original(name: str, records: CheckedRecords) -> Booleans:
    known = records.original(name)
    if known is None:
        raise RuleError(
            f'Values of "{name}" are looked up in the original file: name it with original (--original FILE).'
        )
    if known.dtype == object:
        return _are_among(records.texts(name), known.tolist())
    return np.isin(records.numbers(name), known)


def _are_among(texts: NDArray[Any], wanted: list[str]) -> Booleans:
    known = set(wanted)  # np.isin sorts, and compares every pair
    return np.fromiter((text in known for text in texts.tolist()), bool, len(texts))


def _is_text(term: Term, records: CheckedRecords) -> bool:
    return isinstance(term, TextLiteral) or (isinstance(term, VariableName) and not records.is_numeric(term.name))


def _as_texts(term: Term, records: CheckedRecords) -> Any:
    match term:
        case TextLiteral(value=value):
            return value
        case VariableName(name=name):
            return records.texts(name)
        case NumberLiteral(value=value):
            return number_as_text(value)
        case Negative(term=NumberLiteral(value=value)):
            return number_as_text(-value)
    raise RuleError("A text can be compared with a text or a variable, not with the result of arithmetic.")
