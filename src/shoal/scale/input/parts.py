"""The parts of a file: Parquet files of one folder, cut into chunks of rows that a worker reads at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from shoal.errors import ReadError
from shoal.read.arrow_files import is_unnamed_index, plain_table, refuse_types
from shoal.read.files import refuse_duplicates
from shoal.scale.run_folder import put_away

__all__ = ["CHUNK", "Chunk", "Parts", "parts_of", "read_chunk"]

# pyarrow is imported inside functions, to keep start-up quick.

CHUNK = 250_000  # rows, about


@dataclass(frozen=True)
class Chunk:
    """Some consecutive rows of one part.

    Attributes
    ----------
    path
        The part.
    groups
        The row groups of the part that they are in.
    skipped, rows
        How many rows of these groups come before them, and how many they are.
    first
        The number of the first of them in the whole file.
    stamp
        The size of the part and when it was last changed: all that is read is of one version of it.
    """

    path: str
    groups: tuple[int, ...]
    skipped: int
    rows: int
    first: int
    stamp: tuple[int, int]


@dataclass(frozen=True)
class Parts:
    """A file in parts.

    Attributes
    ----------
    source
        The folder, or the one file.
    schema
        The Arrow schema that all parts share.
    chunks
        All rows, in the order of the parts' names.
    """

    source: Path
    schema: Any
    chunks: tuple[Chunk, ...]

    @property
    def names(self) -> list[str]:
        """The columns, without a pandas index that has no name."""
        return [name for name in self.schema.names if not is_unnamed_index(name)]

    @property
    def records(self) -> int:
        """How many rows all parts have together."""
        last = self.chunks[-1]
        return last.first + last.rows


def parts_of(source: str | os.PathLike[str], rows: int = CHUNK) -> Parts:
    """Return the parts of a folder of Parquet files, or of one such file, without reading their rows.

    Parameters
    ----------
    source
        The folder, whose files end with .parquet, or one file. Hidden files are passed over.
    rows
        How many rows a chunk has, about.

    Raises
    ------
    ReadError
        There is nothing there, a part is damaged, or parts have different columns.
    """
    folder = Path(source)
    schema, chunks, first = None, list[Chunk](), 0
    for path in _files_in(folder):
        try:
            stamp = _stamp(path)
        except OSError:  # a link to nothing
            raise _damaged(str(path)) from None
        own, groups = _footer(path)
        if schema is None:
            schema = own
            refuse_types(schema, path)
            refuse_duplicates(schema.names, path)
            _refuse_hidden(schema.names, path)
        elif not own.equals(schema):
            raise ReadError(
                f"{path} has other columns, or other types, than the parts before it. All parts of a folder need the "
                "same.",
                path=str(path),
            )
        for chunk in _chunks(path.absolute(), groups, rows):  # workers may be in another folder
            chunks.append(Chunk(*chunk, first=first, stamp=stamp))
            first += chunk[-1]
    if not chunks:
        raise ReadError(f"{folder} has no rows.", path=str(folder))
    return Parts(folder, schema, tuple(chunks))


def read_chunk(chunk: Chunk, columns: Sequence[str] | None = None) -> Any:
    """Return the rows of a chunk as an Arrow table in plain types.

    Parameters
    ----------
    chunk
        Which rows.
    columns
        Which columns; by default all but a pandas index without a name.
    """
    import pyarrow
    import pyarrow.parquet

    _refuse_changed(chunk)
    try:
        with pyarrow.parquet.ParquetFile(chunk.path) as file:
            names = columns or [name for name in file.schema_arrow.names if not is_unnamed_index(name)]
            batches = []
            before, missing = chunk.skipped, chunk.rows
            for batch in file.iter_batches(65_536, row_groups=chunk.groups, columns=list(names), use_threads=False):
                if before < batch.num_rows:
                    batches.append(batch.slice(before, missing))
                    missing -= batches[-1].num_rows
                before = max(0, before - batch.num_rows)
                if not missing:
                    break
            table = pyarrow.Table.from_batches(batches)
    except (pyarrow.ArrowException, OSError):
        _refuse_changed(chunk)
        raise _damaged(chunk.path) from None
    _refuse_changed(chunk)
    if missing:
        raise _damaged(chunk.path)
    return plain_table(table.select(names))


def _files_in(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        before = put_away(folder)
        if before is not None:
            raise ReadError(
                f"{folder} is not there: a run was killed while it put a new release in its place. The one before is "
                f"{before}. Protect the file again, or move that folder back.",
                path=str(folder),
            )
        raise ReadError(f"{folder} is not there. Name a folder of Parquet files, or one such file.", path=str(folder))
    seen = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [path for path in seen if path.suffix.lower() == ".parquet"]
    inside = [path.name for path in seen if path not in files and path.is_dir()]
    if inside:  # partitioned by a column, for instance: what is in them would be left out
        raise ReadError(
            f"{folder} has folders in it ({len(inside):,}), which are not read. Put all parts into one folder, with "
            "the columns that folders are named after.",
            path=str(folder),
        )
    if not files:
        raise ReadError(f"{folder} has no files that end with .parquet.", path=str(folder))
    return files


def _footer(path: Path) -> tuple[Any, list[int]]:
    """Return the schema of a Parquet file without what libraries note in it, and the rows of its row groups."""
    import pyarrow
    import pyarrow.parquet

    from shoal.read.arrow_files import labels_in_schema, with_labels

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            metadata = file.metadata
            groups = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
            schema = file.schema_arrow
    except (pyarrow.ArrowException, OSError):
        raise _damaged(str(path)) from None
    empty = with_labels(schema.empty_table().replace_schema_metadata(None), labels_in_schema(schema))
    return empty.schema, groups


def _chunks(path: Path, groups: Sequence[int], rows: int) -> Iterator[tuple[str, tuple[int, ...], int, int]]:
    """Yield the row groups of a part, small ones together and large ones in pieces."""
    together: list[int] = []
    for group, count in enumerate(groups):
        if together and sum(groups[one] for one in together) + count > rows:
            yield str(path), tuple(together), 0, sum(groups[one] for one in together)
            together = []
        if count > rows:
            pieces = -(-count // rows)
            bounds = [count * piece // pieces for piece in range(pieces + 1)]
            for start, end in pairwise(bounds):
                yield str(path), (group,), start, end - start
        elif count:
            together.append(group)
    if together:
        yield str(path), tuple(together), 0, sum(groups[one] for one in together)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _refuse_changed(chunk: Chunk) -> None:
    try:
        changed = _stamp(Path(chunk.path)) != chunk.stamp
    except OSError:
        raise ReadError(f"{chunk.path} is not there any more.", path=chunk.path) from None
    if changed:
        raise ReadError(
            f"{chunk.path} was changed while it was being protected. Run the command again once the parts stay as they "
            "are.",
            path=chunk.path,
        )


def _refuse_hidden(names: Sequence[str], path: Path) -> None:
    if any(name.startswith("\0") for name in names):
        raise ReadError(
            f"{path}: a column has a name that begins with the character NUL, as those of shoal's own columns do. "
            "Rename it.",
            path=str(path),
        )


def _damaged(path: str) -> ReadError:
    return ReadError(f"{path} is damaged, or no Parquet file. Write it again, or take it out of the folder.", path=path)
