"""Small files that become enormous are refused in one line, which names the option that lets them through."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from command_line import run_alone, run_shoal
from oracles.crafted_files import CRAFTED
from shoal.errors import ParameterError, ReadError
from shoal.read import budget, csv_files, read_table
from shoal.read.budget import bytes_of_text
from shoal.write import write_table

# Those that are quickly made; benchmarks/mutated_files.py reads them all.
QUICK = [
    "a row numbered 1,000,000,000",
    "a cell in column XFD",
    "300,000 cells in column XFD",
    "5,000,000 cells in one row",
    "2**31 missing values",
    "a run of 2**31",
]


@pytest.mark.parametrize("name", QUICK)
def test_a_file_made_to_be_large_is_refused(tmp_path: Path, name: str) -> None:
    ending, make = CRAFTED[name]
    path = tmp_path / f"t{ending}"
    path.write_bytes(make())
    with pytest.raises(ReadError, match=r"--budget \d+|the last of an Excel sheet"):
        read_table(path)


LONG_TEXTS = [
    "300,000 rows of 20 categories of 1,000 letters",
    "300,000 rows of 20 such categories, packed",
    "100,000 cells of one text of 100,000 letters",
]


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_a_text_counts_in_every_cell_though_the_file_holds_it_once(tmp_path: Path, name: str) -> None:
    ending, make = CRAFTED[name]
    path = tmp_path / f"t{ending}"
    path.write_bytes(make())
    with pytest.raises(
        ReadError, match=r"has texts of (at least|more than) [\d,]+ \w+ in its cells: .* \(--budget \d+\)"
    ):
        read_table(path)


@pytest.mark.parametrize("command", [["describe"], ["risk"], ["protect", "-k", 5, "-o", "out.csv"]])
def test_no_command_takes_much_for_a_file_of_repeated_texts(tmp_path: Path, command: list[object]) -> None:
    """It took 10.5 GB; refused before it is read, it takes what importing the libraries does."""
    path = tmp_path / "t.parquet"
    path.write_bytes(CRAFTED["5,000,000 rows of 20 categories of 1,000 letters"][1]())
    ran = run_alone(command[0], path, *command[1:], cwd=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "has at least 5,000,000 rows and 20 columns: more than the budget" in ran.stderr
    assert not (tmp_path / "out.csv").exists()


def test_a_file_of_categories_of_usual_length_is_read_and_stays_categories(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    towns = pd.Categorical.from_codes(
        np.arange(200_000) % 30, [f"a town with a long name, number {n}" for n in range(30)]
    )
    write_table(pd.DataFrame({"town": towns, "x": np.arange(200_000)}), path)
    frame = read_table(path)
    assert isinstance(frame["town"].dtype, pd.CategoricalDtype)
    assert bytes_of_text(pa.Table.from_pandas(frame)["town"]) == sum(map(len, frame["town"].astype(object)))


@pytest.mark.parametrize("name", ["a DOCTYPE in every part", "nested entities"])
def test_a_document_type_in_an_excel_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(CRAFTED[name][1]())
    with pytest.raises(ReadError, match="DOCTYPE"):
        read_table(path)


def test_what_unpacks_to_too_much_is_refused_and_can_be_let_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "BYTES", 1000)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 1000))
    with pytest.raises(ReadError, match=r"unpacks to more than 1,\d+ bytes: .* budget=10 \(--budget 10\)"):
        read_table(path)
    assert len(read_table(path, budget=10)) == 1000


def test_cells_of_a_packed_file_are_counted_before_they_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_files, "CELLS", 1000)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    with pytest.raises(ReadError, match="has at least 1,001 rows and 2 columns"):
        read_table(path)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xml", ".xlsx", ".sav"])
def test_columns_are_counted_in_every_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(pd.DataFrame(np.ones((2, 60)), columns=[f"c{place}" for place in range(60)]), path)
    with pytest.raises(ReadError, match=r"has at least \d+ columns: .* budget=\d+ \(--budget \d+\)"):
        read_table(path, budget=50 / budget.COLUMNS)
    assert read_table(path, budget=61 / budget.COLUMNS).shape == (2, 60)


@pytest.mark.parametrize("factor", [0, -1, float("nan"), float("inf"), True, "2", None])
def test_a_budget_is_a_positive_number(tmp_path: Path, factor: object) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    with pytest.raises(ParameterError, match=r"budget must be a number from 0\.001 to 1,000,000,000"):
        read_table(path, budget=factor)  # type: ignore[arg-type]


def test_the_command_line_and_a_plan_know_the_budget(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n3,4\n5,5\n" * 3)
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"v{place}" for place in range(100)) + "\n" + ",".join("1" * 100) + "\n")
    refused = run_shoal("describe", wide, "--budget", 50 / budget.COLUMNS)
    assert refused.returncode == 1 and "--budget 1" in refused.stderr
    outcome = run_shoal("protect", path, "-k", 3, "--budget", 2, "-o", tmp_path / "out.csv")
    assert outcome.returncode == 0, outcome.stderr
    assert "budget = 2.0" in (tmp_path / "out.csv.plan.toml").read_text()
