"""A folder that tasks of one measurement share: its owner's alone, and gone with the measurement."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import WriteError
from shoal.scale.folders_of_runs import folders_of_runs, new_folder, remove_folder
from shoal.write.atomic import reason_of
from shoal.write.temporary_files import locked

__all__ = ["private_folder"]


@contextmanager
def private_folder(beside: Path) -> Iterator[Path]:
    """Make a private folder beside a file or a folder that all workers see, and remove it when the block ends.

    It is new, so that tasks of a measurement that was interrupted do not write to it. What a measurement that was
    killed left is removed when the next one begins.
    """
    path = beside.resolve().with_name(f".{beside.resolve().name}.shoal-measure")
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        path.chmod(0o700)
        lock = os.open(path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise WriteError(
            f"Workers need a folder beside {beside} to measure it: {reason_of(error)}. Copy it to where you may write."
        ) from None
    try:
        if locked(lock) is False:
            raise WriteError(f"{beside} is being measured by another run. Wait for it.")
        _remove_runs(path)
        try:
            yield new_folder(path)
        finally:
            _remove_runs(path)
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(lock)


def _remove_runs(path: Path) -> None:
    for one in folders_of_runs(path):
        remove_folder(one)
