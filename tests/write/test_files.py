"""Every kind of frame goes into every format, and endings that cannot be written are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from oracles.sample_tables import WRITABLE
from shoal.errors import WriteError
from shoal.read import as_table
from shoal.write import write_table
from shoal.write.files import can_be_written


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table, np.asarray])
@pytest.mark.parametrize("ending", WRITABLE)
def test_every_library_goes_into_every_format(tmp_path: Path, library: Any, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    array = np.array([[1.5, 2.0], [np.nan, 4.0]])
    if library is np.asarray:
        if ending in (".sav", ".zsav", ".dta", ".xpt"):
            with pytest.raises(WriteError, match='column name "0"'):
                write_table(array, path)
            return
        write_table(array, path)
    else:
        write_table(library({"a": array[:, 0], "b": array[:, 1]}), path)
    table = as_table(path)
    np.testing.assert_array_equal(np.column_stack([table.numbers(name) for name in table.names]), array)


@pytest.mark.parametrize("name", ["t.xls", "t.json", "t", "t.gz", "t.parquet.gz"])
def test_unknown_endings_list_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(WriteError, match=r"known are \.csv, .*\.xpt"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".por", ".sas7bdat"])
def test_formats_that_are_only_read_say_so(tmp_path: Path, ending: str) -> None:
    assert not can_be_written(ending)
    with pytest.raises(WriteError, match="can only be read"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / f"t{ending}")


@pytest.mark.parametrize("ending", WRITABLE)
def test_formats_that_are_written_are_known_to_be(ending: str) -> None:
    assert can_be_written(ending)
