"""How many values of a confidential variable the records of a class of key variables have."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.measure.measure import About, MeasuredValue, partition_measure
from shoal.measure.risk.keys.confidential_values import Counts, counts_in_classes, named_columns, observed_codes
from shoal.parameters.limits import Above, Limit, OneOf, check_limits
from shoal.read import as_table

__all__ = ["Diversity", "l_diversity"]

Doubles = NDArray[np.float64]
DiversityKind = Literal["distinct", "entropy", "recursive"]

LIMITS: dict[str, Limit] = {
    "kind": OneOf(("distinct", "entropy", "recursive")),
    "c": Above(0),
    "missing": OneOf(("category", "wildcard")),
}


class Diversity(MeasuredValue):
    """The smallest diversity of a class, with that of every record.

    `by_record` is the diversity of the class of every record, NaN where no value is observed in it; `by_column` the
    smallest of each confidential variable.
    """

    def violators(self, l: float) -> int:  # noqa: E741  # the field calls it l
        """Return how many records are in a class with a diversity below `l`."""
        return int((self.by_record < l).sum())


@partition_measure(
    About(
        name="l_diversity",
        title="Smallest diversity of a class of key variables",
        definition="Of the records with one combination of key variables: how many different values of a confidential "
        "variable they have (distinct), the exponential of its entropy, or the largest l for which the most frequent "
        "value is rarer than c times all from the l-th most frequent on (recursive). Missing values of it do not "
        "count.",
        reference="Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), l-diversity: privacy beyond "
        "k-anonymity, ACM TKDD 1",
        range=(0.0, math.inf),
        better="higher",
        side="risk",
        unit="",
        counts="neither",
        slow=False,
    )
)
def l_diversity(
    data: Any,
    keys: Any,
    confidential: Any,
    kind: DiversityKind = "distinct",
    *,
    c: float = 2.0,
    missing: Literal["category", "wildcard"] = "category",
) -> Diversity:
    """Return the smallest l-diversity of the classes that key variables make of a file.

    Parameters
    ----------
    data
        A frame, a 2-D array or the path of a file.
    keys
        The key variables.
    confidential
        The confidential variable, or several: each record then has the smallest of their diversities.
    kind
        "distinct", the number of different values; "entropy", the exponential of the entropy, as many values as would
        be as diverse if all were as frequent; "recursive", the largest l for which r1 < c (rl + ... + rm), where r1 is
        the count of the most frequent value; 0 where it holds for none.
    c
        The factor of recursive diversity.
    missing
        Whether a missing value of a key agrees with missing values ("category") or with every value ("wildcard"): the
        class of a record is then all that agree with it.

    Returns
    -------
    Diversity
        A number with `.by_record`, `.by_column` and `.violators(l)`.

    Examples
    --------
    >>> import pandas as pd
    >>> patients = pd.DataFrame({"sex": ["f", "f", "m", "m"], "illness": ["flu", "gout", "flu", "flu"]})
    >>> diversity = l_diversity(patients, ["sex"], "illness")
    >>> float(diversity), diversity.violators(2)
    (1.0, 2)
    """
    check_limits(LIMITS, {"kind": kind, "c": c, "missing": missing})
    table = as_table(data)
    named, names = named_columns(table, keys, "keys"), named_columns(table, confidential, "confidential")
    values = [observed_codes(table, name) for name in names]
    by_variable = [_DIVERSITIES[kind](one, c) for one in counts_in_classes(table, named, values, missing)]
    by_column = {name: float(np.nanmin(own)) for name, own in zip(names, by_variable, strict=True)}
    return Diversity(min(by_column.values()), by_record=np.fmin.reduce(by_variable), by_column=by_column)


def _distinct(counts: Counts, c: float) -> Doubles:
    return _by_record(np.diff(counts.table.indptr).astype(np.float64), counts)


def _entropy(counts: Counts, c: float) -> Doubles:
    table = counts.table
    totals = np.asarray(table.sum(axis=1), dtype=np.float64)
    rows = np.repeat(np.arange(len(totals)), np.diff(table.indptr))
    shares = table.data / totals[rows]
    entropies = np.bincount(rows, weights=-shares * np.log(shares), minlength=len(totals))
    return _by_record(np.exp(entropies), counts)


def _recursive(counts: Counts, c: float) -> Doubles:
    """Return the largest l for which it holds: the tails get shorter, so that it holds for all smaller ones too."""
    table = counts.table
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    falling = table.data[np.lexsort((-table.data, rows))].astype(np.float64)
    before = np.cumsum(falling) - falling
    filled = np.diff(table.indptr) > 0
    starts = table.indptr[:-1][filled]
    of_row = np.repeat(np.arange(len(starts)), np.diff(table.indptr)[filled])
    totals = np.add.reduceat(falling, starts)
    tails = totals[of_row] - (before - before[starts][of_row])
    holds = falling[starts][of_row] < c * tails
    return _by_record(np.bincount(rows[holds], minlength=table.shape[0]).astype(np.float64), counts)


def _by_record(of_class: Doubles, counts: Counts) -> Doubles:
    """Return the diversity of every record from that of every class; NaN where the class has no observed value."""
    return np.where(np.diff(counts.table.indptr) > 0, of_class, np.nan)[counts.class_of]


_DIVERSITIES = {"distinct": _distinct, "entropy": _entropy, "recursive": _recursive}
