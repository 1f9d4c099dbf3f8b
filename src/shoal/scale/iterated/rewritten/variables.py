"""The confidential variables of a page and the others, and how much of the former came out as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.errors import DataError, DisclosureWarning, warn
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded
from shoal.scale.iterated.rewritten.triangles import joined, triangle

__all__ = ["Kept", "Layout", "StratumFacts", "facts_of", "kept_in"]

Doubles = NDArray[np.float64]

# As in `replace.synthetic.synthetic`: what is not moved farther, or rounds back in variables with a larger spread than
# the last, did not change.
_OF_SPREAD, _OF_SIZE, _FEW_UNITS = 1e-9, 1e-14, 5.0
_NEARLY = 0.999  # old and new values that correlate by more are nearly the same


@dataclass(frozen=True)
class Layout:
    """What the numbers of a page are: the others, the confidential ones on their scale, and these as they are.

    Attributes
    ----------
    others
        How many columns the others have, indicators of categories included.
    scales
        The scales of the confidential variables.
    """

    others: int
    scales: Sequence[Scale]

    @property
    def confidential(self) -> int:
        """How many confidential variables there are."""
        return len(self.scales)

    def design(self, numbers: Doubles) -> Doubles:
        """Return a constant and the others."""
        return np.column_stack([np.ones(len(numbers)), numbers[:, : self.others]])

    def scaled(self, numbers: Doubles) -> Doubles:
        """Return the confidential variables on their scale."""
        return numbers[:, self.others : self.others + self.confidential]

    def as_they_are(self, numbers: Doubles) -> Doubles:
        """Return the confidential variables as they are."""
        return numbers[:, self.others + self.confidential :]

    def undone(self, scaled: Doubles) -> Doubles:
        """Return new values of the confidential variables in their own units."""
        return np.column_stack([scale.undo(column) for scale, column in zip(self.scales, scaled.T, strict=True)])


@dataclass(frozen=True)
class StratumFacts:
    """What is known of the variables of one stratum.

    Attributes
    ----------
    records
        How many records it has.
    whole
        The triangle of [1, others, confidential].
    spreads
        The standard deviations of the confidential variables, in their own units.
    sizes
        Their largest absolute values.
    is_whole
        Whether all their values are whole numbers.
    """

    records: int
    whole: Doubles
    spreads: Doubles
    sizes: Doubles
    is_whole: NDArray[np.bool_]

    def unmoved(self, before: Doubles, after: Doubles) -> NDArray[np.bool_]:
        """Return which values are the same, but for rounding."""
        allowed = np.maximum(_OF_SPREAD * self.spreads, _OF_SIZE * self.sizes)
        return np.asarray(np.abs(before - after) <= allowed)

    def unchanged_cells(self, before: Doubles, after: Doubles) -> NDArray[np.bool_]:
        """Return which values did not change; whole numbers did not if they round to what they were."""
        return np.asarray(self.unmoved(before, after) | (self.is_whole & (np.rint(after) == before)))

    def unchanged(self, before: Doubles, after: Doubles) -> NDArray[np.bool_]:
        """Return which records have no value that changed; values that round back by chance have."""
        rounds_back = self.is_whole & (self.spreads >= _FEW_UNITS) & (np.rint(after) == before)
        return np.asarray((self.unmoved(before, after) | rounds_back).all(axis=1))


def facts_of(pages: Sequence[Page], layout: Layout) -> Passes[StratumFacts]:
    """Return what is known of the variables of one stratum."""
    records = sum(page.records for page in pages)
    answers = yield Pass(pages, _facts_in, (layout,))
    whole = joined([one[0] for one in answers])
    units = np.array([float(np.ldexp(scale.unit, scale.exponent)) for scale in layout.scales])
    deviations = np.sqrt(np.square(whole[1:, 1 + layout.others :]).sum(axis=0) / max(1, records - 1))
    return StratumFacts(
        records,
        whole,
        deviations * units,
        np.max([one[1] for one in answers], axis=0),
        np.all([one[2] for one in answers], axis=0),
    )


@dataclass(frozen=True)
class Kept:
    """How much of some records came out as it was.

    Attributes
    ----------
    records
        How many records there are.
    same
        How many values of each variable came out as they were.
    whole
        How many records did in all of them.
    unchanged
        How many of these did so by no chance.
    together
        The triangle of [1, old values, new values].
    """

    records: int
    same: NDArray[np.int64]
    whole: int
    unchanged: int
    together: Doubles

    def __add__(self, other: Kept) -> Kept:
        return Kept(
            self.records + other.records,
            self.same + other.same,
            self.whole + other.whole,
            self.unchanged + other.unchanged,
            joined([self.together, other.together]),
        )

    def notes(self, names: Sequence[str], accepted: bool) -> list[str]:
        """Return notes on values that came out as they were, or nearly; DataError if a whole variable did."""
        notes = []
        if self.same.any():
            rest = "no record does in all of them"
            if self.whole:
                reason = "which was accepted" if accepted else "by chance, as these have few values"
                rest = f"{self.whole} of {self.records} records do in all of them, {reason}"
            values = f"{int(self.same.sum())} of {self.records * len(names)} confidential values"
            notes.append(f"{values} come out as they were, whole numbers after rounding; {rest}.")
        for place, name in enumerate(names):
            old, new = self.together[1:, 1 + place], self.together[1:, 1 + len(names) + place]
            is_kept = self.same[place] == self.records
            if is_kept and not accepted:
                raise DataError(
                    f'"{name}" follows from the variables that stay, so that it would be released as it is. Name one '
                    "of those confidential too, or drop it (role identifier)."
                )
            if is_kept:
                warn(f'"{name}" is released as it is, which was accepted.', DisclosureWarning)
            elif (old * new).sum() > _NEARLY * np.sqrt((old * old).sum() * (new * new).sum()):
                notes.append(
                    f'"{name}" comes out nearly as it was: old and new values correlate by more than {_NEARLY}.'
                )
        return notes


def kept_in(numbers: Doubles, after: Doubles, layout: Layout, facts: StratumFacts) -> Kept:
    """Return how much of a page came out as it was."""
    before = layout.as_they_are(numbers)
    same = facts.unchanged_cells(before, after)
    new = [scale.apply(column) for scale, column in zip(layout.scales, after.T, strict=True)]
    together = triangle(np.column_stack([np.ones(len(numbers)), layout.scaled(numbers), *new]))
    unchanged = int(facts.unchanged(before, after).sum())
    return Kept(len(numbers), same.sum(axis=0), int(same.all(axis=1).sum()), unchanged, together)


def _facts_in(page: Page, layout: Layout) -> tuple[Doubles, Doubles, NDArray[np.bool_]]:
    numbers = loaded(page)
    X = layout.as_they_are(numbers)
    whole = triangle(np.column_stack([layout.design(numbers), layout.scaled(numbers)]))
    return whole, np.abs(X).max(axis=0), (np.rint(X) == X).all(axis=0)
