"""How many records look alike."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from shoal.measure.measure import measure
from shoal.measure.pairs import pair

__all__ = ["k_anonymity"]


@measure(
    name="k_anonymity",
    title="Smallest number of records alike",
    definition="The size of the smallest set of masked records that agree in all the columns; a gap agrees with a gap.",
    reference="Samarati and Sweeney (1998), Protecting privacy when disclosing information",
    range=(1, math.inf),
    better="higher",
)
def k_anonymity(original: Any, masked: Any, *, columns: Iterable[Any] | None = None) -> int:
    """Return the k of the masked file on the given columns.

    Only the masked file decides; the original is taken so that all measures are called alike.
    """
    files = pair(original, masked, columns)
    frame = files.masked.frame.select(list(files.columns)).to_pandas()
    return int(frame.groupby(list(files.columns), dropna=False, observed=True).size().min())
