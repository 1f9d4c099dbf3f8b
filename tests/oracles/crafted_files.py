"""Files made to do harm: Arrow data that points outside of itself, and small files that become enormous when read."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet

__all__ = ["CRAFTED", "crafted_arrow", "xlsx"]

MARK = 7001  # an offset, an index or a run end that is changed in the file
OUTSIDE = (-1, -MARK, 2**15, 2**24, 2**30, 2**31 - 1, -(2**31))


def crafted_arrow() -> Iterator[tuple[str, bytes]]:
    """Yield Arrow files and streams, each with one number in its data that points outside of the data."""
    for name, column in _columns_with_mark().items():
        for compressed in (False, True):
            valid = _ipc(column, compressed=compressed)
            old = struct.pack("<i", MARK)
            for number in OUTSIDE if old in valid else ():
                yield f"{name} {number}", valid.replace(old, struct.pack("<i", number))


def _columns_with_mark() -> dict[str, pa.Array]:
    long = "x" * MARK
    texts = pa.array([long, "y", None, "z" * 30])
    marked = pa.array([0, MARK, MARK, MARK], pa.int32())
    many = pa.array([str(i) for i in range(MARK + 1)])
    return {
        "string": texts,
        "binary": texts.cast(pa.binary()),
        "large string": texts.cast(pa.large_string()),
        "string view": texts.cast(pa.string_view()),
        "list": pa.array([[1] * MARK, [2], None]),
        "list of strings": pa.array([["a"] * MARK, ["b"], None]),
        "map": pa.array([[(1, "a")] * MARK, [], None], pa.map_(pa.int32(), pa.string())),
        "dictionary": pa.DictionaryArray.from_arrays(marked, many),
        "dictionary of long strings": pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 0], pa.int8()), pa.array([long, "y"])
        ),
        "run ends": pa.RunEndEncodedArray.from_arrays(pa.array([1, MARK], pa.int32()), pa.array([1.5, 2.5])),
        "dense union": pa.UnionArray.from_dense(
            pa.array([0, 0, 0, 0], pa.int8()), marked, [pa.array(range(MARK + 1), pa.int64())]
        ),
    }


def _ipc(column: pa.Array, *, compressed: bool) -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.table({"a": column})
    options = pa.ipc.IpcWriteOptions(compression="lz4" if compressed else None)
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


# Small files that become enormous -----------------------------------------------------------------------------------


def xlsx(rows: bytes, *, strings: bytes = b"<sst/>", prolog: bytes = b"") -> bytes:
    """Return an Excel file with these rows in its sheet; `prolog` stands before the first tag of every part."""
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = b"http://schemas.openxmlformats.org/package/2006/"
    word = b"application/vnd.openxmlformats-officedocument.spreadsheetml."
    parts = {
        "[Content_Types].xml": b'<Types xmlns="%bcontent-types">'
        b'<Override PartName="/xl/workbook.xml" ContentType="%bsheet.main+xml"/>'
        b'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="%bworksheet+xml"/>'
        b'<Override PartName="/xl/sharedStrings.xml" ContentType="%bsharedStrings+xml"/></Types>'
        % (package, word, word, word),
        "_rels/.rels": b'<Relationships xmlns="%brelationships"><Relationship Id="r1" Type="%b/officeDocument" '
        b'Target="xl/workbook.xml"/></Relationships>' % (package, office),
        "xl/workbook.xml": b'<workbook xmlns="%b"><sheets><sheet name="S" sheetId="1" r:id="r1" xmlns:r="%b"/></sheets>'
        b"</workbook>" % (main, office),
        "xl/_rels/workbook.xml.rels": b'<Relationships xmlns="%brelationships"><Relationship Id="r1" '
        b'Type="%b/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="%b/sharedStrings" '
        b'Target="sharedStrings.xml"/></Relationships>' % (package, office, office),
        "xl/worksheets/sheet1.xml": b'<worksheet xmlns="%b"><sheetData>%b</sheetData></worksheet>' % (main, rows),
        "xl/sharedStrings.xml": strings.replace(b"<sst", b'<sst xmlns="%b"' % main, 1),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(zipfile.ZipInfo(name), prolog + text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


HEAD = b'<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>'
FIRST = b'<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>'


def _far_row() -> bytes:
    return xlsx(HEAD + FIRST + b'<row r="1000000000"><c r="A1000000000"><v>1</v></c></row>')


def _far_column() -> bytes:
    return xlsx(HEAD + b"<row><c><v>1</v></c></row>" * 20_000 + b'<row><c r="XFD20002"><v>1</v></c></row>')


def _header_in_last_column() -> bytes:
    return xlsx(HEAD.replace(b"B1", b"XFD1") + b"<row><c><v>1</v></c></row>" * 1_000_000)


def _many_rows() -> bytes:
    return xlsx(HEAD + b"<row/>" * 30_000_000)


def _many_far_columns() -> bytes:
    return xlsx(HEAD + b'<row><c r="XFD1"><v>1</v></c></row>' * 300_000)


def _long_row() -> bytes:
    return xlsx(HEAD + b"<row>" + b"<c><v>1</v></c>" * 5_000_000 + b"</row>")


def _many_cells() -> bytes:
    return xlsx(HEAD + b"<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>" * 990_000)


def _many_strings() -> bytes:
    return xlsx(HEAD + FIRST, strings=b"<sst>" + b"<si><t/></si>" * 15_000_000 + b"</sst>")


def _long_string() -> bytes:
    return xlsx(HEAD + FIRST, strings=b"<sst><si><t>" + b"x" * 1_000_000_000 + b"</t></si></sst>")


def _doctype() -> bytes:
    return xlsx(HEAD + FIRST, prolog=b'<!DOCTYPE a [<!ENTITY b "c">]>')


def _nested_entities() -> bytes:
    entities = b"".join(b'<!ENTITY e%d "%b">' % (i, b"&e%d;" % (i - 1) * 20) for i in range(1, 12))
    return xlsx(
        HEAD + FIRST,
        strings=b"<sst><si><t>&e11;</t></si></sst>",
        prolog=b'<!DOCTYPE a [<!ENTITY e0 "lol">' + entities + b"]>",
    )


def _packed(line: bytes, total: int, head: bytes = b"a,b\n") -> bytes:
    """Return a gzip file of one line again and again: a packed piece, again and again."""
    piece = line * (10_000_000 // len(line))
    return gzip.compress(head, mtime=0) + gzip.compress(piece, mtime=0) * (total // len(piece))


def _csv_gz() -> bytes:
    return _packed(b"1,2\n", 8 << 30)


def _csv_gz_one_cell() -> bytes:
    return _packed(b"x", 8 << 30)


def _csv_gz_empty_lines() -> bytes:
    return _packed(b"\n", 70_000_000, b"a\n")


def _csv_gz_short_cells() -> bytes:
    return _packed(b"1,2\n", 140_000_000)


def _csv_many_columns() -> bytes:
    return b",".join(b"c%d" % i for i in range(1_200_000)) + b"\n" + b"1," * 1_199_999 + b"1\n"


def _csv_one_name_many_times() -> bytes:
    return b"a," * 4_000_000 + b"a\n1\n"


def _xml_many_variables() -> bytes:
    first = b"".join(b"<v%d>1</v%d>" % (i, i) for i in range(99_999))
    return b"<M><R>" + first + b"</R>" + b"<R><v1>1</v1></R>" * 90 + b"</M>"


def _xml_many_records() -> bytes:
    first = b"".join(b"<v%d>1</v%d>" % (i, i) for i in range(90_000))
    return b"<M><R>" + first + b"</R>" + b"<R/>" * 1_900_000 + b"</M>"


def _xml_other_variables_each_time() -> bytes:
    return b"<M>" + b"".join(b"<R><v%d>1</v%d></R>" % (i, i) for i in range(300_000)) + b"</M>"


def _parquet(table: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def _parquet_many_rows() -> bytes:
    constant = pa.array(np.ones(50_000_000, np.int8))
    return _parquet(pa.table({f"c{i}": constant for i in range(10)}), compression="zstd")


def _parquet_most_rows() -> bytes:
    constant = pa.array(np.ones(10_000_000, np.int64))
    return _parquet(pa.table({f"c{i}": constant for i in range(10)}), compression="zstd")


def _parquet_long_strings() -> bytes:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(5_000_000, np.int32)), pa.array(["x" * 1_000_000]))
    return _parquet(pa.table({"a": texts}), store_schema=False)


def _dictionaries(rows: int, columns: int, letters: int) -> pa.Table:
    """Return a table of one text in every cell, which it holds once a column."""
    places = pa.array(np.zeros(rows, np.int32))
    column = pa.DictionaryArray.from_arrays(places, pa.array(["x" * letters]))
    return pa.table({f"c{place}": column for place in range(columns)})


def _parquet_dictionaries() -> bytes:
    return _parquet(_dictionaries(5_000_000, 20, 1000))


def _parquet_long_categories() -> bytes:
    return _parquet(_dictionaries(300_000, 20, 1000))


def _feather_long_categories() -> bytes:
    table = _dictionaries(300_000, 20, 1000)
    return _arrow_of({name: table[name].chunk(0) for name in table.column_names}, "zstd")


def _xlsx_long_shared_string() -> bytes:
    head = b'<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
    strings = b"<sst><si><t>" + b"x" * 100_000 + b"</t></si></sst>"
    return xlsx(head + b'<row><c t="s"><v>0</v></c></row>' * 100_000, strings=strings)


def _parquet_most_dictionaries() -> bytes:
    return _parquet(_dictionaries(1_500_000, 20, 7), compression="zstd")


def _arrow_of(columns: dict[str, pa.Array], compression: str | None = None) -> bytes:
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def _arrow_nulls() -> bytes:
    return _arrow_of({"a": pa.Array.from_buffers(pa.null(), 2**31 - 1, [None])})


def _arrow_packed() -> bytes:
    zeros = pa.py_buffer(bytes(8 * 200_000_000))
    return _arrow_of({"a": pa.Array.from_buffers(pa.int64(), 200_000_000, [None, zeros])}, "zstd")


def _arrow_long_run() -> bytes:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2**31 - 1], pa.int64()), pa.array([1.5]))
    return _arrow_of({"a": runs})


def _arrow_many_views() -> bytes:
    one_view = struct.pack("<i4sii", 1_000_000, b"xxxx", 0, 0)  # length, first characters, buffer, place in it
    buffers = [None, pa.py_buffer(one_view * 500_000), pa.py_buffer(b"x" * 1_000_000)]
    return _arrow_of({"a": pa.Array.from_buffers(pa.string_view(), 500_000, buffers)}, "zstd")


CRAFTED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a row numbered 1,000,000,000": (".xlsx", _far_row),
    "a cell in column XFD": (".xlsx", _far_column),
    "a header in column XFD, 1,000,000 rows": (".xlsx", _header_in_last_column),
    "30,000,000 empty rows": (".xlsx", _many_rows),
    "300,000 cells in column XFD": (".xlsx", _many_far_columns),
    "5,000,000 cells in one row": (".xlsx", _long_row),
    "2,970,000 cells": (".xlsx", _many_cells),
    "15,000,000 shared strings": (".xlsx", _many_strings),
    "a shared string of 1 GB": (".xlsx", _long_string),
    "a DOCTYPE in every part": (".xlsx", _doctype),
    "nested entities": (".xlsx", _nested_entities),
    "8 GiB of lines": (".csv.gz", _csv_gz),
    "8 GiB in one cell": (".csv.gz", _csv_gz_one_cell),
    "70,000,000 empty lines": (".csv.gz", _csv_gz_empty_lines),
    "70,000,000 short cells": (".csv.gz", _csv_gz_short_cells),
    "1,200,000 columns": (".csv", _csv_many_columns),
    "4,000,000 columns of one name": (".csv", _csv_one_name_many_times),
    "99,999 variables": (".xml", _xml_many_variables),
    "90,000 variables, 1,900,000 empty records": (".xml", _xml_many_records),
    "other variables in every record": (".xml", _xml_other_variables_each_time),
    "500,000,000 cells of 1": (".parquet", _parquet_many_rows),
    "10,000,000 rows of 10 columns": (".parquet", _parquet_most_rows),
    "5,000,000 times the same 1 MB": (".parquet", _parquet_long_strings),
    "5,000,000 rows of 20 categories of 1,000 letters": (".parquet", _parquet_dictionaries),
    "300,000 rows of 20 categories of 1,000 letters": (".parquet", _parquet_long_categories),
    "300,000 rows of 20 such categories, packed": (".feather", _feather_long_categories),
    "100,000 cells of one text of 100,000 letters": (".xlsx", _xlsx_long_shared_string),
    "1,500,000 rows of 20 short categories": (".parquet", _parquet_most_dictionaries),
    "2**31 missing values": (".arrow", _arrow_nulls),
    "200,000,000 zeros, packed": (".feather", _arrow_packed),
    "a run of 2**31": (".arrow", _arrow_long_run),
    "500,000 views of 1 MB": (".feather", _arrow_many_views),
}
