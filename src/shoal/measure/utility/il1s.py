"""Mean absolute change, in units of how far apart two original values are."""

from __future__ import annotations

import math

import numpy as np

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, Figure, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.utility.joint_moments import on_original_scale

__all__ = ["il1s"]


@file_measure(
    About(
        name="il1s",
        title="Mean absolute change (IL1s)",
        definition="Mean over records and numeric variables of |original - masked| / (sqrt(2) S), where S is the "
        "original's standard deviation (n - 1). Constant variables and cells with a gap are left out.",
        reference="Yancey, Winkler and Creecy (2002), Disclosure risk assessment in perturbative microdata protection, "
        "Inference Control in Statistical Databases, LNCS 2316",
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="",
    )
)
def il1s(files: Pair) -> Figure:
    """Return the mean absolute change, with that of each variable in `.by_column`."""
    original, masked = on_original_scale(*files.need_numeric())
    names = files.varying_names
    sums, cells = {}, {}
    for name, before, after in zip(names, original.T, masked.T, strict=True):
        change = np.abs(after - before) / math.sqrt(2)
        known = int((~np.isnan(change)).sum())
        if known:
            sums[name], cells[name] = float(np.nansum(change)), known
    if not cells:
        raise NotApplicableError("This measure needs a cell that has a value in both files.")
    return Figure(
        math.fsum(sums.values()) / sum(cells.values()), by_column={name: sums[name] / cells[name] for name in sums}
    )
