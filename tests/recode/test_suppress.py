"""Local suppression of a table: what is counted, in which type it comes back, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ColumnError, ParameterError, TooFewRecordsError
from shoal.recode import suppress

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "region": pd.Categorical(["N", "N", "N", "S"]),
            "sex": [1, 1, 2, 2],
            "owner": [True, True, False, False],
            "income": [1.0, 2.0, 3.0, 4.0],
        },
        index=[7, 8, 9, 10],
    )


@pytest.mark.parametrize(("k", "cells", "sdcmicro"), [(2, 157, 157), (3, 283, 293), (5, 461, 500)])
def test_testdata_needs_no_more_cells_than_in_sdcmicro(reference_data, k, cells, sdcmicro):
    """localSuppression of sdcMicro 5.8.1 suppresses 157, 293 and 500 cells."""
    found = suppress(reference_data("testdata.csv"), KEYS, k)
    assert found.cells == sum(found.by_key.values()) == cells <= sdcmicro
    assert (found.lower_bound, found.gap) == (cells, 0.0)
    rows = found.data[KEYS].fillna(-1).to_numpy(dtype=np.int64)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    agreeing = [counts[((distinct == row) | (distinct < 0) | (row < 0)).all(axis=1)].sum() for row in distinct]
    assert min(agreeing) >= k


@pytest.mark.parametrize(("k", "most", "least"), [(2, 187, 187), (3, 357, 354), (5, 670, 622)])
def test_testdata_with_a_missing_value_as_a_category(reference_data, k, most, least):
    """At most, and at least, what an integer program found in a minute: 187 (the optimum), 357 (the optimum), 657."""
    found = suppress(reference_data("testdata.csv"), KEYS, k, missing="category")
    assert found.data.groupby(KEYS, dropna=False).size().min() >= k
    assert least <= found.lower_bound <= found.cells <= most


def test_many_combinations_of_few_records_take_seconds():
    """Programs in whole numbers over so many combinations take very long; the search without them has to be as safe."""
    rng = np.random.default_rng(0)
    keys = list("abcdef")
    table = pd.DataFrame(
        {
            key: (rng.random(2_700) ** 2 * most).astype(int).astype(str)
            for key, most in zip(keys, (5, 5, 2, 6, 3, 7), strict=True)
        }
    )
    found = suppress(table, keys, 5, missing="category")
    assert found.data.groupby(keys, dropna=False).size().min() >= 5
    assert 0 < found.lower_bound <= found.cells < 0.5 * table.size


def test_the_input_is_not_changed_and_the_rest_is_kept(table):
    before = table.copy(deep=True)
    found = suppress(table, ["region", "sex"], 2)
    pd.testing.assert_frame_equal(table, before)
    assert found.data.index.tolist() == [7, 8, 9, 10]
    assert found.data["income"].tolist() == before["income"].tolist()
    assert (found.cells, found.by_key, found.records) == (2, {"region": 1, "sex": 1}, 2)
    assert found.data["region"].isna().tolist() == [False, False, False, True]
    assert found.data["sex"].tolist()[:2] == [1, 1]


def test_types_are_kept(table):
    found = suppress(table, ["region", "sex", "owner"], 3).data
    assert found.dtypes.astype(str).to_dict() == {
        "region": "category",
        "sex": "Int64",
        "owner": "boolean",
        "income": "float64",
    }
    frame = suppress(pl.from_pandas(table), ["region", "sex", "owner"], 3).data
    assert frame.schema["sex"] == pl.Int64
    assert frame.null_count().row(0)[:3] == tuple(found[["region", "sex", "owner"]].isna().sum())
    arrow = suppress(pa.Table.from_pandas(table), ["region", "sex", "owner"], 3).data
    assert arrow.schema.field("sex").type == pa.int64()
    assert arrow.column("sex").null_count == found["sex"].isna().sum()
    array = suppress(table[["sex", "income"]].to_numpy(), ["0"], 3).data
    assert np.isnan(array[:, 0]).sum() == 4


def test_nothing_is_left_beneath_a_missing_value(table):
    """A category that nobody has any more is gone, and so is what a nullable number stored."""
    found = suppress(table, ["region", "sex"], 2).data
    assert found["region"].cat.categories.tolist() == ["N"]
    assert not found["sex"].array._data[found["sex"].isna()].any()


def test_importance_by_name_or_in_order(table):
    by_name = suppress(table, ["region", "sex"], 2, importance={"sex": 9})
    assert by_name.by_key == {"region": 2, "sex": 0}
    assert suppress(table, ["region", "sex"], 2, importance=[1, 9]).by_key == by_name.by_key
    assert by_name.cost == by_name.lower_bound == 2.0


def test_k_over_sets_of_keys():
    frame = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
    assert suppress(frame, ["a", "b"], 2).cells == 0
    assert suppress(frame, ["a", "b"], 2, subsets={1: 3}).cells == 8


def test_labels_of_a_file_are_kept(tmp_path):
    frame = pd.DataFrame({"a": [0, 0, 0, 1], "b": [1, 1, 1, 1]})
    frame.to_csv(tmp_path / "file.csv", index=False)
    found = suppress(tmp_path / "file.csv", ["a", "b"], 2)
    assert found.data["a"].isna().tolist() == [False, False, False, True]


def test_dates_are_keys_too():
    dates = pd.to_datetime(["2020-01-01", "2020-01-01", "2021-01-01"])
    found = suppress(pd.DataFrame({"born": dates, "sex": ["f", "f", "f"]}), ["born", "sex"], 2)
    assert found.by_key == {"born": 1, "sex": 0}
    assert str(found.data["born"].dtype) == str(dates.dtype)


@pytest.mark.parametrize(
    ("keys", "options", "error"),
    [
        ("region", {}, ParameterError),
        ([], {}, ParameterError),
        (["region", "region"], {}, ColumnError),
        (["regoin"], {}, ColumnError),
        (["region"], {"importance": {"sex": 2}}, ColumnError),
        (["region"], {"importance": [1, 2]}, ParameterError),
        (["region"], {"importance": {"region": -1}}, ParameterError),
        (["region"], {"importance": {"region": "high"}}, ParameterError),
        (["region"], {"importance": {"region": 1e308}}, ParameterError),
        (["region"], {"importance": 5}, ParameterError),
        (["region"], {"importance": "5"}, ParameterError),
        (["region"], {"subsets": [1]}, ParameterError),
        (None, {}, ParameterError),
        (5, {}, ColumnError),
        (["region"], {"missing": "other"}, ParameterError),
        (["region"], {"k": 0}, ParameterError),
        (["region"], {"k": 5}, TooFewRecordsError),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(table, keys, options, error):
    with pytest.raises(error) as refused:
        suppress(table, keys, **{"k": 2, **options})
    assert "\n" not in str(refused.value)


def test_suppress_is_public():
    assert shoal.recode.suppress is suppress
