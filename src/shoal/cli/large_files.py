"""Files that one machine may be too small for, and folders: which engine takes them."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.cli.terminal import say_note
from shoal.errors import ParameterError

__all__ = ["suggest_engine"]

_BYTES_A_CELL = 80  # that protecting and measuring take, ten times a number
_TIMES_A_CSV = 12  # its size in memory, likewise


def suggest_engine(path: Path, *, memory: int | None = None) -> None:
    """Say that the engine "dask" takes a file that would not fit into memory; ParameterError for a folder.

    Parameters
    ----------
    path
        What was named to be protected.
    memory
        The bytes that there are; by default those of this machine.
    """
    if path.is_dir():
        raise ParameterError(
            f"{path} is a folder. Add --engine dask to protect the Parquet files in it, or name one file."
        )
    needed = _needed(path)
    memory = _memory() if memory is None else memory
    if memory is None or needed <= memory:
        return
    how = "--engine dask" if path.suffix == ".parquet" else "write it as Parquet, and --engine dask"
    say_note(
        f"protecting {path} may take about {needed / 2**30:.0f} GB of memory, and there are {memory / 2**30:.0f}: "
        f"{how} protects it in parts."
    )


def _needed(path: Path) -> int:
    """Return how many bytes a file may take, 0 where nobody knows."""
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet

            metadata = pyarrow.parquet.read_metadata(path)
            return int(metadata.num_rows * metadata.num_columns * _BYTES_A_CELL)
        return _TIMES_A_CSV * path.stat().st_size if path.suffix in (".csv", ".tsv", ".txt") else 0
    except Exception:  # reading it says what is wrong with it
        return 0


def _memory() -> int | None:
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # Windows
        return None
