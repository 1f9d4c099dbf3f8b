"""What the fuzzy loop computes with: an array library's own functions, or sums in order for NumPy's double precision.

Array layer only: no import but array-api-compat and NumPy; numba where it is installed.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from array_api_compat import array_namespace, is_numpy_array

from shoal import arithmetic

__all__ = ["Array", "ArrayArithmetic", "arithmetic_for"]

Array = Any  # of NumPy, PyTorch or another library that follows the array API

_MEGABYTES, _MEGABYTES_ON_GPU = 256.0, 16_000.0  # a GPU needs large blocks; larger ones gain no more


class ArrayArithmetic:
    """The functions of an array library, fast, and in the last digits as the device at hand computes them.

    The squared distance is |x|^2 - 2 x.v + |v|^2, one matrix product for all records and centres: the rows have their
    squared length and a one beside them, the columns a one and theirs. Where a distance is small against |x|^2 digits
    cancel. So a record whose nearest centre is closer than eps^(1/4) |x|^2 has its distances summed again from the
    differences, column by column. What remains is a relative error of about eps^(3/4), 1e-12 in double precision, in
    any squared distance, and equal points are at distance zero.
    """

    def __init__(self, X: Array) -> None:
        self.xp = array_namespace(X)
        self._epsilon = float(self.xp.finfo(X.dtype).eps)

    def megabytes(self, X: Array) -> float:
        """Return what may be worked on at once if nobody said: on a GPU more, but at most half of what is free."""
        if getattr(getattr(X, "device", None), "type", None) != "cuda":
            return _MEGABYTES
        import torch

        kept = torch.cuda.memory_reserved(X.device) - torch.cuda.memory_allocated(X.device)  # by PyTorch, for reuse
        return min(_MEGABYTES_ON_GPU, float(torch.cuda.mem_get_info(X.device)[0] + kept) / 2e6)

    def columns(self, centres: Array) -> Array:
        """Return the centres in the form that `distances` takes."""
        xp = self.xp
        squares = xp.sum(centres * centres, axis=1)[None, :]
        return xp.concat([-2 * centres.T, xp.ones_like(squares), squares], axis=0)

    def distances(self, rows: Array, centres: Array, columns: Array) -> tuple[Array, Array, Array | None]:
        """Return the squared distances of rows to centres, the least of each row, and the rows that may have a zero.

        Parameters
        ----------
        rows
            r x (d + 2): the records, their squared lengths, ones.
        centres, columns
            The centres, c x d, and what `columns` made of them.
        """
        xp, d = self.xp, int(centres.shape[1])
        distances = rows @ columns
        nearest = xp.min(distances, axis=1)
        close = xp.nonzero(nearest <= self._epsilon**0.25 * rows[:, d])[0]
        if close.shape[0] == 0:
            return distances, nearest, None
        exact = _sum_of_squares(rows[close, :d], centres)
        distances[close, :] = exact
        nearest[close] = xp.min(exact, axis=1)
        return distances, nearest, close

    def weighted_sums(self, weights: Array, rows: Array, factors: Array | None) -> Array:
        """Return the sums of rows times factors, for every column of the weights, in double precision."""
        weighted = rows if factors is None else rows * factors[:, None]
        return self.xp.astype(weights.T @ weighted, self.xp.float64)

    def row_totals(self, matrix: Array) -> Array:
        """Return the sum of every row, by a matrix product: several times faster if the rows are short."""
        return matrix @ self.xp.ones_like(matrix[0, :])

    def exp(self, x: Array) -> Array:
        """Return e to the power of every number."""
        return self.xp.exp(x)

    def log(self, x: Array) -> Array:
        """Return the natural logarithm of every number."""
        return self.xp.log(x)

    def raised(self, base: Array, power: float) -> Array:
        """Return numbers from 0 up to any power but 0."""
        logarithms = self.log(base)
        logarithms *= power
        return self.exp(logarithms)


class _InOrder(ArrayArithmetic):
    """For NumPy's double precision: compiled code that adds up in order, the same on every processor.

    Distances are summed from the differences, so that nothing cancels.
    """

    exp = staticmethod(arithmetic.exp)
    log = staticmethod(arithmetic.log)
    raised = staticmethod(arithmetic.raised)
    row_totals = staticmethod(arithmetic.row_totals)
    weighted_sums = staticmethod(arithmetic.weighted_sums)

    def columns(self, centres: Array) -> Array:
        return None

    def distances(self, rows: Array, centres: Array, columns: Array) -> tuple[Array, Array, Array | None]:
        distances = arithmetic.squared_distances_between(rows, centres)
        nearest = distances.min(axis=1)
        close = (nearest == 0).nonzero()[0]
        return distances, nearest, close if len(close) else None


def arithmetic_for(X: Array) -> ArrayArithmetic:
    """Return sums in order for NumPy's double precision where numba is installed, else the library's own functions."""
    is_ordered = is_numpy_array(X) and X.dtype == "float64" and find_spec("numba") is not None
    return _InOrder(X) if is_ordered else ArrayArithmetic(X)


def _sum_of_squares(records: Array, centres: Array) -> Array:
    total = (records[:, :1] - centres[:, 0]) ** 2
    for j in range(1, records.shape[1]):
        difference = records[:, j : j + 1] - centres[:, j]
        difference *= difference
        total += difference
    return total
