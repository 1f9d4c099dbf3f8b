"""Microdata as XML: any name and any text there and back, and what XML cannot hold."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import WriteError
from shoal.read import read_table
from shoal.write import write_table, xml_microdata

SECRET = "987654321"


def plain(values: Any) -> list[object]:
    return [None if pd.isna(one) else one for one in values]


def written(folder: Path, data: object) -> str:
    write_table(data, folder / "t.xml")
    return (folder / "t.xml").read_bytes().decode()


def test_the_form_of_the_file(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([3, None], dtype="Int64"),
            "x": [3.0, np.nan],
            "y": [0.1 + 0.2, 1e22],
            "b": [True, False],
            "s": ['a <b> & "c"\r\n', None],
            "two words": ["007", " x "],
            "1": ["  ", "\r"],
        }
    )
    assert written(tmp_path, frame) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<Microdata>\n"
        "<Record><i>3</i><x>3.0</x><y>0.30000000000000004</y><b>True</b>"
        '<s>a &lt;b&gt; &amp; "c"&#13;\n</s><two_x0020_words>007</two_x0020_words>'
        '<_x0031_ xml:space="preserve">  </_x0031_></Record>\n'
        "<Record><i/><x/><y>1e+22</y><b>False</b><s/><two_x0020_words> x </two_x0020_words>"
        '<_x0031_ xml:space="preserve">&#13;</_x0031_></Record>\n'
        "</Microdata>\n"
    )


def test_more_rows_than_are_written_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_microdata, "ROWS", 4)
    frame = pl.DataFrame({"i": range(10), "s": ["&"] * 9 + [None]})
    write_table(frame, tmp_path / "t.xml")
    back = read_table(tmp_path / "t.xml")
    assert back["i"].tolist() == list(range(10))
    assert plain(back["s"]) == ["&"] * 9 + [None]


@pytest.mark.parametrize("character", ["\0", "\x01", "\x08", "\x0b", "\x0c", "\x1f", "\ufffe", "\uffff", "\ud800"])
def test_characters_that_xml_cannot_hold_are_refused_by_column_and_row(tmp_path: Path, character: str) -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "t": pd.Series(["x", "y", f"{SECRET}{character}"], dtype=object)})
    with pytest.raises(
        WriteError, match='Column "t", row 3: the text holds a character that XML cannot hold'
    ) as caught:
        write_table(frame, tmp_path / "t.xml")
    assert SECRET not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_control_characters_that_xml_can_hold_are_kept(tmp_path: Path) -> None:
    texts = ["\t", "a\tb\nc\rd\r\ne", "\x7f\x80\x85\x9f", "\u2028", "\ufffd", "\U0010ffff"]
    written(tmp_path, pd.DataFrame({"t": texts}))
    assert read_table(tmp_path / "t.xml")["t"].tolist() == texts


def test_lists_are_refused_by_column(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match='Column "l" holds lists'):
        write_table(pl.DataFrame({"l": [[1, 2]]}), tmp_path / "t.xml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("income", "income"),
        ("año", "año"),
        ("V.1-a_b", "V.1-a_b"),
        ("pos_x", "pos_x"),
        ("two words", "two_x0020_words"),
        ("1st", "_x0031_st"),
        ("-", "_x002D_"),
        ("a:b", "a_x003A_b"),
        ("a\nb", "a_x000A_b"),
        ("_x0020_", "_x005F_x0020_"),
        ("_x0020 ", "_x005F_x0020_x0020_"),
        ("__x00e9_", "__x005F_x00e9_"),
        ("😀", "_x01F600_"),
        ("soț", "so_x021B_"),  # a letter the older edition of XML does not know
        (" ", "_x0020_"),
    ],
)
def test_names_are_written_as_in_sql_and_read_back(tmp_path: Path, name: str, element: str) -> None:
    assert f"<Record><{element}>1</{element}></Record>" in written(tmp_path, pd.DataFrame({name: [1]}))
    assert list(read_table(tmp_path / "t.xml").columns) == [name]


def test_a_column_without_a_name_gets_the_one_it_gets_in_a_csv_file(tmp_path: Path) -> None:
    written(tmp_path, pd.DataFrame([[1, 2]], columns=["a", ""]))
    assert list(read_table(tmp_path / "t.xml").columns) == ["a", "column 2"]
    with pytest.raises(WriteError, match="no name, and the one it would get is taken"):
        write_table(pd.DataFrame([[1, 2]], columns=["column 2", ""]), tmp_path / "u.xml")


FIT = st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff").filter(
    lambda one: one >= " " or one in "\t\n\r"
)
TEXTS = st.one_of(
    st.text(FIT, max_size=8),
    st.text(alphabet=" \t\r\n<>&\"'];_x0é😀", max_size=8),
    st.sampled_from(["NA", "]]>", "<!--", "&amp;", "-0", "1e5", "007", "  ", "\u00a0", "<V1/>"]),
)
FLOATS = st.one_of(st.floats(), st.sampled_from([-0.0, 5e-324, 1.7976931348623157e308, 1e16, 0.1 + 0.2, math.inf]))
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
    st.text(alphabet="_x0020ABé: \n😀", min_size=1, max_size=12),
)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(1, 6))
    kinds = {
        "float64": FLOATS,
        "Int64": st.none() | st.integers(-(2**63), 2**63 - 1),
        "int64": st.integers(-(2**63), 2**63 - 1),
        "str": st.none() | TEXTS,
    }
    columns = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(sorted(kinds)))
        columns[name] = pd.Series(draw(st.lists(kinds[kind], min_size=rows, max_size=rows)), dtype=kind)
    return pd.DataFrame(columns)


@given(frame=frames())
def test_names_come_back_and_values_as_they_do_from_a_csv_file(
    tmp_path_factory: pytest.TempPathFactory, frame: pd.DataFrame
) -> None:
    folder = tmp_path_factory.getbasetemp()
    write_table(frame, folder / "round.xml")
    back = read_table(folder / "round.xml")
    assert list(back.columns) == list(frame.columns)

    # A CSV header is stripped and must not look like data, so there the names are plain, and a first column keeps
    # records of missing values from being empty lines.
    plain_names = [f"c{place}" for place in range(len(frame.columns))]
    other = frame.set_axis(plain_names, axis=1)
    other.insert(0, "first", 1)
    write_table(other, folder / "round.csv")
    expected = read_table(folder / "round.csv", delimiter=",")[plain_names]
    pd.testing.assert_frame_equal(back.set_axis(plain_names, axis=1), expected, check_exact=True)
    for name, same in zip(back.columns, plain_names, strict=True):
        if back[name].dtype == np.float64:
            assert np.signbit(back[name]).tolist() == np.signbit(expected[same]).tolist()


@given(frame=frames())
def test_python_reads_the_same_text(tmp_path_factory: pytest.TempPathFactory, frame: pd.DataFrame) -> None:
    """Compared with xml.etree, another parser, on the texts that are written."""
    path = tmp_path_factory.getbasetemp() / "other.xml"
    texts = frame.select_dtypes("str")
    assume(len(texts.columns))
    write_table(texts, path)
    records = list(ElementTree.parse(path).getroot())
    assert len(records) == len(texts)
    for place, name in enumerate(texts.columns):
        assert [record[place].text or "" for record in records] == ["" if pd.isna(one) else one for one in texts[name]]
