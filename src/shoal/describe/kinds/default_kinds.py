"""The kind that a column is taken to be where nobody says: from its type, from what its file knows, from its values."""

from __future__ import annotations

import re

import numpy as np

from shoal.describe.kinds.text_numbers import numbers_in_text
from shoal.describe.variables import Kind, kind_of, word_like
from shoal.read import Table

__all__ = ["CODES_BY_NAME", "FEW_VALUES", "default_kind", "taken_for_codes"]

FEW_VALUES = 12  # whole numbers with at most so many different values are taken as codes
CODES_BY_NAME = re.compile(r"zip|postcode|postal|plz")


def default_kind(table: Table, name: str) -> tuple[Kind | None, str]:
    """Return the kind of a column and why; None for types that are of no kind, such as dates.

    A column of numbers is nominal or ordinal where its file says so, nominal where at least half of its different
    values have labels, and where all are whole numbers and two to twelve of them differ, each carried by two records
    on average; else it is continuous.
    """
    kind = kind_of(table, name)
    if kind is None:
        return None, "of no kind"
    if kind != "continuous":
        return kind, numbers_in_text(table, name).description if kind == "nominal" else ""
    measure = table.labels.measures.get(name)
    if measure in ("nominal", "ordinal"):
        return ("ordinal" if measure == "ordinal" else "nominal"), f"marked {measure} in the file"
    if _has_labels(table, name):
        return "nominal", "its values have labels"
    if measure != "scale" and taken_for_codes(table, name):
        return "nominal", "few whole numbers, without labels"
    if table.is_integer(name) and word_like(CODES_BY_NAME, name):
        return "nominal", "codes, by its name"
    return "continuous", ""


def taken_for_codes(table: Table, name: str) -> bool:
    """Whether all values of a column of numbers are whole, and two to twelve of them, which repeat, are different.

    Of a constant nobody can say, and nobody need: as a number it takes no part in distances, and any method serves it.
    """
    values = table.numbers(name)
    values = values[~np.isnan(values)]
    if not len(values):
        return False
    some = np.unique(values[:1000])  # most columns are known by these
    if len(some) > FEW_VALUES or not _all_whole(some):
        return False
    different = np.unique(values)
    return 1 < len(different) <= min(FEW_VALUES, len(values) / 2) and _all_whole(different)


def _all_whole(values: np.ndarray) -> bool:
    return bool(np.isfinite(values).all() and (values % 1 == 0).all())


def _has_labels(table: Table, name: str) -> bool:
    """Whether at least half of the different values of a column have labels; one for "no answer" makes no codes."""
    labelled = table.labels.values.get(name)
    if not labelled:
        return False
    values = table.numbers(name)
    different = np.unique(values[~np.isnan(values)]).tolist()
    return 0 < len(different) <= 2 * sum(value in labelled for value in different)
