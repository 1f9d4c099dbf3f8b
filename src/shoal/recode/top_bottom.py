"""Top and bottom codes: what is above a limit, or below one, gets one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.kinds.default_kinds import default_kind
from shoal.describe.variables import Kind
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.parameters.limits import AnyNumber, Limit, OneOf, OrNone
from shoal.read import Table
from shoal.recode.base import (
    Categories,
    Doubles,
    Numbers,
    Recode,
    numbers_to_recode,
    refuse_top_below_bottom,
    short_number,
)

__all__ = ["TopBottom"]


@dataclass(frozen=True)
class TopBottom(Recode):
    """Give one value to all numbers from a top on, and one to all below a bottom.

    Parameters
    ----------
    top, bottom
        The limits; one of them at least. The top itself belongs to what is coded, the bottom does not.
    value
        What they get. "limit": the top or the bottom, "mean": the mean of those that are coded, of at least k records;
        the column stays one of numbers. "text": "85+" and "<16", and every other number is a category, in its order.
    """

    name: ClassVar[str] = "top-bottom"
    summary: ClassVar[str] = "gives one value to all numbers from a top on, and one to all below a bottom"
    limits: ClassVar[Mapping[str, Limit]] = {
        "top": OrNone(AnyNumber()),
        "bottom": OrNone(AnyNumber()),
        "value": OneOf(
            ("limit", "mean", "text"),
            labels=("the limit itself", "the mean of those beyond it", 'a text such as "85+"'),
        ),
    }
    title: ClassVar[str] = "top and bottom codes"
    labels: ClassVar[Mapping[str, str]] = {
        "top": "All from here on get one value",
        "bottom": "All below get one value (optional)",
        "value": "which is",
    }

    top: float | None = None
    bottom: float | None = None
    value: Literal["limit", "mean", "text"] = "limit"

    def check(self) -> None:
        """Raise ParameterError unless there is a limit, and the top is above the bottom."""
        if self.top is None and self.bottom is None:
            raise ParameterError('recode "top-bottom" needs a top, a bottom or both.', parameter="top")
        refuse_top_below_bottom(self.top, self.bottom)

    @property
    def counts_records(self) -> bool:
        """Whether coded values get a mean."""
        return self.value == "mean"

    def recoded(self, table: Table, column: str, k: int) -> Numbers | Categories:
        """Return the numbers with those beyond the limits coded."""
        values = numbers_to_recode(table, column, self)
        with np.errstate(invalid="ignore"):
            beyond = [] if self.top is None else [(values >= self.top, float(self.top))]
            beyond += [] if self.bottom is None else [(values < self.bottom, float(self.bottom))]
        if self.value == "text":
            return self._categories(values)
        made = values.copy()
        for coded, limit in beyond:
            made[coded] = limit if self.value == "limit" else self._mean(values[coded], column, k)
        kept: Kind | None = "continuous" if default_kind(table, column)[0] == "continuous" else None
        return Numbers(made, kind=kept)  # few whole numbers would be taken for codes now

    def _mean(self, coded: Doubles, column: str, k: int) -> float:
        if 0 < len(coded) < k:
            raise TooFewRecordsError(
                f'recode "top-bottom" of "{column}": only {len(coded)} records are beyond a limit; their mean would '
                f'disclose them. With value="mean" there have to be {k}: move the limit, or use value="limit".',
                k=k,
                records=len(coded),
            )
        return float(coded.sum() / len(coded)) if len(coded) else 0.0

    def _categories(self, values: Doubles) -> Categories:
        top: NDArray[np.bool_] = np.zeros(len(values), bool) if self.top is None else values >= self.top
        bottom: NDArray[np.bool_] = np.zeros(len(values), bool) if self.bottom is None else values < self.bottom
        observed = ~np.isnan(values)
        between, places = np.unique(values[observed & ~top & ~bottom], return_inverse=True)
        texts = [short_number(number) for number in between]
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[observed & ~top & ~bottom] = places.reshape(-1)
        if self.bottom is not None:
            texts = [f"<{short_number(self.bottom)}", *texts]
            codes[codes >= 0] += 1
            codes[bottom] = 0
        if self.top is not None:
            codes[top] = len(texts)
            texts.append(f"{short_number(self.top)}+")
        return Categories(codes, tuple(texts), ordered=True)
