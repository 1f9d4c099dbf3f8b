"""Microdata as XML: what counts as a table, any name and any text there and back, and what is refused."""

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

from shoal.errors import ParameterError, ReadError, WriteError
from shoal.read import read_table, write_table, xml_microdata

SECRET = "987654321"


def read_text(folder: Path, text: str | bytes) -> pd.DataFrame:
    path = folder / "t.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_table(path)


def plain(values: Any) -> list[object]:
    return [None if pd.isna(one) else one for one in values]


def written(folder: Path, data: object) -> str:
    write_table(data, folder / "t.xml")
    return (folder / "t.xml").read_bytes().decode()


# Reading --------------------------------------------------------------------------------------------------------


def test_records_and_variables(tmp_path: Path) -> None:
    frame = read_text(
        tmp_path,
        """<?xml version="1.0"?>
        <Microdata>
            <Record><V1>12.5</V1><V2>abc</V2></Record>
            <Record><V1> 13 </V1><V2>a &lt; b &amp; &#233;<![CDATA[<c>]]></V2></Record>
        </Microdata>
        """,
    )
    assert frame.to_dict("list") == {"V1": [12.5, 13.0], "V2": ["abc", "a < b & é<c>"]}
    assert frame.index.equals(pd.RangeIndex(2))


def test_any_name_will_do_for_the_root_and_the_records_and_namespaces_do_not_count(tmp_path: Path) -> None:
    frame = read_text(
        tmp_path,
        '<s:survey xmlns:s="urn:a" version="3"><s:person xmlns="urn:b"><age>1</age></s:person>'
        '<person xmlns:z="urn:c"><z:age>2</z:age></person></s:survey>',
    )
    assert frame.to_dict("list") == {"age": [1, 2]}


def test_columns_stand_in_the_order_they_appear_and_what_is_not_there_is_a_gap(tmp_path: Path) -> None:
    frame = read_text(
        tmp_path,
        "<M><R><b>1</b></R><R/><R><a>x</a><c>1.5</c><b/></R>"
        "<R><b>  \n </b><a></a><c>NA</c></R><R><a>y</a><b>2</b></R></M>",
    )
    assert list(frame.columns) == ["b", "a", "c"]
    assert str(frame["b"].dtype) == "Int64"
    assert plain(frame["b"]) == [1, None, None, None, 2]
    assert plain(frame["a"]) == [None, None, "x", None, "y"]
    assert plain(frame["c"]) == [None, None, 1.5, None, None]


@pytest.mark.parametrize("late", [1, 4, 5, 9])
def test_a_variable_that_appears_late_and_many_small_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: int
) -> None:
    monkeypatch.setattr(xml_microdata, "CELLS", 5)
    records = [f"<R><a>{row}</a>{'<b>z</b>' if row >= late else ''}</R>" for row in range(11)]
    frame = read_text(tmp_path, f"<M>{''.join(records)}</M>")
    assert frame["a"].tolist() == list(range(11))
    assert plain(frame["b"]) == [None] * late + ["z"] * (11 - late)


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "-3"],
        ["1", "", "3"],
        ["1", "NA", "n/a", "null", ".", "3"],
        ["1.5", "", "1e3"],
        ["inf", "-inf", "1"],
        ["007", "123"],
        ["9223372036854775808", "1"],
        ["NA", "DE", ""],
        ["1,5", "2"],
        [" a ", "b\n"],
        ["True", "False"],
        ["", ""],
        ["\u00a0", "x"],
    ],
)
def test_types_are_those_of_a_csv_file(tmp_path: Path, cells: list[str]) -> None:
    frame = read_text(tmp_path, f"<M>{''.join(f'<R><i>1</i><x>{cell}</x></R>' for cell in cells)}</M>")
    (tmp_path / "t.csv").write_text("i,x\n" + "".join(f'1,"{cell}"\n' for cell in cells))
    pd.testing.assert_series_equal(frame["x"], read_table(tmp_path / "t.csv", delimiter=",")["x"])


def test_comments_and_instructions_are_passed_over(tmp_path: Path) -> None:
    frame = read_text(
        tmp_path,
        '<?xml-stylesheet href="none.xsl"?><!-- a --><M><!-- <R> --><?x y?>'
        "<R><!-- b --><a>1<!-- c -->2<?x 7?></a></R></M><!-- d -->",
    )
    assert frame.to_dict("list") == {"a": [12]}


def test_attributes_that_speak_of_xml_itself_are_passed_over(tmp_path: Path) -> None:
    frame = read_text(
        tmp_path,
        '<M xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:noNamespaceSchemaLocation="http://nowhere/x.xsd">'
        '<R xml:lang="en"><a i:nil="true"/><b xml:space="preserve"> </b></R><R><a>5</a><b> </b></R></M>',
    )
    assert plain(frame["a"]) == [None, 5]
    assert plain(frame["b"]) == [" ", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<M/>", "has no records"),
        ("<M>\n<!-- none --></M>", "has no records"),
        ("<M><R/><R/></M>", "has no columns"),
        ("<M><R><a>1</a></R><S><a>2</a></S></M>", r'record 2: it is called "S", the ones before it "R"; '),
        ("<M><R><a>1</a></R><R><a>1</a><b/><a>2</a></R></M>", 'record 2: "a" is there twice'),
        ("<M><R><a>1</a><a/></R></M>", 'record 1: "a" is there twice'),
        ("<M><R><a_x0062_>1</a_x0062_><ab>1</ab></R></M>", 'record 1: "ab" is there twice'),
        ('<M xmlns:p="urn:p"><R><a>1</a><p:a>1</p:a></R></M>', 'record 1: "a" is there twice'),
        (f"<M><R><a>1<b>{SECRET}</b></a></R></M>", 'record 1: "a" has elements in it'),
        (f'<M><R id="{SECRET}"><a>1</a></R></M>', 'record 1: "R" has an attribute, "id"'),
        (f'<M><R/><R><a unit="{SECRET}">1</a></R></M>', 'record 2: "a" has an attribute, "unit"'),
        (f"<M><R>{SECRET}<a>1</a></R></M>", "record 1: the record has text that is not in a variable"),
        (f"<M><R><a>1</a>{SECRET}</R></M>", "record 1: the record has text that is not in a variable"),
        (f"<M><R><a>1</a></R>{SECRET}</M>", "t.xml: there is text between the records"),
    ],
)
def test_what_is_not_a_table_is_refused_without_a_value(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read_text(tmp_path, text)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_value_has_a_longest_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_microdata, "LONGEST", 50)
    assert read_text(tmp_path, f"<M><R><a>{'x' * 50}</a></R></M>")["a"].tolist() == ["x" * 50]
    with pytest.raises(ReadError, match='record 1: "a" has a value of more than 50 characters'):
        read_text(tmp_path, f"<M><R><a>{'x' * 51}</a></R></M>")
    with pytest.raises(ReadError, match="more than 50 characters"):
        read_text(tmp_path, f"<M><R><a>{'&lt;' * 51}</a></R></M>")


def test_records_that_have_no_variable_in_common_are_not_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def document(records: int) -> str:
        return f"<M>{''.join(f'<R><v{row}/></R>' for row in range(records))}</M>"

    assert read_text(tmp_path, document(90)).shape == (90, 90)
    monkeypatch.setattr(xml_microdata, "ALWAYS_FINE", 0)
    with pytest.raises(ReadError, match=r"is not a table: its first \d+ records have \d+ variables"):
        read_text(tmp_path, document(90))


def test_variables_have_a_largest_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_microdata, "MOST_VARIABLES", 3)
    assert read_text(tmp_path, "<M><R><a/><b/><c>1</c></R></M>").shape == (1, 3)
    with pytest.raises(ReadError, match="more than 3 variables"):
        read_text(tmp_path, "<M><R><a/><b/><c>1</c></R><R><d/></R></M>")


def test_options_of_csv_files_do_not_apply(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="encoding does not apply to XML files"):
        read_table(tmp_path / "t.xml", encoding="latin-1")


# Writing --------------------------------------------------------------------------------------------------------


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


# Names ----------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("element", "name"),
    [
        ("soț", "soț"),
        ("a_x0001F600_", "a😀"),
        ("_xD800_", "_xD800_"),
        ("_xFFFFFFFF_", "_xFFFFFFFF_"),
        ("_x20_", "_x20_"),
    ],
)
def test_names_that_others_wrote(tmp_path: Path, element: str, name: str) -> None:
    frame = read_text(tmp_path, f"<M><R><{element}>1</{element}></R></M>")
    assert list(frame.columns) == [name]
    write_table(frame, tmp_path / "again.xml")
    assert list(read_table(tmp_path / "again.xml").columns) == [name]


def test_a_column_without_a_name_gets_the_one_it_gets_in_a_csv_file(tmp_path: Path) -> None:
    written(tmp_path, pd.DataFrame([[1, 2]], columns=["a", ""]))
    assert list(read_table(tmp_path / "t.xml").columns) == ["a", "column 2"]
    with pytest.raises(WriteError, match="no name, and the one it would get is taken"):
        write_table(pd.DataFrame([[1, 2]], columns=["column 2", ""]), tmp_path / "u.xml")


# There and back -------------------------------------------------------------------------------------------------

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
    # records of gaps from being empty lines.
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
