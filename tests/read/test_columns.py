"""One column of any library: its numbers, its missing values, and why it is not numeric."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.describe.variables import codes
from shoal.errors import DataError
from shoal.measure.risk.unchanged import unchanged
from shoal.read import as_table

NAN = math.nan


@pytest.mark.parametrize("wide", [pd.DataFrame, pl.DataFrame, pa.table])
def test_integers_beyond_the_exact_floats_are_no_obstacle(wide: Any) -> None:
    table = as_table(wide({"id": [2**60 + 1, 5]}))
    assert table.numbers("id").tolist() == [float(2**60), 5.0]
    assert table.replaced({"id": np.array([1.5, 2.5])}, {}).numbers("id").tolist() == [1.5, 2.5]


def test_a_column_without_any_value() -> None:
    for data in (pl.DataFrame({"x": [None, NAN]}), pd.DataFrame({"x": [NAN, NAN]}), pa.table({"x": [None, NAN]})):
        table = as_table(data).replaced({"x": np.array([1.0, 2.0])}, {})
        assert table.missing("x").all()


def test_truth_values_are_numbers_only_when_asked() -> None:
    table = as_table(pl.DataFrame({"b": [True, None, False]}))
    assert not table.is_numeric("b")
    np.testing.assert_array_equal(table.numbers("b"), [1.0, NAN, 0.0])


SECRET = "confidential"


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["1", SECRET, "3", SECRET], "2 of its 4 cells are not numbers, the first in row 2"),
        (["1", "2", None, SECRET], "1 of its 4 cells is not a number, the first in row 4"),
        (["007", "008"], "numbers written as text"),
        ([None, None], "no values at all"),
        (pd.Categorical([SECRET, "b"]), "its type is Categorical"),
        (pd.Categorical([SECRET, "b"], ordered=True), "its type is Categorical"),
        (pd.to_datetime(["2020-01-01"]), "its type is Datetime"),
    ],
)
def test_a_column_that_is_not_numeric_is_described_without_its_values(column: Any, message: str) -> None:
    frame = pd.DataFrame({"x": pd.Series(column)})
    with pytest.raises(DataError, match=message) as caught:
        as_table(frame).numbers("x")
    assert 'Column "x"' in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "2020" not in str(caught.value)


BEYOND = [2**53 + i % 2 for i in range(24)]
BEYOND_64_BITS = [2**64 + i for i in range(24)]
ALIKE_AS_FLOATS = {
    "int64": pd.Series(BEYOND),
    "1e16": pd.Series([10**16 + i % 2 for i in range(24)]),
    "uint64": pd.Series([2**63 + i for i in range(24)], dtype="uint64"),
    "nullable": pd.Series([None, *BEYOND[1:]], dtype="Int64"),
    "Python integers": pd.Series(BEYOND_64_BITS, dtype=object),
    "Python decimals": pd.Series([Decimal("1.00000000000000000000001"), Decimal(1)] * 12, dtype=object),
    "Arrow int64": pa.chunked_array([BEYOND]),
    "Arrow decimal128": pa.chunked_array([pa.array([Decimal(one) for one in BEYOND], pa.decimal128(30, 2))]),
    "polars Int64": pl.Series([None, *BEYOND[1:]]),
    "polars UInt64": pl.Series([2**63 + i for i in range(24)], dtype=pl.UInt64),
    "polars Int128": pl.Series(BEYOND_64_BITS, dtype=pl.Int128),
    "polars Decimal": pl.Series([Decimal(one) for one in BEYOND]),
}


def _table_with(column: Any) -> Any:
    make = {"polars": pl.DataFrame, "pyarrow": pa.table}.get(type(column).__module__.split(".")[0], pd.DataFrame)
    return make({"x": np.arange(24.0) ** 2, "big": column})


@pytest.mark.parametrize("column", ALIKE_AS_FLOATS.values(), ids=ALIKE_AS_FLOATS)
def test_numbers_that_floats_cannot_tell_apart_are_refused_as_quantities(column: Any) -> None:
    with pytest.raises(DataError, match='Column "big" has values with more digits than can be computed with'):
        shoal.protect(_table_with(column), 3, kinds={"big": "continuous"}, missing="keep")


@pytest.mark.parametrize("column", ALIKE_AS_FLOATS.values(), ids=ALIKE_AS_FLOATS)
def test_numbers_that_floats_cannot_tell_apart_are_exact_as_categories(column: Any) -> None:
    table = as_table(_table_with(column))
    cells = [cell for cell in table.column("big").to_list() if cell is not None and cell is not pd.NA]
    numbered = codes(table, "big")
    assert len(set(numbered[numbered >= 0])) == len(set(cells))
    assert (numbered < 0).sum() == 24 - len(cells)


def test_large_numbers_that_floats_tell_apart_are_quantities() -> None:
    table = _table_with(pd.Series([2**60 + i * 2**20 for i in range(24)]))
    release = shoal.protect(table, 3, kinds={"big": "continuous"})
    assert release.plan.outcome.constant == []


MINUS_ZEROS = [-0.0, 0.0, -0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
FLOATS = {
    "Arrow float16": pa.array([np.float16(one) for one in MINUS_ZEROS], pa.float16()),
    "Arrow float32": pa.chunked_array([MINUS_ZEROS[:3], [], MINUS_ZEROS[3:]], pa.float32()),
    "Arrow float64": pa.array(MINUS_ZEROS, pa.float64()),
    "pandas float16": pd.Series(MINUS_ZEROS, dtype="float16"),
    "pandas float32": pd.Series(MINUS_ZEROS, dtype="float32"),
    "pandas Float32": pd.Series(MINUS_ZEROS, dtype="Float32"),
    "pandas float[pyarrow]": pd.Series(MINUS_ZEROS, dtype="float[pyarrow]"),
    "polars Float32": pl.Series(MINUS_ZEROS, dtype=pl.Float32),
}


@pytest.mark.parametrize("column", FLOATS.values(), ids=FLOATS)
@pytest.mark.parametrize("options", [{"replace": "median"}, {"as_is": ["x"]}])
def test_minus_zero_is_released_as_zero_whatever_the_floats(column: Any, options: Any) -> None:
    make = {"polars": pl.DataFrame, "pyarrow": pa.table}.get(type(column).__module__.split(".")[0], pd.DataFrame)
    table = make({"x": column, "y": [1.0, 2.0] * 4})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a column that is released as it is
        release = shoal.protect(table, 2, kinds={"x": "continuous", "y": "continuous"}, **options)
    assert not np.signbit(as_table(release.data).numbers("x")).any()


def test_long_integers_are_counted_and_numbered_anew() -> None:
    ids = pl.Series([2**70 + place // 2 for place in range(8)], dtype=pl.Int128)
    table = pl.DataFrame({"id": ids, "x": [float(place) for place in range(8)]})
    release = shoal.protect(table, 2, unit="id", kinds={"x": "continuous"})
    assert sorted(set(release.data["id"].to_list())) == [1, 2, 3, 4]
    assert unchanged(table, table, columns=["id"]).value == 100


WORDS = ["b", "a", None, "b", "c", None, "a"]
SHARED = {
    "pandas object": pd.Series(WORDS, dtype=object),
    "pandas string[python]": pd.Series(WORDS, dtype="string[python]"),
    "pandas str": pd.Series(WORDS, dtype="str"),
    "pandas Arrow": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string())),
    "pandas dictionary": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "pandas category": pd.Series(pd.Categorical(WORDS, categories=["unused", "c", "b", "a"])),
    "polars String": pl.Series(WORDS, dtype=pl.String),
    "polars Categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars Enum": pl.Series(WORDS, dtype=pl.Enum(["unused", "c", "b", "a"])),
    "Arrow string_view": pa.array(WORDS, pa.string_view()),
    "Arrow chunks": pa.chunked_array(
        [pa.array(some, pa.string()).dictionary_encode() for some in (WORDS[:3], [], WORDS[3:])]
    ),
    "Arrow, twice and null": pa.DictionaryArray.from_arrays([0, 1, 2, 3, 4, None, 1], ["b", "a", None, "b", "c"]),
}


@pytest.mark.parametrize("column", SHARED.values(), ids=SHARED)
def test_values_of_texts_come_once_with_the_place_of_every_record(column: Any) -> None:
    make = {"polars": pl.DataFrame, "pyarrow": pa.table}.get(type(column).__module__.split(".")[0], pd.DataFrame)
    table = as_table(make({"x": column}))
    values, places = table.values_and_places("x")
    assert (values, places.tolist()) == (["b", "a", "c"], [0, 1, -1, 0, 2, -1, 1])
    assert table.cells("x").tolist() == WORDS


LONG_TEXTS = """
import resource, sys, warnings
import numpy as np, pandas as pd, polars as pl, pyarrow as pa
import shoal
from shoal.describe import describe_table
from shoal.measure.risk.keys.overview import key_risk
from shoal.read import as_table

def frame(records, letters):
    words = ["x" * letters, "y" * letters]
    codes = [np.arange(records) // step % 2 for step in (1, 2, 3)]
    columns = {f"c{n}": pd.Categorical.from_codes(own, words) for n, own in enumerate(codes)}
    wide = pd.DataFrame(columns | {"n": np.arange(records) * 37 % 1009 / 7})
    if sys.argv[1] == "pandas":
        return wide
    arrow = pa.Table.from_pandas(wide)
    return arrow if sys.argv[1] == "arrow" else pl.from_arrow(arrow)

def use(data):
    describe_table(data)
    key_risk(as_table(data), keys=["c0", "c1"], confidential=["c2"])
    shoal.recode.suppress(data, ["c0", "c1", "c2"], 2)
    release = shoal.protect(data, 5, seed=1)
    release.headline
    release.evaluate(measures=["categories_changed", "unchanged"])

warnings.simplefilter("ignore")
use(frame(20_000, 5))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
use(frame(20_000, 20_000))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("library", ["pandas", "arrow", "polars"])
def test_texts_that_records_share_are_held_once(library: str) -> None:
    """Each of the three columns has 400 MB of text, if every record has a copy of its own."""
    command = [sys.executable, "-c", LONG_TEXTS, library]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 200
