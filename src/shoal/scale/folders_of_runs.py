"""Folders that tasks work in: a new one for every run, so that tasks of an earlier run that still go on do no harm.

A cluster may carry out a task long after the run that asked for it was interrupted. Such a task writes where nobody
reads, or, once its folder is removed, nowhere.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from pathlib import Path

__all__ = ["folders_of_runs", "new_folder", "remove_folder"]

_RUN, _GONE = "run-", ".gone-"


def new_folder(home: Path) -> Path:
    """Make the folder of a new run, which only its owner can read."""
    path = home / f"{_RUN}{secrets.token_hex(6)}"
    path.mkdir(mode=0o700)
    return path


def folders_of_runs(home: Path) -> list[Path]:
    """Return the folders of all runs that are there."""
    return sorted(path for path in home.glob(f"{_RUN}*") if path.is_dir())


def remove_folder(path: Path) -> None:
    """Remove a folder, renamed first: a task that is still writing to it finds it gone, and leaves nothing.

    What could not be removed before, beside it, is removed too.
    """
    with suppress(OSError):
        path.rename(path.with_name(f"{_GONE}{secrets.token_hex(6)}"))
    for one in path.parent.glob(f"{_GONE}*"):
        shutil.rmtree(one, ignore_errors=True)
