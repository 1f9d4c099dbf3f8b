"""The size of the smallest set of records that look alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from shoal.describe.combinations import records_alike
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.parameters.limits import OrNone, Whole

__all__ = ["k_anonymity"]


@file_measure(
    About(
        name="k_anonymity",
        title="Smallest number of records alike",
        definition="The size of the smallest set of masked records that agree in all the columns; a missing value "
        "agrees with a missing value.",
        reference="Samarati and Sweeney (1998), Protecting privacy when disclosing information",
        range=(1, math.inf),
        better="higher",
        side="risk",
        unit="records",
        counts="neither",
        slow=False,
        publication=Publication.AS_MEASURED,
    ),
    limits={"k": OrNone(Whole(1))},
)
def k_anonymity(files: Pair, *, k: int | None = None) -> MeasuredValue:
    """Return the k of the masked file on the columns that are compared.

    Only the masked file decides; the original is a parameter so that all measures are called alike.

    Parameters
    ----------
    files
        The two files.
    k
        The k wanted. The row numbers, from 0, of the masked records with fewer than k like them are then in `.short`.
        Without it, they are those of the smallest sets.
    """
    sizes = records_alike(files.masked, files.columns)
    least = int(sizes.min())
    return MeasuredValue(least, short=np.flatnonzero(sizes < (least + 1 if k is None else k)).tolist())


@k_anonymity.in_evaluation
def _with_blocks(files: Pair, *, blocks: Any = None, k: int | None = None) -> MeasuredValue:
    """Return the k of whole records, with that of each block: blocks are grouped separately, so that it is larger."""
    whole = k_anonymity.of(files, k=k)
    by_block = [int(k_anonymity.of(files.only(block), k=k)) for block in files.in_blocks(blocks)]
    return MeasuredValue(int(whole), by_block=by_block, records_short=len(whole.short))
