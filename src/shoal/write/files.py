"""Which function writes a file, by the ending of its name, and what all formats share when they are written."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import narwhals.stable.v2 as nw

from shoal.errors import ShoalError, WriteError
from shoal.read import Labels
from shoal.read.files import FORMATS, format_of, listed_endings, unknown_ending

__all__ = ["can_be_written", "holds_digits", "writer_for"]

Writer = Callable[[nw.DataFrame[Any], Labels, Path], None]


def can_be_written(ending: str) -> bool:
    """Whether there is a format with this ending that shoal can write."""
    return ending in FORMATS and FORMATS[ending].writer is not None


def holds_digits(path: Path) -> bool:
    """Whether the format that `path` ends in holds numbers as decimal digits."""
    file_format = format_of(path)
    return file_format is not None and file_format.in_digits


def writer_for(path: Path) -> Writer:
    """Return the function that writes the format that `path` ends in; WriteError if there is none."""
    file_format = format_of(path)
    if file_format is None or file_format.writer is None:
        endings = [ending for ending in FORMATS if can_be_written(ending)]
        if file_format is None:
            raise WriteError(unknown_ending(path, endings))
        raise WriteError(
            f"{path} was not written: {file_format.name} files can only be read. Write {listed_endings(endings)}."
        )
    format_name = file_format.name
    module, function = file_format.writer.split(".")
    writer = cast(Writer, getattr(importlib.import_module(f"shoal.write.{module}"), function))

    def write(frame: nw.DataFrame[Any], labels: Labels, temporary: Path) -> None:
        try:
            writer(frame, labels, temporary)
        except WriteError as error:
            raise WriteError(f"{path} was not written: {error}") from None
        except (ShoalError, OSError, MemoryError):
            raise
        except Exception:
            # Not chained: the reason that a library gives may quote a cell of the table.
            raise WriteError(f"{path} was not written: the table does not fit the {format_name} format.") from None

    return write
