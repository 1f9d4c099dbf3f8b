"""Write microdata as XML: one element a record, in it one element a variable."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.parsers import expat

import narwhals.stable.v2 as nw

from shoal.errors import WriteError
from shoal.read import Labels
from shoal.write.csv_files import cells_as_text, joined

__all__ = ["encoded_name", "write_xml"]

# pyarrow is imported inside functions, to keep start-up quick.

ROWS = 20_000  # written at a time
LIKE_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4})")  # would be read as the start of an escaped character
UNFIT = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]"  # in the syntax of Arrow's regular expressions


def write_xml(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write one line a record, in UTF-8; labels are left out."""
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


def _element_names(columns: list[str]) -> list[str]:
    """Return element names that read back as the column names; a column without one gets the name it gets in CSV."""
    named = [name or f"column {place}" for place, name in enumerate(columns, start=1)]
    if len(set(named)) < len(named):
        raise WriteError("A column has no name, and the one it would get is taken. Name it first.")
    return [encoded_name(name) for name in named]


def encoded_name(name: str) -> str:
    """Return a column name as an element name; what XML does not allow there is written as in SQL/XML, _x0020_."""
    escape = {match.start() for match in LIKE_ESCAPED.finditer(name)}
    return "".join(
        one if place not in escape and _fits(one, first=place == 0) else _escape(ord(one))
        for place, one in enumerate(name)
    )


def _escape(code: int) -> str:
    return f"_x{code:04X}_" if code < 0x10000 else f"_x{code:06X}_"


def _fits(character: str, *, first: bool) -> bool:
    """Whether a character may be in a name, by the older and stricter edition of XML that most parsers keep to."""
    if character.isascii():
        return character.isalpha() or character == "_" or (not first and character in "-.0123456789")
    try:
        expat.ParserCreate().Parse(f"<{'' if first else '_'}{character}/>".encode(), True)
    except UnicodeEncodeError:
        raise WriteError("A column name holds a character that no encoding can hold. Rename the column.") from None
    except expat.ExpatError:
        return False
    return True


def _checked_text(series: nw.Series[Any]) -> Any:
    """Return the cells of a column as text that XML can hold, empty for a missing value."""
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
    """Return cells as elements; blanks alone are marked, or they would be read as a missing value."""
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
