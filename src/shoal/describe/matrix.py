"""One block of variables as a matrix of numbers, each on its scale, to compute distances on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale, is_constant, range_scale, standard_scale
from shoal.describe.variables import Kind, codes
from shoal.read import Table

__all__ = ["Matrix", "block_matrix", "block_values"]


@dataclass(frozen=True)
class Matrix:
    """One block of variables as a matrix.

    Attributes
    ----------
    values
        n records by the variables of the block that vary: numbers, scaled for `distance`, and the codes of nominal
        variables; NaN for a missing value.
    nominal
        The columns of `values` that are nominal: two values are equal or not, and nothing else.
    distance
        "euclidean": squared differences of standard scores, or of the numbers as they are, and 2 where categories
        differ, which is the distance of their indicators. "gower": differences as a share of the range, and 1 where
        categories differ.
    constant
        The variables left out because all their values are the same.
    complete
        Whether no value of the block is missing, those of the variables left out included.
    """

    values: NDArray[np.float64]
    nominal: tuple[int, ...]
    distance: Literal["euclidean", "gower"]
    constant: tuple[str, ...]
    complete: bool

    @property
    def all_comparable(self) -> bool:
        """Whether every distance can be taken over all columns of `values`."""
        return not np.isnan(self.values).any()

    @property
    def mismatch(self) -> float:
        """What categories that differ add to a distance."""
        return 2.0 if self.distance == "euclidean" else 1.0

    def width(self, rows: NDArray[np.intp]) -> int:
        """Return how many columns these records have in `embedded`."""
        categories = [len(np.unique(self.values[rows, place])) for place in self.nominal]
        return int(self.values.shape[1]) - len(categories) + sum(categories)

    def embedded(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return some complete records with an indicator, 0 or 1, of each of their categories in place of the codes.

        Squared Euclidean distances are then those of the block. The indicators of a variable stand where its codes are,
        in the order of the codes; categories that none of the records has would add nothing.
        """
        if not self.nominal:
            return self.values if len(rows) == len(self.values) else self.values[rows]
        embedded = np.zeros((len(rows), self.width(rows)))
        start = 0
        for place, column in enumerate(self.values.T):
            if place in self.nominal:
                found, numbered = np.unique(column[rows], return_inverse=True)
                embedded[np.arange(len(rows)), start + numbered] = 1.0
                start += len(found)
            else:
                embedded[:, start] = column[rows]
                start += 1
        return embedded


def block_values(table: Table, block: Sequence[str], kinds: Mapping[str, Kind]) -> dict[str, NDArray[np.float64]]:
    """Return every variable of a block as numbers: its values if continuous, else its codes; NaN if missing."""
    values = {}
    for name in block:
        if kinds[name] == "continuous":
            values[name] = table.numbers(name)
        else:
            numbered = codes(table, name)
            values[name] = np.where(numbered < 0, np.nan, numbered.astype(np.float64))
    return values


def block_matrix(
    values: Mapping[str, NDArray[np.float64]],
    kinds: Mapping[str, Kind],
    *,
    standardize: bool,
    distance: Literal["euclidean", "gower"] = "euclidean",
    scales: Mapping[str, Scale] | None = None,
) -> Matrix:
    """Return the matrix of a block: its variables scaled and side by side, without those that are constant.

    Without `standardize`, numbers and the codes of ordinal variables stay as they are, unless the distance is Gower's.
    `scales` are those of the whole file, where the table is a part of it; by default they are the table's own.
    """
    constant = {name: None for name, column in values.items() if is_constant(column)}
    varying = [name for name in values if name not in constant]
    scaled = []
    for name in varying:
        column = values[name]
        if kinds[name] != "nominal" and (standardize or distance == "gower"):
            own_scale = range_scale if distance == "gower" else standard_scale
            scale = (scales or {}).get(name) or own_scale(column)
            column = scale.apply(column)
        scaled.append(column)
    n = len(next(iter(values.values())))
    return Matrix(
        values=np.column_stack(scaled) if scaled else np.zeros((n, 1)),
        nominal=tuple(place for place, name in enumerate(varying) if kinds[name] == "nominal"),
        distance=distance,
        constant=tuple(constant),
        complete=not any(np.isnan(column).any() for column in values.values()),
    )
