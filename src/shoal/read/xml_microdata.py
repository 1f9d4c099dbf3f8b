"""Microdata as XML: the root holds records, a record holds variables, a variable holds text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from shoal.errors import ReadError, WriteError
from shoal.read.csv_columns import column_to_pandas
from shoal.read.csv_text import cells_as_text, joined
from shoal.read.files import ReadOptions
from shoal.read.labels import Labels
from shoal.read.safe_xml import Target, parse, refuse_doctype

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["decoded_name", "encoded_name", "read_xml", "refuse_doctype", "write_xml"]

CELLS = 200_000  # held as Python text before they go into Arrow arrays
ROWS = 20_000  # written at a time
LONGEST = 10_000_000  # characters of one value
MOST_VARIABLES = 100_000
# A table of gaps takes memory that the file does not: a name that every record invents anew costs a column each.
ALWAYS_FINE = 10_000_000  # cells
CELLS_PER_BYTE = 4

BLANKS = " \t\r\n"  # what XML itself calls white space
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
ABOUT_XML = ("{http://www.w3.org/XML/1998/namespace}", "{http://www.w3.org/2001/XMLSchema-instance}")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})_")
LIKE_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4})")
UNFIT = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]"  # in the syntax of Arrow's regular expressions


def read_xml(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read the records that are the children of the root; types are found as in CSV files."""
    import pandas as pd

    gathered = _Gathered(path)
    parse(path, gathered)
    if not gathered.records:
        raise ReadError(f"{path} has no records: there are no elements in its root element.")
    frame = pd.DataFrame(
        {name: column_to_pandas(cells, point=True, comma=False) for name, cells in gathered.columns()},
        index=pd.RangeIndex(gathered.records),
    )
    return frame, Labels()


def write_xml(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write one line a record, in UTF-8; labels have no place in it."""
    names = _element_names(frame.columns)
    columns = [_escaped(_checked_text(frame[name])) for name in frame.columns]
    with path.open("wb") as file:
        file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<Microdata>\n')
        for start in range(0, len(frame), ROWS):
            parts = [column.slice(start, ROWS).combine_chunks() for column in columns]
            elements = [_elements(name, part) for name, part in zip(names, parts, strict=True)]
            lines = joined("<Record>", *elements, "</Record>\n")
            file.write("".join(lines.to_pylist()).encode())
        file.write(b"</Microdata>\n")


@dataclass
class _Column:
    """A variable: its finished cells in Arrow arrays, the others still Python text."""

    tag: str
    cells: list[str]
    arrays: list[Any] = field(default_factory=list)


class _Gathered(Target):
    """The cells of all records, column by column; nothing else of the document is kept."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.records = 0
        self._record_tag = ""
        self._rows = 0  # complete records whose cells are not in arrays yet
        self._filled = 0  # variables in the record that is open
        self._columns: dict[str, _Column] = {}
        self._by_tag: dict[str, _Column] = {}
        self._depth = 0
        self._column = _Column("", [])
        self._pieces: list[str] = []
        self._length = 0
        self._keep_blanks = False
        self._bytes = path.stat().st_size

    @property
    def progress(self) -> object:
        return self.records, self._filled, self._length, self._depth

    def columns(self) -> Iterator[tuple[str, Any]]:
        """Yield names and cells, and let go of each column before the next."""
        import pyarrow

        self._move_to_arrays()
        while self._columns:
            name = next(iter(self._columns))
            yield name, pyarrow.chunked_array(self._columns.pop(name).arrays, pyarrow.string())

    # What the parser calls ------------------------------------------------------------------------------------

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth == 3:
            column = self._by_tag.get(tag)
            if column is None:
                column = self._column_of(tag)
            if len(column.cells) > self._rows:
                raise self._error(f"{_shown(tag)} is there twice; a record has one value of each variable.")
            self._keep_blanks = bool(attributes) and attributes.get(SPACE) == "preserve"
            self._column = column
            self._pieces = []
            self._length = 0
        elif self._depth == 2:
            if _local(tag) != self._record_tag:
                self._first_or_refused(tag)
        elif self._depth > 3:
            raise self._error(f"{_shown(self._column.tag)} has elements in it; a variable holds text only.")
        if attributes and self._depth > 1:
            self._refuse_attributes(tag, attributes)

    def data(self, text: str) -> None:
        if self._depth == 3:
            self._pieces.append(text)
            self._length += len(text)
            if self._length > LONGEST:
                raise self._error(f"{_shown(self._column.tag)} has a value of more than {LONGEST:,} characters.")
        elif text.strip(BLANKS):
            inside = "the record has text" if self._depth == 2 else "there is text between the records"
            raise self._error(f"{inside} that is not in a variable. Put it into an element.")

    def end(self, tag: str) -> None:
        if self._depth == 3:
            text = self._pieces[0] if len(self._pieces) == 1 else "".join(self._pieces)
            if text.isspace() and not self._keep_blanks and not text.strip(BLANKS):
                text = ""
            self._column.cells.append(text)
            self._filled += 1
        elif self._depth == 2:
            self._end_record()
        self._depth -= 1

    # ----------------------------------------------------------------------------------------------------------

    def _first_or_refused(self, tag: str) -> None:
        if self._record_tag:
            raise self._error(
                f"it is called {_shown(tag)}, the ones before it {_shown(self._record_tag)}; "
                "all records must have the same name."
            )
        self._record_tag = _local(tag)

    def _column_of(self, tag: str) -> _Column:
        """Return the column of a tag that is seen for the first time, with gaps in all records so far."""
        import pyarrow

        name = decoded_name(_local(tag))
        if name not in self._columns:
            if len(self._columns) == MOST_VARIABLES:
                raise ReadError(f"{self.what} has more than {MOST_VARIABLES:,} variables.")
            column = _Column(tag, [""] * self._rows)
            moved = self.records - self._rows
            if moved:
                column.arrays.append(pyarrow.repeat(pyarrow.scalar("", pyarrow.string()), moved))
            self._columns[name] = column
        self._by_tag[tag] = self._columns[name]
        return self._columns[name]

    def _refuse_attributes(self, tag: str, attributes: Mapping[str, str]) -> None:
        for name in attributes:
            if not name.startswith(ABOUT_XML):
                raise self._error(
                    f"{_shown(tag)} has an attribute, {_shown(name)}; shoal reads elements only. "
                    "Make it an element of the record, or remove it."
                )

    def _end_record(self) -> None:
        self.records += 1
        self._rows += 1
        if self._filled < len(self._columns):
            for column in self._columns.values():
                if len(column.cells) < self._rows:
                    column.cells.append("")
        self._filled = 0
        cells = self.records * len(self._columns)
        if cells > ALWAYS_FINE and cells > CELLS_PER_BYTE * self._bytes:
            raise ReadError(
                f"{self.what} is not a table: its first {self.records:,} records have "
                f"{len(self._columns):,} variables, nearly all of them missing in each."
            )
        if self._rows * len(self._columns) >= CELLS:
            self._move_to_arrays()

    def _move_to_arrays(self) -> None:
        import pyarrow

        for column in self._columns.values():
            column.arrays.append(pyarrow.array(column.cells, pyarrow.string()))
            column.cells.clear()
        self._rows = 0

    def _error(self, said: str) -> ReadError:
        place = f"{self.what}, record {self.records + 1}" if self._depth > 1 else self.what
        return ReadError(f"{place}: {said}")


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _shown(tag: str) -> str:
    name = _local(tag)
    return f'"{name}"' if len(name) <= 80 else f'"{name[:77]}..."'


# Names ----------------------------------------------------------------------------------------------------------


def decoded_name(name: str) -> str:
    """Return the column name an element name stands for."""
    return ESCAPED.sub(_character, name)


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    return escape[0] if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)


def _element_names(columns: list[str]) -> list[str]:
    """Return element names that read back as the column names: what XML forbids as _x0020_, as in SQL/XML."""
    named = [name or f"column {place}" for place, name in enumerate(columns, start=1)]  # as in a CSV file
    if len(set(named)) < len(named):
        raise WriteError("A column has no name, and the one it would get is taken. Name it first.")
    return [encoded_name(name) for name in named]


def encoded_name(name: str) -> str:
    """Return a column name as the name of an element, what XML does not allow in one written as _x0020_."""
    escape = {found.start() for found in LIKE_ESCAPED.finditer(name)}
    return "".join(
        one if place not in escape and _fits(one, first=place == 0) else _escape(ord(one))
        for place, one in enumerate(name)
    )


def _escape(code: int) -> str:
    return f"_x{code:04X}_" if code < 0x10000 else f"_x{code:06X}_"


def _fits(character: str, *, first: bool) -> bool:
    """Whether a character may stand in a name, by the older and stricter edition of XML that most parsers keep to."""
    if character.isascii():
        return character.isalpha() or character == "_" or (not first and character in "-.0123456789")
    from xml.parsers import expat

    try:
        expat.ParserCreate().Parse(f"<{'' if first else '_'}{character}/>".encode(), True)
    except UnicodeEncodeError:
        raise WriteError("A column name holds a character that no encoding can hold. Rename the column.") from None
    except expat.ExpatError:
        return False
    return True


# Cells ----------------------------------------------------------------------------------------------------------


def _checked_text(series: nw.Series[Any]) -> Any:
    """Return the cells of a column as text that XML can hold, empty where there is a gap."""
    import pyarrow.compute as pc

    try:
        text = cells_as_text(series)
    except UnicodeEncodeError:
        raise _unfit(series.name, _first_unencodable(series)) from None
    unfit = pc.match_substring_regex(text, UNFIT)
    if pc.any(unfit).as_py():
        raise _unfit(series.name, pc.index(unfit, True).as_py())
    return text


def _first_unencodable(series: nw.Series[Any]) -> int:
    for row, cell in enumerate(series.to_list()):
        try:
            str(cell).encode()
        except UnicodeEncodeError:
            return row
    raise AssertionError("Arrow refused text that Python encodes")


def _unfit(name: str, row: int) -> WriteError:
    return WriteError(
        f'Column "{name}", row {row + 1}: the text holds a character that XML cannot hold. Remove it first.'
    )


def _escaped(text: Any) -> Any:
    import pyarrow.compute as pc

    if not pc.any(pc.match_substring_regex(text, "[&<>\r]")).as_py():
        return text
    # A bare carriage return would be read as a line feed.
    for character, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
        text = pc.replace_substring(text, character, written)
    return text


def _elements(name: str, text: Any) -> Any:
    """Return cells as elements; blanks alone are marked, or they would be read as a gap."""
    import pyarrow
    import pyarrow.compute as pc

    wide = pyarrow.large_string()
    opening: Any = f"<{name}>"
    blank = pc.match_substring_regex(text, "^(?:[ \t\n]|&#13;)+$")
    if pc.any(blank).as_py():
        marked = pyarrow.scalar(f'<{name} xml:space="preserve">', wide)
        opening = pc.if_else(blank, marked, pyarrow.scalar(opening, wide))
    empty = pc.equal(text, "")
    return pc.if_else(empty, pyarrow.scalar(f"<{name}/>", wide), joined(opening, text, f"</{name}>"))
