"""Whether a column, or the index of a pandas frame, identifies records: by what it holds, and by its name."""

from __future__ import annotations

import re

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import distinct_values, has_fractions, word_like
from shoal.errors import IdentifierWarning, warn
from shoal.read import Table

__all__ = ["identifier_reason", "register_numbers", "warn_of_index"]

_NEARLY_ALL = 0.95  # of the records have a value of their own
_FEWEST = 20  # records; values of fewer all differ by chance
_GAPS = 1.1  # numbers that number the records leave out a tenth at most
_LONG = 7  # digits: of telephone and register numbers

_TEXTS = (nw.String, nw.Categorical, nw.Enum, nw.Object)

# Words that are a whole part of a column's name: "person_id", "HHID". Some end in "id" and are other things.
_IDENTIFIER_WORDS = re.compile(
    r"(?!(?:un)?paid$|prepaid$|aid$|bid$|mid$|grid$|covid$|valid$|invalid$)[a-z]*id|ids|uuid|guid|ssn|nin|passport|e?mail"
    r"|phone|tel|mobile|iban|name|surname|[a-z]*name|address|street|licen[cs]e|number|nr|unnamed|index"
)


def identifier_reason(table: Table, name: str, distinct: int | None = None) -> str:
    """Return why a column identifies records, or an empty string if it does not.

    Nearly all values differ, and they are texts; whole numbers that number the records, in any order and from any
    start; whole numbers of the same seven or more digits; or the name says it. Fractions, and whole numbers of
    different lengths that no name calls identifiers, are amounts.

    Parameters
    ----------
    table, name
        The column.
    distinct
        How many different values it has, if that was counted already.
    """
    is_numeric = table.is_numeric(name)
    if not is_numeric and not isinstance(table.type_of(name), _TEXTS):
        return ""
    if is_numeric and has_fractions(table, name):  # before values are counted, which takes longer
        return ""
    missing = table.missing(name)
    observed = len(table) - int(missing.sum())
    different = distinct_values(table, name, missing) if distinct is None else distinct
    if different < 2 or different < _NEARLY_ALL * observed:
        return ""
    word = word_like(_IDENTIFIER_WORDS, name)
    if word:
        return f'"{word}" in its name, and nearly every value is different'
    if observed < _FEWEST:
        return ""
    if not is_numeric:
        return "nearly every value is different"
    return _numbering(table.numbers(name)[~missing]) if different == observed else ""


def warn_of_index(table: Table) -> None:
    """Warn of the index of a pandas frame that identifies records: a release in memory keeps it, a file does not."""
    if not table.frame.implementation.is_pandas():
        return
    import pandas as pd  # here, to keep start-up quick

    index = table.frame.to_native().index
    if isinstance(index, pd.RangeIndex) or len(index) < _FEWEST or index.nunique() < _NEARLY_ALL * len(index):
        return
    levels = [index.get_level_values(level) for level in range(index.nlevels)]
    named = [level for level in levels if pd.api.types.is_integer_dtype(level) or level.inferred_type == "string"]
    if not named or np.array_equal(index.to_numpy(), np.arange(len(index))):
        return
    names = ", ".join(f'"{name}"' for name in index.names if name is not None)
    warn(
        f"The index{f' {names}' if names else ''} of the table is different for nearly every record, and release.data "
        "keeps it. It is not written to a file; release.data.reset_index(drop=True) is without it.",
        IdentifierWarning,
    )


def register_numbers(table: Table, name: str) -> str:
    """Return what a column of telephone or register numbers holds; an empty string for any other column.

    They are whole, all different, and have the same seven or more digits.
    """
    if not table.is_numeric(name) or has_fractions(table, name):
        return ""
    missing = table.missing(name)
    observed = len(table) - int(missing.sum())
    if observed < max(_FEWEST, _NEARLY_ALL * len(table)) or distinct_values(table, name, missing) < observed:
        return ""
    return _same_long_digits(table.numbers(name)[~missing])


def _numbering(values: NDArray[np.float64]) -> str:
    """Return why whole numbers that all differ are numbers of records, or an empty string."""
    least, greatest = float(values.min()), float(values.max())
    if not np.isfinite(greatest - least):
        return ""
    if greatest - least + 1 <= _GAPS * len(values):
        return "it numbers the records"
    return _same_long_digits(values)


def _same_long_digits(values: NDArray[np.float64]) -> str:
    least, greatest = float(values.min()), float(values.max())
    if not 0 < least <= greatest < np.inf:
        return ""
    digits = len(str(int(least)))
    same = digits >= _LONG and digits == len(str(int(greatest)))
    return f"every value is different and has {digits} digits" if same else ""
