"""Codes for a missing value are made missing, in columns of every type, and nothing else is."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import ColumnError, DescriptionWarning, ParameterError
from shoal.read import as_table
from shoal.read.labels import Labels
from shoal.recode.missing_codes import coded_missing, with_missing, written_missing_codes

CELLS = {"n": [1, -9, 3], "f": [0.5, -9.0, 99.0], "t": ["a", "-9", "x"], "b": [True, False, True]}
MAKE = {
    "pandas": pd.DataFrame,
    "pandas arrow": lambda cells: pd.DataFrame(cells).convert_dtypes(dtype_backend="pyarrow"),
    "categorical": lambda cells: pd.DataFrame(cells).astype({"t": "category"}),
    "polars": pl.DataFrame,
    "polars enum": lambda cells: pl.DataFrame(cells).with_columns(pl.col("t").cast(pl.Enum(["-9", "a", "x"]))),
    "arrow": pa.table,
    "arrow dictionary": lambda cells: pa.table(cells | {"t": pa.array(cells["t"]).dictionary_encode()}),
}


def blanked(table, codes):
    written = written_missing_codes(codes)
    return with_missing(table, coded_missing(table, written), written)


@pytest.mark.parametrize("library", MAKE)
def test_codes_become_missing(library):
    table = as_table(MAKE[library](CELLS))
    made = blanked(table, {"*": [-9], "f": ["99"], "b": ["false"]})
    assert made.cells("n").tolist() == [1, None, 3]
    assert made.cells("f").tolist() == [0.5, None, None]
    assert made.cells("t").tolist() == ["a", None, "x"]
    assert made.cells("b").tolist() == [True, None, True]
    assert table.cells("n").tolist() == [1, -9, 3]
    assert made.is_integer("n")


def test_labels_of_codes_go_with_them():
    frame = pd.DataFrame({"n": [1, 2, -9]})
    frame.attrs["shoal_labels"] = Labels(values={"n": {1: "one", -9: "no answer"}}).to_plain()
    assert blanked(as_table(frame), {"n": -9}).labels.values == {"n": {1: "one"}}


def test_without_codes_the_table_is_the_same():
    table = as_table(pd.DataFrame(CELLS))
    assert blanked(table, None) is table
    assert blanked(table, {"*": [7]}) is table


def test_codes_that_a_column_does_not_have_are_warned_of():
    table = as_table(pd.DataFrame(CELLS))
    with pytest.warns(DescriptionWarning, match='no value of "n" is one of its codes'):
        assert blanked(table, {"n": [7], "f": [-9, 8], "*": [5]}).cells("n").tolist() == CELLS["n"]


@pytest.mark.parametrize("library", ["pandas", "pandas arrow", "polars", "arrow"])
def test_dates_can_be_codes(library):
    days = pd.to_datetime(["1980-05-21", "2199-12-31", None])
    cells = {
        "day": days,
        "time": days + pd.Timedelta(hours=2),
        "date": [one and one.date() for one in [*days[:2], None]],
    }
    make = {"polars": pl.from_pandas, "arrow": pa.Table.from_pandas}.get(library, lambda frame: frame)
    frame = pd.DataFrame(cells)
    table = as_table(make(frame.convert_dtypes(dtype_backend="pyarrow") if library == "pandas arrow" else frame))
    made = blanked(table, {"day": ["2199-12-31"], "time": ["2199-12-31 02:00:00"], "date": "2199-12-31"})
    for name in cells:
        assert made.missing(name).tolist() == [False, True, True]


def test_truth_values_can_be_codes():
    assert blanked(as_table(pd.DataFrame(CELLS)), {"b": [False]}).cells("b").tolist() == [True, None, True]
    assert written_missing_codes({"b": [False]}) == {"b": ["false"]}


def test_what_is_no_code_is_refused():
    with pytest.raises(ColumnError, match='missing_codes names "income"'):
        blanked(as_table(pd.DataFrame(CELLS)), {"income": [1]})
    for codes in ([1], {"n": []}, {"n": [None]}, {"n": [[1]]}):
        with pytest.raises(ParameterError, match="missing_codes"):
            written_missing_codes(codes)


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (["12", "refused", "7"], [12, None, 7]),
        (["1.5", "refused", "-2"], [1.5, None, -2]),
        (["1.5", "refused", ""], [1.5, None, None]),
    ],
)
def test_texts_that_are_numbers_but_for_their_codes_become_numbers(tmp_path, texts, left):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{text},x\n" for text in texts))
    made = blanked(as_table(path), {"a": ["refused"]})
    assert made.is_numeric("a")
    assert made.cells("a").tolist() == left


@pytest.mark.parametrize("texts", [["012", "refused", "7"], ["12", "refused", "none"], ["1,5", "refused", "2,5"]])
def test_codes_and_other_texts_stay_texts(texts):
    made = blanked(as_table(pd.DataFrame({"a": texts})), {"a": ["refused"]})
    assert made.cells("a").tolist() == [None if text == "refused" else text for text in texts]
