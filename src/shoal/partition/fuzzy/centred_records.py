"""The records in the form the alternating loop works on: centred, in blocks, with their squared distances to centres.

Array layer only: no import but array-api-compat and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from array_api_compat import is_numpy_array

from shoal.partition.geometry.array_arithmetic import Array, ArrayArithmetic, arithmetic_for

__all__ = ["Array", "CentredRecords", "RecordBlock"]

Result = TypeVar("Result")

# Numbers in a block of NumPy's, two megabytes in double precision: more do not stay in the caches, and with fewer two
# threads wait for each other as long as they work.
_AT_ONCE = 2**18
# Fewer blocks than this take less time than starting threads.
_WORTH_THREADS = 4


@dataclass(frozen=True)
class RecordBlock:
    """Some of the records, and their squared distances to all centres; `distances` may be overwritten.

    `close` has the rows in which a distance may be zero, or is None if there are none.
    """

    xp: Any
    start: int  # the number of its first record
    rows: Array  # r x (d + 2): the centred records, their squared lengths, ones
    distances: Array  # r x c
    nearest: Array  # r, the least of each row
    close: Array | None
    arithmetic: ArrayArithmetic


class CentredRecords:
    """The records, moved so that `origin` is zero.

    Parameters
    ----------
    X
        Matrix n x d, float64 or float32.
    matrices
        How many matrices as large as a block the work on it needs at one time.
    origin
        The point to measure from; the mean of the records if None.
    memory
        Megabytes the blocks may take together. None: 256, on a GPU up to 16,000.
    threads
        How many blocks of NumPy's are worked on at a time. Other libraries use their own threads.
    """

    def __init__(
        self, X: Array, *, matrices: int, origin: Array | None = None, memory: float | None = None, threads: int = 1
    ) -> None:
        self.arithmetic = arithmetic_for(X)
        self.xp = xp = self.arithmetic.xp
        self.origin = xp.mean(X, axis=0) if origin is None else origin
        moved = X - self.origin
        squares = xp.sum(moved * moved, axis=1, keepdims=True)
        self.rows = xp.concat([moved, squares, xp.ones_like(squares)], axis=1)
        self.n, self.d = int(X.shape[0]), int(X.shape[1])
        self.epsilon = float(xp.finfo(X.dtype).eps)
        megabytes = self.arithmetic.megabytes(X) if memory is None else memory
        room = max(1, int(megabytes * 1e6) // (matrices * xp.finfo(X.dtype).bits // 8))
        # The size of a block does not depend on the number of threads, nor does then the result.
        self._most = min(room, _AT_ONCE) if is_numpy_array(X) else room
        self._threads = min(threads, room // self._most) if is_numpy_array(X) else 1

    def mean_square(self) -> float:
        """Return the mean squared distance of the records to the origin."""
        return float(self.xp.mean(self.rows[:, self.d]))

    def walk(self, centres: Array, work: Callable[[RecordBlock], Result]) -> Iterator[Result]:
        """Do `work` on every block of the records; the results come in the order of the records."""
        columns = self.arithmetic.columns(centres)
        size = max(1, self._most // int(centres.shape[0]))
        starts = range(0, self.n, size)

        def work_from(start: int) -> Result:
            return work(self._measure(start, size, centres, columns))

        if self._threads > 1 and len(starts) >= _WORTH_THREADS:
            with ThreadPoolExecutor(self._threads) as pool:
                yield from pool.map(work_from, starts)
        else:
            yield from map(work_from, starts)

    def _measure(self, start: int, size: int, centres: Array, columns: Array) -> RecordBlock:
        rows = self.rows[start : start + size, :]
        distances, nearest, close = self.arithmetic.distances(rows, centres, columns)
        return RecordBlock(self.xp, start, rows, distances, nearest, close, self.arithmetic)
