"""The records in the form the alternating loop works on: centred, in blocks, with their squared distances to centres.

Array layer only: no import but array-api-compat and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, TypeVar

from array_api_compat import is_numpy_array

from shoal.partition.geometry.array_arithmetic import Array, ArrayArithmetic, arithmetic_for

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


@dataclass(frozen=True)
class Total:
    """A request for what is gathered from every block of the records, joined in their order.

    It is carried out where the records are: here, or in parts on the workers of a cluster. So its functions are
    functions of a module, or partial ones of them.
    """

    centres: Array
    gather: Callable[[RecordBlock], Any]
    join: Callable[[ArrayArithmetic, Any, Any], Any]


@dataclass(frozen=True)
class Farthest:
    """A request for a new place for each of some centres without records: the record then farthest from all centres.

    If none is away from the centres, the old place, which is in `stay`.
    """

    centres: Array
    stay: Array


Steps = Generator[Total | Farthest, Any, Result]
"""An algorithm over all records, which asks for sums over them and is sent what they are."""


@dataclass(frozen=True)
class Place:
    """Where the records are measured from, and what is known of all of them."""

    arithmetic: ArrayArithmetic
    origin: Array
    mean_square: float  # of the distances of the records to the origin


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
        megabytes = self.arithmetic.megabytes(X) if memory is None else memory
        room = max(1, int(megabytes * 1e6) // (matrices * xp.finfo(X.dtype).bits // 8))
        # The size of a block does not depend on the number of threads, nor does then the result.
        self._most = min(room, _AT_ONCE) if is_numpy_array(X) else room
        self._threads = min(threads, room // self._most) if is_numpy_array(X) else 1

    @property
    def place(self) -> Place:
        """Where the records are measured from, and their mean squared distance to it."""
        return Place(self.arithmetic, self.origin, float(self.xp.mean(self.rows[:, self.d])))

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

    def total(self, asked: Total) -> Any:
        """Return what is gathered from every block, joined in their order."""
        return reduce(partial(asked.join, self.arithmetic), self.walk(asked.centres, asked.gather))

    def farthest(self, asked: Farthest) -> Array:
        """Return a new place for each centre without records, in double precision."""
        xp, d = self.xp, self.d
        nearest = xp.concat(list(self.walk(asked.centres, lambda block: block.nearest)))
        places = []
        for stay in asked.stay:
            row = int(xp.argmax(nearest))
            if not float(nearest[row]) > 0:
                places.append(stay)
                continue
            record = self.rows[row, :d]
            places.append(xp.astype(record, xp.float64))
            distances = xp.sum((self.rows[:, :d] - record) ** 2, axis=1)
            nearest = xp.where(distances < nearest, distances, nearest)
        return xp.stack(places)

    def _measure(self, start: int, size: int, centres: Array, columns: Array) -> RecordBlock:
        rows = self.rows[start : start + size, :]
        distances, nearest, close = self.arithmetic.distances(rows, centres, columns)
        return RecordBlock(self.xp, start, rows, distances, nearest, close, self.arithmetic)


def carried_out(records: CentredRecords, steps: Steps[Result]) -> Result:
    """Carry out an algorithm on records that are here; return what it returns."""
    answer: Any = None
    try:
        while True:
            asked = steps.send(answer)
            answer = records.total(asked) if isinstance(asked, Total) else records.farthest(asked)
    except StopIteration as end:
        result: Result = end.value
        return result
