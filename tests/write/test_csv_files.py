"""What a written CSV file looks like, and that pandas and Python's csv module read the same from it."""

from __future__ import annotations

import csv
import datetime
import string
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import WriteError
from shoal.read import read_table
from shoal.write import write_table


def written(folder: Path, data: object, name: str = "t.csv") -> str:
    write_table(data, folder / name)
    return (folder / name).read_bytes().decode()


def test_the_form_of_the_file(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([3, None], dtype="Int64"),
            "x": [3.0, np.nan],
            "y": [0.1 + 0.2, 1e22],
            "b": [True, False],
            "s": ['a "b", c', None],
            "z": ["007", " x "],
        },
        index=["not", "written"],
    )
    assert written(tmp_path, frame) == (
        "i,x,y,b,s,z\n"
        '3,3.0,0.30000000000000004,True,"a ""b"", c",007\n'
        ",,1e+22,False,, x \n"
    )  # fmt: skip


def test_a_missing_value_in_a_single_column_is_not_an_empty_line(tmp_path: Path) -> None:
    assert written(tmp_path, pd.DataFrame({"s": ["a", None, "b"]})) == 's\na\n""\nb\n'
    assert read_table(tmp_path / "t.csv")["s"].isna().tolist() == [False, True, False]


def test_every_kind_of_column_has_a_text_form(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "day": [datetime.date(2020, 1, 31), None],
            "time": [datetime.datetime(2020, 1, 31, 10, 11, 12), None],
            "fine": [datetime.datetime(2020, 1, 31, 10, 11, 12, 500_000), None],
            "midnight": [datetime.datetime(2020, 1, 31), None],
            "money": [Decimal("1.50"), None],
            "level": pl.Series(["low", None], dtype=pl.Enum(["low", "high"])),
            "hour": [datetime.time(10, 11, 12), None],
            "span": [datetime.timedelta(days=1, hours=2), None],
            "nan": [float("nan"), 1.0],
        }
    )
    assert written(tmp_path, frame).splitlines()[1:] == [
        '2020-01-31,2020-01-31 10:11:12,2020-01-31 10:11:12.500,2020-01-31,1.50,low,10:11:12,"1 day, 2:00:00",',
        ",,,,,,,,1.0",
    ]


def test_mixed_object_columns_are_written_as_text(tmp_path: Path) -> None:
    frame = pd.DataFrame({"o": pd.Series([1, "a", None, float("nan"), Decimal("2.5")], dtype=object), "n": range(5)})
    assert written(tmp_path, frame) == "o,n\n1,0\na,1\n,2\n,3\n2.5,4\n"


def test_lists_are_refused_by_column(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match='Column "l" holds lists'):
        write_table(pl.DataFrame({"l": [[1, 2]]}), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


def test_python_and_pandas_read_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame({"s": ["a\nb", 'q"', "x,y", "tab\t", "ünï"], "x": [1.5, -2.25, 1e-300, 1e300, 0.1]})
    written(tmp_path, frame)
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)][1:] == frame["s"].tolist()

    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), frame)


def test_more_rows_than_are_written_at_a_time(tmp_path: Path) -> None:
    frame = pd.DataFrame({"i": np.arange(120_001), "s": ["x,y"] * 120_001})
    write_table(frame, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.csv"), frame, check_column_type=False)


def test_text_that_no_encoding_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        write_table(pd.DataFrame({"o": pd.Series(["\ud800"], dtype=object)}), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


names = st.text(string.ascii_letters + 'é ,;"\n|', min_size=1, max_size=6).filter(lambda text: text.strip() == text)
words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(1, 6))

    def column(name: str) -> pd.Series:  # type: ignore[type-arg]
        kind = draw(st.sampled_from(["int64", "Int64", "float64", "text"]))
        if kind == "text":
            # A letter first: text that reads as a number would come back as one.
            cells = draw(st.lists(st.none() | words.map(lambda word: "x" + word), min_size=rows, max_size=rows))
            return pd.Series(cells, name=name, dtype="str")
        if kind == "float64":
            floats = st.none() | st.floats(allow_nan=False).filter(lambda one: one != 0)
            return pd.Series(draw(st.lists(floats, min_size=rows, max_size=rows)), name=name, dtype="float64")
        whole = st.integers(-(2**63), 2**63 - 1)
        cell = whole if kind == "int64" else st.none() | whole
        return pd.Series(draw(st.lists(cell, min_size=rows, max_size=rows)), name=name, dtype=kind)

    titles = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    return pd.DataFrame({title: column(title) for title in titles})


@given(frame=frames(), ending=st.sampled_from([".csv", ".tsv", ".csv.gz"]))
def test_what_is_written_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, frame: pd.DataFrame, ending: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"round{ending}"
    write_table(frame, path)
    back = read_table(path, delimiter="\t" if ending == ".tsv" else ",")
    assert list(back.columns) == list(frame.columns)
    for name in frame.columns:
        mine = [None if pd.isna(one) else one for one in frame[name].tolist()]
        read = [None if pd.isna(one) else one for one in back[name].tolist()]
        assert read == mine
