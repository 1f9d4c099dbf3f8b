"""The squared error of masking, as a sum and as a percentage of the variation."""

from __future__ import annotations

import math

import numpy as np

from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import on_original_scale

__all__ = ["information_loss", "sse"]

_REFERENCE = "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)"


@file_measure(
    About(
        name="sse",
        title="Squared error",
        definition="Sum over records and numeric variables of (original - masked)^2, each variable in units of the "
        "original's standard deviation (n - 1). A value that masking suppressed counts as the mean of its variable; "
        "constant variables and cells without a value in the original are left out.",
        reference=_REFERENCE,
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="",
        counts="neither",
        slow=False,
        publication=Publication.OVER_VARIABLES,
    )
)
def sse(files: Pair) -> MeasuredValue:
    """Return the sum of squared errors on standardised data, with the sum of each variable in `.by_column`.

    `.suppressed` is the number of values of the original that are missing in the masked file.
    """
    errors = _errors(files)
    return MeasuredValue(
        math.fsum(one for one, _ in errors.values()),
        by_column={name: one for name, (one, _) in errors.items()},
        suppressed=_suppressed(files),
    )


@file_measure(
    About(
        name="information_loss",
        title="Information loss",
        definition="100 SSE / SST: the squared error as a percentage of the squared deviation from the mean, over the "
        "cells that have a value in the original. One that masking suppressed loses all of its deviation.",
        reference=_REFERENCE,
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="%",
        counts="neither",
        slow=False,
        publication=Publication.OVER_VARIABLES,
    )
)
def information_loss(files: Pair) -> MeasuredValue:
    """Return the information loss in percent, with the loss of each variable in `.by_column`, and `.suppressed`.

    `.suppressed` is the number of values of the original that are missing in the masked file.
    """
    errors = _errors(files)
    error, total = (math.fsum(sums) for sums in zip(*errors.values(), strict=True))
    return MeasuredValue(
        100 * error / total,
        by_column={name: 100 * one / all_ for name, (one, all_) in errors.items()},
        suppressed=_suppressed(files),
    )


def _errors(files: Pair) -> dict[str, tuple[float, float]]:
    """Return the squared error and the total sum of squares of each numeric variable that varies."""
    original, masked = on_original_scale(*files.need_numeric())
    errors = {}
    for name, before, after in zip(files.varying_names, original.T, masked.T, strict=True):
        observed = ~np.isnan(before)
        # On this scale the mean is 0, which is all that is left of a suppressed value.
        after = np.nan_to_num(after[observed], nan=0.0)
        errors[name] = (
            float(np.square(before[observed] - after).sum()),
            # SST of a standardised variable is its number of values less one.
            float(len(before) - 1) if observed.all() else float(np.square(before[observed]).sum()),
        )
    return errors


def _suppressed(files: Pair) -> int:
    """Return how many values of the numeric variables that vary are missing in the masked file alone."""
    original, masked = files.need_numeric()
    return int((np.isnan(masked) & ~np.isnan(original)).sum())
