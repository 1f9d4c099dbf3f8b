"""A file that would not fit into memory is pointed to the engine that takes it; one that fits is not."""

from __future__ import annotations

import pandas as pd
import pytest

from command_line import run_shoal
from shoal.cli.large_files import suggest_engine


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame({"a": range(1_000), "b": [number / 7 for number in range(1_000)]})
    frame.to_parquet(tmp_path / "table.parquet")
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("table.parquet", "GB of memory, and there are 0: --engine dask protects it"),
        ("table.csv", "write it as Parquet"),
    ],
)
def test_a_file_that_would_not_fit_is_pointed_to_the_engine(table, capsys, name, words):
    suggest_engine(table / name, memory=10_000)
    said = capsys.readouterr()
    assert words in said.out + said.err
    assert "--engine dask" in said.out + said.err


@pytest.mark.parametrize("name", ["table.parquet", "table.csv", "nowhere.csv", "nowhere.parquet"])
def test_a_file_that_fits_or_is_not_there_is_not(table, capsys, name):
    suggest_engine(table / name, memory=2**40)
    suggest_engine(table / name)
    assert capsys.readouterr() == ("", "")


def test_a_folder_needs_the_engine(table):
    ran = run_shoal("protect", table, "-k", 5, "-o", "out.csv", cwd=table)
    assert ran.returncode == 2
    assert "is a folder. Add --engine dask" in ran.stderr
    assert ran.stderr.count("\n") == 1
