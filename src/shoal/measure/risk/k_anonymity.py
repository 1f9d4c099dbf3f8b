"""The size of the smallest set of records that look alike."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from shoal.describe.combinations import numbers_of_values, records_alike
from shoal.describe.wildcards import agreeing_records
from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.parameters.limits import OneOf, OrNone, Whole

__all__ = ["k_anonymity"]

_MOST_WORK = 3e8  # rows and pairs that are looked at where missing values are wildcards: some ten seconds


@file_measure(
    About(
        name="k_anonymity",
        title="Smallest number of records alike",
        definition="The size of the smallest set of masked records that agree in all the columns; a missing value "
        "agrees with a missing value, or as a wildcard with every value.",
        reference="Samarati and Sweeney (1998), Protecting privacy when disclosing information",
        range=(1, math.inf),
        better="higher",
        side="risk",
        unit="records",
        counts="neither",
        slow=False,
        publication=Publication.AS_MEASURED,
    ),
    limits={"k": OrNone(Whole(1)), "missing": OneOf(("category", "wildcard"))},
)
def k_anonymity(
    files: Pair, *, k: int | None = None, missing: Literal["category", "wildcard"] = "category"
) -> MeasuredValue:
    """Return the k of the masked file on the columns that are compared.

    Only the masked file decides; the original is a parameter so that all measures are called alike. `.wildcard` is the
    k if a missing value agrees with every value; None where it is not counted, because that would take long.

    Parameters
    ----------
    files
        The two files.
    k
        The k wanted. The row numbers, from 0, of the masked records with fewer than k like them are then in `.short`.
        Without it, they are those of the smallest sets.
    missing
        Whether a missing value agrees with missing values ("category") or with every value ("wildcard").
    """
    sizes = records_alike(files.masked, files.columns)
    wild = sizes
    if any(files.masked.missing(name).any() for name in files.columns):
        columns = [numbers_of_values(files.masked, name) for name in files.columns]
        wild = agreeing_records(columns, len(files.masked), most=_MOST_WORK)  # type: ignore[assignment]  # or None
    if missing == "wildcard":
        if wild is None:
            raise NotApplicableError("Too many sets of columns have missing values to count in time.")
        sizes = wild
    least = int(sizes.min())
    short = np.flatnonzero(sizes < (least + 1 if k is None else k)).tolist()
    return MeasuredValue(least, short=short, wildcard=None if wild is None else int(wild.min()))


@k_anonymity.in_evaluation
def _with_blocks(
    files: Pair, *, blocks: Any = None, k: int | None = None, missing: Literal["category", "wildcard"] = "category"
) -> MeasuredValue:
    """Return the k of whole records, with that of each block: blocks are grouped separately, so that it is larger."""
    whole = k_anonymity.of(files, k=k, missing=missing)
    by_block = [int(k_anonymity.of(files.only(block), k=k, missing=missing)) for block in files.in_blocks(blocks)]
    return MeasuredValue(int(whole), by_block=by_block, records_short=len(whole.short), wildcard=whole.wildcard)
