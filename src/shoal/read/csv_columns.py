"""Turn columns of text into numbers where every cell is a number."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pandas._typing import ArrayLike

__all__ = ["INFINITE", "MISSING_WORDS", "NUMBER", "NUMBER_WITH_COMMA", "WHOLE", "columns_to_pandas", "texts_to_pandas"]

# What stands for a missing value in a column of numbers, in any case; an empty cell is one everywhere.
MISSING_WORDS = ("NA", "NaN", "N/A", "null", ".")

# No leading zeros, which only codes have ("007"), and no plus sign, which only phone numbers have.
WHOLE = r"-?(?:0|[1-9][0-9]*)"
NUMBER = rf"(?:{WHOLE}(?:\.[0-9]*)?|-?\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER_WITH_COMMA = NUMBER.replace(r"\.", ",")
INFINITE = r"[+-]?(?i:inf(?:inity)?)"
CELLS_AT_ONCE, BYTES_AT_ONCE = 100_000, 1 << 27  # of several columns looked at together
SAMPLE_CELLS = 1000  # cells looked at first: one that does not match is enough to know

# pandas and pyarrow are imported inside functions, to keep start-up quick.


def columns_to_pandas(columns: Sequence[Any], *, point: bool, comma: bool) -> list[ArrayLike]:
    """Return columns of text cells as arrays, each of the type that all its cells have.

    That is int64, Int64 if some are missing, float64 or, if they are not all numbers, text.

    Parameters
    ----------
    columns : sequence of pyarrow ChunkedArray of strings, all of the same length
        The cells as they stand in the file.
    point, comma : bool
        Which decimal marks are allowed; a column uses one of them throughout.
    """
    return [array for some in _batches(columns) for array in _converted(some, point=point, comma=comma)]


def texts_to_pandas(columns: Sequence[Any]) -> list[ArrayLike]:
    """Return columns of text cells as arrays of text, an empty cell as a missing value and all others as they are."""
    return [_without_empty(cells).to_pandas().array for cells in columns]


def _batches(columns: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield columns to be looked at together: one if it is long, many if they are short, which is much quicker."""
    batch: list[Any] = []
    cells = size = 0
    for column in columns:
        if batch and (cells + len(column) > CELLS_AT_ONCE or size + column.nbytes > BYTES_AT_ONCE):
            yield batch
            batch, cells, size = [], 0, 0
        batch.append(column)
        cells, size = cells + len(column), size + column.nbytes
    if batch:
        yield batch


def _converted(columns: Sequence[Any], *, point: bool, comma: bool) -> Iterator[ArrayLike]:
    import pyarrow

    together = columns[0]
    if len(columns) > 1 and len(together):
        together = pyarrow.concat_arrays([chunk for column in columns for chunk in column.chunks])
    present = _with_nulls(together)
    rows = len(columns[0])
    marks: list[str | None] = [None] * len(columns)
    if present.null_count < len(present):
        marks = _decimal_marks(present, len(columns), point=point, comma=comma)
    for place, (cells, mark) in enumerate(zip(columns, marks, strict=True)):
        yield _to_pandas(cells, present.slice(place * rows, rows), mark)


def _to_pandas(cells: Any, present: Any, mark: str | None) -> ArrayLike:
    import pandas as pd

    converted = None if mark is None or present.null_count == len(present) else _parse(present, mark)
    if converted is None:
        return _without_empty(cells).to_pandas().array  # type: ignore[no-any-return]
    if converted.null_count and str(converted.type) == "int64":
        return converted.to_pandas(types_mapper=lambda _: pd.Int64Dtype()).array  # type: ignore[no-any-return]
    return converted.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _decimal_marks(present: Any, columns: int, *, point: bool, comma: bool) -> list[str | None]:
    """Return the decimal mark with which every cell of a column is a number; "" if all are whole, None for text."""
    marks = {"": WHOLE, ".": f"{NUMBER}|{INFINITE}", ",": f"{NUMBER_WITH_COMMA}|{INFINITE}"}
    allowed = [""] + ["."] * point + [","] * comma
    found: list[str | None] = [None] * columns
    for mark in allowed:
        if None in found:
            matches = _all_match(present, columns, marks[mark])
            found = [one if one is not None or not match else mark for one, match in zip(found, matches, strict=True)]
    return found


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
    numbers = pc.cast(pc.replace_substring(present, "+inf", "inf"), pyarrow.float64())
    return None if _lose_digits(present, numbers) else numbers


def _lose_digits(present: Any, numbers: Any) -> bool:
    """Whether whole numbers that differ are the same as floats, which happens beyond 2**53."""
    import pyarrow.compute as pc

    large = pc.greater(pc.abs(numbers), 2.0**53)
    if not pc.any(large).as_py():
        return False
    whole = pc.and_(large, pc.match_substring_regex(present, f"^(?:{WHOLE})$"))
    texts, floats = (pc.count_distinct(pc.filter(cells, whole)).as_py() for cells in (present, numbers))
    return bool(texts > floats)


def _all_match(present: Any, columns: int, pattern: str) -> list[bool]:
    """Return which of some columns, one after the other in `present`, have nothing but matches and missing values."""
    import pyarrow.compute as pc

    if not len(present):
        return [True] * columns
    if columns == 1 and len(present) > SAMPLE_CELLS and not all(_all_match(present.slice(0, SAMPLE_CELLS), 1, pattern)):
        return [False]
    matches = pc.fill_null(pc.match_substring_regex(present, f"^(?:{pattern})$"), True)
    return matches.to_numpy(zero_copy_only=False).reshape(columns, -1).all(axis=1).tolist()  # type: ignore[no-any-return]


def _with_nulls(cells: Any) -> Any:
    """Return the cells without surrounding blanks, and null for those that stand for a missing value."""
    import pyarrow
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    missing = pc.is_in(trimmed, value_set=_missing_words())
    return pc.if_else(missing, pyarrow.scalar(None, pyarrow.string()), trimmed) if pc.any(missing).as_py() else trimmed


@cache
def _missing_words() -> Any:
    import pyarrow

    return pyarrow.array(["", *{form for word in MISSING_WORDS for form in (word, word.lower(), word.upper())}])


def _without_empty(cells: Any) -> Any:
    import pyarrow
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(cells, ""), pyarrow.scalar(None, pyarrow.string()), cells)
