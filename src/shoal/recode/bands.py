"""Bands: numbers become ordered categories such as "20-24" and "85+"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from shoal.errors import DataError, ParameterError
from shoal.parameters.limits import Above, AnyNumber, Ascending, Limit, OrNone
from shoal.read import Table
from shoal.recode.base import (
    Categories,
    Doubles,
    Recode,
    numbers_to_recode,
    refuse_top_below_bottom,
    short_number,
)

__all__ = ["Bands"]

_MOST_BANDS = 10_000


@dataclass(frozen=True)
class Bands(Recode):
    """Put numbers into bands of one width, or between given breaks.

    Parameters
    ----------
    width
        How wide a band is. Bands of whole numbers are called "20-24", others "20 to <22.5".
    start
        Where a band begins; by default `bottom`, and without it 0.
    top, bottom
        Numbers from `top` on are one band, "85+", and those below `bottom` another, "<0".
    breaks
        Where bands begin, instead of the others: [0, 15, 65] gives "<0", "0-14", "15-64" and "65+".

    Examples
    --------
    >>> import pandas as pd
    >>> from shoal.read import as_table
    >>> ages = as_table(pd.DataFrame({"age": [3, 21, 24, 97]}))
    >>> made = Bands(width=5, top=85).recoded(ages, "age", k=3)
    >>> [made.texts[code] for code in made.codes]
    ['0-4', '20-24', '20-24', '85+']
    """

    name: ClassVar[str] = "bands"
    summary: ClassVar[str] = "puts numbers into bands, which are ordered categories"
    limits: ClassVar[Mapping[str, Limit]] = {
        "width": Above(0),
        "start": OrNone(AnyNumber()),
        "top": OrNone(AnyNumber()),
        "bottom": OrNone(AnyNumber()),
        "breaks": OrNone(Ascending()),
    }
    title: ClassVar[str] = "put into bands"
    labels: ClassVar[Mapping[str, str]] = {
        "width": "Width of a band",
        "top": "One band from here on (optional)",
        "bottom": "One band below (optional)",
    }

    width: float = 5
    start: float | None = None
    top: float | None = None
    bottom: float | None = None
    breaks: Sequence[float] | None = None

    def check(self) -> None:
        """Raise ParameterError if top is not above bottom, or breaks are given beside them."""
        refuse_top_below_bottom(self.top, self.bottom)
        beside = [name for name in ("start", "top", "bottom") if getattr(self, name) is not None]
        if self.breaks is not None and beside:
            raise ParameterError(f"breaks say where bands begin and end: leave {beside[0]} out.", parameter="breaks")

    def written(self) -> dict[str, Any]:
        """Return it as a plan holds it."""
        written = super().written()
        if self.breaks is not None:
            del written["width"]
        return written

    def recoded(self, table: Table, column: str, k: int) -> Categories:
        """Return the band of every record."""
        values = numbers_to_recode(table, column, self)
        observed = ~np.isnan(values)
        codes = np.full(len(values), -1, dtype=np.int64)
        if not observed.any():
            return Categories(codes, (), ordered=True)
        below = np.zeros(len(values), bool) if self.bottom is None else values < self.bottom
        above = np.zeros(len(values), bool) if self.top is None else values >= self.top
        edges = self._edges(values[observed], bool(below.any()), bool(above.any()), column)
        whole = bool((values[observed & np.isfinite(values)] % 1 == 0).all())
        codes[observed] = np.searchsorted(np.array(edges), values[observed], side="right")
        texts = _texts(edges, whole=whole and all(edge.is_integer() for edge in edges))
        # What lies below the lowest edge or above the highest one is a band only if something is there.
        first, last = int(codes[observed].min()), int(codes[observed].max())
        codes[observed] -= first
        return Categories(codes, tuple(texts[first : last + 1]), ordered=True)

    def _edges(self, observed: Doubles, below: bool, above: bool, column: str) -> list[float]:
        """Return where bands begin, and where the last one ends; exact in decimals, so that 0.3 is not below 0.3.

        Bands begin at the bottom if some numbers are `below` it, and end at the top if some are `above`; else at the
        band of the lowest number, and of the highest one.
        """
        if self.breaks is not None:
            return [float(edge) for edge in self.breaks]
        lowest = float(self.bottom) if below and self.bottom is not None else float(observed.min())
        highest = float(self.top) if above and self.top is not None else float(observed.max())
        lowest, highest = min(lowest, highest), max(lowest, highest)  # where all are above, or all below
        if not (math.isfinite(lowest) and math.isfinite(highest)):
            infinite = int(np.isinf(observed).sum())
            raise DataError(
                f'Column "{column}" has {infinite:,} infinite values, which are in no band. Give "bands" a top and a '
                "bottom, or make them missing."
            )
        start = Fraction(repr(float(next(one for one in (self.start, self.bottom, 0.0) if one is not None))))
        width = Fraction(repr(float(self.width)))
        first = math.floor((Fraction(repr(lowest)) - start) / width)
        last = math.floor((Fraction(repr(highest)) - start) / width) + 1
        if last - first > _MOST_BANDS:
            raise DataError(
                f'Bands of width {short_number(self.width)} are more than {_MOST_BANDS:,} in column "{column}". Use a '
                "larger width, or a top and a bottom."
            )
        edges = [float(start + number * width) for number in range(first, last + 1)]
        if edges[-1] <= highest:  # the same as a float
            edges.append(float(start + (last + 1) * width))
        low = -math.inf if self.bottom is None else float(self.bottom)
        high = math.inf if self.top is None else float(self.top)
        return list(dict.fromkeys(min(max(edge, low), high) for edge in edges))


def _texts(edges: Sequence[float], *, whole: bool) -> list[str]:
    """Return what bands are called: below the first edge, between edges, and from the last edge on."""
    between = [_between(low, high, whole=whole) for low, high in pairwise(edges)]
    return [f"<{short_number(edges[0])}", *between, f"{short_number(edges[-1])}+"]


def _between(low: float, high: float, *, whole: bool) -> str:
    if not whole:
        return f"{short_number(low)} to <{short_number(high)}"
    if high - low == 1:
        return short_number(low)
    return f"{short_number(low)}{' to ' if low < 0 else '-'}{short_number(high - 1)}"
