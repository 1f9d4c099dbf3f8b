"""Read CSV files: a column is numeric only if every one of its cells is a number."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError, ReadError
from shoal.read.budget import ReadingBudget, budget_of
from shoal.read.csv_columns import columns_to_pandas, texts_to_pandas
from shoal.read.files import ReadOptions, ending_of, name_header, refuse_numbers_as_names, refuse_values_as_names
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_csv"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 1 << 20  # bytes looked at to find the header and the delimiter
# What a packed file may hold; cells are text first, then numbers.
CELLS, CELLS_PER_BYTE = 30_000_000, 8
BLOCK = 1 << 24  # bytes parsed at a time
_RAGGED = "Correct it, put quotes around cells with a separator in them, or say what separates cells (--delimiter)."


def read_csv(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a CSV file, packed or not.

    The first line names the columns; a blank name becomes "column 3". Empty lines are skipped, except in
    a file of one column, where an empty line is a missing value.
    """
    import pandas as pd

    _check_options(options)
    budget = budget_of(path, options.budget, CELLS, CELLS_PER_BYTE)
    content = _content(budget, options.encoding)
    delimiter = options.delimiter or _detect_delimiter(path, content, decimal=options.decimal)
    header, start = _header(path, content, delimiter)
    budget.refuse_table(content.count(b"\n"), len(header))
    if not options.as_text:
        refuse_numbers_as_names(path, header)
    names = name_header(path, header)
    table = _parse(path, content, start, delimiter, len(names))
    del content  # a copy of all cells, as large as the file
    comma = options.decimal == "," or (options.decimal is None and delimiter == ";")
    point = options.decimal != ","
    if options.as_text:
        columns = texts_to_pandas(table.columns)
    else:
        columns = columns_to_pandas(table.columns, point=point, comma=comma)
    # Of arrays, not of series: making a frame of many series takes much longer.
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)), index=pd.RangeIndex(table.num_rows))
    if not options.as_text:
        refuse_values_as_names(path, frame)
    return frame, Labels()


def _check_options(options: ReadOptions) -> None:
    if options.delimiter is not None and len(options.delimiter.encode()) != 1:
        raise ParameterError(f"delimiter must be one ASCII character; got {options.delimiter!r}.")
    if options.delimiter is not None and options.delimiter in '"\r\n':
        raise ParameterError("delimiter must not be a quote or a line end.")
    if options.decimal not in (None, ".", ","):
        raise ParameterError(f'decimal must be "." or ","; got {options.decimal!r}.')
    if options.decimal is not None and options.decimal == options.delimiter:
        raise ParameterError(f"delimiter and decimal are both {options.decimal!r}; they must differ.")
    try:
        codecs.lookup(options.encoding)
    except LookupError:
        raise ParameterError(
            f"encoding {options.encoding!r} is not known; common ones are utf-8, latin-1, cp1252."
        ) from None


def _content(budget: ReadingBudget, encoding: str) -> bytes:
    """Return the content of a file, unpacked, as UTF-8 without a byte order mark."""
    path = budget.path
    content = _unpacked(budget) if ending_of(path).endswith(".gz") else path.read_bytes()
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ReadError(
                f"{path} is not UTF-8; it looks like UTF-16. Give its encoding, utf-16 (--encoding utf-16).",
                encoding="utf-8",
            )
        content = content.removeprefix(codecs.BOM_UTF8)
        _check_utf8(path, content)
    else:
        try:
            content = content.decode(encoding).removeprefix("\ufeff").encode()
        except UnicodeError:
            raise ReadError(f"{path} is not {encoding} text. Give another encoding.", encoding=encoding) from None
    if b"\0" in content:
        raise ReadError(
            f"{path} is not a text file: it contains zero bytes. If it is UTF-16, give its encoding (--encoding "
            "utf-16-le); otherwise export it as CSV again."
        )
    if not content.strip():
        raise ReadError(f"{path} is empty.")
    return content


def _unpacked(budget: ReadingBudget) -> bytes:
    with budget.path.open("rb") as packed, gzip.GzipFile(fileobj=packed) as file:
        try:
            content = file.read(budget.bytes + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise ReadError(f"{budget.path} is damaged, or not packed with gzip.") from None
    budget.refuse_bytes(len(content))
    return content


def _check_utf8(path: Path, content: bytes) -> None:
    # In pieces, because text takes up to four times the memory of its bytes.
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), BLOCK):
            decoder.decode(content[start : start + BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise ReadError(
            f"{path} is not UTF-8. Give its encoding, latin-1 or cp1252 for instance (--encoding latin-1).",
            encoding="utf-8",
        ) from None


def _records(content: bytes, delimiter: str, limit: int | None = None) -> Any:
    """Return Python's own CSV reader over the content, or over its beginning."""
    text = io.TextIOWrapper(io.BytesIO(content[:limit]), "utf-8", errors="ignore", newline="")
    return csv.reader(text, delimiter=delimiter)


def _detect_delimiter(path: Path, content: bytes, decimal: str | None) -> str:
    """Return the delimiter that gives the header most cells, if it gives the lines below it as many."""
    preferred = ("\t",) if ending_of(path).startswith(".tsv") else ()
    best, best_score = "," if decimal != "," else ";", (False, 1, False)
    for delimiter in DELIMITERS:
        if delimiter == decimal:
            continue
        rows = _first_records(content, delimiter)
        # The sample may end in the middle of a record, so the last row counts only if the whole file was seen.
        body = rows[1:] if len(content) <= SAMPLE_BYTES else rows[1:-1]
        width = len(rows[0]) if rows else 0
        score = (width > 1 and all(len(row) == width for row in body), width, delimiter in preferred)
        if width > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _first_records(content: bytes, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # a cell longer than Python's limit; what came before it is enough
        for row in _records(content, delimiter, SAMPLE_BYTES):
            if row:
                rows.append(row)
            if len(rows) > 20:
                break
    return rows


def _header(path: Path, content: bytes, delimiter: str) -> tuple[list[str], int]:
    """Return the cells of the first line that is not empty, and where the line after it starts."""
    records = _records(content, delimiter)
    header: list[str] = next((row for row in records if row), [])
    lines = records.line_num
    line_end = re.compile(rb"\r\n|\n|\r")
    start = 0
    for _ in range(lines):
        match = line_end.search(content, start)
        start = match.end() if match else len(content)
    return header, start


def _parse(path: Path, content: bytes, start: int, delimiter: str, width: int) -> Any:
    """Return the cells below the header as an Arrow table of text."""
    import pyarrow
    import pyarrow.csv

    if start >= len(content):
        return pyarrow.table({str(place): pyarrow.array([], pyarrow.string()) for place in range(width)})
    names = [str(place) for place in range(width)]
    cells = _in_arrow(memoryview(content)[start:])
    block = BLOCK
    quoted = b'"' in content
    while True:
        try:
            table = pyarrow.csv.read_csv(
                pyarrow.BufferReader(cells),
                read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=block),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=quoted, ignore_empty_lines=width > 1
                ),
                convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string())),
            )
        except pyarrow.ArrowInvalid:
            if block < len(content):
                block = min(len(content) + 1, 2**31 - 1)  # a record longer than a block
                continue
            # Not chained: Arrow's message quotes the record.
            raise _ragged(path, content, delimiter, width) from None
        if quoted and _ends_within_quotes(table, content):
            raise ReadError(f"{path} has a quotation mark that opens a cell and is never closed.")
        return table


def _in_arrow(content: memoryview) -> Any:
    """Return a copy in memory of Arrow's own.

    Its threads let go of what was read some time after it is there. Of Python's memory they can only let go while
    Python runs, and a program that ends just then would crash.
    """
    import pyarrow

    buffer = pyarrow.allocate_buffer(len(content))
    memoryview(buffer).cast("B")[:] = content
    return buffer


def _ends_within_quotes(table: Any, content: bytes) -> bool:
    """Whether the last cell opens with a quote that is never closed, and so holds the rest of the file."""
    last = table.column(table.num_columns - 1)[-1].as_py() if table.num_rows else ""
    return content.count(b'"') % 2 == 1 and ("\n" in last or "\r" in last) and not content.rstrip().endswith(b'"')


def _ragged(path: Path, content: bytes, delimiter: str, width: int) -> ReadError:
    """Return an error that says where the first record with too many or too few cells is."""
    records = _records(content, delimiter)
    line = 1
    try:
        for row in records:
            if row and len(row) != width:
                cells = f"{len(row)} cell{'s' * (len(row) != 1)}"
                columns = f"{width} column{'s' * (width != 1)}"
                return ReadError(
                    f"{path}, line {line}: {cells} where the header names {columns} "
                    f"(cells separated by {_delimiter_name(delimiter)}). {_RAGGED}"
                )
            line = records.line_num + 1
    except csv.Error:
        pass
    return ReadError(
        f"{path} has lines that do not have {width} cells (separated by {_delimiter_name(delimiter)}). {_RAGGED}"
    )


def _delimiter_name(delimiter: str) -> str:
    return "a tab" if delimiter == "\t" else f'"{delimiter}"'
