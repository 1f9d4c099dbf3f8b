"""Refuse missing and infinite values, which distances cannot be computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from shoal.errors import DataError, MissingValuesError
from shoal.read import Table

__all__ = ["refuse_counted_missing", "refuse_infinities", "refuse_missing"]


def refuse_missing(table: Table, columns: Iterable[str], advice: str) -> None:
    """Raise MissingValuesError if values are missing in any of `columns`, naming all of these."""
    refuse_counted_missing({name: int(table.missing(name).sum()) for name in columns}, advice)


def refuse_counted_missing(counts: Mapping[str, int], advice: str) -> None:
    """Raise MissingValuesError if values are missing in a column, of which these are the counts, naming all of them."""
    incomplete = {name: count for name, count in counts.items() if count}
    if incomplete:
        named = ", ".join(f'"{name}" ({count})' for name, count in incomplete.items())
        raise MissingValuesError(f"Values are missing in {named}. {advice}", columns=incomplete)


def refuse_infinities(table: Table, columns: Iterable[str]) -> None:
    """Raise DataError if a numeric column holds an infinite value, naming the column and the first row."""
    for name in columns:
        if table.is_numeric(name):
            infinite = np.flatnonzero(np.isinf(table.numbers(name)))
            if infinite.size:
                raise DataError(
                    f'Column "{name}" has {infinite.size} infinite value{"s" * (infinite.size > 1)}, the first in '
                    f"record {infinite[0] + 1}. Correct them, or make them missing."
                )
