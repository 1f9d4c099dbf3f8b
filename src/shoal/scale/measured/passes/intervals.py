"""Which values of two files are near each other: the intervals of interval disclosure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.describe.standardize import Scale
from shoal.scale.measured.passes.first_pass import FirstPass

__all__ = ["ROUNDING", "Interval", "IntervalOptions", "RankInterval", "intervals_of"]

# As in `measure.risk.interval_disclosure`.
ROUNDING = 1e-9
_WIDTHS = tuple(range(1, 11))  # per cent


@dataclass(frozen=True)
class IntervalOptions:
    """The options of interval disclosure."""

    kind: str = "rank"
    width: float | None = None

    @property
    def widths(self) -> tuple[float, ...]:
        """The widths that are averaged over."""
        return _WIDTHS if self.width is None else (self.width,)


@dataclass(frozen=True)
class RankInterval:
    """Ranks among the values of the original: values that differ by no more than `tied` are equal but for rounding."""

    tied: float
    per_cent: float  # of the records, in ranks


@dataclass(frozen=True)
class Interval:
    """Values themselves: on a scale, how far apart they may be for a per cent, and what rounding may add.

    Attributes
    ----------
    scale
        The scale of the original, or a power of two.
    per_cent
        How far apart; None for one per cent of the original value.
    rounding
        What rounding may add.
    """

    scale: Scale
    per_cent: float | None
    rounding: float


def intervals_of(first: FirstPass, names: Sequence[str], kind: str) -> dict[str, RankInterval | Interval]:
    """Return which values are near each other, for every column that varies and has values in both files."""
    found: dict[str, RankInterval | Interval] = {}
    for name in names:
        before, after = first.before[name], first.after[name]
        if not before.varies or not first.cells[name].both:
            continue
        span = before.highest - before.lowest
        if kind == "rank":
            found[name] = RankInterval(ROUNDING * span, before.counted / 200)
            continue
        scale = before.scale
        if kind == "sd":
            spread = 0.0
            if after.varies:
                own = after.scale
                spread = float(np.ldexp(own.unit, own.exponent - scale.exponent)) / scale.unit
            ends = scale.apply(np.array([before.lowest, before.highest]))
            found[name] = Interval(scale, spread / 100, ROUNDING * float(ends[1] - ends[0]))
        else:
            found[name] = Interval(
                Scale(0.0, 1.0, scale.exponent), None, ROUNDING * float(np.ldexp(span, -scale.exponent))
            )
    return found
