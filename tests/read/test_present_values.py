"""A release knows of no value but those it shows: not in its types, its labels or its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.read import as_table
from shoal.read.labels import Labels
from shoal.read.tables import LABELS_IN_ATTRS

WORDS = ["a"] * 5 + ["b"] * 6 + ["secret"]
CATEGORIES = ["b", "unused", "a", "secret"]
X = np.arange(12.0)


def pandas_frame(ordered: bool = False) -> Any:
    return pd.DataFrame({"c": pd.Categorical(WORDS, categories=CATEGORIES, ordered=ordered), "x": X})


FRAMES = {
    "pandas": pandas_frame,
    "pandas, ordered": lambda: pandas_frame(ordered=True),
    "pandas, Arrow": lambda: pd.DataFrame({"c": pd.Series(WORDS, dtype=arrow_categories()), "x": X}),
    "polars Enum": lambda: pl.DataFrame({"c": pl.Series(WORDS, dtype=pl.Enum(CATEGORIES)), "x": X}),
    "polars Categorical": lambda: pl.DataFrame({"c": pl.Series(WORDS, dtype=pl.Categorical), "x": X}),
    "Arrow": lambda: pa.table({"c": pa.array(pandas_frame()["c"]), "x": X}),
    "Arrow, ordered": lambda: pa.table({"c": pa.array(pandas_frame(ordered=True)["c"]), "x": X}),
    "Arrow, chunks": lambda: pa.concat_tables([pa.table({"c": pa.array([one]).dictionary_encode(), "x": [x]})
                                               for one, x in zip(WORDS, X, strict=True)]),
}  # fmt: skip


def arrow_categories() -> Any:
    return pd.ArrowDtype(pa.dictionary(pa.int8(), pa.large_string()))


def categories(column: Any) -> list[Any]:
    if isinstance(column, pa.ChunkedArray):
        return [one for chunk in column.chunks for one in chunk.dictionary.to_pylist()]
    if isinstance(column, pl.Series):
        return list(column.dtype.categories) if isinstance(column.dtype, pl.Enum) else column.unique().to_list()
    if isinstance(column.dtype, pd.ArrowDtype):
        return categories(pa.chunked_array([pa.array(column.array)]))
    return list(column.cat.categories)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_categories_that_no_released_record_has_are_gone(make: Any, tmp_path: Path) -> None:
    frame = make()
    release = shoal.protect(frame, 4, columns=["c", "x"])
    assert "secret" not in list(release.data["c"])  # the mode of its group is b
    assert sorted(categories(release.data["c"])) == ["a", "b"]
    assert sorted(set(WORDS)) == sorted(set(map(str, frame["c"])))  # the input is as it was
    for ending in ("parquet", "feather", "arrow", "csv", "xlsx", "xml"):
        path = tmp_path / f"release.{ending}"
        release.write(path)
        assert b"secret" not in path.read_bytes() and b"unused" not in path.read_bytes(), ending


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_unused_categories_of_a_column_that_is_released_as_it_is_are_gone_too(make: Any) -> None:
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .1.: c"):
        release = shoal.protect(make(), 4, as_is="c")
    assert "unused" not in categories(release.data["c"])


def test_the_order_and_the_type_of_categories_stay() -> None:
    kept = as_table(pandas_frame(ordered=True).iloc[:11]).only_present().to_native()["c"]
    assert list(kept.cat.categories) == ["b", "a"] and kept.cat.ordered
    arrow = as_table(FRAMES["Arrow, ordered"]().slice(0, 11)).only_present().to_native()["c"]
    assert arrow.type == pa.array(pandas_frame(ordered=True)["c"]).type
    assert arrow.chunk(0).dictionary.to_pylist() == ["b", "a"]
    assert arrow.to_pylist() == WORDS[:11]


def test_a_dictionary_with_a_missing_value_in_it_keeps_its_missing_values() -> None:
    chunks = [pa.DictionaryArray.from_arrays(pa.array(one), pa.array(["q", None, "p"])) for one in ([0, 1], [2, None])]
    kept = as_table(pa.table({"c": pa.chunked_array(chunks)})).only_present().to_native()["c"]
    assert kept.to_pylist() == ["q", None, "p", None]
    assert kept.chunk(0).dictionary.to_pylist() == ["q", "p"]


def labelled() -> pd.DataFrame:
    frame = pd.DataFrame({"job": [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3], "x": X})
    names = {"job": {1: "clerk", 2: "nurse", 3: "secret", 4: "unused"}, "x": {0.0: "unused"}}
    frame.attrs[LABELS_IN_ATTRS] = Labels(values=names).to_plain()
    return frame


@pytest.mark.parametrize("ending", ["sav", "dta", "parquet", "feather"])
def test_labels_of_values_that_no_released_record_has_are_gone(ending: str, tmp_path: Path) -> None:
    release = shoal.protect(labelled(), 4, columns=["job", "x"], kinds={"job": "nominal"})
    assert as_table(release.data).labels.values == {"job": {1: "clerk", 2: "nurse"}}
    release.write(tmp_path / f"release.{ending}")
    content = (tmp_path / f"release.{ending}").read_bytes()
    assert b"secret" not in content and b"unused" not in content


def test_the_schema_of_an_arrow_release_has_no_labels_of_absent_values(tmp_path: Path) -> None:
    shoal.write_table(labelled(), tmp_path / "labelled.parquet")
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(tmp_path / "labelled.parquet")
    assert b"secret" in table.schema.metadata[b"shoal_labels"]
    released = shoal.protect(table, 4, columns=["job", "x"], kinds={"job": "nominal"}).data
    assert b"secret" not in released.schema.metadata[b"shoal_labels"]
    assert b"nurse" in released.schema.metadata[b"shoal_labels"]


HIDDEN = 777.5  # what was there before the value was made missing


def masked_array() -> Any:
    values = pd.array(X, dtype="Float64")
    values[3] = HIDDEN
    values[3] = pd.NA
    return values


def released_as_they_are(frame: Any, k: int, as_is: list[str]) -> Any:
    if not as_is:
        return shoal.protect(frame, k, missing="keep")
    with pytest.warns(DisclosureWarning, match=f"NOT PROTECTED .{len(as_is)}.: {', '.join(as_is)}"):
        return shoal.protect(frame, k, as_is=as_is, missing="keep")


@pytest.mark.parametrize("as_is", [["hidden"], []], ids=["as it is", "protected"])
def test_nothing_is_left_beneath_a_missing_value(as_is: list[str], tmp_path: Path) -> None:
    frame = pd.DataFrame({"hidden": masked_array(), "x": X})
    release = released_as_they_are(frame, 4, as_is)
    assert HIDDEN not in release.data["hidden"].array._data
    assert release.data["hidden"].isna().tolist() == [row == 3 for row in range(12)]
    release.write(tmp_path / "release.feather")
    table = pa.ipc.open_file(tmp_path / "release.feather").read_all()
    assert np.float64(HIDDEN).tobytes() not in table["hidden"].chunk(0).buffers()[1].to_pybytes()


def test_polars_leaves_nothing_beneath_a_missing_value(tmp_path: Path) -> None:
    texts = ["long enough to be stored apart", "b", "c", "a secret of one person"] * 3
    frame = pl.DataFrame({"v": np.sqrt(X), "s": texts, "x": X})
    gone = pl.int_range(pl.len()) % 4 == 3
    frame = frame.with_columns(*(pl.when(gone).then(None).otherwise(pl.col(name)).alias(name) for name in ("v", "s")))
    for as_is in (["v", "s"], ["s"], []):
        data = released_as_they_are(frame, 3, as_is).data
        assert data.null_count().row(0) == (3, 3, 0)
        data.write_ipc(tmp_path / "data.arrow", compression="uncompressed")
        content = (tmp_path / "data.arrow").read_bytes()
        assert b"secret" not in content
        assert np.sqrt(7.0).tobytes() not in content
