"""Values as they may be given: exactly, or in public rounded, with shares no nearer than k records to none or to all.

Measures that are computed from shares are computed from the published ones; otherwise the two together would reveal the
exact shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.measure import MEASURES, MeasuredValue, Publication
from shoal.report.wording import percent_text

__all__ = ["Shares", "is_share"]

_DIGITS = 3


def is_share(name: str) -> bool:
    """Whether a measure is a share of records or of cells."""
    return MEASURES[name].about.counts != "neither"


@dataclass(frozen=True)
class Shares:
    """How shares of records, and other values, may be given.

    Parameters
    ----------
    least
        The share of k records in percent; None where everything may be given exactly.
    """

    least: float | None

    @classmethod
    def in_public(cls, k: int, records: int) -> Shares:
        """Return how values of so many records, those without a missing value, may be published."""
        return cls(100 * k / records if records else 100.0)

    @property
    def can_be_given(self) -> bool:
        """Whether there are shares between k records and all but k."""
        return self.least is None or self.least < 50

    def bounded(self, percent: float) -> float:
        """Return a share, or the bound beyond which it lies."""
        if self.least is None:
            return float(percent)
        return min(max(self.rounded(percent), self.least), 100 - self.least)

    def rounded(self, value: float) -> float:
        """Return a value, in public with three significant digits."""
        return float(value) if self.least is None else float(f"{value:.{_DIGITS}g}")

    def text(self, percent: float) -> str:
        """Return a share from `bounded` as text, which says if it is a bound."""
        if self.least is not None and percent <= self.least:
            return f"≤ {percent_text(self.least)}"
        if self.least is not None and percent >= 100 - self.least:
            return f"≥ {percent_text(100 - self.least)}"
        return percent_text(percent)

    def error_of(self, measured: MeasuredValue, given: float) -> float | None:
        """Return the standard error of a sampled share; None if there is none, or `given` is only a bound."""
        error = measured.parts.get("standard_error")
        if error is None or (self.least is not None and not self.least < given < 100 - self.least):
            return None
        return self.rounded(error)

    def by_number(self, linkage: MeasuredValue) -> list[tuple[int, float]]:
        """Return linkage over subsets by the number of known variables."""
        return [(int(number), self.bounded(share)) for number, share in linkage.parts["by_number"].items()]

    def values(self, measured: Mapping[str, MeasuredValue]) -> dict[str, float]:
        """Return the values of all measures that may be given, as they may be given."""
        return {name: self._value(name, value) for name, value in measured.items() if self._is_publishable(name)}

    def _is_publishable(self, name: str) -> bool:
        is_of_shares = is_share(name) or MEASURES[name].about.publication is Publication.FROM_PUBLISHED
        return self.can_be_given or not is_of_shares

    def _value(self, name: str, value: MeasuredValue) -> float:
        if self.least is not None and MEASURES[name].about.publication is Publication.FROM_PUBLISHED:
            return self.rounded(MEASURES[name].recomputed(value.parts, self._number))
        return self._number(name, value)

    def _number(self, name: str, value: float) -> float:
        return self.bounded(value) if is_share(name) else self.rounded(value)
