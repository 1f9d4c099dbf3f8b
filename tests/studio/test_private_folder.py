"""The private folder is its owner's alone, goes with its studio, and takes nothing with it that is not the studio's."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoal.studio.private_folder import private_folder, remove_left_folders

pytest.importorskip("fcntl", reason="needs locks")

HOLDER = """
import signal, sys
from shoal.interrupts import as_exceptions
from shoal.studio.private_folder import private_folder
with as_exceptions(), private_folder() as folder:
    (folder / "data").write_text("confidential")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@contextmanager
def holder() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process that has a private folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (signal.SIGINT, signal.SIGHUP)],
    )
    try:
        yield process, Path(process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_its_owner_can_look_into_it(temporary):
    umask = os.umask(0o022)
    try:
        with private_folder() as folder:
            assert folder.parent == temporary
            (folder / "file").touch()
            (folder / "sub").mkdir()
            assert (mode(folder), mode(folder / "file"), mode(folder / "sub")) == (0o700, 0o600, 0o700)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(umask)
    assert list(temporary.iterdir()) == []


def test_temporary_files_are_made_in_it_by_this_process_and_those_it_starts(temporary):
    with private_folder() as folder:
        assert folder in Path(tempfile.mkdtemp()).parents
        code = "import tempfile; print(tempfile.gettempdir())"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert folder in Path(ran.stdout.strip()).parents
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(temporary)


def test_it_is_removed_after_an_error_and_links_in_it_are_not_followed(temporary):
    precious = temporary / "precious"
    precious.mkdir()
    (precious / "file").touch()
    with pytest.raises(RuntimeError), private_folder() as folder:
        (folder / "link").symlink_to(precious)
        (folder / "tmp" / "link").symlink_to(precious / "file")
        raise RuntimeError
    assert [path.name for path in temporary.rglob("*")] == ["precious", "file"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_is_removed_when_the_process_is_asked_to_end(temporary, number):
    with holder() as (process, folder):
        assert folder.is_dir()
        process.send_signal(number)
        process.wait(timeout=30)
        assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not(temporary):
    with holder() as (killed, left), holder() as (_, alive):
        killed.kill()
        killed.wait()
        assert (left / "data").read_text() == "confidential"
        with private_folder() as own:
            assert set(temporary.iterdir()) == {alive, own}
        assert (alive / "data").exists()
        remove_left_folders()
        assert (alive / "data").exists()


def test_a_process_that_has_the_number_of_the_killed_one_keeps_nothing(temporary):
    """Whether the folder is in use is said by its lock, not by a process number, which is used again."""
    left = temporary / "shoal-studio-abcd1234"
    left.mkdir(mode=0o700)
    (left / "lock").write_text(str(os.getpid()))
    remove_left_folders()
    assert not left.exists()


def test_what_is_not_ours_stays(temporary):
    precious = temporary / "precious"
    precious.mkdir()
    (precious / "lock").touch()
    (temporary / "shoal-studio-link").symlink_to(precious)
    (temporary / "shoal-studio-file").touch()
    no_lock = temporary / "shoal-studio-nolock"
    no_lock.mkdir()
    (no_lock / "file").touch()
    linked_lock = temporary / "shoal-studio-linked"
    linked_lock.mkdir()
    (linked_lock / "lock").symlink_to(precious / "lock")
    pipe = temporary / "shoal-studio-pipe"
    pipe.mkdir()
    os.mkfifo(pipe / "lock")
    other_name = temporary / "shoal-studio-Other"
    other_name.mkdir()
    (other_name / "lock").touch()
    before = set(temporary.rglob("*"))
    remove_left_folders()
    assert set(temporary.rglob("*")) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to give a folder away")
def test_a_folder_of_another_user_stays(temporary):
    foreign = temporary / "shoal-studio-foreign"
    foreign.mkdir()
    (foreign / "lock").touch()
    os.chown(foreign, 12345, 12345)
    remove_left_folders()
    assert (foreign / "lock").exists()


def test_a_folder_left_before_it_was_locked_is_removed_if_it_is_empty(temporary):
    (temporary / "shoal-studio-empty").mkdir()
    remove_left_folders()
    assert list(temporary.iterdir()) == []
