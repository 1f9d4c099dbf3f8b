"""No column of a type that cannot be protected is released without a word."""

from __future__ import annotations

import datetime
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.describe import describe_table
from shoal.errors import DataError, DisclosureWarning

X = np.arange(24.0) ** 2
REFUSED = {
    "complex": pd.DataFrame({"x": X, "z": X + 1j}),
    "complex objects": pd.DataFrame({"x": X, "z": pd.Series([1 + 2j] * 24, dtype=object)}),
    "timedelta": pd.DataFrame({"x": X, "z": pd.to_timedelta(np.arange(24), unit="s")}),
    "period": pd.DataFrame({"x": X, "z": pd.period_range("2020-01", periods=24, freq="M")}),
    "interval": pd.DataFrame({"x": X, "z": pd.interval_range(0, 24)}),
    "text beside numbers": pd.DataFrame({"x": X, "z": ["b", "a", None, 2.5] * 6}),
    "lists": pd.DataFrame({"x": X, "z": [[1], [2]] * 12}),
    "dictionaries": pd.DataFrame({"x": X, "z": [{"a": 1}] * 24}),
    "bytes": pd.DataFrame({"x": X, "z": [b"a", b"b"] * 12}),
    "polars lists": pl.DataFrame({"x": X, "z": [[1], [2]] * 12}),
    "polars structs": pl.DataFrame({"x": X, "z": [{"a": 1}] * 24}),
    "polars durations": pl.DataFrame({"x": X, "z": [datetime.timedelta(1)] * 24}),
    "polars objects": pl.DataFrame({"x": X, "z": pl.Series([object()] * 24, dtype=pl.Object)}),
    "Arrow lists": pa.table({"x": X, "z": pa.array([[1]] * 24)}),
    "Arrow structs": pa.table({"x": X, "z": pa.array([{"a": 1}] * 24)}),
    "Arrow maps": pa.table({"x": X, "z": pa.array([[("a", 1)]] * 24, pa.map_(pa.string(), pa.int64()))}),
    "Arrow decimal256": pa.table({"x": X, "z": pa.array([Decimal("1.5")] * 24, pa.decimal256(60, 2))}),
    "Arrow unions": pa.table(
        {"x": X, "z": pa.UnionArray.from_sparse(pa.array([0] * 24, pa.int8()), [pa.array(range(24))])}
    ),
    "Arrow intervals": pa.table({"x": X, "z": pa.array([pa.MonthDayNano([1, 2, 3])] * 24)}),
}


@pytest.mark.parametrize("frame", REFUSED.values(), ids=REFUSED)
def test_a_column_of_no_kind_is_refused_until_it_is_said_what_to_do(frame):
    with pytest.raises(DataError, match=r'1 column has to be decided .*: "z" \(values of .*as it is \(--as-is "z"\)'):
        shoal.protect(frame, 3)
    assert "z" not in shoal.protect(frame, 3, roles={"z": "identifier"}).masked
    with pytest.warns(DisclosureWarning, match=r"NOT PROTECTED \(1\): z\."):
        assert "z" in shoal.protect(frame, 3, as_is="z").masked


@pytest.mark.parametrize("frame", REFUSED.values(), ids=REFUSED)
def test_every_type_can_be_described(frame):
    assert describe_table(frame)[1].missing in (0, 6)


@pytest.mark.parametrize(
    "column",
    [
        pd.date_range("2020-01-01", periods=4).repeat(6),
        [datetime.date(2020, 1, 1 + day // 2) for day in range(24)],
        pl.Series([datetime.time(1), datetime.time(2)] * 12),
    ],
    ids=["datetime", "date objects", "time"],
)
def test_dates_and_times_are_refused_until_their_kind_is_given(column):
    make = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    frame = make({"x": X, "z": column})
    with pytest.raises(DataError, match=r'"z" \(dates or times\)'):
        shoal.protect(frame, 3)
    for kind in ("nominal", "ordinal"):
        released = shoal.protect(frame, 3, kinds={"z": kind}).masked.cells("z").tolist()
        assert min(Counter(released).values()) >= 3
        assert set(released) <= set(column)


def test_a_column_without_a_value_has_nothing_to_protect():
    assert shoal.protect(pl.DataFrame({"x": X, "z": [None] * 24}), 3).masked.names == ["x", "z"]


@pytest.mark.parametrize("values", [np.arange(24) % 3 * 1.5, np.arange(24) % 3], ids=["floats", "integers"])
def test_sparse_columns_are_protected_as_what_they_hold(values):
    sparse = pd.DataFrame({"x": X, "z": pd.arrays.SparseArray(values, fill_value=0)})
    dense = pd.DataFrame({"x": X, "z": values})
    assert shoal.protect(sparse, 3, seed=1).data.equals(shoal.protect(dense, 3, seed=1).data)
    assert isinstance(sparse["z"].dtype, pd.SparseDtype)
