"""Read Parquet, Feather and Arrow files, and turn Arrow tables into pandas frames."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ReadError
from shoal.read.files import ReadOptions, refuse_duplicates
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LABELS_IN_SCHEMA", "arrow_to_pandas", "labels_in_schema", "read_arrow", "read_parquet", "with_labels"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

LABELS_IN_SCHEMA = b"shoal_labels"


def read_parquet(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a Parquet file; a named index that pandas stored becomes a column, an unnamed one is left out."""
    import pyarrow.parquet

    with path.open("rb") as file:
        return _frame_and_labels(path, pyarrow.parquet.ParquetFile(file).read())


def read_arrow(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a Feather (version 2) or Arrow file, or an Arrow stream."""
    import pyarrow
    import pyarrow.ipc

    content = path.read_bytes()
    if content.startswith(b"FEA1"):
        raise ReadError(f"{path} is a Feather file of version 1, which nothing writes any more; write it as version 2.")
    try:
        table = pyarrow.ipc.open_file(pyarrow.py_buffer(content)).read_all()
    except pyarrow.ArrowInvalid:
        table = pyarrow.ipc.open_stream(pyarrow.py_buffer(content)).read_all()
    return _frame_and_labels(path, table)


def arrow_to_pandas(table: Any) -> pd.DataFrame:
    """Return an Arrow table as a pandas frame of the same values; integers with missing values stay integers."""
    import pandas as pd
    import pyarrow

    nullable = {
        pyarrow.int8(): pd.Int8Dtype(),
        pyarrow.int16(): pd.Int16Dtype(),
        pyarrow.int32(): pd.Int32Dtype(),
        pyarrow.int64(): pd.Int64Dtype(),
        pyarrow.uint8(): pd.UInt8Dtype(),
        pyarrow.uint16(): pd.UInt16Dtype(),
        pyarrow.uint32(): pd.UInt32Dtype(),
        pyarrow.uint64(): pd.UInt64Dtype(),
        pyarrow.bool_(): pd.BooleanDtype(),
    }

    def one_column(column: Any) -> pd.Series[Any]:
        kind = column.type
        types = pyarrow.types
        if column.null_count and kind in nullable:
            return column.to_pandas(types_mapper=nullable.get)  # type: ignore[no-any-return]
        if types.is_decimal(kind) or types.is_date(kind) or types.is_time(kind):
            return column.to_pandas(types_mapper=pd.ArrowDtype)  # type: ignore[no-any-return]
        return column.to_pandas()  # type: ignore[no-any-return]

    table = table.unify_dictionaries()
    series = {name: one_column(table[name]) for name in table.column_names}
    return pd.DataFrame(series, index=pd.RangeIndex(table.num_rows))


def labels_in_schema(schema: Any) -> Labels:
    """Return the labels that shoal wrote into an Arrow schema; empty labels if there are none."""
    written = (schema.metadata or {}).get(LABELS_IN_SCHEMA)
    return Labels() if written is None else Labels.from_json(written)


def with_labels(table: Any, labels: Labels) -> Any:
    """Return an Arrow table with these labels in its schema, and no others."""
    metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key != LABELS_IN_SCHEMA}
    if labels:
        metadata[LABELS_IN_SCHEMA] = labels.to_json().encode("utf-8", "replace")
    return table.replace_schema_metadata(metadata or None)


def _frame_and_labels(path: Path, table: Any) -> tuple[pd.DataFrame, Labels]:
    # The index of a pandas frame that has no name says which row it was before, and nothing more.
    indexed = {name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)}
    if indexed:
        table = table.select([name for name in table.column_names if name not in indexed])
    refuse_duplicates(table.column_names, path)
    return arrow_to_pandas(table), labels_in_schema(table.schema).only(table.column_names)
