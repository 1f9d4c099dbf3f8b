"""How much a file may become when it is read: what unpacks to far more than files of its size do is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, ReadError

__all__ = ["ReadingBudget", "budget_of", "bytes_of_text"]

# What a file may become whatever its size, and per byte of it. A cell is computed with as a number of 8 bytes, be it
# a number or the place of a category among others, and in some copies: what is in less than 10 MB is described,
# measured and protected in less than 2 GB of memory.
CELLS, CELLS_PER_BYTE = 30_000_000, 4
BYTES, BYTES_PER_BYTE = 250_000_000, 25
# Texts count in every cell, also where a file has them once: a release may be written with all of them. A category of
# some thirty letters takes a few bits of a file.
TEXT_PER_BYTE = 100
# Memory and processor time of a process that reads a file for this one; what it takes to start is not in the budget.
MEMORY_TO_START, MEMORY_PER_CELL = 200_000_000, 12  # bytes
SECONDS_TO_START, SECONDS, SECONDS_PER_BYTE = 5, 5, 1e-6
SMALLEST, LARGEST = 0.001, 1_000_000_000  # factors
COLUMNS = 30_000


@dataclass(frozen=True)
class ReadingBudget:
    """What one file may become when it is read; `budget_of` says how much that is.

    Parameters
    ----------
    path : Path
        The file.
    cells, columns : int
        The size of its table.
    bytes : int
        Its size when it is unpacked.
    text : int
        The bytes of the texts in all its cells.
    memory, seconds : int
        What a process that reads it may take: bytes, and seconds of processor time.
    factor : float
        How many times the usual budget this is.
    """

    path: Path
    cells: int
    columns: int
    bytes: int
    text: int
    memory: int
    seconds: int
    factor: float = 1.0

    def refuse_table(self, rows: int, columns: int) -> None:
        """Raise ReadError if a table of this size is too large."""
        if columns > self.columns:
            raise self.exceeded(f"has at least {columns:,} columns", needed=columns / self.columns)
        if rows * columns > self.cells:
            raise self.exceeded(
                f"has at least {rows:,} rows and {columns:,} columns", needed=rows * columns / self.cells
            )

    def refuse_bytes(self, unpacked: int) -> None:
        """Raise ReadError if the file unpacks to too many bytes."""
        if unpacked > self.bytes:
            raise self.exceeded(f"unpacks to more than {self.bytes:,} bytes")

    def refuse_text(self, size: int) -> None:
        """Raise ReadError if the texts in all cells have too many bytes together."""
        if size > self.text:
            raise self.exceeded(f"has texts of at least {size:,} bytes in its cells", needed=size / self.text)

    def exceeded(self, problem: str, needed: float | None = None) -> ReadError:
        """Return the error for a file that is over its budget, `needed` times if that is known."""
        more = math.ceil(self.factor * (10 if needed is None else needed))
        return ReadError(
            f"{self.path} {problem}: more than the budget of a file of its size. "
            f"If that is meant, raise the budget with budget={more} (--budget {more}).",
            path=str(self.path),
        )


def budget_of(path: Path, factor: Any, cells: int = CELLS, cells_per_byte: float = CELLS_PER_BYTE) -> ReadingBudget:
    """Return the budget of a file: what files of its size become, times a factor."""
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not SMALLEST <= factor <= LARGEST:
        raise ParameterError(
            f"budget must be a number from {SMALLEST} to {LARGEST:,}; got {factor!r}.", parameter="budget"
        )
    size = path.stat().st_size
    cells = int(factor * max(cells, cells_per_byte * size))
    return ReadingBudget(
        path=path,
        cells=cells,
        columns=int(factor * COLUMNS),
        bytes=int(factor * max(BYTES, BYTES_PER_BYTE * size)),
        text=int(factor * max(BYTES, TEXT_PER_BYTE * size)),
        memory=MEMORY_TO_START + MEMORY_PER_CELL * cells,
        seconds=SECONDS_TO_START + math.ceil(factor * (SECONDS + SECONDS_PER_BYTE * size)),
        factor=float(factor),
    )


def bytes_of_text(column: Any) -> int:
    """Return how long the texts in all cells of a column of Arrow are, whether it holds them once or in every cell."""
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import types

    in_dictionary = types.is_dictionary(column.type)
    kind = column.type.value_type if in_dictionary else column.type
    has_length = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
    if not any(is_such(kind) for is_such in has_length):
        return 0
    if not in_dictionary:
        return pc.sum(pc.binary_length(column)).as_py() or 0
    total = 0
    for chunk in column.chunks:
        times = np.bincount(chunk.indices.drop_null().to_numpy(), minlength=len(chunk.dictionary))
        lengths = pc.fill_null(pc.binary_length(chunk.dictionary), 0).to_numpy()
        total += int(times.astype(np.int64) @ lengths.astype(np.int64))
    return total
