"""How much a file may become when it is read: what unpacks to far more than files of its size do is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, ReadError

__all__ = ["ReadingBudget", "budget_of"]

# What a file may become whatever its size, and per byte of it. Ten million records of ten variables are read however
# well they are packed; what is in less than 10 MB takes less than 2 GB of memory.
CELLS, CELLS_PER_BYTE = 100_000_000, 4
BYTES, BYTES_PER_BYTE = 250_000_000, 25
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
    memory, seconds : int
        What a process that reads it may take: bytes, and seconds of processor time.
    factor : float
        How many times the usual budget this is.
    """

    path: Path
    cells: int
    columns: int
    bytes: int
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
        memory=MEMORY_TO_START + MEMORY_PER_CELL * cells,
        seconds=SECONDS_TO_START + math.ceil(factor * (SECONDS + SECONDS_PER_BYTE * size)),
        factor=float(factor),
    )
