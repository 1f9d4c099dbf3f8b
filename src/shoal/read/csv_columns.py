"""Turn one column of text into numbers if every cell is a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING_WORDS", "NUMBER", "column_to_pandas"]

# What stands for a missing value in a column of numbers, in any case; an empty cell is one everywhere.
MISSING_WORDS = ("NA", "NaN", "N/A", "null", ".")

# No leading zeros, which only codes have ("007"), and no plus sign, which only phone numbers have.
WHOLE = r"-?(?:0|[1-9][0-9]*)"
NUMBER = rf"(?:{WHOLE}(?:\.[0-9]*)?|-?\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER_WITH_COMMA = NUMBER.replace(r"\.", ",")
INFINITE = r"[+-]?(?i:inf(?:inity)?)"
SAMPLE_CELLS = 1000  # cells looked at first

# pandas and pyarrow are imported inside functions, to keep start-up quick.


def column_to_pandas(cells: Any, *, point: bool, comma: bool) -> pd.Series[Any]:
    """Return text cells as int64, as Int64 if some are missing, as float64 or, if they are not all numbers, as text.

    Parameters
    ----------
    cells : pyarrow ChunkedArray of strings
        The cells as they stand in the file.
    point, comma : bool
        Which decimal marks are allowed; a column uses one of them throughout.
    """
    import pandas as pd

    converted = _to_numbers(cells, point=point, comma=comma)
    if converted is None:
        return _without_empty(cells).to_pandas()  # type: ignore[no-any-return]
    if converted.null_count and str(converted.type) == "int64":
        return converted.to_pandas(types_mapper=lambda _: pd.Int64Dtype())  # type: ignore[no-any-return]
    return converted.to_pandas()  # type: ignore[no-any-return]


def _to_numbers(cells: Any, *, point: bool, comma: bool) -> Any:
    """Return the column as Arrow int64 or double, null for a missing value, or None if it is text."""
    sample = _with_nulls(cells.slice(0, SAMPLE_CELLS))
    if sample.null_count < len(sample) and _decimal_mark(sample, point=point, comma=comma) is None:
        return None  # one cell of text among the first thousand is enough to know
    present = _with_nulls(cells)
    if present.null_count == len(present):
        return None
    mark = _decimal_mark(present, point=point, comma=comma)
    return None if mark is None else _parse(present, mark)


def _decimal_mark(present: Any, *, point: bool, comma: bool) -> str | None:
    """Return the decimal mark with which every cell is a number; "" if all are whole, None if some are not numbers."""
    if _all_match(present.slice(0, SAMPLE_CELLS), WHOLE) and _all_match(present, WHOLE):
        return ""
    if point and _all_match(present, f"{NUMBER}|{INFINITE}"):
        return "."
    if comma and _all_match(present, f"{NUMBER_WITH_COMMA}|{INFINITE}"):
        return ","
    return None


def _parse(present: Any, mark: str) -> Any:
    import pyarrow
    import pyarrow.compute as pc

    if mark == "":
        try:
            return pc.cast(present, pyarrow.int64())
        except pyarrow.ArrowInvalid:
            return None  # a number with more digits than a 64-bit integer holds is a code, not a quantity
    if mark == ",":
        present = pc.replace_substring(present, ",", ".")
    return pc.cast(pc.replace_substring(present, "+inf", "inf"), pyarrow.float64())


def _all_match(present: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return pc.all(pc.match_substring_regex(present, f"^(?:{pattern})$")).as_py() is not False


def _with_nulls(cells: Any) -> Any:
    """Return the cells without surrounding blanks, and null for those that stand for a missing value."""
    import pyarrow
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    words = pyarrow.array(["", *{form for word in MISSING_WORDS for form in (word, word.lower(), word.upper())}])
    return pc.if_else(pc.is_in(trimmed, value_set=words), pyarrow.scalar(None, pyarrow.string()), trimmed)


def _without_empty(cells: Any) -> Any:
    import pyarrow
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(cells, ""), pyarrow.scalar(None, pyarrow.string()), cells)
