"""Read Parquet, Feather and Arrow files, and turn Arrow tables into pandas frames."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ReadError
from shoal.read.apart import read_apart
from shoal.read.budget import budget_of
from shoal.read.files import ReadOptions, refuse_duplicates
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "LABELS_IN_SCHEMA",
    "arrow_table",
    "arrow_to_pandas",
    "as_passed",
    "frame_and_labels",
    "is_unnamed_index",
    "labels_in_schema",
    "parquet_table",
    "plain_column",
    "plain_table",
    "plain_type",
    "read_arrow",
    "read_parquet",
    "refuse_types",
    "with_labels",
]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

LABELS_IN_SCHEMA = b"shoal_labels"
OF_PANDAS = b"pandas"  # in a schema: which types the columns of a frame had, and what its index was


def read_parquet(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a Parquet file; a named index that pandas stored becomes a column, an unnamed one is left out."""
    return frame_and_labels(read_apart("arrow_files.parquet_table", path, options))


def read_arrow(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a Feather (version 2) or Arrow file, or an Arrow stream."""
    return frame_and_labels(read_apart("arrow_files.arrow_table", path, options))


def parquet_table(path: Path, options: ReadOptions) -> Any:
    """Return the Arrow table of a Parquet file, in plain types."""
    import pyarrow.parquet

    budget = budget_of(path, options.budget)
    with path.open("rb") as file:
        parquet = pyarrow.parquet.ParquetFile(file)
        budget.refuse_table(parquet.metadata.num_rows, parquet.metadata.num_columns)
        refuse_types(parquet.schema_arrow, path)
        table = parquet.read(use_threads=False)
    return _without_index(path, table)


def arrow_table(path: Path, options: ReadOptions) -> Any:
    """Return the table of an Arrow file or stream, checked and in plain types."""
    import pyarrow
    import pyarrow.ipc

    content = pyarrow.py_buffer(path.read_bytes())
    if content[:4].to_pybytes() == b"FEA1":
        raise ReadError(f"{path} is a Feather file of version 1, which nothing writes any more; write it as version 2.")
    try:
        file = pyarrow.ipc.open_file(content)
        batches = (file.get_batch(place) for place in range(file.num_record_batches))
    except pyarrow.ArrowInvalid:
        batches = file = pyarrow.ipc.open_stream(content)
    refuse_types(file.schema, path)
    return _without_index(path, pyarrow.Table.from_batches(_checked(batches, path, options), file.schema))


def _checked(batches: Iterable[Any], path: Path, options: ReadOptions) -> Iterator[Any]:
    """Yield batches after each was checked: offsets and indices are used as they are by everything that follows."""
    budget, rows = budget_of(path, options.budget), 0
    for batch in batches:
        rows += batch.num_rows
        budget.refuse_table(rows, batch.num_columns)
        batch.validate(full=True)
        yield batch


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


def as_passed(table: Any, types: Mapping[str, Any]) -> Any:
    """Return a release as an Arrow table like the one passed, whose columns had these types.

    Views of text are views again. What pandas wrote into the schema no longer names a type that a column had, nor how
    many categories there were.
    """
    import pyarrow

    for place, field in enumerate(table.schema):
        kind = types.get(field.name)
        if kind is not None and pyarrow.types.is_string_view(kind):
            table = table.set_column(place, field.with_type(kind), table.column(place).cast(kind))
    metadata = dict(table.schema.metadata or {})
    if OF_PANDAS not in metadata:
        return table
    changed = {field.name for field in table.schema if field.type != types.get(field.name)}
    try:
        of_pandas = json.loads(metadata.pop(OF_PANDAS))
        for column in of_pandas["columns"]:
            column["metadata"] = None
            if column["field_name"] in changed:
                column["pandas_type"] = column["numpy_type"] = "object"  # read as what the column is
        metadata[OF_PANDAS] = json.dumps(of_pandas).encode()
    except (ValueError, KeyError, TypeError):  # pandas did not write it
        pass
    return table.replace_schema_metadata(metadata or None)


def frame_and_labels(table: Any) -> tuple[pd.DataFrame, Labels]:
    """Return an Arrow table as a pandas frame, and the labels in its schema."""
    return arrow_to_pandas(table), labels_in_schema(table.schema).only(table.column_names)


def is_unnamed_index(name: str) -> bool:
    """Whether a column is the index of a pandas frame that had no name."""
    return re.fullmatch(r"__index_level_\d+__", name) is not None


def _without_index(path: Path, table: Any) -> Any:
    # The index of a pandas frame that has no name says which row it was before, and nothing more.
    names = [name for name in table.column_names if not is_unnamed_index(name)]
    refuse_duplicates(names, path)
    return plain_table(table.select(names))


# Types of columns ---------------------------------------------------------------------------------------------------


def plain_table(table: Any) -> Any:
    """Return an Arrow table in types that can be computed with; `refuse_types` refuses those that have none.

    Views of text become text, encoded runs their values, short decimals and floats longer ones, extensions what they
    store.
    """
    for place, field in enumerate(table.schema):
        wanted = plain_type(field.type)
        if wanted != field.type:
            table = table.set_column(place, field.with_type(wanted), plain_column(table.column(place)))
    return table


def plain_column(column: Any) -> Any:
    """Return a column of an Arrow table in its plain type."""
    import pyarrow
    import pyarrow.compute

    if pyarrow.types.is_run_end_encoded(column.type):
        column = pyarrow.compute.run_end_decode(column)
    return column.cast(plain_type(column.type))


def plain_type(kind: Any) -> Any:
    """Return the type that a column of this Arrow type is turned into; most stay as they are."""
    import pyarrow

    types = pyarrow.types
    if isinstance(kind, pyarrow.BaseExtensionType):
        return plain_type(kind.storage_type)
    if types.is_run_end_encoded(kind):
        return kind.value_type
    if types.is_dictionary(kind):
        return pyarrow.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    if types.is_string_view(kind):
        return pyarrow.string()
    if types.is_binary_view(kind):
        return pyarrow.binary()
    if types.is_float16(kind):
        return pyarrow.float32()
    if types.is_decimal(kind) and kind.bit_width < 128:
        return pyarrow.decimal128(kind.precision, kind.scale)
    return kind


def refuse_types(schema: Any, path: Path) -> None:
    """Raise ReadError if a column of a file does not hold one value in each cell."""
    import pyarrow

    types = pyarrow.types
    for field in schema:
        kind = plain_type(field.type)
        value = kind.value_type if types.is_dictionary(kind) else kind
        if types.is_nested(value) or types.is_interval(value) or plain_type(value) != value:
            # Only the sort of type: the fields of a struct may be named after values.
            sort = str(value).partition("<")[0].partition("[")[0]
            raise ReadError(
                f'{path}: column "{field.name}" does not hold one plain value in each cell (its type is {sort}). '
                "Split it into columns, or leave it out.",
                path=str(path),
            )


def with_plain_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a pandas frame whose columns of Arrow's types are of those that can be computed with."""
    import pandas as pd  # here, to keep start-up quick

    kinds = {str(name): kind.pyarrow_dtype for name, kind in frame.dtypes.items() if isinstance(kind, pd.ArrowDtype)}
    if not kinds:
        return frame
    import pyarrow

    changed = {}
    for name, kind in kinds.items():
        if plain_type(kind) != kind:
            cells = plain_column(pyarrow.chunked_array(frame[name].array.__arrow_array__()))
            changed[name] = pd.Series(pd.arrays.ArrowExtensionArray(cells), index=frame.index)
    return frame.assign(**changed)
