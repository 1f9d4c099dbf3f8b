"""Files of every format, damaged at random: the same seed gives the same files."""

from __future__ import annotations

import ctypes
import gzip
import io
import random
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pyreadstat

from shoal.read import Labels
from shoal.write import write_table

__all__ = ["ENDINGS", "mutated_files", "sas7bdat", "survey", "whole_files"]

WRITTEN_BY_SHOAL = (".csv", ".tsv", ".csv.gz", ".xlsx", ".xml", ".dta", ".sav", ".zsav", ".xpt")
ENDINGS = (*WRITTEN_BY_SHOAL, ".por", ".sas7bdat", ".parquet", ".feather", ".arrow")
EXTREMES = (0, 1, -1, 127, 255, 65535, 2**24, 2**31 - 1, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))
SNIPPETS = (b'"', b",", b";", b"\n", b"\r", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"9" * 400, b"1e999", b"-", b"<a>")
SNIPPETS += (b"</Record>", b"<Record>", b"&amp;", b"&#x0;", b"<!DOCTYPE a>", b"<![CDATA[", b"<row r='99999999'>", b"'")
LABELS = Labels(variables={"i": "A number", "s": "Änderung"}, values={"i": {1: "one", 2: "two"}}, file="A survey")


def mutated_files(ending: str, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield damaged files of one format without end, each with the name of what was done to it."""
    chance = random.Random(f"{ending} {seed}")
    files = whole_files(ending)
    while True:
        content = chance.choice(files)
        inside = INSIDE.get(ending)
        if inside is not None and chance.random() < 0.7:
            yield inside(content, chance)
        else:
            yield _damaged(content, files, chance)


def _damaged(content: bytes, files: list[bytes], chance: random.Random) -> tuple[str, bytes]:
    names: list[str] = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice(tuple(MUTATIONS))
        content = MUTATIONS[name](content, chance) if content else content
        names.append(name)
    if chance.random() < 0.1:
        other, place = chance.choice(files), _place(content, chance)
        content = content[:place] + other[place:]
        names.append("spliced")
    return "+".join(names), content


# What can be done to the bytes of a file --------------------------------------------------------------------------


def _place(content: bytes, chance: random.Random) -> int:
    """Return a place in a file; more often near its beginning or end, where formats say what is in them."""
    size = len(content)
    near = min(size, 1500)
    return max(
        0, chance.choice((chance.randrange(size + 1), chance.randrange(near + 1), size - chance.randrange(near + 1)))
    )


def _flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 2, 8, 30))):
        changed[min(_place(content, chance), len(content) - 1)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _extreme(content: bytes, chance: random.Random) -> bytes:
    width, order = chance.choice((1, 2, 4, 8)), chance.choice("<>")
    number = chance.choice(EXTREMES) & ((1 << 8 * width) - 1)
    place = _place(content, chance) // width * width
    packed = struct.pack(order + {1: "B", 2: "H", 4: "I", 8: "Q"}[width], number)
    return content[:place] + packed + content[place + width :]


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: _place(content, chance)] or content[:1]


def _block(content: bytes, chance: random.Random) -> tuple[int, int]:
    start = _place(content, chance)
    return start, start + chance.choice((1, 4, 8, 64, 500))


def _drop(content: bytes, chance: random.Random) -> bytes:
    start, end = _block(content, chance)
    return content[:start] + content[end:]


def _double(content: bytes, chance: random.Random) -> bytes:
    start, end = _block(content, chance)
    return content[:end] + content[start:end] * chance.choice((1, 1, 10, 1000)) + content[end:]


def _fill(content: bytes, chance: random.Random) -> bytes:
    start, end = _block(content, chance)
    return content[:start] + chance.choice((b"\0", b"\xff", b" ")) * (end - start) + content[end:]


def _insert(content: bytes, chance: random.Random) -> bytes:
    place = _place(content, chance)
    return content[:place] + chance.choice(SNIPPETS) * chance.choice((1, 1, 1, 200)) + content[place:]


MUTATIONS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "flipped": _flip,
    "extreme": _extreme,
    "cut": _cut,
    "dropped": _drop,
    "doubled": _double,
    "filled": _fill,
    "inserted": _insert,
}


def _inside_gzip(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    text = gzip.decompress(content)
    name, text = _damaged(text, [text], chance)
    return f"packed {name}", gzip.compress(text, 1, mtime=0)


def _inside_zip(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = chance.choice(old.namelist())
        for part in old.namelist():
            text = old.read(part)
            if part == chosen:
                name, text = _damaged(text, [text], chance)
            new.writestr(zipfile.ZipInfo(part), text)
    return f"{Path(chosen).name} {name}", packed.getvalue()


INSIDE = {".csv.gz": _inside_gzip, ".xlsx": _inside_zip}


# Files to begin with ----------------------------------------------------------------------------------------------


@cache
def whole_files(ending: str) -> list[bytes]:
    """Return files of one format as programs write them."""
    if ending == ".parquet":
        return _parquet_files()
    if ending in (".feather", ".arrow"):
        return _arrow_files()
    if ending == ".sas7bdat":
        return [sas7bdat(compressed=compressed) for compressed in (False, True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{ending}"
        if ending == ".por":
            ascii_only = survey().replace({"s": {"Süd": "Sued"}}).drop(columns=["b", "t"])
            pyreadstat.write_por(ascii_only.rename(columns=str.upper), path)
        else:
            write_table(survey(), path, labels=LABELS)
        return [path.read_bytes()]


def survey() -> pd.DataFrame:
    """Return the records that all these files hold."""
    draw = np.random.default_rng(0)
    amounts = draw.lognormal(8, 1, 60).round(2)
    amounts[[3, 17]] = np.nan
    return pd.DataFrame(
        {
            "i": draw.integers(0, 1000, 60),
            "x": amounts,
            "s": draw.choice(["Nord", "Süd", "a, b", 'say "no"', "=1+1"], 60),
            "b": draw.integers(0, 2, 60).astype(bool),
            "t": pd.Timestamp("2020-01-31") + pd.to_timedelta(draw.integers(0, 9999, 60), unit="D"),
        }
    )


def _arrow_table() -> pa.Table:
    table = pa.Table.from_pandas(survey(), preserve_index=False)
    texts = table["s"].combine_chunks().cast(pa.string())
    more = {
        "d": texts.dictionary_encode(),
        "large": texts.cast(pa.large_string()),
        "m": pa.array([None if i % 7 == 0 else i * 10 for i in range(60)]).cast(pa.decimal128(21, 2)),
        "day": pa.array(range(60), pa.int32()).cast(pa.date32()),
        "small": pa.array([None if i == 5 else i % 100 for i in range(60)], pa.int8()),
    }
    for name, column in more.items():
        table = table.append_column(name, column)
    return table


def _arrow_files() -> list[bytes]:
    table, files = _arrow_table(), []
    views = table.append_column("v", table["s"].cast(pa.string_view()))
    nested = table.append_column("l", pa.array([[1, 2], None, [3]] * 20))
    for content in (table, views, nested):
        for compression in (None, "lz4", "zstd"):
            for write in (pa.ipc.new_file, pa.ipc.new_stream):
                sink = pa.BufferOutputStream()
                with write(sink, content.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
                    writer.write_table(content, max_chunksize=25)
                files.append(sink.getvalue().to_pybytes())
    return files


def _parquet_files() -> list[bytes]:
    files = []
    for compression, dictionary, version in (("snappy", True, "1.0"), ("none", False, "2.0"), ("zstd", True, "2.0")):
        sink = io.BytesIO()
        pa.parquet.write_table(
            _arrow_table(),
            sink,
            compression=compression,
            use_dictionary=dictionary,
            data_page_version=version,
            row_group_size=25,
        )
        files.append(sink.getvalue())
    return files


def sas7bdat(*, compressed: bool) -> bytes:
    """Return a SAS file, written by the library inside pyreadstat, which does not offer that to Python."""
    library = ctypes.CDLL(pyreadstat._readstat_writer.__file__)
    written = io.BytesIO()
    receiver = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    receive = receiver(lambda data, length, _: written.write(ctypes.string_at(data, length)))
    pointer, text, double = ctypes.c_void_p, ctypes.c_char_p, 5
    for name in ("readstat_writer_init", "readstat_add_variable"):
        getattr(library, name).restype = pointer
    library.readstat_add_variable.argtypes = [pointer, text, ctypes.c_int, ctypes.c_size_t]
    library.readstat_insert_double_value.argtypes = [pointer, pointer, ctypes.c_double]
    library.readstat_insert_string_value.argtypes = [pointer, pointer, text]
    library.readstat_begin_writing_sas7bdat.argtypes = [pointer, pointer, ctypes.c_long]
    writer = pointer(library.readstat_writer_init())
    library.readstat_set_data_writer(writer, receive)
    if compressed:
        library.readstat_writer_set_compression(writer, 1)
    number = library.readstat_add_variable(writer, b"x", double, 0)
    string = library.readstat_add_variable(writer, b"s", 0, 12)
    frame = survey()
    library.readstat_begin_writing_sas7bdat(writer, None, len(frame))
    for one, other in zip(frame["i"], frame["s"], strict=True):
        library.readstat_begin_row(writer)
        library.readstat_insert_double_value(writer, number, float(one))
        library.readstat_insert_string_value(writer, string, other.encode())
        library.readstat_end_row(writer)
    library.readstat_end_writing(writer)
    library.readstat_writer_free(writer)
    return written.getvalue()
