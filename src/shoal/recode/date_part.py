"""DatePart: dates become years, quarters, months or weeks."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.parameters.limits import Limit, OneOf
from shoal.read import Table
from shoal.recode.base import Categories, Numbers, Recode, Whole64

__all__ = ["DatePart"]

_Days = NDArray[np.datetime64]
_MOST_BETWEEN = 10_000  # months or weeks without a record that are listed too, for the distances between the others


@dataclass(frozen=True)
class DatePart(Recode):
    """Keep the year, the quarter, the month or the week of dates.

    Years are whole numbers, ordinal; the others are ordered categories that begin with the year: "1980-Q2", "1980-05",
    "1980-W21" (ISO weeks). For dates, date-times, texts such as "1980-05-21" and whole numbers such as 19800521.

    Parameters
    ----------
    part
        "year", "quarter", "month" or "week".
    """

    name: ClassVar[str] = "date-part"
    summary: ClassVar[str] = "keeps the year, the quarter, the month or the week of dates"
    limits: ClassVar[Mapping[str, Limit]] = {"part": OneOf(("year", "quarter", "month", "week"))}
    title: ClassVar[str] = "keep a part of the date"
    labels: ClassVar[Mapping[str, str]] = {"part": "What is kept"}

    part: Literal["year", "quarter", "month", "week"] = "year"

    def recoded(self, table: Table, column: str, k: int) -> Numbers | Categories:
        """Return the part of every date."""
        days = _days(table, column)
        missing = np.isnat(days)
        if self.part == "year":
            years = (days.astype("datetime64[Y]").astype(np.int64) + 1970).astype(np.float64)
            return Numbers(np.where(missing, np.nan, years), labels={}, kind="ordinal")
        count, text = _PARTS[self.part]
        numbers = np.where(missing, 0, count(np.where(missing, np.datetime64(0, "D"), days)))
        codes = np.full(len(days), -1, dtype=np.int64)
        if missing.all():
            return Categories(codes, (), ordered=True)
        low, high = int(numbers[~missing].min()), int(numbers[~missing].max())
        listed = np.unique(numbers[~missing]) if high - low > _MOST_BETWEEN else np.arange(low, high + 1)
        codes[~missing] = np.searchsorted(listed, numbers[~missing])
        return Categories(codes, tuple(text(number) for number in listed.tolist()), ordered=True)


def _months(days: _Days) -> Whole64:
    return days.astype("datetime64[M]").astype(np.int64) + 1970 * 12


def _weeks(days: _Days) -> Whole64:
    """Number the weeks from the one of Monday, the fifth of January 1970."""
    return (days.astype(np.int64) - 4) // 7


def _week_text(number: int) -> str:
    monday = datetime.date(1970, 1, 5) + datetime.timedelta(weeks=number)
    return f"{monday.isocalendar().year:04d}-W{monday.isocalendar().week:02d}"


_PARTS: dict[str, tuple[Callable[[_Days], Whole64], Callable[[int], str]]] = {
    "month": (_months, lambda number: f"{number // 12:04d}-{number % 12 + 1:02d}"),
    "quarter": (lambda days: _months(days) // 3, lambda number: f"{number // 4:04d}-Q{number % 4 + 1}"),
    "week": (_weeks, _week_text),
}


def _days(table: Table, column: str) -> _Days:
    """Return the day of every record; DataError if some values are no dates."""
    dtype, missing = table.type_of(column), table.missing(column)
    if missing.all():
        return np.full(len(table), np.datetime64("NaT"), dtype="datetime64[D]")
    if isinstance(dtype, nw.Date | nw.Datetime):
        series = table.column(column)
        parts = [getattr(series.dt, part)() for part in ("year", "month", "day")]
        year, month, day = (np.asarray(one.fill_null(1).to_numpy(), dtype=np.float64) for one in parts)
        days = _from_parts(*(np.where(missing, 1, one).astype(np.int64) for one in (year, month, day)))
        days[missing] = np.datetime64("NaT")
        return days
    if table.is_numeric(column):
        return _from_whole_numbers(table.numbers(column), column)
    return _from_cells(table.cells(column), missing, column)


def _from_parts(year: Whole64, month: Whole64, day: Whole64) -> _Days:
    months = (year - 1970) * 12 + month - 1
    days: _Days = months.astype("datetime64[M]").astype("datetime64[D]") + (day - 1).astype("timedelta64[D]")
    return days


def _from_whole_numbers(values: NDArray[np.float64], column: str) -> _Days:
    missing = np.isnan(values)
    whole = np.where(missing | ~np.isfinite(values) | (values % 1 != 0) | (values > 9999_12_31), 0, values)
    whole = whole.astype(np.int64)
    year, month, day = whole // 10_000, whole // 100 % 100, whole % 100
    fits = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    days = _from_parts(np.where(fits, year, 1970), np.where(fits, month, 1), np.where(fits, day, 1))
    fits &= days.astype("datetime64[M]").astype(np.int64) == (year - 1970) * 12 + month - 1  # no 31st of April
    _refuse_others(~fits & ~missing, column)
    days[missing] = np.datetime64("NaT")
    return days


def _from_cells(cells: NDArray[np.object_], missing: NDArray[np.bool_], column: str) -> _Days:
    known: dict[Any, np.datetime64 | None] = {}
    days = np.full(len(cells), np.datetime64("NaT"), dtype="datetime64[D]")
    wrong = np.zeros(len(cells), dtype=bool)
    for row in np.flatnonzero(~missing).tolist():
        cell = cells[row]
        if cell not in known:
            known[cell] = _day(cell)
        day = known[cell]
        if day is None:
            wrong[row] = True
        else:
            days[row] = day
    _refuse_others(wrong, column)
    return days


def _day(cell: Any) -> np.datetime64 | None:
    """Return the day of a date, a date-time or a text that begins with one; None for anything else."""
    if isinstance(cell, datetime.datetime):
        return np.datetime64(cell.date(), "D")
    if isinstance(cell, datetime.date):
        return np.datetime64(cell, "D")
    text = cell.strip() if isinstance(cell, str) else ""
    try:
        whole = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return np.datetime64(whole.date(), "D")


def _refuse_others(wrong: NDArray[np.bool_], column: str) -> None:
    if wrong.any():
        raise DataError(
            f'recode "date-part" of "{column}": {int(wrong.sum()):,} values are no dates, the first in record '
            f'{int(np.flatnonzero(wrong)[0]) + 1}. Write dates as "1980-05-21", or make the others missing '
            "(missing_codes, --missing-codes)."
        )
