"""Types and labels in Parquet, Feather and Arrow files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from oracles.sample_tables import LABELS, every_type
from shoal.errors import WriteError
from shoal.read import as_table, read_table
from shoal.write import write_table

SECRET = "987654321"


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow"])
def test_arrow_formats_keep_types_and_labels(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(every_type(), path, labels=LABELS)
    frame = read_table(path)
    pd.testing.assert_frame_equal(frame, every_type())
    labels = as_table(frame).labels
    assert labels == LABELS
    assert [type(code) for code in labels.values["a"]] == [int, float]


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_arrow_formats_agree_with_pandas_and_keep_no_path(tmp_path: Path, ending: str) -> None:
    source = tmp_path / "secret-project.csv"
    source.write_text("a,b\n1,x\n")
    path = tmp_path / f"t{ending}"
    write_table(read_table(source), path)
    assert b"secret-project" not in path.read_bytes()
    theirs = pd.read_parquet(path) if ending == ".parquet" else pd.read_feather(path)
    assert theirs.to_dict("list") == {"a": [1], "b": ["x"]}


def test_mixed_kinds_are_refused_by_arrow_formats_without_a_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"ok": [1, 2], "bad": pd.Series([SECRET, 5], dtype=object)})
    with pytest.raises(WriteError, match='column "bad" holds values of several types') as caught:
        write_table(frame, tmp_path / "t.parquet")
    assert SECRET not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_what_the_schema_of_an_arrow_table_says_is_not_written(tmp_path: Path, ending: str) -> None:
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({"r": "levels: a value that only the original has"})
    path = tmp_path / f"masked.{ending}"
    write_table(table, path)
    assert b"only the original" not in path.read_bytes()
