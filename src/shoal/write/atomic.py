"""Files that are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import WriteError, nearest_name_hint
from shoal.interrupts import hold, let_go, refuse_after_signal
from shoal.write.temporary_files import sweep, temporary_beside

__all__ = ["permissions_at", "reason_of", "replacing"]

_open: list[Path] = []  # the files of the blocks that are being carried out
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def replacing(path: str | os.PathLike[str], *, owner_only: bool = False) -> Iterator[Path]:
    """Give a temporary file beside `path` to write to, and put it in the place of `path` if the block succeeds.

    If anything goes wrong, be it a full disk, an error, Ctrl-C or SIGTERM in the block, the temporary file is removed
    and the file that was at `path` before is still there. A process that is killed leaves the old file whole too, and
    at worst a temporary file, which is removed when the next file is written to that folder. Nobody but the
    owner can read it meanwhile. A link stays a link, and the file it leads to is replaced.

    Of blocks within each other, the inner file takes its place first; a signal in between waits for the outer one.

    Parameters
    ----------
    path
        The file to replace.
    owner_only
        Whether nobody but the owner may read the file, whatever may be read there now: for plans and what else is as
        confidential as the input. Otherwise an existing file keeps its permissions, and a new one gets the usual ones.

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
    existing = permissions_at(shown)
    sweep(target.parent)
    _open.append(target)
    try:
        with temporary_beside(target) as temporary:
            yield temporary
            temporary.chmod(0o600 if owner_only else _usual_permissions() if existing is None else existing)
            _flush_to_disk(temporary)
            refuse_after_signal()
            hold()
            temporary.replace(target)
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(f"{shown} was not written: {reason_of(error)}.") from None
    except UnicodeEncodeError:  # of the name of an input, or of the column of a frame
        raise WriteError(
            f"{shown} was not written: it would have to name a file, a folder or a column whose name is not text. "
            "Rename that first."
        ) from None
    finally:
        _open.remove(target)
        if not _open:
            let_go()
    with suppress(OSError):  # not every file system can flush a folder, and the file is already in place
        _flush_to_disk(target.parent)


def permissions_at(shown: Path) -> int | None:
    """Return the permissions of the file at a path, None if there is none; WriteError if none can be written there."""
    try:
        str(shown).encode()
    except UnicodeEncodeError:
        raise WriteError(f"{shown} was not written: its name is not UTF-8. Give another name.") from None
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
        raise WriteError(f"{shown} was not written: {reason_of(error)}.") from None
    if stat.S_ISDIR(status.st_mode):
        raise WriteError(f"{shown} was not written: it is a folder; give the name of a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{shown} was not written: it is not a regular file.")
    _refuse_read_only(shown, target.parent)  # a new file takes the place of this one
    return stat.S_IMODE(status.st_mode)


def _refuse_read_only(shown: Path, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise WriteError(f"{shown} was not written: you may not write to the folder {folder}.")


def reason_of(error: OSError) -> str:
    """Return why the system refused something, for a message."""
    if error.errno in _FULL:
        return "the disk is full, or your quota of it. Free some space, or write elsewhere"
    # The system's own sentence for the number; the text of an error may come from a library and quote data.
    return os.strerror(error.errno) if error.errno else "the system refused a write"


def _usual_permissions() -> int:
    umask = os.umask(0o077)  # it can only be read by setting it; meanwhile other threads make files too private
    os.umask(umask)
    return 0o666 & ~umask


def _flush_to_disk(path: Path) -> None:
    # Windows flushes only what is open for writing; a folder can only be opened for reading.
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
