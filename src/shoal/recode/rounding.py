"""Round: numbers to the nearest multiple of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.parameters.limits import Above, Limit
from shoal.read import Table
from shoal.recode.base import Numbers, Recode, numbers_to_recode

__all__ = ["Round"]


@dataclass(frozen=True)
class Round(Recode):
    """Round numbers to the nearest multiple of `to`; those halfway go to the even multiple.

    The column is one of amounts from then on, however few values it has left.
    """

    name: ClassVar[str] = "round"
    summary: ClassVar[str] = "rounds numbers to the nearest multiple of one"
    limits: ClassVar[Mapping[str, Limit]] = {"to": Above(0)}
    title: ClassVar[str] = "round"
    labels: ClassVar[Mapping[str, str]] = {"to": "To multiples of"}

    to: float = 1000

    def recoded(self, table: Table, column: str, k: int) -> Numbers:
        """Return the rounded numbers."""
        values = numbers_to_recode(table, column, self)
        # As a fraction of whole numbers, so that 0.3 is the nearest number to 0.3 and not three times 0.1.
        exact = Fraction(repr(float(self.to)))
        above, below = float(exact.numerator), float(exact.denominator)
        with np.errstate(over="ignore", invalid="ignore"):
            made = np.rint(values * below / above) * above / below
        made = np.where(np.isfinite(made), made, values)  # beyond what can be computed with
        return Numbers(made + 0.0, kind="continuous")  # no minus zero
