"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import WriteError, nearest_name_hint

__all__ = ["permissions_at", "replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary file beside `path` to write to, and put it in the place of `path` if the block succeeds.

    If anything goes wrong, be it a full disk, an error or Ctrl-C in the block, the temporary file is removed and
    the file that was at `path` before is still there. A process that is killed leaves the old file whole too,
    and at worst a temporary file whose name begins with a dot. An existing file keeps its permissions; a
    link stays a link, and the file it leads to is replaced.

    Raises
    ------
    WriteError
        The folder is missing, the target is not a file, or the system refused a write.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "plan.toml"
    ...     with replacing(target) as temporary:
    ...         _ = temporary.write_text("k = 5")
    ...     target.read_text()
    'k = 5'
    """
    shown = Path(path)
    target = Path(os.path.realpath(shown))  # renaming would otherwise replace a link, not what it leads to
    mode = permissions_at(shown)
    # The ending stays, two parts of it for .csv.gz: some libraries choose the format by it.
    temporary = target.with_name(f".shoal-{secrets.token_hex(6)}{''.join(target.suffixes[-2:])}")
    try:
        # Created with the rights of the file it will replace: a table must not be readable by more people
        # while it is being written than afterwards.
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode)
    except OSError as error:
        raise _not_written(shown, error) from None
    try:
        os.close(descriptor)
        if mode is not None:
            temporary.chmod(mode)  # the umask may have taken some away
        yield temporary
        _flush_to_disk(temporary)
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and not isinstance(error, WriteError):
            raise _not_written(shown, error) from None
        raise
    with suppress(OSError):  # not every file system can flush a folder, and the file is already in place
        _flush_to_disk(target.parent)


def permissions_at(shown: Path) -> int | None:
    """Return the permissions of the file at a path, None if there is none; WriteError if none can be written there."""
    target = Path(os.path.realpath(shown))
    try:
        status = target.stat()
    except FileNotFoundError:
        folder = target.parent
        if not folder.is_dir():
            beside = [one.name for one in folder.parent.iterdir() if one.is_dir()] if folder.parent.is_dir() else []
            hint = nearest_name_hint(folder.name, beside)
            raise WriteError(f"{shown} was not written: the folder {folder} does not exist.{hint}") from None
        _refuse_read_only(shown, folder)
        return None
    except OSError as error:
        raise _not_written(shown, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise WriteError(f"{shown} was not written: it is a folder; give the name of a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{shown} was not written: it is not a regular file.")
    _refuse_read_only(shown, target.parent)  # a new file takes the place of this one
    return stat.S_IMODE(status.st_mode)


def _refuse_read_only(shown: Path, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise WriteError(f"{shown} was not written: you may not write to the folder {folder}.")


def _flush_to_disk(path: Path) -> None:
    # Windows flushes only what is open for writing; a folder can only be opened for reading.
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _not_written(path: Path, error: OSError) -> WriteError:
    # The system's own sentence for the number; the text of an error may come from a library and quote data.
    reason = os.strerror(error.errno) if error.errno else "the system refused a write"
    return WriteError(f"{path} was not written: {reason}.")
