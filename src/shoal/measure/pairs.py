"""An original and a masked file, brought together column by column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, DataError, nearest_name_hint
from shoal.read import Table, as_table

__all__ = ["Pair", "pair"]


@dataclass(frozen=True)
class Pair:
    """Two tables with the same records and the columns they are compared on."""

    original: Table
    masked: Table
    columns: tuple[str, ...]

    def numeric(self) -> list[tuple[str, NDArray[np.float64], NDArray[np.float64]]]:
        """Return (name, original values, masked values) of the columns that are numeric in both."""
        return [
            (name, self.original.numbers(name), self.masked.numbers(name))
            for name in self.columns
            if self.original.is_numeric(name) and self.masked.is_numeric(name)
        ]


def pair(original: Any, masked: Any, columns: Iterable[Any] | None = None) -> Pair:
    """Check that two files can be compared record by record.

    Without `columns`, all columns of the masked file that the original has are compared.
    """
    first, second = as_table(original), as_table(masked)
    if len(first) != len(second):
        raise DataError(
            f"The files must have the same records in the same order; the original has {len(first)} and the masked "
            f"file {len(second)}."
        )
    wanted = [name for name in second.names if name in first.names] if columns is None else [str(c) for c in columns]
    for name in wanted:
        for table, which in ((first, "original"), (second, "masked")):
            if name not in table.names:
                raise ColumnError(f'The {which} file has no column "{name}".{nearest_name_hint(name, table.names)}')
    if not wanted:
        raise ColumnError("The two files have no column in common.")
    return Pair(first, second, tuple(wanted))
