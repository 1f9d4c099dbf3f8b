"""Parquet, Feather and Arrow files that pandas, polars and pyarrow wrote."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from oracles.sample_tables import LABELS, every_type
from shoal.describe import describe_table
from shoal.errors import ColumnError, ReadError
from shoal.read import as_table, read_table
from shoal.write import write_table


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
    write_table(every_type(), tmp_path / "t.parquet", labels=LABELS)
    table = as_table(pa.parquet.read_table(tmp_path / "t.parquet"))
    assert table.labels == LABELS
    assert as_table(table.replaced({}, {}, drop=["a"]).to_native()).labels.variables == {}


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_names_twice_or_no_rows_in_an_arrow_file(tmp_path: Path, ending: str) -> None:
    write = pa.parquet.write_table if ending == ".parquet" else pa.feather.write_feather
    write(pa.table({"a": pa.array([], pa.int64())}), str(tmp_path / f"none{ending}"))
    with pytest.raises(ReadError, match="no rows"):
        read_table(tmp_path / f"none{ending}")
    write(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), str(tmp_path / f"twice{ending}"))
    with pytest.raises(ColumnError, match='"a"'):
        read_table(tmp_path / f"twice{ending}")


UNUSUAL = {
    "views": pa.array(["a", "b", None] * 4).cast(pa.string_view()),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([5, 12], pa.int32()), pa.array(["a", "b"])),
    "dictionary of views": pa.array(["a", "b", None] * 4)
    .dictionary_encode()
    .cast(pa.dictionary(pa.int32(), pa.string_view())),
    "short decimals": pa.array([Decimal("1.5"), Decimal("2.5"), None] * 4, pa.decimal32(5, 2)),
    "documents": pa.array(['{"a": 1}', '{"b": 2}', None] * 4, pa.json_()),
}


@pytest.mark.parametrize("name", UNUSUAL)
@pytest.mark.parametrize("source", ["file", "table", "pandas"])
def test_unusual_arrow_types_are_read_as_plain_ones(tmp_path: Path, name: str, source: str) -> None:
    table = pa.table({"x": [float(row % 5) for row in range(12)], "a": UNUSUAL[name]})
    data: object = table
    if source == "file":
        data = tmp_path / "t.arrow"
        with pa.ipc.new_file(str(data), table.schema) as writer:
            writer.write_table(table)
    elif source == "pandas":
        data = pd.DataFrame(
            {"x": table["x"].to_pandas(), "a": pd.Series(table["a"], dtype=pd.ArrowDtype(table["a"].type))}
        )
    assert [variable.name for variable in describe_table(data)] == ["x", "a"]
    cells = as_table(data).frame["a"].to_list()
    assert [str(cell) for cell in cells if not pd.isna(cell)] == [
        str(cell) for cell in table["a"].to_pylist() if cell is not None
    ]


NESTED = {
    "list": pa.array([[1], None]),
    "struct": pa.array([{"b": 1}, None]),
    "map": pa.array([[("b", 1)], None], pa.map_(pa.string(), pa.int64())),
    "dense_union": pa.UnionArray.from_dense(
        pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32()), [pa.array([1, 2])]
    ),
    "month_day_nano_interval": pa.array([pa.MonthDayNano([1, 2, 3]), None]),
}


@pytest.mark.parametrize("kind", NESTED)
def test_columns_without_one_value_in_a_cell_are_refused_by_name(tmp_path: Path, kind: str) -> None:
    table = pa.table({"x": [1.5, 2.5], "a": NESTED[kind]})
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(
        ReadError, match=rf't\.arrow: column "a" does not hold one plain value .* \(its type is {kind}\)'
    ):
        read_table(tmp_path / "t.arrow")
