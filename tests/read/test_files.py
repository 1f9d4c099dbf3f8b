"""What all formats share when they are read: endings, files that are not there, empty and damaged files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from oracles.sample_tables import WRITABLE
from shoal.errors import ReadError, ShoalError
from shoal.read import read_table
from shoal.write import write_table

SECRET = "987654321"


@pytest.mark.parametrize("ending", [*WRITABLE, ".por", ".sas7bdat"])
def test_an_empty_file_of_any_kind(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"t{ending}").touch()
    with pytest.raises(ReadError, match="is empty"):
        read_table(tmp_path / f"t{ending}")


# A text file cut short is a text file, and a transport file does not say how many records it has.
DAMAGED = [(ending, "garbage") for ending in WRITABLE]
DAMAGED += [(ending, "truncated") for ending in WRITABLE if ending not in (".csv", ".tsv", ".txt", ".xpt")]


@pytest.mark.parametrize(("ending", "damage"), DAMAGED)
def test_a_damaged_file_of_any_kind_is_a_one_line_error(tmp_path: Path, ending: str, damage: str) -> None:
    path = tmp_path / f"t{ending}"
    if damage == "garbage":
        path.write_bytes(np.random.default_rng(0).bytes(5000))
    else:
        write_table(pd.DataFrame({"a": np.arange(500) + 0.5, "s": [SECRET] * 500}), path)
        path.write_bytes(path.read_bytes()[:-900] if ending != ".csv.gz" else path.read_bytes()[:-9])
    with pytest.raises(ReadError) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_paths_that_are_not_files(tmp_path: Path) -> None:
    (tmp_path / "census.csv").write_text("a\n1\n")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ReadError, match=r'does not exist\. Did you mean "census\.csv"'):
        read_table(tmp_path / "censsu.csv")
    with pytest.raises(ReadError, match="nor does the folder"):
        read_table(tmp_path / "nowhere" / "census.csv")
    with pytest.raises(ReadError, match="is a folder"):
        read_table(tmp_path / "folder.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ReadError, match="not a regular file"):
        read_table(tmp_path / "pipe.csv")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")

    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)  # the tests may run as root, who may read everything
    with pytest.raises(ReadError, match=r"cannot be read: Permission denied\.$"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.xls", "t.json", "t", "t.gz", "t.parquet.gz"])
def test_unknown_endings_list_the_known_ones(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(ReadError, match=r"known are \.csv, .*\.sas7bdat"):
        read_table(tmp_path / name)


@pytest.fixture
def sizes(tmp_path: Path) -> Path:
    path = tmp_path / "sizes.csv"
    path.write_text("size,most,x\nsmall,large,1\nlarge,large,2\n,small,3\nsmall,small,4\n")
    return path


def test_texts_of_a_file_can_be_given_an_order(sizes: Path) -> None:
    frame = read_table(sizes, orders={"size": ["small", "middle", "large"]})
    assert frame["size"].cat.ordered and list(frame["size"].cat.categories) == ["small", "middle", "large"]
    assert frame["size"].isna().tolist() == [False, False, True, False]
    assert frame["most"].dtype == read_table(sizes)["most"].dtype


@pytest.mark.parametrize(
    ("orders", "said"),
    [
        ({"size": ["small"]}, '1 values of "size" are not in its order'),
        ({"sise": ["small", "large"]}, 'no column "sise". Did you mean "size"'),
        ({"x": ["1", "2"]}, '"x", which is no column of text'),
        ({"size": ["small", "large", "small"]}, "must list every category once"),
        ({"size": "small<large"}, "must list every category once"),
        ({"size": [1, 2]}, "must list every category once"),
    ],
)
def test_an_order_that_does_not_fit_the_column_is_refused(sizes: Path, orders: dict, said: str) -> None:
    with pytest.raises(ShoalError, match=said):
        read_table(sizes, orders=orders)
