"""A file is replaced whole or not at all, whatever happens in between."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import shoal
from shoal.errors import WriteError
from shoal.write import atomic, replacing, write_table

OLD = "what stood here before"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(OLD)
    return path


def run_python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with shoal importable as it is here."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_the_temporary_file_stands_beside_hidden_and_with_the_ending(tmp_path: Path) -> None:
    with replacing(tmp_path / "t.csv.gz") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".")
        assert temporary.name.endswith(".csv.gz")
        temporary.write_text("new")
    assert (tmp_path / "t.csv.gz").read_text() == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv.gz"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_any_failure_leaves_the_old_file_and_nothing_else(target: Path, failure: type[BaseException]) -> None:
    with pytest.raises(failure), replacing(target) as temporary:
        temporary.write_text("half")
        raise failure
    assert target.read_text() == OLD
    assert [one.name for one in target.parent.iterdir()] == ["t.csv"]


def test_an_error_of_the_system_becomes_a_one_line_write_error(target: Path) -> None:
    with pytest.raises(WriteError, match=r"was not written: File too large\.$") as caught, replacing(target):
        raise OSError(errno.EFBIG, "what a library says")
    assert caught.value.__suppress_context__
    assert target.read_text() == OLD


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_called_a_full_disk(target: Path, number: int) -> None:
    with pytest.raises(WriteError, match=r"was not written: the disk is full, .*\.$"), replacing(target):
        raise OSError(number, "what a library says")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


def test_permissions_of_an_existing_file_stay_and_a_new_one_gets_those_of_the_umask(target: Path, open_umask) -> None:
    target.chmod(0o604)
    fresh = target.with_name("fresh.csv")
    for path, expected in ((target, 0o604), (fresh, 0o664)):
        with replacing(path):
            pass
        assert mode_of(path) == expected


@pytest.mark.parametrize("owner_only", [False, True])
def test_while_it_is_written_only_the_owner_can_read_a_file(target: Path, owner_only: bool) -> None:
    target.chmod(0o666)
    with replacing(target, owner_only=owner_only) as temporary:
        assert mode_of(temporary) == 0o600


def test_what_is_for_the_owner_only_is_so_whatever_was_there(target: Path, open_umask) -> None:
    target.chmod(0o666)
    for path in (target, target.with_name("fresh.toml")):
        with replacing(path, owner_only=True):
            pass
        assert mode_of(path) == 0o600


def test_permissions_survive_every_writer(tmp_path: Path) -> None:
    for ending in (".csv", ".csv.gz", ".parquet", ".feather", ".xlsx", ".xml", ".sav", ".zsav", ".dta", ".xpt"):
        path = tmp_path / f"t{ending}"
        path.write_text(OLD)
        path.chmod(0o604)
        write_table(pd.DataFrame({"a": [1, 2]}), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o604, ending


def test_a_link_stays_a_link(target: Path) -> None:
    link = target.with_name("link.csv")
    link.symlink_to(target)
    write_table(pd.DataFrame({"a": [1]}), link)
    assert link.is_symlink()
    assert target.read_text() == "a\n1\n"


def test_a_folder_that_is_not_there_and_a_target_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with pytest.raises(WriteError, match=r'the folder .* does not exist\. Did you mean "results"\?'):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / "result" / "t.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(WriteError, match="it is a folder"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / "folder.csv")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder.csv", "results"]


NO_TEXT = os.fsdecode(b"o\xff")  # what Python makes of a name that is not UTF-8


def test_a_name_that_is_not_text_is_refused_before_the_work(tmp_path: Path) -> None:
    refused = pytest.raises(WriteError, match=r"its name is not UTF-8\. Give another name\.$")
    with refused, replacing(tmp_path / NO_TEXT):
        raise AssertionError("the work was begun")
    data = pd.DataFrame({"x": range(6)})
    with pytest.raises(WriteError, match="its name is not UTF-8"):
        shoal.protect(data, 3, roles={"x": "key"}).write(tmp_path / f"{NO_TEXT}.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_plan_that_would_name_such_a_file_is_not_written_nor_is_its_release(tmp_path: Path) -> None:
    source = tmp_path / f"{NO_TEXT}.csv"
    source.write_text("x\n" + "1\n2\n3\n" * 2)
    release = shoal.protect(source, 3, roles={"x": "key"})
    with pytest.raises(WriteError, match=r"whose name is not text\. Rename that first\.$"):
        release.write(tmp_path / "m.csv")
    assert list(tmp_path.iterdir()) == [source]
    release.write(tmp_path / "m.csv", plan=None)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".xlsx", ".sav", ".dta", ".xml", ".xpt"])
def test_every_format_is_written_in_a_folder_of_any_name(tmp_path: Path, ending: str, monkeypatch) -> None:
    folder = tmp_path / NO_TEXT
    folder.mkdir()
    monkeypatch.chdir(folder)
    write_table(pd.DataFrame({"x": [1.0, 2.0]}), f"t{ending}")
    assert shoal.read_table(f"t{ending}")["x"].tolist() == [1.0, 2.0]


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.csv")
    with pytest.raises(WriteError, match="not a regular file"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / "p.csv")


def test_a_process_killed_in_mid_write_leaves_the_old_file_whole(target: Path) -> None:
    code = """
        import os, signal, sys
        from shoal.write import replacing
        with replacing(sys.argv[1]) as temporary:
            with temporary.open("wb") as file:
                file.write(b"half of the new" * 10_000)
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        """
    assert run_python(code, target).returncode == -signal.SIGKILL
    assert target.read_text() == OLD
    (left,) = (one for one in target.parent.iterdir() if one != target)
    assert mode_of(left) == 0o600
    with replacing(target.with_name("another.csv")):
        assert not left.exists(), "swept when the next file is written to the folder"


@pytest.mark.parametrize(
    "ending", [".csv", ".csv.gz", ".parquet", ".feather", ".xlsx", ".xml", ".sav", ".zsav", ".dta", ".xpt"]
)
def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, ending: str) -> None:
    """A limit on the size of files stands in for the full disk: the write fails in the same place."""
    target = tmp_path / f"t{ending}"
    target.write_text(OLD)
    code = """
        import resource, signal, sys
        import numpy as np, pandas as pd
        from shoal.errors import WriteError
        from shoal.write import write_table
        frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=40_000)})
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            write_table(frame, sys.argv[1])
        except WriteError as error:
            print(error)
        """
    done = run_python(code, target)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{target} was not written: ")
    assert done.stdout.count("\n") == 1
    assert target.read_text() == OLD
    assert [one.name for one in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_is_closed_is_found_before_the_work(tmp_path, monkeypatch, there):
    target = tmp_path / "out.csv"
    if there:
        target.write_text("old")
    monkeypatch.setattr(atomic.os, "access", lambda folder, mode: mode != os.W_OK)
    with pytest.raises(WriteError, match="may not write to the folder"):
        atomic.permissions_at(target)
