"""Mean absolute change of values, in units of the original standard deviation times the square root of 2."""

from __future__ import annotations

import math

import numpy as np

from shoal.errors import NotApplicableError
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
        "original's standard deviation (n - 1). Constant variables and cells with a missing value are left out.",
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
    names = files.varying_names
    sums, cells = {}, {}
    for name, before, after in zip(names, original.T, masked.T, strict=True):
        change = np.abs(after - before) / math.sqrt(2)
        compared = int((~np.isnan(change)).sum())
        if compared:
            sums[name], cells[name] = float(np.nansum(change)), compared
    if not cells:
        raise NotApplicableError("This measure needs a cell that has a value in both files.")
    return MeasuredValue(
        math.fsum(sums.values()) / sum(cells.values()), by_column={name: sums[name] / cells[name] for name in sums}
    )
