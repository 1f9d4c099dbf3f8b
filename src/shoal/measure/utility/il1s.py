"""Mean absolute change of values, in units of the original standard deviation times the square root of 2."""

from __future__ import annotations

import math

import numpy as np

from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import on_original_scale

__all__ = ["il1s"]


@file_measure(
    About(
        name="il1s",
        title="Mean absolute change (IL1s)",
        definition="Mean over records and numeric variables of |original - masked| / (sqrt(2) S), where S is the "
        "original's standard deviation (n - 1). A value that masking suppressed counts as the mean of its variable; "
        "constant variables and cells without a value in the original are left out.",
        reference="Yancey, Winkler and Creecy (2002), Disclosure risk assessment in perturbative microdata protection, "
        "Inference Control in Statistical Databases, LNCS 2316",
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="",
        counts="neither",
        slow=False,
        publication=Publication.OVER_VARIABLES,
    )
)
def il1s(files: Pair) -> MeasuredValue:
    """Return the mean absolute change, with the change of each variable in `.by_column`."""
    original, masked = on_original_scale(*files.need_numeric())
    sums, cells = {}, {}
    for name, before, after in zip(files.varying_names, original.T, masked.T, strict=True):
        observed = ~np.isnan(before)
        # On this scale the mean is 0, which is all that is left of a suppressed value.
        change = np.abs(np.nan_to_num(after[observed], nan=0.0) - before[observed]) / math.sqrt(2)
        sums[name], cells[name] = float(change.sum()), len(change)
    return MeasuredValue(
        math.fsum(sums.values()) / sum(cells.values()), by_column={name: sums[name] / cells[name] for name in sums}
    )
