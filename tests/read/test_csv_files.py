"""CSV files: types by evidence, codes, missing values, delimiters, encodings, and a one-line error for bad files."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ColumnError, ParameterError, ReadError
from shoal.read import read_table


def read_text(folder: Path, text: str | bytes, name: str = "t.csv", **options: object) -> pd.DataFrame:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_table(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "dtype", "values"),
    [
        (["1", "2", "-3"], "int64", [1, 2, -3]),
        (["1", "", "3"], "Int64", [1, None, 3]),
        (["1", "NA", "NaN", "N/A", "null", ".", "3"], "Int64", [1, None, None, None, None, None, 3]),
        (["1.5", "", "3"], "float64", [1.5, None, 3.0]),
        (["1e3", ".5", "2."], "float64", [1000.0, 0.5, 2.0]),
        (["0.1", "0.30000000000000004", "1e-320"], "float64", [0.1, 0.1 + 0.2, 1e-320]),
        (["inf", "-inf", "+Infinity", "1"], "float64", [math.inf, -math.inf, math.inf, 1.0]),
        ([" 1", "2 "], "int64", [1, 2]),
        (['"1"', '"2"'], "int64", [1, 2]),
        (["9223372036854775807", "1"], "int64", [2**63 - 1, 1]),
        (["007", "123"], "str", ["007", "123"]),
        (["00", "0"], "str", ["00", "0"]),
        (["9223372036854775808", "1"], "str", ["9223372036854775808", "1"]),
        (["+4930123", "+4930124"], "str", ["+4930123", "+4930124"]),
        (["NA", "DE", ""], "str", ["NA", "DE", None]),
        (["True", "False"], "str", ["True", "False"]),
        (["1,5", "2"], "str", ["1,5", "2"]),
        (["1_000", "2"], "str", ["1_000", "2"]),
        (["0x10", "2"], "str", ["0x10", "2"]),
        (["2020-01-31", "2020-02-01"], "str", ["2020-01-31", "2020-02-01"]),
        (["", ""], "str", [None, None]),
    ],
)
def test_a_column_is_numeric_only_if_every_cell_is_a_plain_number(
    tmp_path: Path, cells: list[str], dtype: str, values: list[object]
) -> None:
    text = "id|x\n" + "".join(f"{row}|{cell}\n" for row, cell in enumerate(cells))
    column = read_text(tmp_path, text)["x"]
    assert str(column.dtype) == dtype
    assert [None if pd.isna(one) else one for one in column.tolist()] == values


def test_text_far_down_keeps_a_column_text(tmp_path: Path) -> None:
    text = "x,y\n" + "1,1\n" * 5000 + "007,1.5\n"
    frame = read_text(tmp_path, text)
    assert str(frame["x"].dtype) == "str"
    assert frame["x"].iloc[-1] == "007"
    assert frame["y"].dtype == np.float64


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_seen_in_the_header(tmp_path: Path, delimiter: str) -> None:
    frame = read_text(tmp_path, f"a{delimiter}b\n1{delimiter}2\n")
    assert frame.to_dict("list") == {"a": [1], "b": [2]}


def test_a_delimiter_within_a_quoted_name_or_one_that_does_not_fit_the_rows_is_not_taken(tmp_path: Path) -> None:
    assert list(read_text(tmp_path, '"a,b,c";d\n1;2\n').columns) == ["a,b,c", "d"]
    assert list(read_text(tmp_path, "name;income (EUR, gross)\nx;1\n").columns) == ["name", "income (EUR, gross)"]


def test_a_delimiter_can_be_given(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a:b\n1:2\n", delimiter=":").to_dict("list") == {"a": [1], "b": [2]}


def test_a_decimal_comma_is_recognised_beside_semicolons_column_by_column(tmp_path: Path) -> None:
    frame = read_text(tmp_path, "a;b;c\n1,5;1.5;3\n-2;2;4\n;1e2;\n")
    assert frame["a"].tolist()[:2] == [1.5, -2.0]
    assert frame["b"].tolist() == [1.5, 2.0, 100.0]
    assert str(frame["c"].dtype) == "Int64"


def test_the_decimal_mark_can_be_given(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a\tb\n1,5\t2\n", decimal=",")["a"].tolist() == [1.5]
    assert read_text(tmp_path, "a|b\n1,5|2\n", decimal=",")["a"].tolist() == [1.5]
    assert read_text(tmp_path, "amount, EUR;b\n1,5;2\n", decimal=",")["b"].tolist() == [2]
    assert read_text(tmp_path, "x\n1,5\n2,5\n", decimal=",")["x"].tolist() == [1.5, 2.5]
    assert read_text(tmp_path, "a;b\n1,5;2\n", decimal=".")["a"].tolist() == ["1,5"]
    assert read_text(tmp_path, "a;b\n1.234;2\n", decimal=",")["a"].tolist() == ["1.234"]


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ",", "decimal": ","},
        {"delimiter": "::"},
        {"delimiter": '"'},
        {"decimal": ";"},
        {"encoding": "no such"},
        {"sheet": 0},
    ],
)
def test_options_that_cannot_be_used_are_refused(tmp_path: Path, options: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        read_text(tmp_path, "a,b\n1,2\n", **options)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf8_with_and_without_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    frame = read_text(tmp_path, "año,b\nñ,1\n".encode(encoding))
    assert frame.to_dict("list") == {"año": ["ñ"], "b": [1]}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_other_encodings_by_argument(tmp_path: Path, encoding: str) -> None:
    frame = read_text(tmp_path, "año,b\nñ,1\n".encode(encoding), encoding=encoding)
    assert frame.to_dict("list") == {"año": ["ñ"], "b": [1]}


def test_quoted_cells_hold_anything(tmp_path: Path) -> None:
    frame = read_text(tmp_path, 'a,"b\nc"\r\n"x\r\ny",1\r\n"say ""hi"", now",2\r\n')
    assert list(frame.columns) == ["a", "b\nc"]
    assert frame["a"].tolist() == ["x\r\ny", 'say "hi", now']


def test_a_cell_longer_than_a_block_is_read(tmp_path: Path) -> None:
    long = "x" * (17 << 20)
    assert read_text(tmp_path, f"a,b\n{long},1\n")["a"].tolist() == [long]


def test_empty_lines_are_skipped_but_are_missing_values_in_a_file_of_one_column(tmp_path: Path) -> None:
    assert len(read_text(tmp_path, "a,b\n\n1,2\n\n3,4\n\n\n")) == 2
    assert read_text(tmp_path, 'a\n1\n\n""\n4\n')["a"].isna().tolist() == [False, True, True, False]


def test_names_are_stripped_and_blank_ones_numbered(tmp_path: Path) -> None:
    assert list(read_text(tmp_path, "a, b,,\n1,2,3,4\n").columns) == ["a", "b", "column 3", "column 4"]


@pytest.mark.parametrize(
    "header", ["0,1,2", "1,2,3", "3,1,2", "region,2019,2020", "2019,2020,2021", "x1,2x,1-2", "north,sex,age"]
)
def test_names_that_files_do_have(tmp_path: Path, header: str) -> None:
    rows = "north,m,35\nsouth,f,18\nsouth,m,77\n"
    assert list(read_text(tmp_path, f"{header}\n{rows}").columns) == header.split(",")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv.gz", "T.CSV.GZ"])
def test_packed_files(tmp_path: Path, name: str) -> None:
    assert read_text(tmp_path, gzip.compress(b"a\tb\n1\t2\n"), name).to_dict("list") == {"a": [1], "b": [2]}


SECRET = "987654321"
BAD = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "header only": (b"a,b\n", "no rows"),
    "header only, no line end": (b"a,b", "no rows"),
    "too many cells": (f"a,b\n1,2\n{SECRET},2,3\n".encode(), "line 3: 3 cells where the header names 2 columns"),
    "too few cells": (f'a,b\n"1\n2",2\n{SECRET}\n'.encode(), "line 4: 1 cell where the header names 2 columns"),
    "unclosed quote": (f'a,b\n1,2\n1,"{SECRET}\n3,4\n'.encode(), "never closed"),
    "latin-1": (f"a,b\né,{SECRET}\n".encode("latin-1"), "encoding, latin-1"),
    "utf-16": (f"a,b\n1,{SECRET}\n".encode("utf-16"), "encoding, utf-16 (--encoding utf-16)."),
    "zero bytes": (b"a,b\n1\0,2\n", "zero bytes"),
    "no names": (f"1.5,{SECRET}\n2.5,3\n".encode(), "no column names"),
    "whole numbers for names": (f"{SECRET},7\n5,3\n".encode(), "2 of the 2 cells of its first line are numbers"),
    "one number among names": (f"a,b,{SECRET}\n1,2,3\n".encode(), "1 of the 3 cells of its first line is a number"),
    "the same number twice": (f"{SECRET},{SECRET}\n5,3\n".encode(), "no column names"),
    "a decimal comma for a name": (b"a;1,5\nb;2,5\n", "no column names"),
    "a number of many digits": (b"a," + b"9" * 5000 + b"\n1,2\n", "no column names"),
    "values for names": (f"{SECRET}x,m,north\n{SECRET}x,f,north\ny,m,south\n".encode(), "values of their columns"),
    "codes in a row for names": (b"1,0,2\n1,1,2\n2,0,1\n", "values of their columns"),
    "parquet": (b"PAR1\x15\x04\x15\xff\xfe" * 9, "is not UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_a_one_line_error_without_its_content(tmp_path: Path, case: str) -> None:
    content, message = BAD[case]
    with pytest.raises(ReadError) as caught:
        read_text(tmp_path, content)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_damaged_gzip(tmp_path: Path) -> None:
    for content in (gzip.compress(b"a,b\n1,2\n" * 100)[:-12], b"a,b\n1,2\n"):
        with pytest.raises(ReadError, match="gzip"):
            read_text(tmp_path, content, "t.csv.gz")


def test_a_name_twice_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match='more than once: "a"'):
        read_text(tmp_path, "a,b,a \n1,2,3\n")


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_floats_are_rounded_as_python_rounds_them(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    """The expected numbers are Python's own float() of the text in the file."""
    path = tmp_path_factory.getbasetemp() / "floats.csv"
    texts = [f"{value:.25g}" for value in values] + ["0.5"]
    path.write_text("x\n" + "\n".join(texts) + "\n")
    assert read_table(path)["x"].tolist() == [float(text) for text in texts]
