"""Which ending of a file name means which format, and what all formats share when they are read."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from shoal.errors import ColumnError, ParameterError, ReadError, ShoalError, nearest_name_hint
from shoal.read.csv_columns import NUMBER, NUMBER_WITH_COMMA
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FORMATS",
    "Format",
    "ReadOptions",
    "ending_of",
    "format_of",
    "identity_of",
    "last_change",
    "listed_endings",
    "name_header",
    "quoted_names",
    "read_file",
    "refuse_duplicates",
    "refuse_numbers_as_names",
    "refuse_values_as_names",
    "unknown_ending",
]


@dataclass(frozen=True)
class ReadOptions:
    """What the caller of `read_table` said about the file."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    sheet: str | int | None = None
    orders: Mapping[str, Sequence[str]] | None = None
    budget: float = 1  # how many times what files of its size usually become it may become
    as_text: bool = False  # whether cells of a CSV file stay what they are, for tables of codes


Reader = Callable[[Path, ReadOptions], "tuple[pd.DataFrame, Labels]"]


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name
        What messages call it.
    reader
        The function of `shoal.read` that reads it, as "module.function"; imported when it is needed.
    writer
        The function of `shoal.write` that writes it, likewise; None if shoal only reads it.
    options
        Which of the `ReadOptions` apply to it.
    in_digits
        Whether it holds numbers as decimal digits, which people read.
    """

    name: str
    reader: str
    writer: str | None
    options: tuple[str, ...] = ()
    in_digits: bool = False


_CSV = Format("CSV", "csv_files.read_csv", "csv_files.write_csv", ("delimiter", "decimal", "encoding", "as_text"), True)
FORMATS = {
    ".csv": _CSV,
    ".tsv": _CSV,
    ".txt": _CSV,
    ".csv.gz": _CSV,
    ".tsv.gz": _CSV,
    ".txt.gz": _CSV,
    ".parquet": Format("Parquet", "arrow_files.read_parquet", "arrow_files.write_parquet"),
    ".feather": Format("Feather", "arrow_files.read_arrow", "arrow_files.write_arrow"),
    ".arrow": Format("Arrow", "arrow_files.read_arrow", "arrow_files.write_arrow"),
    ".xlsx": Format("Excel", "excel_files.read_xlsx", "excel_files.write_xlsx", ("sheet",), True),
    ".xml": Format("XML", "xml_microdata.read_xml", "xml_microdata.write_xml", (), True),
    ".dta": Format("Stata", "statistical_files.read_statistical", "statistical_files.write_dta", ("encoding",)),
    ".sav": Format("SPSS", "statistical_files.read_statistical", "statistical_files.write_sav", ("encoding",)),
    ".zsav": Format("SPSS", "statistical_files.read_statistical", "statistical_files.write_sav", ("encoding",)),
    ".por": Format("SPSS portable", "statistical_files.read_statistical", None),
    ".sas7bdat": Format("SAS", "statistical_files.read_statistical", None, ("encoding",)),
    ".xpt": Format("SAS transport", "statistical_files.read_statistical", "statistical_files.write_xpt", ("encoding",)),
}


_YEARS = range(1800, 2200)  # which columns may be named after


def read_file(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a file into a frame with at least one row and one column, and its labels."""
    file_format = format_of(path)
    if file_format is None:
        raise ReadError(unknown_ending(path, FORMATS))
    _refuse_options_of_other_formats(file_format, options)
    _refuse_unreadable(path)
    module, function = file_format.reader.split(".")
    reader = cast(Reader, getattr(importlib.import_module(f"shoal.read.{module}"), function))
    try:
        frame, labels = reader(path, options)
    except (ShoalError, MemoryError):
        raise
    except OSError as error:
        if error.errno:
            raise ReadError(f"{path} cannot be read: {error.strerror}.") from None
        raise _damaged(path, file_format) from None
    except Exception:
        # Not chained: the reason that a library gives may quote a cell of the file.
        raise _damaged(path, file_format) from None
    if not len(frame.columns):
        raise ReadError(f"{path} has no columns.")
    if not len(frame):
        raise ReadError(f"{path} has column names but no rows.")
    return _with_orders(frame, options.orders or {}), labels


def _with_orders(frame: pd.DataFrame, orders: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the frame with ordered categories in the columns of text that were given an order."""
    import pandas as pd  # here, to keep start-up quick

    ordered = {}
    for name, order in orders.items():
        if name not in frame.columns:
            raise ColumnError(f'orders: There is no column "{name}".{nearest_name_hint(name, frame.columns)}')
        column = frame[name]
        if not (isinstance(column.dtype, pd.StringDtype | pd.CategoricalDtype) or column.dtype == object):
            raise ColumnError(f'orders names "{name}", which is no column of text. Leave it out.', column=name)
        if isinstance(order, str) or len(set(order)) != len(order) or not all(isinstance(one, str) for one in order):
            raise ParameterError(f'The order of "{name}" must list every category once, as text.', parameter="orders")
        beside = int((column.notna() & ~column.isin(list(order))).sum())
        if beside:
            raise ParameterError(
                f'{beside} values of "{name}" are not in its order. Name them too.', parameter="orders"
            )
        ordered[name] = column.astype(pd.CategoricalDtype(list(order), ordered=True))
    return frame.assign(**ordered)


def ending_of(path: Path) -> str:
    """Return the ending of a file name, which says its format, in lower case and with ".gz" if it has that."""
    name = path.name.lower()
    packed = ".gz" if name.endswith(".gz") else ""
    return Path(name.removesuffix(".gz")).suffix + packed


def format_of(path: Path) -> Format | None:
    """Return the format that the name of a file ends in, or None if shoal does not know it."""
    return FORMATS.get(ending_of(path))


def identity_of(path: str | os.PathLike[str]) -> str:
    """Return a mark that no other file on this machine has, and that does not name the file; empty if there is none."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_dev}:{status.st_ino}"


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def last_change(path: Path) -> tuple[int, int] | None:
    """Return when a file was changed last, and its size; None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # `read_file` says what is wrong with it
        return None
    return status.st_mtime_ns, status.st_size


def name_header(path: Path, cells: list[str]) -> list[str]:
    """Return the column names that a header line gives: stripped, unique, "column 3" where the third is blank."""
    names = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, start=1)]
    refuse_duplicates(names, path)
    return names


def refuse_numbers_as_names(path: Path, cells: Sequence[str]) -> None:
    """Raise ReadError if a first line has numbers that are no usual names of columns.

    Usual are 0, 1, 2 and so on, from 0 or 1 on, and years.
    """
    numbers = [cell.strip() for cell in cells if re.fullmatch(f"{NUMBER}|{NUMBER_WITH_COMMA}", cell.strip())]
    if not numbers or _are_usual_names(numbers):
        return
    are = "is a number" if len(numbers) == 1 else "are numbers"
    raise ReadError(
        f"{path} seems to have no column names: {len(numbers)} of the {len(cells)} cells of its first line {are}. "
        "Add a first line of names, or give these columns other names."
    )


def _are_usual_names(numbers: Sequence[str]) -> bool:
    if not all(number.isdigit() and len(number) < 10 for number in numbers):
        return False
    whole = sorted(map(int, numbers))
    in_order = whole[0] in (0, 1) and whole == list(range(whole[0], whole[0] + len(whole)))
    return in_order or all(number in _YEARS for number in whole)


def refuse_values_as_names(path: Path, frame: pd.DataFrame) -> None:
    """Raise ReadError if more than half of the columns have a name that is one of their values."""
    found, left, half = 0, len(frame.columns), len(frame.columns) / 2
    for name, column in frame.items():
        found, left = found + _is_value(str(name), column), left - 1
        if found > half:
            raise ReadError(
                f"{path} seems to have no column names: more than half of the cells of its first line are values of "
                "their columns. Add a first line of names."
            )
        if found + left <= half:
            return


def _is_value(name: str, column: pd.Series) -> bool:
    if column.dtype.kind in "iuf":
        return bool(re.fullmatch(NUMBER, name)) and bool((column == float(name)).any())
    is_text = column.dtype == object or str(column.dtype) in ("str", "string", "category")
    return is_text and bool((column == name).any())


def refuse_duplicates(names: list[str], path: Path | None = None) -> None:
    """Raise ColumnError if two columns have the same name, in a file or, without a path, in a table in memory."""
    if len(set(names)) < len(names):
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        whose, advice = ("The table", "Rename them first.") if path is None else (path, "Rename them in the file.")
        raise ColumnError(f"{whose} has column names more than once: {quoted_names(twice)}. {advice}")


def quoted_names(names: list[str]) -> str:
    """Return the first five names in quotes, and how many more there are."""
    shown = ", ".join(f'"{name}"' for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def unknown_ending(path: Path, known: Collection[str]) -> str:
    """Return the message for a file name that ends in none of the known endings."""
    ending = ending_of(path)
    problem = f'the ending "{ending}" is not known' if ending else "the name has no ending to say its format"
    return f"{path}: {problem}; known are {listed_endings(known)}.{nearest_name_hint(ending, known)}"


def listed_endings(endings: Collection[str]) -> str:
    """Return endings as a list for a message, the packed forms together at its end."""
    return ", ".join(one for one in endings if not one.endswith(".gz")) + " (.csv, .tsv and .txt also with .gz)"


def _refuse_unreadable(path: Path) -> None:
    """Raise ReadError if there is no file at a path, or an empty one."""
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


def _refuse_options_of_other_formats(file_format: Format, options: ReadOptions) -> None:
    defaults = ReadOptions()
    for name in ("delimiter", "decimal", "encoding", "sheet"):
        if getattr(options, name) != getattr(defaults, name) and name not in file_format.options:
            raise ParameterError(f"{name} does not apply to {file_format.name} files; leave it out.")


def _damaged(path: Path, file_format: Format) -> ReadError:
    article = "an" if file_format.name.startswith(("A", "E", "X", "SPSS")) else "a"
    return ReadError(f"{path} is damaged, or not {article} {file_format.name} file.")
