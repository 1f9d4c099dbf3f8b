"""One block of variables as a matrix of numbers, each on its scale, to compute distances on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import is_constant, range_scale, standard_scale
from shoal.describe.variables import Kind, codes
from shoal.read import Table

__all__ = ["Matrix", "block_matrix", "block_values"]


@dataclass(frozen=True)
class Matrix:
    """One block of variables as a matrix.

    Attributes
    ----------
    values
        n records by the variables of the block that vary; NaN for a missing value.
    nominal
        The columns of `values` that are nominal: two values are equal or not, and nothing else.
    distance
        Squared Euclidean on standard scores where every variable is continuous; otherwise Gower's: differences as a
        share of the range for ordered variables, 0 or 1 for nominal ones.
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


def block_matrix(values: Mapping[str, NDArray[np.float64]], kinds: Mapping[str, Kind], *, standardize: bool) -> Matrix:
    """Return the matrix of a block: its variables scaled and side by side, without those that are constant."""
    gower = any(kinds[name] != "continuous" for name in values)
    constant = {name: None for name, column in values.items() if is_constant(column)}
    varying = [name for name in values if name not in constant]
    scaled = []
    for name in varying:
        column = values[name]
        if kinds[name] == "nominal" or not (gower or standardize):
            scaled.append(column)
        else:
            scaled.append((range_scale(column) if gower else standard_scale(column)).apply(column))
    n = len(next(iter(values.values())))
    return Matrix(
        values=np.column_stack(scaled) if scaled else np.zeros((n, 1)),
        nominal=tuple(place for place, name in enumerate(varying) if kinds[name] == "nominal"),
        distance="gower" if gower else "euclidean",
        constant=tuple(constant),
        complete=not any(np.isnan(column).any() for column in values.values()),
    )
