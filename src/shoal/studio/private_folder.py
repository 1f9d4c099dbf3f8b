"""The folder in which a studio keeps its files: its owner's alone, and gone when the studio is.

A file in it is locked for as long as the studio lives. A folder whose lock nobody holds was left by a studio that was
killed, whatever process has its number now, and the next studio removes it.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.write.temporary_files import locked

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

__all__ = ["being_written", "private_folder", "remove_left_folders"]

_PREFIX = "shoal-studio-"
_OURS = re.compile(rf"{_PREFIX}[a-z0-9_]+")
_LOCK = "lock"
_OWN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_OWN_FILE = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_in_use: set[Path] = set()  # for an interrupt where no `finally` is in force, between two lines


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder that only its owner can enter, and remove it with everything in it at the end of the block.

    In the block, files are made readable by their owner alone, and temporary files of this process and of those it
    starts are made in the folder. Folders of studios that were killed are removed first.
    """
    remove_left_folders()
    umask = os.umask(0o077)
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    folder, lock = _new_folder()
    try:
        temporary = folder / "tmp"
        temporary.mkdir(mode=0o700)
        tempfile.tempdir = os.environ["TMPDIR"] = str(temporary)
        yield folder
    finally:
        tempfile.tempdir = before
        os.environ.pop("TMPDIR")
        if variable is not None:
            os.environ["TMPDIR"] = variable
        os.umask(umask)
        _remove(folder, lock)


def remove_left_folders() -> None:
    """Remove the folders that studios of this user left in the folder of temporary files when they were killed."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _new_folder() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        _in_use.add(folder)
        with suppress(FileNotFoundError):  # removed by another studio before it was locked
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            if locked(lock) is not False and _is_at(lock, folder / _LOCK):
                return folder, lock
            os.close(lock)
        _in_use.discard(folder)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def _remove(folder: Path, lock: int) -> None:
    if fcntl is None:
        os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)  # links in it are removed, what they point to is not
    if fcntl is not None:
        os.close(lock)  # last: until then nobody else takes the folder for one that was left
    _in_use.discard(folder)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder if it is a folder of this user and no link, and nobody holds its lock."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return
    if fcntl is None:
        (folder / _LOCK).unlink(missing_ok=True)  # fails while it is open
        shutil.rmtree(folder)
        return
    if status.st_uid != os.geteuid():
        return
    descriptor = os.open(folder, _OWN_FOLDER)
    try:
        lock = _open_lock(descriptor)
        if lock is None:  # killed before there was a lock: there is nothing else in it either, or it is not ours
            folder.rmdir()
            return
        try:
            if stat.S_ISREG(os.fstat(lock).st_mode) and locked(lock):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
    finally:
        os.close(descriptor)


def _open_lock(folder: int) -> int | None:
    try:
        return os.open(_LOCK, _OWN_FILE, dir_fd=folder)
    except FileNotFoundError:
        return None


@atexit.register
def _remove_all() -> None:
    for folder in _in_use:
        shutil.rmtree(folder, ignore_errors=True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_use.clear)  # they are the parent's


def being_written(folder: Path) -> Path:
    """Return where a folder is written before it takes its place."""
    return folder.with_name(f"{folder.name}-being-written")
