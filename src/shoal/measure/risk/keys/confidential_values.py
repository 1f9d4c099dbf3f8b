"""How often every value of a confidential variable occurs in each class of key variables."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes, numbers_of_values
from shoal.describe.kinds.default_kinds import default_kind
from shoal.describe.variables import KINDS, Kind, codes
from shoal.errors import ColumnError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.parameters.of_columns import as_names
from shoal.read import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

__all__ = ["Counts", "counts_in_classes", "is_ordered", "named_columns", "observed_codes"]

Whole64 = NDArray[np.int64]

_MOST = 10**8  # rows that may be compared where missing values agree with every value: some ten seconds' work


@dataclass(frozen=True, eq=False)
class Counts:
    """How often every value of one variable occurs in each class.

    Attributes
    ----------
    table
        Classes by values.
    class_of
        The class of every record.
    """

    table: csr_array
    class_of: Whole64


def named_columns(table: Table, names: Any, what: str) -> list[str]:
    """Return the columns that are named; an error where there are none, one is not there, or is named twice."""
    columns = [str(name) for name in as_names(names, what)]
    if not columns:
        raise ParameterError(f"{what} names no column. Name at least one.", parameter=what)
    for place, name in enumerate(columns):
        if name not in table:
            hint = nearest_name_hint(name, table.names)
            raise ColumnError(f'{what}: There is no column "{name}".{hint}', column=name)
        if name in columns[:place]:
            raise ColumnError(f'{what} names "{name}" more than once.', column=name)
    return columns


def observed_codes(table: Table, name: str) -> Whole64:
    """Number the values of a column that occur 0, 1, 2, ... in their order, -1 for a missing value."""
    ordered = codes(table, name)
    observed = ordered >= 0
    if not observed.any():
        raise NotApplicableError(f'All values of "{name}" are missing: it has no distribution.')
    found = np.full(len(ordered), -1, dtype=np.int64)
    found[observed] = np.unique(ordered[observed], return_inverse=True)[1].reshape(-1)
    return found


def is_ordered(table: Table, name: str, kinds: Mapping[str, Kind] | None = None) -> bool:
    """Whether the values of a column have an order: by the kind that is stated, or the one that it is taken to be."""
    kind = (kinds or {}).get(name)
    if kind is None:
        kind = "ordinal" if _holds_times(table, name) else default_kind(table, name)[0]
    elif kind not in KINDS:
        raise ParameterError(f'kinds: "{name}" must be one of {", ".join(KINDS)}.', parameter="kinds")
    return kind in ("continuous", "ordinal")


def _holds_times(table: Table, name: str) -> bool:
    """Whether all values of a column are dates, times of day or durations, whatever its type is called."""
    dtype = table.type_of(name)
    if not isinstance(dtype, nw.Object):
        return bool(dtype.is_temporal())
    cells, times = table.cells(name), (datetime.date, datetime.time, datetime.timedelta)
    return all(cell is None or isinstance(cell, times) for cell in cells)


def counts_in_classes(
    table: Table, keys: Sequence[str], values: Sequence[Whole64], missing: Literal["category", "wildcard"]
) -> list[Counts]:
    """Return how often every value occurs in each class of the keys, for each confidential variable.

    Parameters
    ----------
    table, keys
        The file and its key variables.
    values
        For each confidential variable its values as numbers, -1 for a missing value, which is not counted.
    missing
        What a missing value of a key agrees with: missing values ("category"), or every value ("wildcard"); the class
        of a record is then all that agree with it.
    """
    from scipy.sparse import csr_array

    columns = [numbers_of_values(table, name) for name in keys]
    classes = joined_codes(columns, len(table))
    shape = int(classes.max(initial=-1)) + 1
    counted = []
    for own in values:
        observed = own >= 0
        ones = np.ones(int(observed.sum()), dtype=np.int64)
        width = int(own.max(initial=-1)) + 1
        counts = csr_array((ones, (classes[observed], own[observed])), shape=(shape, width))
        counts.sum_duplicates()
        counted.append(counts)
    if missing == "wildcard" and any((column < 0).any() for column in columns):
        first = np.unique(classes, return_index=True)[1]
        counted = _over_agreeing(np.column_stack([column[first] for column in columns]), counted)
    return [Counts(counts, classes) for counts in counted]


def _over_agreeing(combinations: Whole64, counted: Sequence[csr_array]) -> list[csr_array]:
    """Return for every combination the counts of all that agree with it; two do in what both have observed."""
    from scipy.sparse import csr_array

    observed, pattern = np.unique(combinations >= 0, axis=0, return_inverse=True)
    if len(observed) * len(combinations) > _MOST:
        raise NotApplicableError(
            "Too many sets of keys have missing values to count in time. Count missing values as a category."
        )
    members = [np.flatnonzero(pattern.reshape(-1) == number) for number in range(len(observed))]
    summed: list[list[csr_array]] = [[] for _ in counted]
    for one, here in enumerate(members):
        sums: list[Any] = [0] * len(counted)
        for other, there in enumerate(members):
            both = np.flatnonzero(observed[one] & observed[other])
            together = np.concatenate([here, there])
            alike = joined_codes([combinations[together, place] for place in both], len(together))
            size = int(alike.max()) + 1
            mine, theirs = (_indicator(part, size) for part in (alike[: len(here)], alike[len(here) :]))
            for number, counts in enumerate(counted):
                sums[number] = sums[number] + mine @ (theirs.T @ counts[there])
        for number, own in enumerate(sums):
            summed[number].append(own)
    from scipy.sparse import vstack

    back = np.argsort(np.concatenate(members))
    return [csr_array(vstack(parts, format="csr"))[back] for parts in summed]


def _indicator(alike: Whole64, size: int) -> csr_array:
    from scipy.sparse import csr_array

    rows = np.arange(len(alike))
    return csr_array((np.ones(len(alike), dtype=np.int64), (rows, alike)), shape=(len(alike), size))
