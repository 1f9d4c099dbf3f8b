"""Rows on their way to where they belong: files that hold, one after the other, the rows for each target.

A worker writes one file for what it has read, sorted by target, and whoever needs a target takes its rows out of all
files. Files are whole or not there at all, so that a task which died can be carried out again.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ReadError

__all__ = [
    "ROW",
    "decoded",
    "gathered",
    "row_numbers",
    "scatter",
    "targets_in",
    "with_row_numbers",
    "without_row_numbers",
]

# pyarrow is imported inside functions, to keep start-up quick.

# Columns that no file has: the number of a row, and its group before the second round.
ROW, GROUP = "\0row", "\0group"
_TARGETS = b"shoal_targets"


def with_row_numbers(table: Any, rows: NDArray[np.int64]) -> Any:
    """Return an Arrow table with the numbers of its rows as the last column."""
    import pyarrow

    return table.append_column(ROW, pyarrow.array(rows, pyarrow.int64()))


def row_numbers(table: Any) -> NDArray[np.int64]:
    """Return the row numbers of an Arrow table that has them."""
    return np.asarray(table[ROW].to_numpy(), dtype=np.int64)


def without_row_numbers(table: Any) -> Any:
    """Return an Arrow table without the column of row numbers."""
    return table.drop_columns([ROW])


def scatter(table: Any, targets: NDArray[np.int64], path: Path) -> None:
    """Write the rows of an Arrow table to one file, target by target; whole or not at all.

    Parameters
    ----------
    table
        The rows. Columns of a dictionary type are written as their values.
    targets
        Where each row belongs, 0, 1, ...; rows with -1 are left out.
    path
        The file.
    """
    import pyarrow
    import pyarrow.ipc

    table = decoded(table).combine_chunks()
    order = np.argsort(targets, kind="stable")
    order = order[np.searchsorted(targets[order], 0) :]
    present, starts = np.unique(targets[order], return_index=True)
    table = table.take(pyarrow.array(order))
    metadata = {**(table.schema.metadata or {}), _TARGETS: json.dumps(present.tolist()).encode()}
    schema = table.schema.with_metadata(metadata)
    temporary = path.with_name(f".{secrets.token_hex(6)}.part")
    try:
        with (
            os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file,
            pyarrow.ipc.new_file(file, schema) as writer,
        ):
            for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
                (batch,) = table.slice(start, end - start).combine_chunks().to_batches()
                writer.write_batch(batch)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def gathered(paths: Iterable[Path], target: int) -> Any:
    """Return the rows for one target out of several files, as an Arrow table; None where there are none."""
    import pyarrow
    import pyarrow.ipc

    pieces = []
    for path in paths:
        try:
            with pyarrow.memory_map(str(path)) as source:
                file = pyarrow.ipc.open_file(source)
                present = json.loads(file.schema.metadata[_TARGETS])
                if target in present:
                    batch = file.get_batch(present.index(target))
                    pieces.append(pyarrow.Table.from_batches([batch]))
        except (pyarrow.ArrowException, OSError):
            raise ReadError(f"{path} is damaged or gone. Start again.", path=str(path)) from None
    if not pieces:
        return None
    table = pyarrow.concat_tables(pieces)
    metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key != _TARGETS}
    return table.replace_schema_metadata(metadata or None)


def targets_in(path: Path) -> Sequence[int]:
    """Return the targets that a file has rows for."""
    import pyarrow
    import pyarrow.ipc

    with pyarrow.memory_map(str(path)) as source:
        present: list[int] = json.loads(pyarrow.ipc.open_file(source).schema.metadata[_TARGETS])
    return present


def decoded(table: Any) -> Any:
    """Return an Arrow table with values in place of dictionaries, which differ between chunks."""
    import pyarrow

    for place, field in enumerate(table.schema):
        if pyarrow.types.is_dictionary(field.type):
            kind = field.type.value_type
            table = table.set_column(place, field.with_type(kind), table.column(place).cast(kind))
    return table
