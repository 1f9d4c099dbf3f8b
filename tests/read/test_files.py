"""What all formats share: Parquet, Feather and Excel round trips, the same bytes twice, and bad files of every kind."""

from __future__ import annotations

import datetime
import os
import re
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from shoal.errors import ColumnError, ReadError, WriteError
from shoal.read import Labels, as_table, read_table, write_table

LABELS = Labels(
    variables={"a": "Äge"},
    values={"a": {1: "one", 2.5: "two and a half"}, "s": {"x": "ex", "1": "text"}},
    measures={"a": "ordinal"},
    formats={"a": "F8.2"},
    file="A survey",
)
WRITABLE = [".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".feather", ".arrow", ".xlsx", ".xml"]
WRITABLE += [".sav", ".zsav", ".dta", ".xpt"]
SECRET = "987654321"


def rich() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "x": [0.1 + 0.2, np.nan, 1e-300],
            "s": ["=1+1", None, "#N/A"],
            "c": pd.Categorical(["lo", "hi", None], categories=["lo", "hi"], ordered=True),
            "t": pd.to_datetime(["2020-01-31 10:11:12", None, "1999-12-31 00:00:00"]),
            "b": pd.array([True, None, False], dtype="boolean"),
        }
    )


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow"])
def test_arrow_formats_keep_types_and_labels(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(rich(), path, labels=LABELS)
    frame = read_table(path)
    pd.testing.assert_frame_equal(frame, rich())
    labels = as_table(frame).labels
    assert labels == LABELS
    assert [type(code) for code in labels.values["a"]] == [int, float]


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_arrow_formats_agree_with_pandas_and_keep_no_path(tmp_path: Path, ending: str) -> None:
    source = tmp_path / "secret-project.csv"
    source.write_text("a,b\n1,x\n")
    path = tmp_path / f"t{ending}"
    write_table(read_table(source), path)
    assert b"secret-project" not in path.read_bytes()
    theirs = pd.read_parquet(path) if ending == ".parquet" else pd.read_feather(path)
    assert theirs.to_dict("list") == {"a": [1], "b": ["x"]}


def test_parquet_of_pandas_named_index_becomes_a_column_and_an_unnamed_one_goes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.5, 2.5]}, index=pd.Index(["p", "q"], name="person"))
    frame.to_parquet(tmp_path / "named.parquet")
    assert set(read_table(tmp_path / "named.parquet").columns) == {"x", "person"}
    frame.rename_axis(None).to_parquet(tmp_path / "unnamed.parquet")
    assert list(read_table(tmp_path / "unnamed.parquet").columns) == ["x"]


def test_parquet_of_other_libraries(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "i": [1, None],
            "d": [datetime.date(2020, 1, 1), None],
            "m": [Decimal("1.50"), None],
            "e": pl.Series(["x", None], dtype=pl.Categorical),
        }
    )
    frame.write_parquet(tmp_path / "p.parquet")
    table = as_table(tmp_path / "p.parquet")
    assert table.is_integer("i")
    assert table.numbers("m").tolist()[0] == 1.5
    write_table(table, tmp_path / "q.parquet")
    assert pl.read_parquet(tmp_path / "q.parquet")["d"].to_list() == [datetime.date(2020, 1, 1), None]


def test_labels_ride_along_in_an_arrow_table(tmp_path: Path) -> None:
    write_table(rich(), tmp_path / "t.parquet", labels=LABELS)
    table = as_table(pa.parquet.read_table(tmp_path / "t.parquet"))
    assert table.labels == LABELS
    assert as_table(table.replaced({}, {}, drop=["a"]).to_native()).labels.variables == {}


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table, np.asarray])
@pytest.mark.parametrize("ending", WRITABLE)
def test_every_library_goes_into_every_format(tmp_path: Path, library: Any, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    array = np.array([[1.5, 2.0], [np.nan, 4.0]])
    if library is np.asarray:
        if ending in (".sav", ".zsav", ".dta", ".xpt"):
            with pytest.raises(WriteError, match='column name "0"'):
                write_table(array, path)
            return
        write_table(array, path)
    else:
        write_table(library({"a": array[:, 0], "b": array[:, 1]}), path)
    table = as_table(path)
    np.testing.assert_array_equal(np.column_stack([table.numbers(name) for name in table.names]), array)


@pytest.mark.parametrize("ending", WRITABLE)
def test_the_same_table_gives_the_same_bytes_and_no_file_says_when_it_was_written(tmp_path: Path, ending: str) -> None:
    frame = rich().assign(x=[0.1, np.nan, 2.5])
    for name in ("one", "two"):
        write_table(frame, tmp_path / f"{name}{ending}", labels=LABELS)
    content = (tmp_path / f"one{ending}").read_bytes()
    assert content == (tmp_path / f"two{ending}").read_bytes()
    if ending in (".sav", ".zsav"):
        assert content[92:109] == b"01 Jan 8000:00:00"
    elif ending == ".dta":
        assert b"<timestamp>\x1101 Jan 1980 00:00</timestamp>" in content
    elif ending == ".xpt":
        assert re.findall(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", content) == [b"01JAN80:00:00:00"] * 4
    elif ending == ".csv.gz":
        assert content[4:8] == bytes(4)
    elif ending == ".xlsx":
        with zipfile.ZipFile(tmp_path / f"one{ending}") as archive:
            assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert b"1980-01-01T00:00:00Z" in archive.read("docProps/core.xml")
            assert str(datetime.datetime.now().year).encode() not in archive.read("docProps/core.xml")


# Excel --------------------------------------------------------------------------------------------------------


def test_excel_keeps_values_types_and_dates(tmp_path: Path) -> None:
    write_table(rich(), tmp_path / "t.xlsx")
    back = read_table(tmp_path / "t.xlsx")
    pd.testing.assert_frame_equal(back.drop(columns="c"), rich().drop(columns="c"))
    assert back["c"].tolist()[:2] == ["lo", "hi"]


def test_excel_text_is_never_a_formula(tmp_path: Path) -> None:
    """As openpyxl reads the file when asked for formulas."""
    texts = ["=1+1", '=HYPERLINK("x")', "+1", "@SUM(A1)", "-2", "#N/A", "007"]
    write_table(pd.DataFrame({"=name": texts}), tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert sheet is not None
    assert [row[0].data_type for row in sheet.iter_rows()] == ["s"] * 8
    assert read_table(tmp_path / "t.xlsx")["=name"].tolist() == texts


def test_excel_as_people_make_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        [None, None, None, None],
        ["id", "x", "mixed", None],
        [1, 1.5, "A", None],
        [None, None, None, None],
        [2, "NA", 5, None],
        [3, "#DIV/0!", 6.5, None],
        [None, None, None, None],
    ):
        sheet.append(row)
    second = book.create_sheet("Other one")
    second.append(["only"])
    second.append([datetime.datetime(2020, 1, 31)])
    book.create_sheet("Empty")
    book.save(tmp_path / "t.xlsx")
    frame = read_table(tmp_path / "t.xlsx")
    assert list(frame.columns) == ["id", "x", "mixed"]
    assert frame["id"].tolist() == [1, 2, 3]
    assert as_table(frame).missing("x").tolist() == [False, True, True]
    assert frame["mixed"].tolist() == ["A", "5", "6.5"]
    assert read_table(tmp_path / "t.xlsx", sheet="Other one")["only"].tolist() == [pd.Timestamp("2020-01-31")]
    assert len(read_table(tmp_path / "t.xlsx", sheet=1)) == 1
    with pytest.raises(ReadError, match='no sheet "Other"; its sheets are'):
        read_table(tmp_path / "t.xlsx", sheet="Other")
    with pytest.raises(ReadError, match="no sheet 7"):
        read_table(tmp_path / "t.xlsx", sheet=7)
    with pytest.raises(ReadError, match='"Empty" is empty'):
        read_table(tmp_path / "t.xlsx", sheet="Empty")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pl.DataFrame({"x": np.zeros(1_048_576, dtype=np.int8)}), "1,048,575 rows"),
        (np.zeros((1, 16_385)), "16,384 columns"),
        (pd.DataFrame({"x": [np.inf]}), "infinite"),
        (pd.DataFrame({"x": [SECRET * 4000]}), "characters"),
        (pd.DataFrame({"x": [SECRET + "\x01"]}), "control characters"),
        (pd.DataFrame({"x": [datetime.date(1850, 1, 1)]}), "before 1900"),
        (pd.DataFrame({"x": pd.to_datetime(["2020-01-01"]).tz_localize("UTC")}), "time zone"),
    ],
)
def test_what_excel_cannot_hold_is_refused(tmp_path: Path, data: Any, message: str) -> None:
    with pytest.raises(WriteError, match=message) as caught:
        write_table(data, tmp_path / "t.xlsx")
    assert SECRET not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


# Bad files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [*WRITABLE, ".por", ".sas7bdat"])
def test_an_empty_file_of_any_kind(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"t{ending}").touch()
    with pytest.raises(ReadError, match="is empty"):
        read_table(tmp_path / f"t{ending}")


# A text file cut short is a text file, and a transport file does not say how many records it has.
DAMAGED = [(ending, "garbage") for ending in WRITABLE]
DAMAGED += [(ending, "truncated") for ending in WRITABLE if ending not in (".csv", ".tsv", ".txt", ".xpt")]


@pytest.mark.parametrize(("ending", "damage"), DAMAGED)
def test_a_damaged_file_of_any_kind_is_a_one_line_error(tmp_path: Path, ending: str, damage: str) -> None:
    path = tmp_path / f"t{ending}"
    if damage == "garbage":
        path.write_bytes(np.random.default_rng(0).bytes(5000))
    else:
        write_table(pd.DataFrame({"a": np.arange(500) + 0.5, "s": [SECRET] * 500}), path)
        path.write_bytes(path.read_bytes()[:-900] if ending != ".csv.gz" else path.read_bytes()[:-9])
    with pytest.raises(ReadError) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_paths_that_are_not_files(tmp_path: Path) -> None:
    (tmp_path / "census.csv").write_text("a\n1\n")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ReadError, match=r'does not exist\. Did you mean "census\.csv"'):
        read_table(tmp_path / "censsu.csv")
    with pytest.raises(ReadError, match="nor does the folder"):
        read_table(tmp_path / "nowhere" / "census.csv")
    with pytest.raises(ReadError, match="is a folder"):
        read_table(tmp_path / "folder.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ReadError, match="not a regular file"):
        read_table(tmp_path / "pipe.csv")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")

    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)  # the tests may run as root, who may read everything
    with pytest.raises(ReadError, match=r"cannot be read: Permission denied\.$"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.xls", "t.json", "t", "t.gz", "t.parquet.gz"])
def test_unknown_endings_list_the_known_ones(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(ReadError, match=r"known are \.csv, .*\.sas7bdat"):
        read_table(tmp_path / name)
    with pytest.raises(WriteError, match=r"known are \.csv"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / name)


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_names_twice_or_no_rows_in_an_arrow_file(tmp_path: Path, ending: str) -> None:
    write = pa.parquet.write_table if ending == ".parquet" else pa.feather.write_feather
    write(pa.table({"a": pa.array([], pa.int64())}), str(tmp_path / f"none{ending}"))
    with pytest.raises(ReadError, match="no rows"):
        read_table(tmp_path / f"none{ending}")
    write(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), str(tmp_path / f"twice{ending}"))
    with pytest.raises(ColumnError, match='"a"'):
        read_table(tmp_path / f"twice{ending}")


def test_mixed_kinds_are_refused_by_arrow_formats_without_a_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"ok": [1, 2], "bad": pd.Series([SECRET, 5], dtype=object)})
    with pytest.raises(WriteError, match='column "bad" holds values of several kinds') as caught:
        write_table(frame, tmp_path / "t.parquet")
    assert SECRET not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", WRITABLE)
def test_the_file_a_frame_was_read_from_is_not_overwritten(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(pd.DataFrame({"a": [1, 2]}), path)
    before = path.read_bytes()
    for data in (read_table(path), as_table(path), as_table(path).to_native(), read_table(path).assign(b=[1, 2])):
        with pytest.raises(WriteError, match="never overwrites its input"):
            write_table(data, path)
    assert path.read_bytes() == before
    write_table(read_table(path), tmp_path / "other.csv")


def test_labels_that_are_not_ours_are_ignored() -> None:
    frame = pd.DataFrame({"a": [1]})
    for attrs in ({"shoal_labels": 5}, {"shoal_labels": {"variables": {}}}, {"shoal_labels": {"values": [1]}}):
        frame.attrs = attrs
        assert as_table(frame).labels == Labels()
    assert Labels.from_json("not json") == Labels()
    assert Labels.from_json(LABELS.to_json()) == LABELS
    assert not Labels()
    assert LABELS.only(["s"]) == Labels(values={"s": {"x": "ex", "1": "text"}}, file="A survey")
