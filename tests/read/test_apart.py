"""Files that crash the libraries that read them are refused, and nothing else changes."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pandas as pd
import pytest

from oracles.crafted_files import crafted_arrow
from oracles.mutated_files import mutated_files
from shoal.errors import ReadError
from shoal.read import read_table

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "mutated_files.py"


@pytest.mark.parametrize(("name", "content"), list(islice(crafted_arrow(), 0, None, 15)))
def test_arrow_data_that_point_outside_of_the_file_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "t.arrow"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=r"is damaged|does not hold one plain value|budget"):
        read_table(path)


def test_a_file_that_crashes_its_library_is_refused(tmp_path: Path) -> None:
    """Segmentation fault in pyreadstat 1.3.7."""
    path = tmp_path / "t.zsav"
    path.write_bytes(next(islice(mutated_files(".zsav", 7), 217, None))[1])
    with pytest.raises(ReadError, match="is damaged"):
        read_table(path)


@pytest.mark.slow
def test_a_few_mutated_files_of_every_format() -> None:
    """Each is read or refused in one line, in a process of its own; without --quick there are thousands."""
    command = [sys.executable, str(BENCHMARK), "--quick", "--files", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_nothing_is_imported_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd.DataFrame({"a": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    for module in ("pyarrow", "shoal", "json"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert read_table("t.parquet")["a"].tolist() == [1, 2]


def test_the_message_names_the_file_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1" * 10)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError, match=r"^t\.parquet is damaged, or not a Parquet file\.$"):
        read_table("t.parquet")
    (tmp_path / "t.sav").write_bytes(b"$FL2" * 10)
    with pytest.raises(ReadError, match=r"^t\.sav is damaged, or not an SPSS file\.$"):
        read_table("t.sav")
