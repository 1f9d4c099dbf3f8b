"""Where the rows of a task come from: a chunk of a part, or rows that other tasks have put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.scale.input.parts import Chunk, read_chunk
from shoal.scale.scattered import gathered, row_numbers, with_row_numbers

__all__ = ["Gathered", "RowSource", "read_rows"]


@dataclass(frozen=True)
class Gathered:
    """The rows for some targets, out of files that were scattered.

    Attributes
    ----------
    folder, files
        Where they are, and their numbers: every task is sent those of all chunks, so that a range is best.
    targets
        The targets.
    """

    folder: Path
    files: Sequence[int]
    targets: tuple[int, ...]


RowSource = Chunk | Gathered


def read_rows(source: RowSource) -> Any:
    """Return some rows of the file as an Arrow table, with their numbers, in the order of the file."""
    import pyarrow

    if isinstance(source, Chunk):
        return with_row_numbers(read_chunk(source), np.arange(source.first, source.first + source.rows))
    paths = [source.folder / f"{number:06}.arrow" for number in source.files]
    pieces = [gathered(paths, target) for target in source.targets]
    table = pyarrow.concat_tables([piece for piece in pieces if piece is not None])
    return table.take(pyarrow.array(np.argsort(row_numbers(table), kind="stable")))
