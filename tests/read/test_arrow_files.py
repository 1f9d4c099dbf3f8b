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
