"""How far the distribution of a confidential variable in a class of key variables is from that of the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import same_combinations
from shoal.describe.variables import Kind
from shoal.measure.measure import About, MeasuredValue, partition_measure
from shoal.measure.risk.keys.confidential_values import is_ordered, named_columns, observed_codes
from shoal.read import as_table

__all__ = ["distances_of_classes", "t_closeness"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


@partition_measure(
    About(
        name="t_closeness",
        title="Largest distance of a class from the file",
        definition="How far the distribution of a confidential variable among the records with one combination of key "
        "variables is from that in the file: by the earth mover's distance with steps of 1/(m - 1) between the m "
        "different values if they have an order, by half the sum of absolute differences of shares if not. Missing "
        "values of it do not count.",
        reference="Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, "
        "IEEE ICDE",
        range=(0.0, 1.0),
        better="lower",
        side="risk",
        unit="",
        counts="neither",
        slow=False,
    )
)
def t_closeness(data: Any, keys: Any, confidential: Any, *, kinds: Mapping[str, Kind] | None = None) -> MeasuredValue:
    """Return the largest distance of a class of key variables from the whole file, in a confidential variable.

    A missing value of a key counts as a category. Missing values of a confidential variable are left out; a class that
    has no others discloses none, and its distance is NaN.

    Parameters
    ----------
    data
        A frame, a 2-D array or the path of a file.
    keys
        The key variables.
    confidential
        The confidential variable, or several: each record then has the largest of their distances.
    kinds
        Confidential variables that are not what their types say: ``{"severity": "ordinal"}``. Values of continuous and
        ordinal variables, dates and durations have an order, those of nominal ones have none.

    Returns
    -------
    MeasuredValue
        A number with `.by_record` and `.by_column`.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["f", "f", "m", "m"], "income": [1.5, 2.5, 1.5, 3.5]})
    >>> float(t_closeness(people, ["sex"], "income"))
    0.125
    """
    table = as_table(data)
    named, names = named_columns(table, keys, "keys"), named_columns(table, confidential, "confidential")
    classes = same_combinations(table, named)  # a missing key is a category
    distances = [
        distances_of_classes(classes, observed_codes(table, name), ordered=is_ordered(table, name, kinds))
        for name in names
    ]
    by_column = {name: float(np.nanmax(own)) for name, own in zip(names, distances, strict=True)}
    by_record = np.fmax.reduce(distances)[classes]
    return MeasuredValue(max(by_column.values()), by_record=by_record, by_column=by_column)


def distances_of_classes(classes: Whole64, values: Whole64, *, ordered: bool) -> Doubles:
    """Return the distance of every class, 0 to c - 1, from all records; NaN where it has no observed value.

    Parameters
    ----------
    classes
        The class of every record; -1 for one that is in none, and counts in the file alone.
    values
        The values 0, 1, ..., m - 1 of the variable, each of which occurs; -1 for a missing value.
    ordered
        Whether these have an order.
    """
    whole = np.bincount(values[values >= 0]).astype(np.float64)
    within = (classes >= 0) & (values >= 0)
    number = int(classes.max(initial=-1)) + 1
    sizes = np.bincount(classes[within], minlength=number).astype(np.float64)
    pairs, counts = np.unique(classes[within] * len(whole) + values[within], return_counts=True)
    own, value = pairs // len(whole), pairs % len(whole)
    if ordered:
        moved = _earth_moved(own, value, counts.astype(np.float64), sizes, np.cumsum(whole))
    else:
        moved = _differences(own, counts.astype(np.float64), sizes, whole[value], float(whole.sum()))
    return np.where(sizes > 0, moved, np.nan)


def _differences(own: Whole64, counts: Doubles, sizes: Doubles, whole: Doubles, total: float) -> Doubles:
    """Return half the sum of absolute differences of shares; values that a class does not have count in full."""
    beside = np.bincount(own, weights=np.abs(total * counts - sizes[own] * whole), minlength=len(sizes))
    absent = total - np.bincount(own, weights=whole, minlength=len(sizes))
    return (beside + sizes * absent) / np.maximum(2 * total * sizes, 1.0)


def _earth_moved(own: Whole64, value: Whole64, counts: Doubles, sizes: Doubles, below: Doubles) -> Doubles:
    """Return the earth mover's distances, from the values that occur in each class.

    It is the sum over the first m - 1 values of the difference of the two distribution functions. Between two values
    that a class has, its own stays the same and that of the file grows: the difference changes its sign once at most.
    """
    m, total = len(below), float(below[-1])
    if m == 1:
        return np.zeros(len(sizes))
    first = np.ones(len(own), dtype=bool)
    first[1:] = own[1:] != own[:-1]
    reached = np.cumsum(counts)
    reached -= (reached - counts)[first][np.cumsum(first) - 1]  # records of the class up to this value
    ends = np.append(value[1:], 0)
    ends[np.append(first[1:], True)] = m - 1
    # From each value of a class up to its next one, and from the first of all up to its first one.
    filled = own[first]
    owner = np.concatenate([own, filled])
    start = np.concatenate([value, np.zeros(len(filled), dtype=np.int64)])
    stop = np.concatenate([ends, value[first]])
    level = total * np.concatenate([reached, np.zeros(len(filled))]) / sizes[owner]  # where the file would be the same
    turn = np.clip(np.searchsorted(below, level), start, stop)
    sums = np.concatenate([[0.0], np.cumsum(below)])
    under = level * (turn - start) - (sums[turn] - sums[start])
    over = (sums[stop] - sums[turn]) - level * (stop - turn)
    return np.bincount(owner, weights=np.maximum(under + over, 0.0), minlength=len(sizes)) / (total * (m - 1))
