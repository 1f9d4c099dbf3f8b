"""Columns that nothing sensible can be done with until somebody says what they are: names, dates, free text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import narwhals.stable.v2 as nw
import numpy as np

from shoal.describe.kinds.default_kinds import CODES_BY_NAME
from shoal.describe.kinds.identifiers import register_numbers
from shoal.describe.kinds.text_numbers import ALMOST_NUMBERS, amounts_in_text
from shoal.describe.kinds.unsupported import holds_times, unsupported_values
from shoal.describe.variables import counted_values, distinct_values, has_fractions, kind_of, word_like
from shoal.errors import DataError
from shoal.parameters.typed import listed, typed
from shoal.read import Table

__all__ = ["refuse_undecided", "undecided"]

_NEARLY_ALL = 0.8  # of the texts are different
_FEW_RECORDS = 20  # below so many, values that nearly all differ say little, unless they are called names
_NAMES = re.compile(r"[a-z]*name|surname|e?mail|phone|tel|mobile|address|street|iban")
_NUMBERS = re.compile(r"phone|tel|mobile|iban|ssn|nin|passport")
_MANY_NAMES, _SHARE_OF_NAMES = 50, 0.02  # different values, and their share, in a column that is called a name
_DATES = "dates or times"
_LONG = 40  # characters of a text that is no category
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ].*)?")


def refuse_undecided(table: Table, names: Iterable[str]) -> None:
    """Raise DataError that names all of these columns which cannot be protected until it is said what they are."""
    found = {name: reason for name in names if (reason := undecided(table, name))}
    if not found:
        return
    reasons = ", ".join(f'"{name}" ({reason})' for name, reason in found.items())
    first = next(iter(found))
    raise DataError(
        f"{_counted(len(found))} to be decided before anything is released: {reasons}. For each: drop it "
        f"({typed('--role', first, 'identifier')}), give its kind ({typed('--kind', first, 'nominal')}), or release it "
        f"as it is ({typed('--as-is', listed([first]))}).{_coarser(found)}{_as_numbers(found)}",
    )


def _coarser(found: Mapping[str, str]) -> str:
    dates = [name for name, reason in found.items() if reason == _DATES]
    return f" Dates can be made coarser ({typed('--recode', dates[0], 'date-part:year')})." if dates else ""


def _as_numbers(found: Mapping[str, str]) -> str:
    amounts = [name for name, reason in found.items() if reason.startswith(ALMOST_NUMBERS)]
    if not amounts:
        return ""
    name = amounts[0]
    made_missing = typed("--missing-codes", name, "TEXT")
    return f" A text among numbers can be corrected in the file, or made missing ({made_missing})."


def undecided(table: Table, name: str) -> str:
    """Return why a column cannot be protected until it is said what it is; an empty text if it can."""
    if table.missing(name).all():
        return ""
    if holds_times(table, name) or _holds_written_dates(table, name):
        return _DATES
    if kind_of(table, name) == "continuous":
        return register_numbers(table, name) or _codes_by_name(table, name)
    return amounts_in_text(table, name) or unsupported_values(table, name) or _free_text(table, name)


def _codes_by_name(table: Table, name: str) -> str:
    """Return why whole numbers are no amounts: a telephone, or postcodes that nearly all differ."""
    if not (word_like(_NUMBERS, name) or word_like(CODES_BY_NAME, name)) or has_fractions(table, name):
        return ""
    missing = table.missing(name)
    observed = len(table) - int(missing.sum())
    differ = distinct_values(table, name, missing) >= max(2, _NEARLY_ALL * observed)
    return "numbers nearly all different, by its name no amounts" if differ else ""


def _holds_written_dates(table: Table, name: str) -> bool:
    """Whether texts are dates as people write them, or whole numbers such as 19801231."""
    if table.is_numeric(name):
        values = table.numbers(name)
        values = values[~np.isnan(values)]
        if not len(values) or values.min() < 1900_01_01 or values.max() > 2100_12_31 or (values % 1 != 0).any():
            return False
        months, days = values // 100 % 100, values % 100
        return bool(((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all())
    texts = list(_counted_texts(table, name))
    return bool(texts) and sum(_DATE.fullmatch(text.strip()) is not None for text in texts) >= 0.9 * len(texts)


def _free_text(table: Table, name: str) -> str:
    """Return why texts are no categories; an empty text if they are."""
    counts = _counted_texts(table, name)
    texts = list(counts)
    if not texts:
        return ""
    observed = counts.total()
    is_name = word_like(_NAMES, name) != ""
    nearly_all_differ = len(texts) >= _NEARLY_ALL * observed
    if nearly_all_differ and (observed >= _FEW_RECORDS or is_name):
        return "texts nearly all different"
    if (nearly_all_differ or len(texts) >= _FEW_RECORDS) and sum(map(len, texts)) >= _LONG * len(texts):
        return "free text"
    if is_name and len(texts) > max(_MANY_NAMES, _SHARE_OF_NAMES * observed):
        return "names or the like"
    return ""


def _counted_texts(table: Table, name: str) -> Counter[str]:
    """Return how often each text of a column is there; blank ones, and values that are no texts, do not count."""
    if table.holds_texts(name):
        counts = Counter(dict(counted_values(table, name)))
    elif isinstance(table.type_of(name), nw.Object):
        counts = Counter(cell for cell in table.cells(name) if isinstance(cell, str))
    else:
        return Counter()
    return Counter({text: times for text, times in counts.items() if isinstance(text, str) and text.strip()})


def _counted(columns: int) -> str:
    return "1 column has" if columns == 1 else f"{columns} columns have"
