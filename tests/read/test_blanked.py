"""Cells that are made missing, in every type that a library has; everything else stays."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from oracles.native_tables import STORAGES, plain_cells, types
from shoal.read import as_table

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NULLABLE = {"int64": "Int64", "int16": "Int16", "bool": "boolean"}
VALUES: tuple[list[Any], ...] = (["b", "a", "b", "c"], [True, False, True, True], [3, 1, 3, 2], [0.5, 2.25, 0.5, 1.0])
CASES = [
    (engine, name, cells)
    for engine, storages in STORAGES.items()
    for name, storage in storages.items()
    for cells in VALUES
    if all(map(storage.holds, cells))
]


def native(engine: str, storage: str, cells: list[Any]) -> Any:

    column = STORAGES[engine][storage].build(cells, tuple(dict.fromkeys(cells)), Random(1))
    if engine == "polars":
        return pl.DataFrame({"x": column})
    return pa.table({"x": column}) if engine == "arrow" else pd.DataFrame({"x": column})


@pytest.mark.parametrize(("engine", "storage", "cells"), CASES)
def test_the_cells_are_missing_and_the_type_stays(engine, storage, cells):
    given = native(engine, storage, cells)
    table = as_table(given).blanked({"x": np.array([False, True, False, True])}).only_present()
    after = table.to_native()
    before = plain_cells(given)["x"]
    assert plain_cells(after)["x"] == [before[0], None, before[2], None]
    wanted = types(given)["x"]
    assert types(after)["x"] == (NULLABLE.get(wanted, wanted) if engine == "pandas" else wanted)
    assert plain_cells(given)["x"] == before


def test_nothing_is_stored_beneath_and_nothing_changes_without_cells():
    table = as_table(pd.DataFrame({"x": [1, 2, 3]}))
    assert table.blanked({}) is table
    assert types(table.blanked({"x": np.zeros(3, dtype=bool)}).to_native()) == {"x": "int64"}
    blanked = table.blanked({"x": np.array([True, False, False])}).only_present().to_native()
    assert blanked["x"].array._data[0] == 0


def test_arrays_become_floats_or_objects():
    cells = {"0": np.array([True, False])}
    assert np.isnan(as_table(np.array([[1, 5], [2, 6]])).blanked(cells).to_native()[0, 0])
    assert as_table(np.array([[True], [False]])).blanked(cells).to_native()[1, 0] is False
