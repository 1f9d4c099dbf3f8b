"""Write a table to a file, and say beforehand whether that can be done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.errors import WriteError
from shoal.read import Labels, Table, as_table
from shoal.read.files import identity_of
from shoal.write.atomic import permissions_at, replacing
from shoal.write.files import writer_for

__all__ = [
    "refuse_targets",
    "refuse_to_overwrite",
    "refuse_unwritable",
    "write_table",
    "writing_table",
]

# What each file is, for messages, its path, None for one that is not wanted, and how its name has to end: None for a
# table, which ends as one of the formats. Texts of rules and names of columns are in all of them, so that none may have
# the name of a file that a shell or another program reads.
Targets = Iterable[tuple[str, str | os.PathLike[str] | None, str | None]]


def write_table(
    data: Any, path: str | os.PathLike[str], *, labels: Labels | None = None, owner_only: bool = False
) -> None:
    """Write a table to a file, in the format that its name ends in; a file that was there is replaced whole.

    Parameters
    ----------
    data : Table, pandas, polars or Arrow table, or 2-D array
        The index of a pandas frame is not written; ``reset_index()`` makes columns of it.
    path : str or PathLike
        The endings `read_table` knows, except .por and .sas7bdat, which can only be read.
    labels : Labels, optional
        By default those the data carry. Kept as far as the format can hold them: in full by Parquet, Feather,
        Arrow and SPSS; by Stata without measures and without value labels on text or fractions; by .xpt
        without value labels and measures; not at all by CSV, Excel and XML.
    owner_only : bool
        Whether nobody but you may read the file; otherwise it is as readable as any file you make, or as the one
        that was there.

    Raises
    ------
    WriteError
        The file was not written, and the file that was at `path` before is still there.
    """
    with writing_table(data, path, labels=labels, owner_only=owner_only):
        pass


@contextmanager
def writing_table(
    data: Any, path: str | os.PathLike[str], *, labels: Labels | None = None, owner_only: bool = False
) -> Iterator[Path]:
    """Write a table as `write_table` does, and give the whole file before it takes its place, when the block ends."""
    target = Path(path)
    write = writer_for(target)
    table = as_table(data)
    refuse_to_overwrite(table, target)
    kept = (table.labels if labels is None else labels).only(table.names)
    with replacing(target, owner_only=owner_only) as temporary:
        write(table.frame, kept, temporary)
        yield temporary


def refuse_to_overwrite(source: Table, target: str | os.PathLike[str]) -> None:
    """Raise WriteError if `target` is the file that `source` was read from, by path, symbolic link or hard link."""
    if source.identity and source.identity == identity_of(target):
        raise WriteError(
            f"{target} is the file the data were read from; shoal never overwrites its input. Write to another file."
        )


def refuse_unwritable(path: str | os.PathLike[str], ending: str | None) -> None:
    """Raise WriteError if no file can be written at `path`, or none of its kind under such a name.

    Parameters
    ----------
    path
        Where a file is to be written.
    ending
        How its name has to end, such as ".html"; "" if that does not matter, None for a table, which has a format.
    """
    if ending is None:
        writer_for(Path(path))
    elif ending and Path(path).suffix.lower() != ending:
        raise WriteError(f"{path} was not written: its name has to end in {ending}.")
    permissions_at(Path(path))


def refuse_targets(
    source: Table | None, targets: Targets, *, read: Iterable[tuple[str, str | os.PathLike[str] | None]] = ()
) -> None:
    """Raise WriteError if several files cannot all be written, before any work is done.

    Parameters
    ----------
    source
        The table that was read; its file is not overwritten. None where a folder was read.
    targets
        What each file is, for messages, its path, None for one that is not wanted, and how its name has to end.
    read
        The other files that are read: what each is, and its path. They are not overwritten either.
    """
    taken = {_mark(path): f"{what} that is read" for what, path in read if path is not None}
    for what, target, ending in targets:
        if target is None:
            continue
        if source is not None:
            refuse_to_overwrite(source, target)
        other = taken.setdefault(_mark(target), what)
        if other != what:
            raise WriteError(f"{target} cannot be both the {other} and the {what}. Give the {what} another name.")
        refuse_unwritable(target, ending)


def _mark(path: str | os.PathLike[str]) -> str:
    """Return what no other file has: names of one file may differ by case, or be links."""
    return identity_of(path) or str(Path(path).resolve())
