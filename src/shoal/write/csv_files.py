"""Write CSV files: UTF-8, a header, commas, line feeds, and every number so that it reads back the same."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, BinaryIO

import narwhals.stable.v2 as nw

from shoal.errors import WriteError
from shoal.read import Labels
from shoal.read.files import ending_of

__all__ = ["cells_as_text", "joined", "write_csv"]

# pyarrow is imported inside functions, to keep start-up quick.

ROWS = 50_000  # written at a time


def write_csv(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write a CSV file, a .tsv file with tabs, a .gz file packed; labels are left out."""
    ending = ending_of(path)
    delimiter = "\t" if ending.startswith(".tsv") else ","
    with path.open("wb") as file:
        if ending.endswith(".gz"):
            # No name and no time in the packed file: the same table gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                _write(frame, delimiter, packed)  # type: ignore[arg-type]
        else:
            _write(frame, delimiter, file)


def _write(frame: nw.DataFrame[Any], delimiter: str, file: BinaryIO) -> None:
    import pyarrow
    import pyarrow.compute as pc

    names = pyarrow.chunked_array([pyarrow.array(frame.columns, pyarrow.string())])
    header = _quoted(names, delimiter).to_pylist()
    try:
        file.write((delimiter.join(header) + "\n").encode())
        columns = [_quoted(cells_as_text(frame[name]), delimiter) for name in frame.columns]
        for start in range(0, len(frame), ROWS):
            parts = [column.slice(start, ROWS).combine_chunks() for column in columns]
            lines = joined(*parts, by=delimiter)
            # A line without anything on it is skipped by most readers; an empty pair of quotes is not.
            lines = pc.if_else(pc.equal(lines, ""), '""', lines)
            file.write(("\n".join(lines.to_pylist()) + "\n").encode())
    except UnicodeEncodeError:
        raise WriteError("Some text holds characters that UTF-8 cannot hold.") from None


def cells_as_text(series: nw.Series[Any]) -> Any:
    """Return the cells of a column as text, empty for a missing value."""
    import pyarrow
    import pyarrow.compute as pc

    column = _arrow(series)
    kind = column.type
    types = pyarrow.types
    if types.is_dictionary(kind):
        column = pc.cast(column, kind.value_type)
        kind = column.type
    if types.is_floating(kind):
        text = _float_text(column)
    elif types.is_boolean(kind):
        text = pc.if_else(column, "True", "False")
    elif types.is_timestamp(kind) or types.is_time(kind):
        text = _time_text(column)
    elif types.is_duration(kind):
        durations = (None if one is None else str(one) for one in series.to_list())
        text = pyarrow.chunked_array([pyarrow.array(durations, pyarrow.string())])
    elif types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        raise WriteError(f'Column "{series.name}" holds lists or bytes, which have no form as text.')
    else:
        text = pc.cast(column, pyarrow.large_string())
    return pc.fill_null(pc.cast(text, pyarrow.large_string()), "")


def _arrow(series: nw.Series[Any]) -> Any:
    import pyarrow

    if isinstance(series.dtype, nw.Object):
        # Values may be of several types here, and each is written as Python shows it.
        return pyarrow.chunked_array(
            [[None if _is_missing(cell) else str(cell) for cell in series.to_list()]], pyarrow.string()
        )
    if series.implementation.is_pandas_like():
        array = pyarrow.Array.from_pandas(series.to_native())
    else:
        array = series.to_arrow()
    return array if isinstance(array, pyarrow.ChunkedArray) else pyarrow.chunked_array([array])


def _is_missing(cell: Any) -> bool:
    return cell is None or str(cell) in ("nan", "<NA>", "NaT")


def _float_text(column: Any) -> Any:
    """Return floats as the shortest text that reads back the same, with a point even if they are whole."""
    import pyarrow
    import pyarrow.compute as pc

    text = pc.cast(column, pyarrow.large_string())
    whole = pc.match_substring_regex(text, "^-?[0-9]+$")
    text = pc.if_else(whole, joined(text, ".0"), text)
    return pc.if_else(pc.is_nan(column), pyarrow.scalar(None, pyarrow.large_string()), text)


def _time_text(column: Any) -> Any:
    """Return times in ISO 8601, in the coarsest unit that holds them all: days, seconds or parts of a second."""
    import pyarrow
    import pyarrow.compute as pc

    kind = column.type
    if pyarrow.types.is_time(kind):
        units = [pyarrow.time32("s"), pyarrow.time32("ms"), pyarrow.time64("us"), pyarrow.time64("ns")]
    else:
        units = [pyarrow.timestamp(unit, kind.tz) for unit in ("s", "ms", "us", "ns")]
        if kind.tz is None and pc.all(pc.equal(column, pc.floor_temporal(column, unit="day"))).as_py():
            units = [pyarrow.date32()]
    for unit in units:
        try:
            return pc.cast(pc.cast(column, unit), pyarrow.string())
        except pyarrow.ArrowInvalid:
            continue  # some time is finer than this
    raise WriteError("A column of times cannot be written as text.")


def _quoted(text: Any, delimiter: str) -> Any:
    """Return cells with quotes around those that hold a delimiter, a quote or a line end."""
    import pyarrow
    import pyarrow.compute as pc

    text = pc.cast(text, pyarrow.large_string())
    special = pc.match_substring_regex(text, f'[{delimiter}"\r\n]')
    if not pc.any(special).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(special, joined('"', doubled, '"'), text)


def joined(*parts: Any, by: str = "") -> Any:
    """Return texts joined row by row; a part is an array, or one text for all rows."""
    import pyarrow
    import pyarrow.compute as pc

    wide = pyarrow.large_string()
    same = [pyarrow.scalar(part, wide) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*same, pyarrow.scalar(by, wide))
