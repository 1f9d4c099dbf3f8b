"""Which ending of a file name means which format, and what all formats share when they are read."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import narwhals.stable.v2 as nw

from shoal.errors import ColumnError, ParameterError, ReadError, ShoalError, WriteError, nearest_name_hint
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ReadOptions", "can_be_written", "ending_of", "name_header", "read_file", "writer_for"]


@dataclass(frozen=True)
class ReadOptions:
    """What the caller of `read_table` said about the file."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    sheet: str | int | None = None


Reader = Callable[[Path, ReadOptions], "tuple[pd.DataFrame, Labels]"]
Writer = Callable[[nw.DataFrame[Any], Labels, Path], None]


@dataclass(frozen=True)
class _Format:
    """A format by name, and the functions that read and write it as "module.function", imported when needed."""

    name: str
    read: str
    write: str | None
    takes: tuple[str, ...] = ()


_CSV = _Format("CSV", "csv_files.read_csv", "csv_text.write_csv", ("delimiter", "decimal", "encoding"))
_FORMATS = {
    ".csv": _CSV,
    ".tsv": _CSV,
    ".txt": _CSV,
    ".csv.gz": _CSV,
    ".tsv.gz": _CSV,
    ".txt.gz": _CSV,
    ".parquet": _Format("Parquet", "arrow_files.read_parquet", "arrow_files.write_parquet"),
    ".feather": _Format("Feather", "arrow_files.read_arrow", "arrow_files.write_arrow"),
    ".arrow": _Format("Arrow", "arrow_files.read_arrow", "arrow_files.write_arrow"),
    ".xlsx": _Format("Excel", "excel_files.read_xlsx", "excel_files.write_xlsx", ("sheet",)),
    ".xml": _Format("XML", "xml_microdata.read_xml", "xml_microdata.write_xml"),
    ".dta": _Format("Stata", "statistical_files.read_dta", "statistical_export.write_dta", ("encoding",)),
    ".sav": _Format("SPSS", "statistical_files.read_sav", "statistical_export.write_sav", ("encoding",)),
    ".zsav": _Format("SPSS", "statistical_files.read_sav", "statistical_export.write_sav", ("encoding",)),
    ".por": _Format("SPSS portable", "statistical_files.read_por", None),
    ".sas7bdat": _Format("SAS", "statistical_files.read_sas7bdat", None, ("encoding",)),
    ".xpt": _Format("SAS transport", "statistical_files.read_xpt", "statistical_export.write_xpt", ("encoding",)),
}


def read_file(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a file into a frame with at least one row and one column, and its labels."""
    kind = _format_of(path)
    if kind is None:
        raise ReadError(_unknown_ending(path, list(_FORMATS)))
    _refuse_options_of_other_formats(kind, options)
    _refuse_what_is_not_a_file(path)
    reader = cast(Reader, _function(kind.read))
    try:
        frame, labels = reader(path, options)
    except (ShoalError, MemoryError):
        raise
    except OSError as error:
        if error.errno:
            raise ReadError(f"{path} cannot be read: {error.strerror}.") from None
        raise _damaged(path, kind) from None
    except Exception:
        # Not chained: the reason a library gives may quote the cell it stumbled over.
        raise _damaged(path, kind) from None
    if not len(frame.columns):
        raise ReadError(f"{path} has no columns.")
    if not len(frame):
        raise ReadError(f"{path} has column names but no rows.")
    return frame, labels


def writer_for(path: Path) -> Writer:
    """Return the function that writes the format `path` is named for."""
    kind = _format_of(path)
    if kind is None or kind.write is None:
        known = [ending for ending, one in _FORMATS.items() if one.write is not None]
        if kind is not None:
            raise WriteError(f"{path} was not written: {kind.name} files can only be read. Write {_listed(known)}.")
        raise WriteError(_unknown_ending(path, known))
    writer = cast(Writer, _function(kind.write))

    def write(frame: nw.DataFrame[Any], labels: Labels, temporary: Path) -> None:
        try:
            writer(frame, labels, temporary)
        except WriteError as error:
            raise WriteError(f"{path} was not written: {error}") from None
        except (ShoalError, OSError, MemoryError):
            raise
        except Exception:
            raise WriteError(f"{path} was not written: the table does not fit the {kind.name} format.") from None

    return write


def can_be_written(ending: str) -> bool:
    """Whether there is a format with this ending that shoal can write."""
    return ending in _FORMATS and _FORMATS[ending].write is not None


def name_header(path: Path, cells: list[str]) -> list[str]:
    """Return the column names a header line gives: stripped, unique, "column 3" where the third is blank."""
    names = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, start=1)]
    refuse_duplicates(path, names)
    return names


def refuse_duplicates(path: Path, names: list[str]) -> None:
    """Raise ColumnError if two columns of the file have the same name."""
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        shown = ", ".join(f'"{name}"' for name in twice[:5])
        more = f" and {len(twice) - 5} more" if len(twice) > 5 else ""
        raise ColumnError(f"{path} has column names more than once: {shown}{more}. Rename them in the file.")


def ending_of(path: Path) -> str:
    """Return the ending that says the format, in lower case, ".gz" included."""
    name = path.name.lower()
    packed = ".gz" if name.endswith(".gz") else ""
    return Path(name.removesuffix(".gz")).suffix + packed


def _format_of(path: Path) -> _Format | None:
    return _FORMATS.get(ending_of(path))


def _function(dotted: str) -> Any:
    module, name = dotted.split(".")
    return getattr(importlib.import_module(f"shoal.read.{module}"), name)


def _refuse_what_is_not_a_file(path: Path) -> None:
    try:
        size = path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        if not path.parent.is_dir():
            raise ReadError(f"{path} does not exist, nor does the folder {path.parent}.") from None
        hint = nearest_name_hint(path.name, (one.name for one in path.parent.iterdir()))
        raise ReadError(f"{path} does not exist.{hint}") from None
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror}.") from None
    if path.is_dir():
        raise ReadError(f"{path} is a folder; give the name of a file in it.")
    if not path.is_file():
        raise ReadError(f"{path} is not a regular file.")
    if size == 0:
        raise ReadError(f"{path} is empty.")


def _refuse_options_of_other_formats(kind: _Format, options: ReadOptions) -> None:
    defaults = ReadOptions()
    for name in ("delimiter", "decimal", "encoding", "sheet"):
        if getattr(options, name) != getattr(defaults, name) and name not in kind.takes:
            raise ParameterError(f"{name} does not apply to {kind.name} files; leave it out.")


def _damaged(path: Path, kind: _Format) -> ReadError:
    article = "an" if kind.name[0] in "AEX" else "a"
    return ReadError(f"{path} is damaged, or not {article} {kind.name} file.")


def _unknown_ending(path: Path, known: list[str]) -> str:
    ending = ending_of(path)
    said = f'the ending "{ending}" is not known' if ending else "the name has no ending to say its format"
    return f"{path}: {said}; known are {_listed(known)}.{nearest_name_hint(ending, known)}"


def _listed(endings: list[str]) -> str:
    # The packed forms are spelled out once instead of three times.
    return ", ".join(one for one in endings if not one.endswith(".gz")) + " (.csv, .tsv and .txt also with .gz)"
