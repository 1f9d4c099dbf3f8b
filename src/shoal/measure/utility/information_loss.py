"""Squared error within groups, absolute and as a share of all variation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.describe.standardize import is_constant, standard_scale
from shoal.errors import DataError
from shoal.measure.measure import measure
from shoal.measure.pairs import Pair, pair

__all__ = ["Losses", "information_loss", "losses", "sse"]

_REFERENCE = "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)"


@measure(
    name="sse",
    title="Squared error",
    definition="Sum over records and numeric variables of (original - masked)^2, each variable in units of the "
    "original's standard deviation (n - 1). Constant variables and cells with a gap are left out.",
    reference=_REFERENCE,
    range=(0.0, math.inf),
    better="lower",
)
def sse(original: Any, masked: Any, *, columns: Iterable[Any] | None = None) -> float:
    """Return the sum of squared errors on standardised data."""
    return losses(pair(original, masked, columns)).sse


@measure(
    name="information_loss",
    title="Information loss",
    definition="100 SSE / SST: the squared error as a percentage of the squared deviation from the mean.",
    reference=_REFERENCE,
    range=(0.0, math.inf),
    better="lower",
)
def information_loss(original: Any, masked: Any, *, columns: Iterable[Any] | None = None) -> float:
    """Return the information loss in percent."""
    return losses(pair(original, masked, columns)).percent


@dataclass(frozen=True)
class Losses:
    """The squared error, the same as a percentage of all variation, and that percentage of each variable."""

    sse: float
    percent: float
    percent_by_column: dict[str, float]


def losses(files: Pair) -> Losses:
    """Return what two files lose, from one look at them; DataError if no numeric variable varies."""
    errors = _errors(files)
    error = math.fsum(one for one, _ in errors.values())
    return Losses(
        sse=error,
        percent=100 * error / math.fsum(total for _, total in errors.values()),
        percent_by_column={name: 100 * one / total for name, (one, total) in errors.items()},
    )


def _errors(files: Pair) -> dict[str, tuple[float, float]]:
    """Return the squared error and the total sum of squares of each numeric variable that varies."""
    errors = {}
    for name, original, masked in files.numeric():
        if is_constant(original):
            continue
        scale = standard_scale(original)
        difference = scale.apply(original) - scale.apply(masked)
        known = ~np.isnan(difference)
        # SST of a standardised variable is its number of values less one.
        errors[name] = (float(np.square(difference[known]).sum()), float((~np.isnan(original)).sum() - 1))
    if not errors:
        raise DataError("There is no numeric variable that varies, so information loss has no meaning here.")
    return errors
