"""What every recode declares about itself, and the columns that recodes make."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import Kind
from shoal.errors import DataError, ParameterError
from shoal.parameters.choices import as_text, written_form
from shoal.parameters.limits import Limit
from shoal.read import Table

__all__ = [
    "Categories",
    "Numbers",
    "Recode",
    "counted",
    "numbers_to_recode",
    "refuse_top_below_bottom",
    "short_number",
    "text_of",
]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers that a recode made.

    Attributes
    ----------
    values
        The numbers, NaN for a missing value.
    labels
        What codes mean, where the recode knows better than the file.
    kind
        What the column is; None if it is what it was.
    """

    values: Doubles
    labels: Mapping[float | int | str, str] | None = None
    kind: Kind | None = None


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories that a recode made.

    Attributes
    ----------
    codes
        The category of every record, -1 for a missing value.
    texts
        The categories; in their order, if they have one.
    ordered
        Whether they have one.
    decided
        Whether it is clear that they are categories: texts of which a few were merged may still be names.
    """

    codes: Whole64
    texts: tuple[str, ...]
    ordered: bool
    decided: bool = True


class Recode(ABC):
    """Base of everything that makes a column coarser before records are grouped.

    Attributes
    ----------
    name
        What a plan calls it.
    summary
        What it does, in one sentence without a full stop.
    limits
        What its parameters may be.
    title
        What it does to a column, as a page offers it; "" where it has no form there.
    labels
        The parameters that the form has, each with what it asks for. The first that is a number has a slider.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    limits: ClassVar[Mapping[str, Limit]] = {}
    title: ClassVar[str] = ""
    labels: ClassVar[Mapping[str, str]] = {}

    @property
    def counts_records(self) -> bool:
        """Whether what it makes of a value depends on how many records have one, and so on the whole file."""
        return False

    @abstractmethod
    def recoded(self, table: Table, column: str, k: int) -> Numbers | Categories:
        """Return the column made coarser.

        Parameters
        ----------
        table, column
            Where it is.
        k
            The fewest records that a value computed from records stands for.
        """

    def check(self) -> None:  # noqa: B027  # most have nothing to add
        """Raise ParameterError if parameters do not fit together; each alone is checked by `limits`."""

    def written(self) -> dict[str, Any]:
        """Return it as a plan holds it."""
        return written_form(self, {self.name: type(self)}, "recode")

    def public(self) -> dict[str, Any]:
        """Return what may be published of it: no value of the data that the release does not show."""
        return self.written()

    @property
    def text(self) -> str:
        """The recode as one line, without values of the data: "bands:width=5,top=85"."""
        return as_text(self.public())


def numbers_to_recode(table: Table, column: str, recode: Recode) -> Doubles:
    """Return a column of numbers; DataError that names the recode if it holds something else."""
    if table.missing(column).all():
        return np.full(len(table), math.nan)
    if not table.is_numeric(column):
        try:
            table.numbers(column)  # its error says how many cells are not numbers
        except DataError as error:
            raise DataError(
                f'recode "{recode.name}" is for numbers. {error} Use "merge" or "hierarchy" for categories, '
                '"date-part" for dates.'
            ) from None
        raise DataError(f'recode "{recode.name}" is for numbers; column "{column}" holds truth values.')
    if isinstance(table.type_of(column), nw.Decimal):  # Arrow's own floats of 94.1 are one digit off
        return np.array([math.nan if cell is None else float(cell) for cell in table.column(column).to_list()])
    return table.numbers(column)


def refuse_top_below_bottom(top: float | None, bottom: float | None) -> None:
    """Raise ParameterError unless there is something between bottom and top."""
    if top is not None and bottom is not None and not bottom < top:
        raise ParameterError(
            f"top must be above bottom; got top={short_number(top)} and bottom={short_number(bottom)}.", parameter="top"
        )


def counted(number: int, thing: str) -> str:
    """Return "1 record", "2 records"."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def short_number(number: float) -> str:
    """Write a number as short as it reads back the same: whole ones without a point, no exponent."""
    text = format(Decimal(repr(float(number))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def text_of(cell: Any) -> str:
    """Return a value as text, so that 1, 1.0 and "1" are the same code."""
    if type(cell) is str or type(cell) is int:  # at once, since tables of codes are long
        return str(cell)
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, Real | Decimal) and math.isfinite(cell):
        whole = math.floor(cell)
        return str(whole) if cell == whole else short_number(float(cell))
    return str(cell)
