"""Read microdata from XML: the root holds records, a record holds variables, a variable holds text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ReadError
from shoal.read.budget import ReadingBudget, budget_of
from shoal.read.csv_columns import columns_to_pandas
from shoal.read.files import ReadOptions
from shoal.read.labels import Labels
from shoal.read.safe_xml import XmlHandler, parse

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["decoded_name", "read_xml"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

CELLS = 200_000  # held as Python text before they go into Arrow arrays
LONGEST_VALUE = 10_000_000  # characters of one value
# A file in which every record has other variables would take far more memory as a table, nearly all values missing.
ALWAYS_FINE = 10_000_000  # cells
CELLS_PER_BYTE = 4

BLANKS = " \t\r\n"  # what XML itself calls white space
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
ABOUT_XML = ("{http://www.w3.org/XML/1998/namespace}", "{http://www.w3.org/2001/XMLSchema-instance}")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})_")


def read_xml(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read the elements in the root as records; columns get their types as in a CSV file."""
    import pandas as pd

    handler = _RecordHandler(budget_of(path, options.budget, ALWAYS_FINE, CELLS_PER_BYTE))
    parse(path, handler)
    if not handler.records:
        raise ReadError(f"{path} has no records: there are no elements in its root element.")
    frame = pd.DataFrame(
        {name: columns_to_pandas([cells], point=True, comma=False)[0] for name, cells in handler.columns()},
        index=pd.RangeIndex(handler.records),
    )
    return frame, Labels()


@dataclass
class _Column:
    """A variable: its finished cells in Arrow arrays, the others still Python text."""

    tag: str
    cells: list[str]
    arrays: list[Any] = field(default_factory=list)


class _RecordHandler(XmlHandler):
    """Collects the cells of all records, column by column, and nothing else of the document."""

    def __init__(self, budget: ReadingBudget) -> None:
        super().__init__(str(budget.path))
        self._budget = budget
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

    @property
    def progress(self) -> object:
        return self.records, self._filled, self._length, self._depth

    def columns(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the cells of each column, and free its memory before the next."""
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
                raise self._error(f"{_quoted(tag)} is there twice; a record has one value of each variable.")
            self._keep_blanks = bool(attributes) and attributes.get(SPACE) == "preserve"
            self._column = column
            self._pieces = []
            self._length = 0
        elif self._depth == 2:
            if _local_name(tag) != self._record_tag:
                self._set_record_tag(tag)
        elif self._depth > 3:
            raise self._error(f"{_quoted(self._column.tag)} has elements in it; a variable holds text only.")
        if attributes and self._depth > 1:
            self._refuse_attributes(tag, attributes)

    def data(self, text: str) -> None:
        if self._depth == 3:
            self._pieces.append(text)
            self._length += len(text)
            if self._length > LONGEST_VALUE:
                raise self._error(f"{_quoted(self._column.tag)} has a value of more than {LONGEST_VALUE:,} characters.")
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

    def _set_record_tag(self, tag: str) -> None:
        if self._record_tag:
            raise self._error(
                f"it is called {_quoted(tag)}, the ones before it {_quoted(self._record_tag)}; "
                "all records must have the same name."
            )
        self._record_tag = _local_name(tag)

    def _column_of(self, tag: str) -> _Column:
        """Return the column of a tag that is seen for the first time, missing in all records so far."""
        import pyarrow

        name = decoded_name(_local_name(tag))
        if name not in self._columns:
            self._budget.refuse_table(self.records, len(self._columns) + 1)
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
                    f"{_quoted(tag)} has an attribute, {_quoted(name)}; shoal reads elements only. "
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
        self._budget.refuse_table(self.records, len(self._columns))
        if self._rows * len(self._columns) >= CELLS:
            self._move_to_arrays()

    def _move_to_arrays(self) -> None:
        import pyarrow

        for column in self._columns.values():
            column.arrays.append(pyarrow.array(column.cells, pyarrow.string()))
            column.cells.clear()
        self._rows = 0

    def _error(self, problem: str) -> ReadError:
        place = f"{self.what}, record {self.records + 1}" if self._depth > 1 else self.what
        return ReadError(f"{place}: {problem}")


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _quoted(tag: str) -> str:
    name = _local_name(tag)
    return f'"{name}"' if len(name) <= 80 else f'"{name[:77]}..."'


def decoded_name(name: str) -> str:
    """Return the column name that an element name stands for: "two words" for "two_x0020_words"."""
    return ESCAPED.sub(_character, name)


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    return escape[0] if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)
