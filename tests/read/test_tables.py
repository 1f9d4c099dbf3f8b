"""One table from every kind of frame, and back to the same kind."""

from __future__ import annotations

import hashlib
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ColumnError, DataError, ParameterError
from shoal.read import Labels, Table, as_table, read_table
from shoal.write import write_table

NAN = math.nan


def with_index() -> pd.DataFrame:
    frame = pd.DataFrame(
        {1: [10, 20, 30, 40], 2.5: [1.5, NAN, 3.5, 4.5], "s": ["a", None, "c", "d"]},
        index=pd.Index([7, 7, 3, 1], name="household"),
    )
    frame.columns.name = "variables"
    frame.attrs = {"mine": {"note": 1}}
    return frame


def nullable() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "1": pd.array([10, None, 30, 40], dtype="Int64"),
            "2.5": pd.array([1.5, None, 3.5, 4.5], dtype="Float64"),
            "s": pd.array(["a", None, "c", "d"], dtype="string"),
        }
    )


def arrow_backed() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "1": pd.array([10, None, 30, 40], dtype=pd.ArrowDtype(pa.int64())),
            "2.5": pd.array(
                [Decimal("1.5"), None, Decimal("3.5"), Decimal("4.5")], dtype=pd.ArrowDtype(pa.decimal128(5, 1))
            ),
            "s": pd.Categorical(["a", None, "c", "d"], categories=["d", "c", "a"], ordered=True),
        },
        index=list("wxyz"),
    )


def objects() -> pd.DataFrame:
    return pd.DataFrame(
        {"1": [10, None, 30, 40], "2.5": [Decimal("1.5"), None, 3.5, 4.5], "s": ["a", None, "c", "d"]}, dtype=object
    )


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "1": [10, None, 30, 40],
            "2.5": [1.5, NAN, None, 4.5],
            "s": pl.Series(["a", None, "c", "d"], dtype=pl.Enum(["d", "c", "a"])),
            "c": pl.Series(["a", None, "c", "d"], dtype=pl.Categorical),
        }
    )


def arrow_table() -> pa.Table:
    return pa.table(
        {
            "1": pa.chunked_array([[10, None], [30, 40]], pa.int16()),
            "2.5": [1.5, NAN, None, 4.5],
            "s": pa.chunked_array(
                [pa.array(["a", None]).dictionary_encode(), pa.array(["c", "d"]).dictionary_encode()]
            ),
        }
    ).replace_schema_metadata({"mine": "note"})


FRAMES: list[Callable[[], Any]] = [with_index, nullable, arrow_backed, objects, polars_frame, arrow_table]
frames = pytest.mark.parametrize("make", FRAMES, ids=lambda make: make.__name__)


def cells(native: Any, column: Any) -> list[Any]:
    """Return a column as a list, None for null and "NaN" for NaN where the library tells them apart."""
    if isinstance(native, pd.DataFrame):
        return [None if pd.isna(cell) else cell for cell in native[column].tolist()]
    listed = native[column].to_pylist() if isinstance(native, pa.Table) else native[column].to_list()
    return ["NaN" if isinstance(cell, float) and math.isnan(cell) else cell for cell in listed]


def same(one: Any, other: Any) -> bool:
    """Whether two frames agree in types and cells; Arrow's own comparison holds NaN different from NaN."""
    names = one.column_names if isinstance(one, pa.Table) else one.columns
    return one.schema == other.schema and all(cells(one, name) == cells(other, name) for name in names)


@frames
def test_numbers_and_missing_values(make: Callable[[], Any]) -> None:
    table = as_table(make())
    assert table.names[:3] == ["1", "2.5", "s"]
    assert len(table) == 4
    np.testing.assert_array_equal(table.missing("s"), [False, True, False, False])
    assert table.is_numeric("1")
    assert table.is_numeric("2.5")
    assert not table.is_numeric("s")
    assert not table.is_integer("2.5")
    numbers = table.numbers("2.5")
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(np.isnan(numbers), table.missing("2.5"))
    assert numbers[0] == 1.5
    assert numbers[3] == 4.5
    assert table.numbers("1")[[0, 2, 3]].tolist() == [10, 30, 40]


@frames
def test_nothing_replaced_gives_the_same_back(make: Callable[[], Any]) -> None:
    native = make()
    back = as_table(native).replaced({}, {}).to_native()
    assert type(back) is type(native)
    if isinstance(native, pd.DataFrame):
        pd.testing.assert_frame_equal(back, native)
        assert back.attrs == native.attrs
    else:
        assert same(back, native)


@frames
def test_replaced_keeps_missing_values_types_order_and_the_original(make: Callable[[], Any]) -> None:
    native, untouched = make(), make()
    table = as_table(native)
    new = np.array([0.1, 0.2, 0.3, 0.4])
    taken = np.array([3, 3, 1, 0])
    back = table.replaced({"1": new, "2.5": new}, {"s": taken}).to_native()
    first, second = (1, 2.5) if make is with_index else ("1", "2.5")
    assert cells(back, first) == [
        None if old is None else value for old, value in zip(cells(native, first), new, strict=True)
    ]
    assert cells(back, second) == [
        old if old in (None, "NaN") else value for old, value in zip(cells(native, second), new, strict=True)
    ]
    assert cells(back, "s") == ["d", "d", None, "a"]
    if isinstance(native, pd.DataFrame):
        assert back["s"].dtype == native["s"].dtype
        pd.testing.assert_index_equal(back.index, native.index)
        pd.testing.assert_index_equal(back.columns, native.columns)
        pd.testing.assert_frame_equal(native, untouched)
    else:
        assert back["s"].dtype == native["s"].dtype if isinstance(native, pl.DataFrame) else True
        assert same(native, untouched)
    if isinstance(native, pa.Table):
        assert back.schema.field("s").type == native.schema.field("s").type
        assert back.schema.metadata == native.schema.metadata


def test_computed_columns_stay_in_their_family_of_floats() -> None:
    new = np.array([0.1, 0.2, 0.3, 0.4])
    assert as_table(nullable()).replaced({"1": new}, {}).to_native()["1"].dtype == "Float64"
    assert as_table(arrow_backed()).replaced({"1": new}, {}).to_native()["1"].dtype == "double[pyarrow]"
    assert as_table(with_index()).replaced({"1": new}, {}).to_native()[1].dtype == "float64"
    assert as_table(arrow_table()).replaced({"1": new}, {}).to_native().schema.field("1").type == pa.float64()


@frames
def test_drop_and_rows(make: Callable[[], Any]) -> None:
    table = as_table(make())
    dropped = table.replaced({}, {}, drop=["2.5"])
    assert dropped.names == [name for name in table.names if name != "2.5"]
    few = dropped.rows(np.array([2, 0])).to_native()
    assert cells(few, "s") == ["c", "a"]
    if isinstance(few, pd.DataFrame):
        pd.testing.assert_index_equal(few.index, pd.RangeIndex(2))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_arrays(dtype: str) -> None:
    array = np.array([[1, 0], [1, 1], [0, 1]], dtype=dtype)
    table = as_table(array)
    assert table.names == ["0", "1"]
    back = table.to_native()
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    changed = table.replaced({"0": np.array([0.5, 0.5, 0.5]), "1": np.array([1.5, 1.5, 1.5])}, {}).to_native()
    assert changed.dtype == (np.float32 if dtype == "float32" else np.float64)
    assert changed.shape == (3, 2)


def test_a_lazy_frame_is_told_to_collect() -> None:
    with pytest.raises(ParameterError, match=r"\.collect\(\)"):
        as_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("bad", [None, 5, {"a": [1]}, [[1, 2]], object(), pd.Series([1, 2])])
def test_anything_else_is_refused_with_what_is_accepted(bad: Any) -> None:
    with pytest.raises(ParameterError, match="must be a pandas, polars or Arrow table, a 2-D NumPy array, or the path"):
        as_table(bad)


@pytest.mark.parametrize(
    "bad", [np.arange(3), np.zeros((2, 2, 2)), np.ma.zeros((2, 2)), np.zeros((2, 2), dtype=complex)]
)
def test_arrays_that_are_no_tables_are_refused(bad: Any) -> None:
    with pytest.raises(ParameterError):
        as_table(bad)


def test_names_twice_are_refused_also_when_only_their_text_is_the_same() -> None:
    with pytest.raises(ColumnError, match='more than once: "1"'):
        as_table(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(ColumnError, match='"a"'):
        as_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_columns_in_levels_are_refused() -> None:
    with pytest.raises(ColumnError, match="2 levels"):
        as_table(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])))


@pytest.mark.parametrize(
    "empty", [pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), np.zeros((0, 2)), np.zeros((2, 0))]
)
def test_empty_tables_are_refused(empty: Any) -> None:
    with pytest.raises(DataError, match=r"no (columns|rows)"):
        as_table(empty)


def test_unknown_columns_and_wrong_lengths() -> None:
    table = as_table(pd.DataFrame({"income": [1.0, 2.0]}))
    with pytest.raises(ColumnError, match='Did you mean "income"'):
        table.numbers("incme")
    with pytest.raises(ColumnError):
        table.replaced({}, {}, drop=["x"])
    with pytest.raises(ParameterError):
        table.replaced({"income": np.zeros(3)}, {})
    with pytest.raises(ParameterError):
        table.replaced({"income": np.zeros(2)}, {"income": np.zeros(2, dtype=int)})


def test_fingerprints(tmp_path: Path) -> None:
    """A file's fingerprint is the SHA-256 of its bytes by hashlib; a frame's depends on everything in it."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    table = as_table(path)
    assert table.fingerprint() == hashlib.sha256(path.read_bytes()).hexdigest()
    assert table.rows(np.array([1, 0])).fingerprint() != table.fingerprint()
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [0.5, NAN]})
    mark = as_table(frame).fingerprint()
    assert mark == as_table(frame.copy()).fingerprint()
    assert mark == as_table(pl.DataFrame({"a": [1, 2], "b": ["x", None], "c": [0.5, None]})).fingerprint()
    others = [
        frame.rename(columns={"a": "A"}),
        frame.astype({"a": "float64"}),
        frame.assign(a=[2, 1]),
        frame.assign(b=["x", ""]),
        frame.assign(b=["x", "y"]),
        frame.assign(c=[0.5, 0.0]),
        frame[["b", "a", "c"]],
        frame.iloc[:1],
        frame.assign(b=pd.Categorical(["x", None], categories=["x", "z"])),
    ]
    assert len({mark, *(as_table(other).fingerprint() for other in others)}) == len(others) + 1


@frames
def test_every_frame_has_a_fingerprint_and_can_be_copied_to_another_process(make: Callable[[], Any]) -> None:
    table = as_table(make())
    assert len(table.fingerprint()) == 64
    assert pickle.loads(pickle.dumps(table)).fingerprint() == table.fingerprint()


def test_labels_travel_in_attrs_and_shrink_with_the_columns(tmp_path: Path) -> None:
    labels = Labels(variables={"a": "Age", "b": "Size"}, values={"b": {1: "one"}}, file="survey")
    write_table(pd.DataFrame({"a": [1, 2], "b": [1, 1]}), tmp_path / "t.parquet", labels=labels)
    frame = read_table(tmp_path / "t.parquet")
    table = as_table(frame[frame["a"] > 0])
    assert table.labels == labels
    assert table.replaced({}, {}, drop=["b"]).labels == Labels(variables={"a": "Age"}, file="survey")
    dropped = table.replaced({}, {}, drop=["b"]).to_native()
    assert as_table(dropped).labels == Labels(variables={"a": "Age"}, file="survey")


def test_a_table_stays_a_table() -> None:
    table = as_table(pd.DataFrame({"a": [1]}))
    assert as_table(table) is table
    assert isinstance(table, Table)


def test_importing_the_step_imports_no_heavy_library() -> None:
    code = (
        "import sys; import shoal.read; "
        "heavy = {'pyreadstat', 'openpyxl', 'lxml', 'polars', 'pyarrow.csv', 'pyarrow.parquet', 'pyarrow.compute'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    # -I and a bare path: what other tests and the site imported must not count.
    path = [one for one in sys.path if one]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_what_pandas_wrote_into_the_schema_of_an_arrow_table_fits_the_release() -> None:
    frame = pd.DataFrame(
        {
            "years": pd.array([30, 41, 52, 63, 74, None], dtype="Int64"),
            "day": pd.PeriodIndex(["2020-01-01", "2021-01-01", "2022-01-01"] * 2, freq="D"),
            "town": pd.Categorical(["A", "B"] * 3, categories=["A", "B", "nowhere"]),
            "zip": pd.array(["12", "13"] * 3, dtype="string"),
        },
        index=pd.Index(["first", "second"] * 3, name="half"),
    )
    release = shoal.protect(pa.Table.from_pandas(frame), 2, kinds={"day": "nominal"}, missing="keep")
    back = release.data.to_pandas()
    assert back["years"].dtype == float
    assert back["years"].isna().sum() == 1
    assert back["zip"].dtype == "string"
    assert back.index.name == "half"
    assert b'"num_categories": 3' not in release.data.schema.metadata[b"pandas"]
    unread = pa.table({"x": range(6)}).replace_schema_metadata({b"pandas": b"[]", b"by": b"me"})
    assert as_table(unread).to_native().schema.metadata == {b"by": b"me"}
