"""Write Parquet, Feather and Arrow files, and turn frames of other libraries into Arrow tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from shoal.errors import WriteError
from shoal.read import Labels
from shoal.read.arrow_files import with_labels

__all__ = ["to_arrow", "write_arrow", "write_parquet"]

# pyarrow is imported inside functions, to keep start-up quick.


def write_parquet(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write a Parquet file with the labels in its schema."""
    import pyarrow.parquet

    with path.open("wb") as file:  # a folder may have a name that Arrow cannot open
        pyarrow.parquet.write_table(with_labels(to_arrow(frame), labels), file)


def write_arrow(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write an Arrow file, which is what Feather (version 2) is, with the labels in its schema."""
    import pyarrow.ipc

    table = with_labels(to_arrow(frame), labels).unify_dictionaries()
    table = table.take(np.arange(len(table)))  # a copy, with nothing beneath its missing values
    options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
    with path.open("wb") as file, pyarrow.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)


def to_arrow(frame: nw.DataFrame[Any]) -> Any:
    """Return the frame as an Arrow table, without the index of a pandas frame."""
    native = frame.to_native()
    if not frame.implementation.is_pandas_like():
        return frame.to_arrow().replace_schema_metadata(None)  # whatever else a schema says of the original
    import pyarrow

    if native.attrs:
        native = native.copy(deep=False)
        native.attrs = {}  # Arrow would write them into the schema, where others can read them
    try:
        return pyarrow.Table.from_pandas(native, preserve_index=False)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError):
        name = _first_unfit_column(native)
        raise WriteError(f"{name} holds values of several types; make them one type first.") from None


def _first_unfit_column(native: Any) -> str:
    import pyarrow

    for name in native.columns:
        try:
            pyarrow.Array.from_pandas(native[name])
        except Exception:
            return f'column "{name}"'
    return "a column"
