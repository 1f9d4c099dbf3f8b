"""A recoded table: the same in every library, types and labels kept as far as they can be."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import ColumnError, ShoalError
from shoal.read import as_table
from shoal.read.labels import Labels
from shoal.recode import Bands, DatePart, Hierarchy, Merge, Round, TopBottom
from shoal.recode.recoded_table import recoded_table

CELLS = {
    "age": [3, 21, 24, 97, None],
    "income": [1200.0, 2600.5, None, 90.0, 4100.0],
    "rel": ["a", "b", "c", "c", None],
    "born": ["1980-05-21", "1981-01-01", None, "1980-12-31", "1980-06-01"],
    "code": [1, 2, 3, 3, 4],
}
RECODES = {
    "age": [TopBottom(top=90), Bands(width=10, top=80)],
    "income": [Round(to=1000)],
    "rel": [Merge({"other": ["a", "b"]})],
    "born": [DatePart("year")],
    "code": [Hierarchy([[1, 1], [2, 1], [3, 2], [4, 2]])],
}
EXPECTED = {
    "age": ["0-9", "20-29", "20-29", "80+", None],
    "income": [1000.0, 3000.0, None, 0.0, 4000.0],
    "rel": ["other", "other", "c", "c", None],
    "born": [1980, 1981, None, 1980, 1980],
    "code": [1, 1, 2, 2, 2],
}
MAKE = {
    "pandas": lambda cells: pd.DataFrame(cells, index=[5, 5, 7, 1, 0]),
    "pandas nullable": lambda cells: pd.DataFrame(cells).convert_dtypes(),
    "pandas arrow": lambda cells: pd.DataFrame(cells).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": lambda cells: pd.DataFrame(cells).astype({"rel": "category"}),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "small integers": lambda cells: pl.DataFrame(cells).with_columns(pl.col("code").cast(pl.UInt8)),
}


@pytest.mark.parametrize("library", MAKE)
def test_recodes_are_the_same_in_every_library(library):
    native = MAKE[library](CELLS)
    table = as_table(native)
    before = table.fingerprint()
    made = recoded_table(table, RECODES, k=2)
    assert {name: made.table.cells(name).tolist() for name in CELLS} == EXPECTED
    assert table.fingerprint() == before and made.before is table
    assert made.table.is_integer("code") and made.table.is_integer("born")
    ordinal = "nominal" if library == "arrow" else "ordinal"  # Arrow has no type with an order
    assert made.kinds["age"] == ordinal and "rel" not in made.kinds and made.kinds["income"] == "continuous"
    if library == "pandas":
        assert made.table.to_native().index.tolist() == native.index.tolist()


def test_labels_that_no_longer_fit_are_gone():
    frame = pd.DataFrame({"age": [1, 20, 30], "sex": [1, 2, 3]})
    frame.attrs["shoal_labels"] = Labels(
        variables={"age": "Age"},
        values={"age": {1: "one"}, "sex": {1: "m", 2: "f", 3: "x"}},
        measures={"age": "scale", "sex": "nominal"},
        formats={"age": "F8.2", "sex": "F1.0"},
    ).to_plain()
    labels = recoded_table(as_table(frame), {"age": [Bands()], "sex": [Merge({"other": [2, 3]})]}, k=2).table.labels
    assert labels.variables == {"age": "Age"}
    assert labels.values == {"sex": {1: "m", 2: "other"}}
    assert labels.measures == {"age": "ordinal", "sex": "nominal"} and labels.formats == {"sex": "F1.0"}


def test_without_recodes_the_table_is_the_same():
    table = as_table(pd.DataFrame(CELLS))
    made = recoded_table(table, {}, k=2)
    assert made.table is table and not made.kinds and not made.made_missing


def test_a_column_has_to_be_there():
    with pytest.raises(ColumnError, match=r'recodes names "agee".*"age"'):
        recoded_table(as_table(pd.DataFrame(CELLS)), {"agee": [Bands()]}, k=2)


@pytest.mark.parametrize("empty", [np.nan, None, pd.NA])
@pytest.mark.parametrize("recode", ["bands", "top-bottom:top=1", "round", "merge:rare=5", "date-part:week"])
def test_columns_without_a_value_stay_so_or_are_refused(recode, empty):
    table = as_table(pd.DataFrame({"x": [empty, empty], "y": [1, 2]}))
    try:
        made = recoded_table(table, {"x": [recode]}, k=2).table
    except ShoalError:
        return
    assert made.missing("x").all()


@pytest.mark.parametrize("made", [pa.table, pl.DataFrame, lambda columns: pa.table(columns).to_pandas()])
def test_numbers_of_single_precision_keep_their_type(made):
    table = as_table(made({"x": pa.array([1.25, None, 7.5, 12.0], pa.float32())}))
    recoded = recoded_table(table, {"x": [Round(to=5)]}, k=2).table
    assert recoded.type_of("x") == table.type_of("x")
    assert recoded.numbers("x")[[0, 2, 3]].tolist() == [0.0, 10.0, 10.0] and recoded.missing("x")[1]


def test_decimals_that_a_recode_leaves_are_the_same_numbers():
    written = ["94.10", "89.21", "250.00", None]
    cells = [None if one is None else Decimal(one) for one in written]
    table = as_table(pa.table({"x": pa.array(cells, pa.decimal128(18, 2))}))
    recoded = recoded_table(table, {"x": [TopBottom(top=200)]}, k=2).table
    assert recoded.numbers("x")[:3].tolist() == [94.1, 89.21, 200.0] and recoded.missing("x")[3]
