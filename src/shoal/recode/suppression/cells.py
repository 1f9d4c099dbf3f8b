"""Which cells of some keys are made missing so that k holds over the keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.parameters.limits import Above, OneOf, Whole, check_limits
from shoal.recode.suppression.category import category_suppression
from shoal.recode.suppression.wildcard import Agreement, distinct_combinations, wildcard_suppression

__all__ = ["MISSING", "Missing", "SuppressedCells", "suppressed_cells"]

Whole64 = NDArray[np.int64]
Missing = Literal["wildcard", "category"]
MISSING = ("wildcard", "category")
IMPORTANCE = Above(0, high=1e12)  # sums of more are no longer exact


@dataclass(frozen=True, eq=False)
class SuppressedCells:
    """The cells that are made missing.

    Attributes
    ----------
    cells
        One row a record and one column a key; True where a value is made missing.
    cost
        Their importance, summed.
    lower_bound
        What no other choice of cells goes below, in importance.
    """

    cells: NDArray[np.bool_]
    cost: float
    lower_bound: float

    @property
    def count(self) -> int:
        """How many cells are made missing."""
        return int(self.cells.sum())

    @property
    def gap(self) -> float:
        """How much of the cost may be more than needed, in per cent; 0 where no choice of cells costs less."""
        return 100 * max(0.0, self.cost - self.lower_bound) / self.cost if self.cost else 0.0


def suppressed_cells(
    columns: Sequence[Whole64],
    k: int,
    *,
    importance: Sequence[float] | None = None,
    missing: Missing = "wildcard",
    strata: Whole64 | None = None,
    units: Whole64 | None = None,
    fixed: Sequence[bool] | None = None,
    subsets: Mapping[int, int] | None = None,
) -> SuppressedCells:
    """Return the fewest cells, weighted by importance, to make missing so that k holds over the keys.

    The result depends on codes and their order, not on the order of the records: where some of several records with the
    same combination lose cells, the first do.

    Parameters
    ----------
    columns
        The codes of every key, -1 for a missing value.
    k
        How many records have to be alike.
    importance
        The cost of a suppressed cell of each key; 1 each by default.
    missing
        "wildcard": on the values that a record keeps, at least k records agree with it; a value that was missing agrees
        with every value. "category": at least k records have the same combination in the end; a missing value agrees
        with a missing value.
    strata
        The stratum of every record; records are alike only within one.
    units
        The unit of every record: k different units instead of k records. Only with "category".
    fixed
        Keys that are never suppressed.
    subsets
        For a number of keys, the k that holds over every set of so many keys. Only with "wildcard".

    Raises
    ------
    TooFewRecordsError
        Even with every free key suppressed, some record is not like k.
    """
    records = len(columns[0])
    asked = [1.0] * len(columns) if importance is None else list(importance)
    _refuse_unsupported(k, len(columns), asked, missing, units, subsets)
    costs = [float(one) for one in asked]
    free = [key for key in range(len(columns)) if fixed is None or not fixed[key]]
    layers = np.zeros(records, dtype=np.int64) if strata is None else np.asarray(strata, dtype=np.int64)
    table, counts, number = distinct_combinations([layers, *columns])
    cells, bound = None, 0.0
    if missing == "category":
        found = category_suppression(table, number, k, costs, free, units)
        if found.all_sets:
            return _result(found.cells, found.lower_bound, costs)
        cells, bound = found.cells, found.lower_bound  # what wildcards need is needed here too
    agreement = Agreement.of(np.ascontiguousarray(table[:, 1:]), counts, table[:, 0])
    outcome = wildcard_suppression(agreement, k, costs, free, dict(subsets or {}))
    bound = max(bound, math.fsum((outcome.least * counts).tolist()))
    return _result(outcome.lost[number] if cells is None else cells, bound, costs)


def _result(cells: NDArray[np.bool_], bound: float, importance: Sequence[float]) -> SuppressedCells:
    lost = cells.sum(axis=0).tolist()
    cost = math.fsum(many * one for many, one in zip(lost, importance, strict=True))
    return SuppressedCells(cells, cost, min(bound, cost))


def _refuse_unsupported(
    k: int, keys: int, importance: Sequence[float], missing: str, units: Any, subsets: Mapping[int, int] | None
) -> None:
    check_limits({"k": Whole(1), "missing": OneOf(MISSING)}, {"k": k, "missing": missing})
    for one in importance:
        check_limits({"importance": IMPORTANCE}, {"importance": one})
    if subsets is not None and not isinstance(subsets, Mapping):
        raise ParameterError(
            f"subsets must be a mapping from numbers of keys to k, such as {{3: 10}}; got {type(subsets).__name__}.",
            parameter="subsets",
        )
    for size, least in (subsets or {}).items():
        check_limits({"subsets": Whole(1, keys)}, {"subsets": size})
        check_limits({"subsets": Whole(1)}, {"subsets": least})
    if missing == "wildcard" and units is not None:
        raise ParameterError('Units are counted only where missing="category".', parameter="units")
    if missing == "category" and subsets:
        raise ParameterError('subsets are checked only where missing="wildcard".', parameter="subsets")
