"""Temporary files beside the files they will become: the owner's, locked while in use, removed whatever happens."""

from __future__ import annotations

import atexit
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nothing is locked and so nothing swept
    fcntl = None  # type: ignore[assignment]

__all__ = ["locked", "sweep", "temporary_beside"]

_OURS = re.compile(r"\.shoal-[0-9a-f]{12}(\..*)?", re.DOTALL)
_in_use: set[Path] = set()  # for an interrupt where no `finally` is in force, between two lines


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """Make an empty file beside `target` that only its owner can read, and remove it if it is still there afterwards.

    The lock on it ends with the process, however that ends: what `sweep` can lock is a file that nobody writes.
    """
    # The ending stays, two parts of it for .csv.gz: some libraries choose the format by it.
    ending = "".join(target.suffixes[-2:])
    temporary, descriptor = _new_file(target.parent, ending)
    while locked(descriptor) is False or not os.fstat(descriptor).st_nlink:
        os.close(descriptor)  # swept by another process before it was locked
        temporary, descriptor = _new_file(target.parent, ending)
    try:
        if fcntl is None:
            os.close(descriptor)  # Windows renames no open file
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink()
        if fcntl is not None:
            os.close(descriptor)
        _in_use.discard(temporary)


def sweep(folder: Path) -> None:
    """Remove the temporary files that processes of this user left in a folder when they were killed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_left(entry.path)


def _remove_if_left(path: str) -> None:
    if fcntl is None:
        return
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and locked(descriptor):
            os.unlink(path)  # noqa: PTH108
    finally:
        os.close(descriptor)


def _new_file(folder: Path, ending: str) -> tuple[Path, int]:
    path = folder / f".shoal-{secrets.token_hex(6)}{ending}"
    _in_use.add(path)  # before it is there
    try:
        return path, os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError:
        _in_use.discard(path)
        raise


def locked(descriptor: int) -> bool | None:
    """Lock a file; False if another process has, None if the system cannot."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@atexit.register
def _remove_all() -> None:
    for path in _in_use:
        with suppress(OSError):
            path.unlink()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_use.clear)  # they are the parent's
