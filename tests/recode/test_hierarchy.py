"""Hierarchies: a table with one column a level."""

from __future__ import annotations

import pandas as pd
import pytest

from shoal.errors import DataError, ParameterError, ReadError
from shoal.read import as_table
from shoal.recode import Hierarchy
from shoal.recode.base import Numbers
from shoal.recode.catalogue import build_recode

ROWS = [["AT11", "AT1", "AT"], ["AT12", "AT1", "AT"], ["AT21", "AT2", "AT"], ["IT", "IT", "IT"]]


def coarser(values, source, level=1):
    made = build_recode(Hierarchy(source, level=level)).recoded(as_table(pd.DataFrame({"x": values})), "x", 2)
    return made.values.tolist() if isinstance(made, Numbers) else [None if c < 0 else made.texts[c] for c in made.codes]


def test_values_become_those_of_a_level(tmp_path):
    path = tmp_path / "nuts.csv"
    path.write_text("\n".join(["a,b,c", *(",".join(row) for row in ROWS)]))
    for source in (path, str(path), ROWS, pd.DataFrame(ROWS)):
        assert coarser(["AT12", "AT21", None], source) == ["AT1", "AT2", None]
        assert coarser(["AT12", "IT", "AT21"], source, level=2) == ["AT", "IT", "AT"]


def test_a_written_one_needs_no_file(tmp_path):
    path = tmp_path / "nuts.csv"
    path.write_text("\n".join(["a,b,c", *(",".join(row) for row in ROWS)]))
    written = build_recode(f"hierarchy:path={path},level=2").written()
    path.unlink()
    assert written == {"name": "hierarchy", "level": 2, "table": ROWS}
    assert build_recode(written).written() == written
    assert "AT" not in str(build_recode(written).public())


def test_codes_stay_whole_numbers():
    assert coarser([11, 12, 21], [[11, 1], [12, 1], [21, 2]]) == [1, 1, 2]
    assert coarser([11, 12, 21], [[11, "x"], [12, "x"], [21, "y"]]) == ["x", "x", "y"]


def test_the_codes_of_two_levels_have_nothing_to_do_with_each_other():
    """So there is no circle: 1 belongs to the group 2, and 2 to the group 1."""
    assert coarser([1, 2], [[1, 2, 1], [2, 1, 1]]) == [2, 1]


def test_values_that_are_not_in_it_are_counted_and_not_named():
    with pytest.raises(DataError, match="2 different values, of 3 records") as caught:
        coarser(["AT11", "secret", "secret", "hidden"], ROWS)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([["a", "x"], ["a", "y"]], "gives 1 value twice"),
        ([["a", "x", "1"], ["b", "x", "2"]], "at level 1, 1 entries belong to several"),
        ([["a", ""], ["b", "x"]], "empty cell in 1 row"),
        ([["a"], ["b"]], "needs two columns"),
        ([], "list of rows"),
        ([["a", "x"], ["b"]], "same length"),
        (5, "needs the path of a file, or a table"),
    ],
)
def test_tables_that_are_no_hierarchy_are_refused(rows, problem):
    with pytest.raises((DataError, ParameterError), match=problem):
        coarser(["a", "b"], rows)


def test_rows_may_be_repeated():
    assert coarser(["a"], [["a", "x"], ["a", "x"]]) == ["x"]


@pytest.mark.parametrize("level", [0, 3, -1, 1.5, "1", None])
def test_there_has_to_be_such_a_level(level):
    with pytest.raises(ParameterError, match="level"):
        build_recode({"name": "hierarchy", "table": ROWS, "level": level})


def test_it_needs_a_file_that_is_there():
    with pytest.raises(ParameterError, match="needs the path"):
        build_recode("hierarchy")
    with pytest.raises(ReadError):
        build_recode("hierarchy:path=/no/such/file.csv")


def test_cells_of_a_csv_are_texts_and_stay_what_they_are(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code,group\n1.1,01\n1.10,1\n01,NA\n", encoding="utf-8-sig")
    assert coarser(["1.10", "1.1", "01"], path) == ["1", "01", "NA"]
    written = build_recode(Hierarchy(path)).written()
    assert written["table"] == [["1.1", "01"], ["1.10", "1"], ["01", "NA"]]
    assert build_recode(written).written() == written
    path.write_text("code,group\n1,01\n2,02\n")
    assert coarser([1, 2], path) == ["01", "02"]


def test_numbers_find_the_text_of_their_value(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code;group\n1,50;a\n2.0;b\n3;c\n1e1;d\n")
    assert coarser([1.5, 2.0, 3.0, 10.0], path) == ["a", "b", "c", "d"]
    path.write_text("code,group\n1.50,a\n1.5,b\n01,c\n")
    assert coarser([1.5], path) == ["b"]
    with pytest.raises(DataError, match="1 different value, of 1 record\\."):
        coarser([1.5, 1.0], path)  # "01" is no number
    path.write_text("code,group\n1.50,a\n1.500,b\n")
    with pytest.raises(DataError, match="1 of its numbers are in several rows"):
        coarser([1.5], path)


def test_a_file_that_is_not_utf_8_needs_its_encoding(tmp_path):
    path = tmp_path / "regions.csv"
    path.write_bytes("place,region\nKöln,Süd\n".encode("latin-1"))
    with pytest.raises(ReadError, match=r"cannot be read as utf-8\. .*\(hierarchy:path=.*,encoding=latin-1\)"):
        build_recode(f"hierarchy:path={path}")
    made = build_recode(f"hierarchy:path={path},encoding=latin-1")
    assert made.written() == {"name": "hierarchy", "level": 1, "table": [["Köln", "Süd"]]}
    assert build_recode(Hierarchy(path, encoding="cp1252")).written() == made.written()
    for wrong in ("no such", "", 5):
        with pytest.raises(ParameterError, match="encoding must be"):
            build_recode({"name": "hierarchy", "path": str(path), "encoding": wrong})
    with pytest.raises(ParameterError, match="encoding is for files"):
        build_recode(Hierarchy(ROWS, encoding="latin-1"))
