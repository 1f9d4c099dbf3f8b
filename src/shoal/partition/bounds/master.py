"""The linear program over some groups, solved by HiGHS; it goes on from its last solution when groups are added."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.cuts import Cuts
from shoal.partition.bounds.group_pool import GroupPool
from shoal.partition.bounds.time_left import OutOfTimeError, TimeLeft

__all__ = ["Master", "MasterSolution", "new_program", "solve", "work_of"]

_COLUMNS_A_STEP = 20_000  # that iterations of the simplex method go over in the time of a step of the local search


@dataclass(frozen=True)
class MasterSolution:
    """A solution of the linear program.

    Attributes
    ----------
    prices
        The dual of every record.
    cuts
        The cuts with their penalties.
    objective
        The sum of the prices less the penalties.
    groups, values
        Numbers of the groups that are used, and how much of each.
    outside, above
        How much every record makes of leaving the box around the centre, and every cut of a larger penalty than it may
        have; 0 where the limit does not matter.
    """

    prices: NDArray[np.float64]
    cuts: Cuts
    objective: float
    groups: NDArray[np.int64]
    values: NDArray[np.float64]
    outside: NDArray[np.float64]
    above: NDArray[np.float64]


def new_program() -> Any:
    """Return an empty program of HiGHS that prints nothing and takes the same way every time."""
    import highspy

    program = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in {"output_flag": False, "threads": 1, "random_seed": 0}.items():
        program.setOptionValue(option, value)
    return program


def solve(program: Any, time_left: TimeLeft) -> None:
    """Solve a program in a thread of its own, so that it can be interrupted; then it is stopped first.

    Where there is no time to end it, OutOfTimeError is raised.
    """
    import highspy

    program.setOptionValue("time_limit", program.getRunTime() + time_left.seconds)  # its clock goes on
    program.HandleUserInterrupt = True
    thread = Thread(target=program.run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        program.cancelSolve()
        thread.join()
        raise
    if program.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
        raise OutOfTimeError


def work_of(program: Any) -> float:
    """Return how much work the last solution was, in steps of the local search that take about as long."""
    iterations: int = program.getInfo().simplex_iteration_count
    return iterations * int(program.getNumCol()) / _COLUMNS_A_STEP


class Master:
    """The linear program: use groups so that every record is used once, at the least squared error.

    The prices, its duals, are kept in a box around a centre: without it they jump about before there are enough groups.

    Parameters
    ----------
    pool
        Where groups come from.
    n
        The number of records.
    center, width
        The centre of the box and half its width, for every record.
    time_left
        The time that a solution has.

    Attributes
    ----------
    work
        What was done so far, in steps of the local search that take about as long.
    """

    def __init__(
        self,
        pool: GroupPool,
        n: int,
        center: NDArray[np.float64],
        width: NDArray[np.float64],
        time_left: TimeLeft,
    ) -> None:
        self._pool, self._n, self._time_left = pool, n, time_left
        self.work = 0.0
        self._program = new_program()
        # Not the dual simplex alone: it does not get far from a solution that only lacks groups.
        self._program.setOptionValue("simplex_strategy", 0)
        self._groups: list[int] = []
        self._columns: list[int] = []  # where the program has them
        self._has: set[int] = set()
        self._reliefs: list[int] = []  # the columns that keep penalties in their boxes
        self._triples = np.empty((0, 3), dtype=np.int64)
        none = np.array([], dtype=np.int32)
        self._program.addRows(n, np.ones(n), np.ones(n), 0, none, none, np.array([]))
        rows = np.arange(n, dtype=np.int32)
        for sign in (1.0, -1.0):  # at most 1: where no prices in the box are low enough, some leave it
            self._program.addCols(n, np.zeros(n), np.zeros(n), np.ones(n), n, rows, rows, np.full(n, sign))
        self.move_box(center, width)

    def move_box(self, center: NDArray[np.float64], width: NDArray[np.float64]) -> None:
        """Keep the prices within `width` of `center`."""
        n = self._n
        self._program.changeColsCost(n, np.arange(n, dtype=np.int32), center + width)
        self._program.changeColsCost(n, np.arange(n, 2 * n, dtype=np.int32), width - center)

    def add(self, numbers: NDArray[np.int64]) -> int:
        """Add groups of the pool; return how many are new."""
        new = [number for number in dict.fromkeys(numbers.tolist()) if number not in self._has]
        if not new:
            return 0
        first = self._program.getNumCol()
        self._columns += range(first, first + len(new))
        self._groups += new
        self._has.update(new)
        index, starts = self._pool.entries(np.array(new), np.arange(self._n), self._triples)
        count = len(new)
        free = np.full(count, np.inf)
        ones = np.ones(len(index))
        self._program.addCols(count, self._pool.errors[new], np.zeros(count), free, len(index), starts, index, ones)
        return count

    def add_cuts(self, triples: NDArray[np.int64]) -> None:
        """Forbid that the groups in use hold two or three records of a triple more than once."""
        held, counts = Cuts(self._n, triples).held_by(self._pool.members[self._groups])
        groups = np.repeat(np.arange(len(self._groups)), counts)
        order = np.argsort(held, kind="stable")
        counts = np.bincount(held, minlength=len(triples))
        starts = (np.cumsum(counts) - counts).astype(np.int32)
        count = len(triples)
        index = np.array(self._columns, dtype=np.int32)[groups[order]]
        self._program.addRows(
            count, np.full(count, -np.inf), np.ones(count), len(index), starts, index, np.ones(len(index))
        )
        rows = (self._n + len(self._triples) + np.arange(count)).astype(np.int32)
        first = self._program.getNumCol()
        self._reliefs += range(first, first + count)
        none, free = np.zeros(count), np.full(count, np.inf)
        self._program.addCols(
            count, none, none, free, count, np.arange(count, dtype=np.int32), rows, np.full(count, -1.0)
        )
        self._triples = np.concatenate([self._triples, triples])

    def limit_penalties(self, most: NDArray[np.float64]) -> None:
        """Keep the penalty of every cut at most so large; that of new ones is 0 before."""
        self._program.changeColsCost(len(most), np.array(self._reliefs, dtype=np.int32), most)

    @property
    def triples(self) -> NDArray[np.int64]:
        """The three records of every cut."""
        return self._triples

    def solve(self) -> MasterSolution:
        """Solve the program, from where it was."""
        n = self._n
        solve(self._program, self._time_left)
        self.work += work_of(self._program)
        solution = self._program.getSolution()
        duals = np.array(solution.row_dual)
        values = np.array(solution.col_value)
        of_groups = values[self._columns]
        used = np.flatnonzero(of_groups > 1e-7)
        penalties = np.maximum(0.0, -duals[n:])
        prices = duals[:n]
        return MasterSolution(
            prices=prices,
            cuts=Cuts(n, self._triples, penalties),
            objective=float(prices.sum() - penalties.sum()),
            groups=np.array(self._groups, dtype=np.int64)[used],
            values=of_groups[used],
            outside=values[:n] + values[n : 2 * n],
            above=values[self._reliefs],
        )
