"""How many records look alike."""

from __future__ import annotations

import math

import numpy as np

from shoal.measure.measure import About, Figure, file_measure
from shoal.measure.pairs import Pair
from shoal.parameters.limits import OrNone, Whole, check_limits

__all__ = ["k_anonymity"]


@file_measure(
    About(
        name="k_anonymity",
        title="Smallest number of records alike",
        definition="The size of the smallest set of masked records that agree in all the columns; a gap agrees with a "
        "gap.",
        reference="Samarati and Sweeney (1998), Protecting privacy when disclosing information",
        range=(1, math.inf),
        better="higher",
        side="risk",
        unit="records",
    )
)
def k_anonymity(files: Pair, *, k: int | None = None) -> Figure:
    """Return the k of the masked file on the given columns.

    Only the masked file decides; the original is taken so that all measures are called alike.

    Parameters
    ----------
    files
        The two files.
    k
        The k wanted. The row numbers, from 0, of the masked records with fewer than k like them are then in `.short`.
        Without it, they are those of the smallest sets.
    """
    check_limits({"k": OrNone(Whole(1))}, {"k": k})
    frame = files.masked.frame.select(list(files.columns)).to_pandas()
    alike = frame.groupby(list(files.columns), dropna=False, observed=True)[files.columns[0]].transform("size")
    sizes = alike.to_numpy()
    least = int(sizes.min())
    return Figure(least, short=np.flatnonzero(sizes < (least + 1 if k is None else k)).tolist())
