"""Microdata as XML: what counts as a table, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from shoal.errors import ParameterError, ReadError
from shoal.read import budget, read_table, xml_microdata
from shoal.write import write_table

SECRET = "987654321"


def read_text(folder: Path, text: str | bytes) -> pd.DataFrame:
    path = folder / "t.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_table(path)


def plain(values: Any) -> list[object]:
    return [None if pd.isna(one) else one for one in values]


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


def test_columns_are_in_the_order_they_appear_and_an_element_that_is_not_there_is_missing(tmp_path: Path) -> None:
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
    monkeypatch.setattr(xml_microdata, "LONGEST_VALUE", 50)
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
    with pytest.raises(ReadError, match=r"has at least \d+ rows and \d+ columns: .* \(--budget 2\)"):
        read_text(tmp_path, document(90))


def test_variables_have_a_largest_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "COLUMNS", 3)
    assert read_text(tmp_path, "<M><R><a/><b/><c>1</c></R></M>").shape == (1, 3)
    with pytest.raises(ReadError, match="has at least 4 columns"):
        read_text(tmp_path, "<M><R><a/><b/><c>1</c></R><R><d/></R></M>")


def test_options_of_csv_files_do_not_apply(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="encoding does not apply to XML files"):
        read_table(tmp_path / "t.xml", encoding="latin-1")


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
