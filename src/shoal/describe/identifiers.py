"""Columns that number or name the records: found by what they are, and by their names."""

from __future__ import annotations

import re

import numpy as np

from shoal.describe.variables import distinct_values, kind_of, word_like
from shoal.read import Table

__all__ = ["looks_like_identifier", "register_numbers"]

_NEARLY_ALL = 0.95  # of the values are different
_FEW_RECORDS = 20  # below so many, values that all differ say little
_MANY_DIGITS = 7  # of a phone number, or of a number in a register

# Words that suggest an identifier when they are a whole part of a column's name: "person_id", "e-mail".
_IDENTIFIER_WORDS = re.compile(
    r"[a-z]*id|ids|uuid|guid|ssn|nin|passport|e?mail|phone|tel|mobile|iban|name|surname|[a-z]*name|address|street"
    r"|licen[cs]e|number|nr|unnamed|index"
)


def looks_like_identifier(table: Table, name: str) -> str:
    """Return why a column looks like an identifier, or an empty string if it does not.

    Texts that nearly all differ; whole numbers that number the records, or all differ and have the same seven or more
    digits; and columns with such a name whose values nearly all differ. Amounts are not: they have fractions, or
    different numbers of digits.
    """
    word = word_like(_IDENTIFIER_WORDS, name)
    if kind_of(table, name) == "continuous":
        if not _whole(table.numbers(name)):
            return ""
        reason = register_numbers(table, name) or ("it numbers the records" if _numbers_records(table, name) else "")
    else:
        enough = len(table) >= _FEW_RECORDS and kind_of(table, name) is not None
        reason = "nearly every value is different" if enough and _nearly_all_differ(table, name) else ""
    if word and (reason or _nearly_all_differ(table, name)):
        return f'"{word}" in its name, and nearly every value is different'
    return reason


def register_numbers(table: Table, name: str) -> str:
    """Return what a column of numbers of a register or of telephones holds; an empty string for any other column.

    They are whole, all different, and have the same seven or more digits.
    """
    values = _whole_and_different(table, name)
    if values is None or values.min() <= 0:
        return ""
    digits = [len(str(int(end))) for end in (values.min(), values.max())]
    return f"all different, of {digits[0]} digits each" if digits[0] == digits[1] >= _MANY_DIGITS else ""


def _numbers_records(table: Table, name: str) -> bool:
    values = _whole_and_different(table, name)
    return values is not None and values.max() - values.min() == len(values) - 1


def _whole_and_different(table: Table, name: str) -> np.ndarray | None:
    """Return the values of a column if all are whole numbers and differ; None if not, or if many are missing."""
    if len(table) < _FEW_RECORDS or kind_of(table, name) != "continuous":
        return None
    values = table.numbers(name)
    values = values[~np.isnan(values)]
    few = len(values) < _NEARLY_ALL * len(table)
    return None if few or not _whole(values) or len(np.unique(values)) < len(values) else values


def _nearly_all_differ(table: Table, name: str) -> bool:
    missing = table.missing(name)
    distinct = distinct_values(table, name, missing)
    return distinct >= 2 and distinct >= _NEARLY_ALL * (len(table) - int(missing.sum()))


def _whole(values: np.ndarray) -> bool:
    observed = values[~np.isnan(values)]
    return bool(len(observed) and np.isfinite(observed).all() and (observed % 1 == 0).all())
