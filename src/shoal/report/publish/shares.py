"""Figures as they may be given: exactly, or in public rounded, and shares no nearer than k records to none and to all.

Figures that are computed from shares are computed from what is given, or the two together would tell the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb

from shoal.measure import Figure
from shoal.measure.score import SCORE_PARTS, combined
from shoal.report.wording import percent_text

__all__ = ["SHARES", "Shares"]

# What is counted in records or in their cells.
SHARES = frozenset(
    {
        "frequency_difference",
        "categories_changed",
        "unchanged",
        "interval_disclosure",
        "distance_linkage",
        "linkage_over_subsets",
        "probabilistic_linkage",
        "transparency_attack",
    }
)
_DIGITS = 3


@dataclass(frozen=True)
class Shares:
    """What may be said of shares of records, and of other figures.

    Parameters
    ----------
    least
        The share of k records in percent; None where everything may be said.
    """

    least: float | None

    @classmethod
    def in_public(cls, k: int, records: int) -> Shares:
        """Return what may be said to everybody of so many records, those without a gap."""
        return cls(100 * k / records if records else 100.0)

    @property
    def may_be_given(self) -> bool:
        """Whether there is anything between k records and all but k."""
        return self.least is None or self.least < 50

    def given(self, percent: float) -> float:
        """Return a share: itself, or the bound that it lies beyond."""
        if self.least is None:
            return float(percent)
        return min(max(self.rounded(percent), self.least), 100 - self.least)

    def rounded(self, value: float) -> float:
        """Return a figure, in public with three digits that count."""
        return float(value) if self.least is None else float(f"{value:.{_DIGITS}g}")

    def text(self, percent: float) -> str:
        """Return a share that was given, as text that says if it is a bound."""
        if self.least is not None and percent <= self.least:
            return f"≤ {percent_text(self.least)}"
        if self.least is not None and percent >= 100 - self.least:
            return f"≥ {percent_text(100 - self.least)}"
        return percent_text(percent)

    def by_number(self, figure: Figure) -> list[tuple[int, float]]:
        """Return linkage by the number of known variables."""
        return [(int(number), self.given(share)) for number, share in figure.parts["by_number"].items()]

    def figures(self, measured: Mapping[str, Figure]) -> dict[str, float]:
        """Return all figures that may be given, as they may be given."""
        found: dict[str, float] = {}
        for name, figure in measured.items():
            if name in (*SHARES, "score") and not self.may_be_given:
                continue
            if name == "linkage_over_subsets" and self.least is not None:
                points = self.by_number(figure)
                subsets = [comb(len(points), number) for number, _ in points]
                total = sum(n * share for n, (_, share) in zip(subsets, points, strict=True))
                found[name] = self.rounded(total / sum(subsets))
            elif name == "score" and self.least is not None:
                parts = [part.about.name for part in SCORE_PARTS["equal"]]
                found[name] = self.rounded(combined({part: self._part(part, figure.parts[part]) for part in parts}))
            else:
                found[name] = self._part(name, figure)
        return found

    def _part(self, name: str, value: float) -> float:
        return self.given(value) if name in SHARES else self.rounded(value)
