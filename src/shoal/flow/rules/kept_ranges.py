"""Synthetic values and the range of the original: how many are outside it, and how they are kept inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.edits.keep.rounding import from_digits, in_digits
from shoal.errors import DataError
from shoal.flow.rules.ruled_values import REDRAWS, moment_differences, redrawn
from shoal.read import Table
from shoal.replace import SyntheticReplacement
from shoal.replace.synthetic.synthetic import is_unchanged, refuse_unchanged

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["Ends", "ends_of", "kept_in_range", "outside_range"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Ends = Mapping[str, tuple[float, float]]
"""The lowest and the highest value that a variable may have, by its name."""

_ROUNDING = 1e-9  # of the range: what is less outside is not


def outside_range(plan: Plan, original: Table, masked: Table) -> dict[str, int]:
    """Count the released values below the lowest or above the highest original one, by variable that has some."""
    counts = {}
    for name in plan.rewritten:
        if plan.kinds[name] == "continuous" and plan.replacements[name].leaves_range and name in masked:
            before, after = original.numbers(name), masked.numbers(name)
            low, high = float(np.nanmin(before)), float(np.nanmax(before))
            margin = _ROUNDING * (high - low)
            counts[name] = int(((after < low - margin) | (after > high + margin)).sum())
    return {name: count for name, count in counts.items() if count}


def ends_of(plan: Plan, columns: Mapping[str, Doubles]) -> Ends:
    """Return between what values every rewritten number stays; DataError if that leaves no room.

    The ends are the means of the k lowest and of the k highest original values: the lowest and the highest one are
    those of one record each, and are not to be seen in the release. Where values are rounded, so are the ends, inwards.
    """
    ends = {}
    for name, values in columns.items():
        ordered = np.sort(values)
        low = max(float(ordered[: plan.k].mean()), float(ordered[0]))
        high = min(float(ordered[-plan.k :].mean()), float(ordered[-1]))
        if name in plan.decimals:
            decimals = plan.decimals[name]
            inwards = np.ceil(in_digits(np.array([low]), decimals)), np.floor(in_digits(np.array([high]), decimals))
            low, high = (float(from_digits(one, decimals)[0]) for one in inwards)
        if not low < high:
            raise DataError(
                f'bounds leaves "{name}" no room between the means of its k={plan.k} lowest and highest values. Lower '
                "k, or leave bounds out."
            )
        ends[name] = low, high
    return ends


def kept_in_range(
    original: Doubles,
    kept: Doubles,
    values: Doubles,
    ends: Sequence[tuple[float, float]],
    groups: Labels,
    replacement: SyntheticReplacement,
    rng: np.random.Generator,
) -> tuple[Doubles, list[str]]:
    """Return synthetic values between their ends, and notes on what that took.

    Records are drawn again inside groups, which changes no mean or covariance. What is outside even then is moved
    inside, at random to at most half as far from the end as it was outside, so that nothing piles up at an end.

    Parameters
    ----------
    original, values
        What the variables were, and what the replacement made of them, n x L.
    kept
        The variables that stay, n x M.
    ends
        The lowest and the highest value of each of the L variables.
    groups
        The groups in which values were made.
    replacement
        What made them.
    rng
        Where draws come from; nothing is drawn where all values are inside.
    """
    low, high = np.array(ends).T

    def violations(some: Doubles, rows: Labels | None = None) -> Doubles:
        """Return how far each record is outside, as parts of the ranges."""
        return np.asarray((np.maximum(np.maximum(low - some, some - high), 0.0) / (high - low)).sum(axis=1))

    before = int((violations(values) > 0).sum())
    if not before:
        return values, []
    drawn = values
    if replacement.redraws:
        beside = np.hstack([kept, original]) if replacement.keeps_old_relation else kept
        drawn = redrawn(violations, beside, values, groups, rng)
    left = int((violations(drawn) > 0).sum())
    shares = rng.random(drawn.shape) / 2
    below, above = np.maximum(low - drawn, 0.0), np.maximum(drawn - high, 0.0)
    inside = np.where(below > 0, low + shares * np.minimum(below, high - low), drawn)
    inside = np.where(above > 0, high - shares * np.minimum(above, high - low), inside)
    inside = np.clip(inside, low, high)  # rounding
    if not replacement.accepts_unchanged:
        same = int(is_unchanged(original, inside).sum())
        refuse_unchanged("Keeping ranges (bounds)", same, len(inside), "Use another seed, or leave bounds out.")
    return inside, [_note(original, kept, values, inside, before, left, redraws=replacement.redraws)]


def _note(
    original: Doubles, kept: Doubles, made: Doubles, inside: Doubles, before: int, left: int, *, redraws: bool
) -> str:
    """Say how many records had values outside, what was done, and by how much means and covariances are off."""
    said = f"{before} of {len(made)} records had values outside the bounds as drawn"
    if redraws:
        said += f", {left} after drawing again up to {REDRAWS} times inside groups"
    if not left:
        return f"{said}: means and covariances are those of the first draw."
    mean, covariance = moment_differences(original, kept, made, inside)
    return (
        f"{said}; these were moved inside. Means are then off by up to {mean:.2g} standard deviations, covariances by "
        f"up to {covariance:.2g} of the product of two."
    )
