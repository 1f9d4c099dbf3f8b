"""The parts of an Excel file, each an XML document: which sheets there are, shared texts, styles of dates, cells."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import ReadError
from shoal.read.budget import ReadingBudget
from shoal.read.safe_xml import XmlHandler

__all__ = ["Relationships", "SharedTexts", "Sheet", "Styles", "Workbook"]

# openpyxl is imported inside functions, to keep start-up quick.

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # of every sheet that Excel writes
EVENTS_PER_CELL = 6  # tags and pieces of text


class _ExcelPart(XmlHandler):
    """Receives one part; a subclass says in `begins` and `ends` what is done at which elements."""

    def __init__(self, budget: ReadingBudget) -> None:
        super().__init__(str(budget.path))
        self.budget = budget
        self.begins: dict[str, Callable[[Mapping[str, str]], None]] = {}  # by names without namespaces
        self.ends: dict[str, Callable[[], None]] = {}
        self.texts: list[str] | None = None  # where the text that comes now is collected
        self._begins: dict[str, Callable[[Mapping[str, str]], None] | None] = {}  # by tags
        self._ends: dict[str, Callable[[], None] | None] = {}
        self._events = 0
        self._most_events = EVENTS_PER_CELL * budget.cells

    @property
    def progress(self) -> object:
        return self._events

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag not in self._begins:
            name = tag.rpartition("}")[2]
            self._begins[tag], self._ends[tag] = self.begins.get(name), self.ends.get(name)
        begin = self._begins[tag]
        if begin is not None:
            begin(attributes)
        self._events += 1
        if self._events > self._most_events:
            raise self.budget.exceeded(f"has more than {self._most_events:,} tags and texts in one part")

    def data(self, text: str) -> None:
        self._events += 1
        if self.texts is not None:
            self.texts.append(text)

    def end(self, tag: str) -> None:
        end = self._ends[tag]
        if end is not None:
            end()


class Relationships(_ExcelPart):
    """Which other parts a part refers to.

    Parameters
    ----------
    budget : ReadingBudget
        That of the file.
    owner : str
        The part that refers to them.
    """

    def __init__(self, budget: ReadingBudget, owner: str) -> None:
        super().__init__(budget)
        self.parts: dict[str, str] = {}  # by the name that the owner uses
        self.by_type: dict[str, str] = {}  # the first of each
        self._folder = posixpath.dirname(owner)
        self.begins = {"Relationship": self._add}

    def _add(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("TargetMode") == "External":
            return
        kind = posixpath.basename(attributes.get("Type", ""))
        target = posixpath.normpath(posixpath.join("/", self._folder, attributes.get("Target", ""))).lstrip("/")
        self.by_type.setdefault(kind, target)
        if kind == "worksheet":
            self.parts[attributes.get("Id", "")] = target


class Workbook(_ExcelPart):
    """The names of the sheets, each with the name of its relationship, and when days are counted from."""

    def __init__(self, budget: ReadingBudget) -> None:
        super().__init__(budget)
        self.sheets: list[tuple[str, str]] = []
        self.since_1904 = False
        self.begins = {"sheet": self._add, "workbookPr": self._set_epoch}

    def _add(self, attributes: Mapping[str, str]) -> None:
        related = next((text for key, text in attributes.items() if key.endswith("}id")), "")
        self.sheets.append((attributes.get("name", ""), related))

    def _set_epoch(self, attributes: Mapping[str, str]) -> None:
        self.since_1904 = attributes.get("date1904") in ("1", "true")


class Styles(_ExcelPart):
    """Which styles of cells show a number as a date or a time, and which of these as a duration."""

    def __init__(self, budget: ReadingBudget) -> None:
        super().__init__(budget)
        self._formats: dict[int, str] = {}
        self._of_styles: list[int] = []
        self._in_cells = False  # among the styles of cells, not of names
        self.begins = {"numFmt": self._add_format, "cellXfs": self._begin_cells, "xf": self._add_style}
        self.ends = {"cellXfs": self._end_cells}

    def _add_format(self, attributes: Mapping[str, str]) -> None:
        self._formats[int(attributes["numFmtId"])] = attributes.get("formatCode", "")

    def _begin_cells(self, _: Mapping[str, str]) -> None:
        self._in_cells = True

    def _end_cells(self) -> None:
        self._in_cells = False

    def _add_style(self, attributes: Mapping[str, str]) -> None:
        if self._in_cells:
            self._of_styles.append(int(attributes.get("numFmtId", 0)))

    def dates_and_durations(self) -> tuple[set[int], set[int]]:
        """Return the numbers of the styles of dates, times and durations, and those of durations alone."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

        formats = {**BUILTIN_FORMATS, **self._formats}
        dates = {one for one, code in formats.items() if is_date_format(code)}
        durations = {one for one, code in formats.items() if is_timedelta_format(code)}
        return (
            {style for style, one in enumerate(self._of_styles) if one in dates},
            {style for style, one in enumerate(self._of_styles) if one in durations},
        )


class _Texts(_ExcelPart):
    """Collects the text of elements <t>, in runs of one format or not, but not that of phonetic hints."""

    def __init__(self, budget: ReadingBudget) -> None:
        super().__init__(budget)
        self.pieces: list[str] = []
        self._in_hint = False
        self.begins = {"t": self._begin_text, "rPh": self._begin_hint}
        self.ends = {"t": self._end_text, "rPh": self._end_hint}

    def _begin_text(self, _: Mapping[str, str]) -> None:
        if not self._in_hint:
            self.texts = self.pieces

    def _end_text(self) -> None:
        self.texts = None

    def _begin_hint(self, _: Mapping[str, str]) -> None:
        self._in_hint = True

    def _end_hint(self) -> None:
        self._in_hint = False


class SharedTexts(_Texts):
    """The texts that cells refer to by number."""

    def __init__(self, budget: ReadingBudget) -> None:
        super().__init__(budget)
        self.shared: list[str] = []
        self.ends["si"] = self._add

    def _add(self) -> None:
        self.shared.append("".join(self.pieces).replace("x005F_", ""))
        self.pieces.clear()
        if len(self.shared) > self.budget.cells:
            raise self.budget.exceeded(f"has more than {self.budget.cells:,} shared texts")


class Sheet(_Texts):
    """The cells of one sheet, row by row, as far as each row reaches.

    Parameters
    ----------
    budget : ReadingBudget
        That of the file.
    texts : list of str
        What cells refer to by number.
    styles : Styles
        What says which numbers are dates.
    since_1904 : bool
        Whether days are counted from 1904, as on old Macs.
    """

    def __init__(self, budget: ReadingBudget, texts: list[str], styles: Styles, since_1904: bool) -> None:
        from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel, from_ISO8601

        super().__init__(budget)
        self.rows: list[list[Any]] = []
        self._cells = 0
        self._row: list[Any] | None = None
        self._in_cell = False
        self._column = 0  # of the cell that is open, or the last one, from 1
        self._kind = "n"
        self._style = 0
        self._columns: dict[str, int] = {}  # by letters
        self._shared = texts
        self._shared_length = 0  # of the texts of all cells that refer to one
        self._dates, self._durations = styles.dates_and_durations()
        self._epoch = CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900
        self._from_excel = from_excel
        self._values: dict[str, Callable[[str], Any]] = {
            "n": self._number,
            "s": self._shared_text,
            "b": lambda text: bool(int(text)),
            "d": from_ISO8601,
            "e": lambda _: None,
        }

        self.begins |= {"c": self._begin_cell, "v": self._begin_value, "row": self._begin_row}
        self.ends |= {"c": self._end_cell, "v": self._end_text, "row": self._end_row}

    def _begin_text(self, _: Mapping[str, str]) -> None:
        if self._in_cell and self._kind == "inlineStr":
            super()._begin_text(_)

    def _begin_value(self, _: Mapping[str, str]) -> None:
        if self._in_cell and self._kind != "inlineStr":
            self.texts = self.pieces

    def _begin_row(self, attributes: Mapping[str, str]) -> None:
        number = attributes.get("r")
        place = len(self.rows) + 1 if number is None else int(number)
        if place > LAST_ROW:
            raise ReadError(f"{self.what} has a row beyond row {LAST_ROW:,}, the last of an Excel sheet.")
        if place <= len(self.rows):
            raise ReadError(f"{self.what} is damaged: the rows of the sheet are not in order.")
        self.rows.extend([] for _ in range(place - 1 - len(self.rows)))
        self._row = []
        self._column = 0

    def _end_row(self) -> None:
        if self._row is not None:
            self.rows.append(self._row)
            self._cells += len(self._row)
            if self._cells > self.budget.cells:
                raise self.budget.exceeded(f"has more than {self.budget.cells:,} cells in its sheet")
        self._row = None

    def _begin_cell(self, attributes: Mapping[str, str]) -> None:
        reference = attributes.get("r")
        self._column = self._column + 1 if reference is None else self._column_of(reference)
        if self._column > LAST_COLUMN:
            raise self._beyond_last_column()
        self._kind = attributes.get("t", "n")
        self._style = int(attributes.get("s", 0))
        self._in_cell = True

    def _end_cell(self) -> None:
        text = "".join(self.pieces)
        self.pieces.clear()
        self._in_cell = False
        if text and self._row is not None:
            convert = self._values.get(self._kind)
            value = text if convert is None else convert(text)
            self._row.extend([None] * (self._column - len(self._row)))
            self._row[self._column - 1] = value

    def _column_of(self, reference: str) -> int:
        letters = reference.rstrip("0123456789").replace("$", "").upper()
        column = self._columns.get(letters)
        if column is None:
            column = 0
            for letter in letters:
                column = 26 * column + ord(letter) - ord("A") + 1
            if not letters.isascii() or not letters.isalpha() or column > LAST_COLUMN:
                raise self._beyond_last_column()
            self._columns[letters] = column
        return column

    def _beyond_last_column(self) -> ReadError:
        return ReadError(f"{self.what} has a cell beyond column XFD, the last of an Excel sheet.")

    def _number(self, text: str) -> Any:
        value = float(text) if "." in text or "E" in text or "e" in text else int(text)
        if self._style not in self._dates:
            return value
        try:
            return self._from_excel(value, self._epoch, timedelta=self._style in self._durations)
        except (OverflowError, ValueError):
            return None  # a number that is no day; Excel shows it as an error

    def _shared_text(self, text: str) -> str:
        place = int(text)
        if not 0 <= place < len(self._shared):
            raise ReadError(f"{self.what} is damaged: a cell refers to a text that is not there.")
        shared = self._shared[place]
        self._shared_length += len(shared)
        if self._shared_length > self.budget.text:
            raise self.budget.exceeded(f"has texts of more than {self.budget.text:,} letters in its cells")
        return shared
