"""What cannot be protected on a cluster is refused in one line, before anything is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from command_line import run_shoal
from scale.running import mixed, numbers, protected, write_parts
from shoal.errors import (
    ClusterError,
    ColumnError,
    DataError,
    MethodError,
    MissingValuesError,
    ParameterError,
    ReadError,
    ShoalError,
    TooFewRecordsError,
    WriteError,
)
from shoal.scale.cluster import Cluster
from shoal.scale.run_folder import opened

SENTINEL = "Zaphod Beeblebrox"


def refused(
    frame: pd.DataFrame | pa.Table, folder: Path, cluster: Cluster, kind: type[ShoalError], words: str, **options: Any
) -> str:
    """Check that a table is refused in one line that has some words, and that nothing is written."""
    source = write_parts(frame, folder / "in")
    with pytest.raises(kind, match=words) as caught:
        protected(source, folder / "out", cluster, **options)
    assert "\n" not in str(caught.value)
    assert SENTINEL not in str(caught.value)
    assert list(folder.iterdir()) == [source]
    return str(caught.value)


def one_machine(frame: pd.DataFrame, **options: Any) -> str:
    """Return the error of one machine for the same table."""
    with pytest.raises(ShoalError) as caught:
        shoal.protect(frame, options.pop("k", 5), seed=7, **options)
    return str(caught.value)


# Tables ------------------------------------------------------------------------------------------------------------

BROKEN = numbers(900, 2).assign(t=lambda frame: np.where(frame.index == 777, 50.0, frame["v0"] + frame["v1"]))
SAME_MESSAGE = {
    "k larger than the file": (numbers(20), {"k": 50}, TooFewRecordsError),
    "one record": (numbers(1), {}, TooFewRecordsError),
    "small stratum": (numbers(900).assign(s=["a"] * 3 + ["b"] * 897), {"strata": ["s"]}, TooFewRecordsError),
    "names": (numbers(900).assign(name=[f"{SENTINEL} {row}" for row in range(900)]), {}, DataError),
    "dates": (numbers(900).assign(day=pd.date_range("2020-01-01", periods=900)), {}, DataError),
    "missing values": (numbers(900).assign(a=np.where(np.arange(900) == 5, np.nan, 1.5)), {}, MissingValuesError),
    "no such column": (numbers(900), {"strata": ["region"]}, ParameterError),
    "no such method": (numbers(900), {"method": "magic"}, ParameterError),
    "rule that is broken": (BROKEN, {"edits": ["t = v0 + v1"]}, DataError),
    "k of one": (numbers(900), {"k": 1}, ParameterError),
}


@pytest.mark.parametrize("name", SAME_MESSAGE)
def test_the_message_is_that_of_one_machine(cluster, tmp_path, name):
    frame, options, kind = SAME_MESSAGE[name]
    assert refused(frame, tmp_path, cluster, kind, "", **options) == one_machine(frame, **options)


OTHER = {
    "infinite values": (numbers(900).assign(a=[np.inf, *range(899)]), {}, DataError, 'Column "a" has 1 infinite value'),
    "weights of zero": (numbers(900).assign(w=[0.0, *range(1, 900)]), {"weights": "w"}, DataError, "must be positive"),
    "missing weights": (
        numbers(900).assign(w=[np.nan, *range(1, 900)]),
        {"weights": "w"},
        MissingValuesError,
        "Every record needs a weight",
    ),
    "few within": (
        mixed(900),
        {"categories": "within"},
        TooFewRecordsError,
        "combinations of sex, education, region, works, rooms have fewer than 5 records",
    ),
    "rare categories": (
        mixed(900), {"recodes": {"region": "merge:rare=20"}}, ParameterError, "counts records of the whole file",
    ),
    "means of coded values": (
        mixed(900),
        {"recodes": {"income": "top-bottom:top=60000,value=mean"}},
        ParameterError,
        "counts records of the whole file",
    ),
    "swaps": (numbers(900), {"replace": "rank-swap"}, MethodError, "is not carried out on a cluster"),
    "a hidden name": (numbers(900).rename(columns={"v0": "\0row"}), {}, ReadError, "begins with the character NUL"),
    "a column of lists": (
        pa.table({"a": np.arange(900.0), "b": [[1]] * 900}), {}, ReadError, "does not hold one plain value",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_what_is_refused(cluster, tmp_path, name):
    frame, options, kind, words = OTHER[name]
    refused(frame, tmp_path, cluster, kind, words, **options)


def test_two_columns_of_one_name(cluster, tmp_path):
    table = pa.Table.from_arrays([pa.array(np.arange(900.0))] * 2, names=["a", "a"])
    refused(table, tmp_path, cluster, ColumnError, 'column names more than once: "a"')


# Folders -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path) -> Path:
    return write_parts(numbers(300), tmp_path / "in")


@pytest.mark.parametrize("named", ["region=north", "more"])
def test_a_folder_with_folders_in_it_is_refused(source, cluster, named):
    """Files partitioned by a column: those in the folders would be left out, and nobody told."""
    (source / named).mkdir()
    (source / named / "part.parquet").write_bytes((source / "part-000.parquet").read_bytes())
    with pytest.raises(ReadError, match="has folders in it") as caught:
        protected(source, source.with_name("out"), cluster)
    assert "\n" not in str(caught.value)
    assert list(source.parent.iterdir()) == [source]


def test_parts_are_known_by_their_ending_in_any_case(source, cluster):
    (source / "part-001.parquet").rename(source / "part-001.PARQUET")
    assert protected(source, source.with_name("out"), cluster).headline["records"] == 300


def write_other(folder: Path) -> Path:
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    return folder


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (lambda one: one / "out", "is the input, or inside it"),
        (lambda one: one, "is the input, or inside it"),
        (lambda one: one.parent, "has the input in it"),
        (lambda one: one / "part-000.parquet", "is the input, or inside it"),
        (lambda one: one.parent / "no" / "out", "does not exist"),
        (lambda one: Path("/"), "has the input in it"),
        (lambda one: Path(), "give the name of a folder"),
        (lambda one: Path(".."), "give the name of a folder"),
        (lambda one: write_other(one.parent / "other"), "holds other files than a release"),
        (lambda one: Path(os.devnull), "is not a folder"),
    ],
)
def test_places_that_cannot_be_written_to(source, cluster, output, words):
    before = sorted(source.parent.rglob("*"))
    target = output(source)
    with pytest.raises(WriteError, match=words) as caught:
        protected(source, target, cluster)
    assert "\n" not in str(caught.value)
    assert set(before) <= set(source.parent.rglob("*"))
    assert not list(source.parent.rglob("*shoal-run*"))


def test_a_file_in_the_place_of_the_output(source, cluster):
    target = source.with_name("out")
    target.write_text("mine")
    with pytest.raises(WriteError, match="is not a folder"):
        protected(source, target, cluster)
    assert target.read_text() == "mine"


def test_a_release_that_is_there_is_replaced_whole(source, cluster):
    target = source.with_name("out")
    target.mkdir()
    (target / "part-99999.parquet").write_bytes(b"of an older release")
    protected(source, target, cluster)
    assert not (target / "part-99999.parquet").exists()
    assert len(pd.read_parquet(target)) == 300


# The command line --------------------------------------------------------------------------------------------------


def command_refused(words: str, *arguments: object, cwd: Path) -> None:
    """Check that a command ends with one line, an exit code, and nothing new."""
    before = sorted(cwd.rglob("*"))
    ran = run_shoal("protect", *arguments, cwd=cwd)
    assert ran.returncode in (1, 2)
    assert ran.stderr.startswith("shoal: error: ")
    assert ran.stderr.count("\n") == 1
    assert words in ran.stderr
    assert sorted(cwd.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "-k", 5, "--engine", "dask", "-o", "out"], "nowhere is not there"),
        (["in", "--engine", "dask", "-o", "out"], "Say how many records must share a value"),
        (["in", "-k", 5, "--engine", "spark", "-o", "out"], 'There is no engine "spark"'),
        (["in", "-k", 5, "--workers", 2, "-o", "out"], "needs --engine dask"),
        (["in", "-k", 5, "--block-records", 200, "-o", "out"], "needs --engine dask"),
        (["in", "-k", 5, "--scheduler", "tcp://127.0.0.1:1", "-o", "out"], "needs --engine dask"),
        (["in", "-k", 5, "--engine", "dask", "--report", "in/r.html", "-o", "out"], "r.html is in in, which is read"),
        (["in", "-k", 5, "--engine", "dask", "--report", "out.plan.toml", "-o", "out"], "both the plan and the report"),
        (["in", "-k", 5, "--engine", "dask", "-o", "."], "-o needs the name of a file"),
        (["in", "-k", 5, "--engine", "dask", "-o", "in/.."], "has the input in it"),
        (["table.csv", "-k", 5, "--engine", "dask", "-o", "out"], "no Parquet file"),
        (["empty", "-k", 5, "--engine", "dask", "-o", "out"], "no files that end with .parquet"),
        (["in", "-k", 5, "--engine", "dask", "--block-records", 0, "-o", "out"], "4 or more"),
        (["in", "-k", 5, "--engine", "dask", "--block-records", 3, "-o", "out"], "4 or more"),
        (["linked", "-k", 5, "--engine", "dask", "-o", "out"], "no Parquet file"),
        (["in", "-k", 5, "--engine", "dask", "--workers", 0, "-o", "out"], "1 or more"),
        (
            ["in", "-k", 5, "--engine", "dask", "--worker-memory", "lots", "--workers", 1, "-o", "out"],
            "No workers could be",
        ),
        (["in", "-k", 5, "--engine", "dask", "--scheduler", "nonsense://x", "-o", "out"], "nonsense"),
        (["in", "-k", 5, "--engine", "dask", "--scheduler", "tcp://a:1", "--workers", 2, "-o", "out"], "workers"),
    ],
)
def test_commands_that_are_refused(source, arguments, words):
    folder = source.parent
    numbers(30).to_csv(folder / "table.csv", index=False)
    (folder / "empty").mkdir()
    (folder / "linked").mkdir()
    (folder / "linked" / "part.parquet").symlink_to(folder / "nowhere.parquet")
    command_refused(words, *arguments, cwd=folder)


def test_a_scheduler_that_does_not_answer(source, monkeypatch):
    monkeypatch.setattr("shoal.scale.cluster._PATIENCE", "1s")
    with pytest.raises(ClusterError, match="does not answer") as caught:
        protected(source, source.with_name("out"), Cluster("tcp://127.0.0.1:9"))
    assert "\n" not in str(caught.value)
    assert list(source.parent.iterdir()) == [source]


@pytest.mark.slow
def test_a_script_that_its_workers_would_start_again(source):
    """Workers import the script that started them; without a guard they would start workers too."""
    script = source.with_name("script.py")
    script.write_text(
        "from shoal.errors import ClusterError\n"
        "from shoal.scale.cluster import Cluster\n"
        "try:\n    Cluster(workers=1).__enter__()\n"
        "except ClusterError as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=240, check=False)
    assert 'in a script, start under if __name__ == "__main__".' in ran.stdout
    assert "Traceback" not in ran.stdout


@pytest.mark.slow
def test_a_scheduler_without_workers(source, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("shoal.scale.cluster._PATIENCE", "1s")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as empty,
        pytest.raises(ClusterError, match="has no workers"),
    ):
        protected(source, source.with_name("out"), Cluster(empty.scheduler_address))
    assert list(source.parent.iterdir()) == [source]


def test_without_dask_there_is_one_line_and_importing_shoal_imports_none_of_it(source):
    code = (
        "import sys; sys.modules['dask'] = None\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name in ('dask', 'distributed') else found(name, *more)\n"
        "from shoal.__main__ import main\n"
        f"sys.argv = ['shoal', 'protect', {str(source)!r}, '-k', '5', '--engine', 'dask', '-o', 'never']\n"
        "main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=source.parent)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.count("\n") == 1
    assert (
        'The engine "dask" needs dask, distributed, which are not installed: pip install "shoal[dask]".' in ran.stderr
    )
    code = "import sys, shoal, shoal.cli.app; assert not {'dask', 'distributed'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0


LINKS = {"": ".", "run-1": ".", "run-1/units": ".", "run-1/finished": ".", "before": ".", "lock": "new"}
LINKS |= {"plan.toml": "plan.toml", "decided": "plan.toml"}


@pytest.mark.parametrize("link", LINKS)
def test_a_folder_of_runs_that_came_with_a_job_leads_nowhere_else(tmp_path, link):
    """It would have its files written, and folders of these names removed, where its links lead."""
    home, runs = tmp_path / "home", tmp_path / "work" / ".out.shoal-run"
    for name in ("units", "release", "run-2", "finished/results"):
        (home / name).mkdir(parents=True)
        (home / name / "mine").write_text("mine")
    (home / "plan.toml").write_text("mine")
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    (runs / link).parent.mkdir(parents=True)
    (runs / link).symlink_to(home / LINKS[link])
    with pytest.raises(WriteError, match=r"\.out\.shoal-run is a link or has one in it"), opened(runs.parent / "out"):
        pass
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
