"""The linear program of set partitioning, by column generation: its value is a lower bound on every partition."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.prices import ROUNDING
from shoal.partition.bounds.time_left import OutOfTimeError, TimeLeft
from shoal.partition.geometry.neighbours import nearest_records
from shoal.progress import advance

_LEAST_VIOLATION = 0.02
_MOST_AT_ONCE = 200


class Cuts:
    """Some triples of records, and what each costs a group that holds two or three of its records.

    Parameters
    ----------
    n
        The number of records.
    triples
        The three records of every cut.
    penalties
        What each costs.
    """

    def __init__(
        self, n: int, triples: NDArray[np.int64] | None = None, penalties: NDArray[np.float64] | None = None
    ) -> None:
        self.triples = np.empty((0, 3), dtype=np.int64) if triples is None else triples
        self.penalties = np.zeros(len(self.triples)) if penalties is None else penalties
        order = np.argsort(self.triples.ravel(), kind="stable")
        starts = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.triples.ravel(), minlength=n), out=starts[1:])
        self.by_record = (starts, (order // 3).astype(np.int64), self.penalties)

    def held_by(self, members: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cuts of which groups hold two or three records, one group after the other, and how many each does.

        A line of `members` is a group, filled up with -1.
        """
        counts = np.zeros(len(members), dtype=np.int64)
        if not len(self.triples):
            return np.empty(0, dtype=np.int64), counts
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.pricing import list_held

        starts, cuts, _ = self.by_record
        met = np.zeros(len(self.triples), dtype=np.int64)
        list_held(members, starts, cuts, met, counts, np.empty(0, dtype=np.int64))
        held = np.empty(counts.sum(), dtype=np.int64)
        list_held(members, starts, cuts, met, counts, held)
        return held, counts

    def costs_of(self, members: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the penalties that every group has to pay."""
        held, counts = self.held_by(members)
        groups = np.repeat(np.arange(len(members)), counts)
        costs: NDArray[np.float64] = np.bincount(groups, weights=self.penalties[held], minlength=len(members)).astype(
            float
        )
        return costs


def violated(members: NDArray[np.int32], values: NDArray[np.float64], known: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return triples that the values of these groups violate, most violated first, but for those already known."""
    together: dict[tuple[int, int], float] = {}
    all_three: dict[tuple[int, int, int], float] = {}
    near: dict[int, set[int]] = {}
    for line, value in zip(members.tolist(), values.tolist(), strict=True):
        group = [record for record in line if record >= 0]
        for i, j in combinations(group, 2):
            together[i, j] = together.get((i, j), 0.0) + value
            near.setdefault(i, set()).add(j)
            near.setdefault(j, set()).add(i)
        for triple in combinations(group, 3):
            all_three[triple] = all_three.get(triple, 0.0) + value
    tried = {tuple(triple) for triple in known.tolist()}
    found: list[tuple[float, tuple[int, int, int]]] = []
    for middle, others in near.items():
        for i, j in combinations(sorted(others), 2):
            a, b, c = sorted((i, middle, j))
            if (a, b, c) in tried:
                continue
            tried.add((a, b, c))
            held = together.get((a, b), 0.0) + together.get((b, c), 0.0) + together.get((a, c), 0.0)
            held -= 2 * all_three.get((a, b, c), 0.0)
            if held > 1 + _LEAST_VIOLATION:
                found.append((-held, (a, b, c)))
    found.sort()
    return np.array([triple for _, triple in found[:_MOST_AT_ONCE]], dtype=np.int64).reshape(-1, 3)


class GroupPool:
    """Groups of k to 2k-1 records, numbered in the order in which they came.

    Parameters
    ----------
    X
        The records.
    k
        The least number of records in a group.
    """

    def __init__(self, X: NDArray[np.float64], k: int) -> None:
        self._X = X
        self._numbers: dict[bytes, int] = {}
        self._members = np.full((1024, 2 * k - 1), -1, dtype=np.int32)
        self._errors = np.zeros(1024)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def members(self) -> NDArray[np.int32]:
        """The records of every group, in ascending order, filled up with -1."""
        return self._members[: len(self)]

    @property
    def errors(self) -> NDArray[np.float64]:
        """The squared error of every group."""
        return self._errors[: len(self)]

    def put(self, groups: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Take groups of one size, one a line, and return the number of each."""
        groups = np.sort(groups.astype(np.int32), axis=1)
        numbers = np.empty(len(groups), dtype=np.int64)
        before = len(self)
        for line, group in enumerate(groups):
            numbers[line] = self._numbers.setdefault(group.tobytes(), len(self._numbers))
        count = len(self)
        if count > before:
            self._make_room(count)
            new = np.flatnonzero(numbers >= before)
            _, first = np.unique(numbers[new], return_index=True)
            lines = new[first]
            self._members[before:count, : groups.shape[1]] = groups[lines]
            self._errors[before:count] = squared_errors(self._X, groups[lines])
        return numbers

    def put_partition(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take the groups of a partition, and return the number of each."""
        order = np.argsort(labels, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        return np.concatenate([self.put(group[np.newaxis]) for group in groups])

    def price(self, numbers: NDArray[np.int64], prices: NDArray[np.float64], cuts: Cuts) -> NDArray[np.float64]:
        """Return the reduced cost of groups: their squared error and penalties less the prices of their records."""
        members = self._members[numbers]
        costs = self._errors[numbers] + cuts.costs_of(members)
        for column in members.T:
            costs -= np.where(column >= 0, prices[column], 0.0)
        return costs

    def entries(
        self, numbers: NDArray[np.int64], records: NDArray[np.int64], triples: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the columns of some groups in a program with a row for each of these records, then one for each cut.

        These are the rows of all entries, all of which are 1, and where every group starts.
        """
        members = self._members[numbers]
        held, counts = Cuts(int(records[-1]) + 1, triples).held_by(members)
        sizes = (members >= 0).sum(axis=1)
        lengths = sizes + counts
        starts = np.cumsum(lengths) - lengths
        rows = np.empty(lengths.sum(), dtype=np.int32)
        is_record = np.arange(len(rows)) - np.repeat(starts, lengths) < np.repeat(sizes, lengths)
        rows[is_record] = np.searchsorted(records, members[members >= 0])
        rows[~is_record] = len(records) + held
        return rows, starts.astype(np.int32)

    def _make_room(self, count: int) -> None:
        room = len(self._errors)
        if count > room:
            more = max(count - room, room)
            self._members = np.vstack([self._members, np.full((more, self._members.shape[1]), -1, dtype=np.int32)])
            self._errors = np.concatenate([self._errors, np.zeros(more)])


def squared_errors(X: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return the squared error of groups of one size, one a line."""
    means = sum(X[column] for column in groups.T) / groups.shape[1]
    total = np.zeros(len(groups))
    for column in groups.T:
        total += ((X[column] - means) ** 2).sum(axis=1)
    return total


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


_RECORDS_A_TASK = 64  # fixed, so that what is found does not depend on the number of threads
_GROUPS_A_TASK = 20_000  # that a task keeps; the smallest reduced costs are known of all
_ROUNDING = 1e-12  # of weights, relative to the largest price; more than their sums can be off
_NODES_A_STEP = 100  # groups looked at in the time of a step of the local search
_RECORDS_A_STEP = 50  # around which groups of one size grow in that time


@dataclass(frozen=True)
class FoundGroups:
    """Groups with a small reduced cost.

    Attributes
    ----------
    groups, costs
        For every size, the groups and their reduced costs.
    least
        For every record, the smallest reduced cost of a group with it, divided by the group's size; infinite if none
        was found.
    is_complete
        Whether every group below the limit was looked at, so that `least` is the smallest of all.
    has_all
        Whether every one of them is in `groups`: a part of the search keeps so many and no more.
    """

    groups: list[NDArray[np.int32]]
    costs: list[NDArray[np.float64]]
    least: NDArray[np.float64]
    is_complete: bool
    has_all: bool


class Pricing:
    """Finds groups of k to 2k-1 of these records.

    Parameters
    ----------
    X
        The records.
    k
        The least number of records in a group.
    neighbours
        The nearest others of every record: groups grow among them.
    time_left
        The time that a search has; where it is up, OutOfTimeError is raised.

    Attributes
    ----------
    work
        What was done so far, in steps of the local search that take about as long; counted, so that it is the same
        every time.
    """

    def __init__(
        self, X: NDArray[np.float64], k: int, neighbours: NDArray[np.int32], time_left: TimeLeft | None = None
    ) -> None:
        self._X, self._neighbours, self._time_left = X, neighbours, time_left or TimeLeft()
        self._sizes = range(k, min(2 * k - 1, len(X)) + 1)
        self._distances = self._measured(neighbours)
        self.work = 0.0

    def _measured(self, neighbours: NDArray[np.int32]) -> NDArray[np.float64]:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.pricing import measure_neighbourhoods

        n, near = len(self._X), neighbours.shape[1] + 1
        distances = np.empty((n, near, near))

        def measure(first: int) -> None:
            measure_neighbourhoods(self._X, neighbours, first, min(first + _RECORDS_A_TASK, n), distances)

        _in_threads(measure, n)
        return distances

    def grown(self, prices: NDArray[np.float64], cuts: Cuts) -> FoundGroups:
        """Grow one group of every size around every record: cheap ones, not always the cheapest."""
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.pricing import grow_groups

        n = len(self._X)
        groups = [np.zeros((n, size), dtype=np.int32) for size in self._sizes]
        costs = [np.zeros(n) for _ in self._sizes]

        def grow(first: int) -> None:
            for place, size in enumerate(self._sizes):
                if size <= self._neighbours.shape[1] + 1:
                    self._time_left.check()
                    last = min(first + _RECORDS_A_TASK, n)
                    found, cost = groups[place], costs[place]
                    grow_groups(
                        self._distances, prices, size, self._neighbours, *cuts.by_record, first, last, found, cost
                    )

        _in_threads(grow, n)
        self.work += n * len(self._sizes) / _RECORDS_A_STEP
        least = np.full(n, np.inf)
        for found, cost in zip(groups, costs, strict=True):
            for column in found.T:
                np.minimum.at(least, column, cost / found.shape[1])
        return FoundGroups(groups, costs, least, is_complete=False, has_all=False)

    def below(self, prices: NDArray[np.float64], limit: float, cuts: Cuts, most: int) -> FoundGroups:
        """Find every group with a reduced cost below the limit, unless more than about `most` have to be looked at."""
        most_a_task = max(1, most * _RECORDS_A_TASK // len(self._X))
        found = []
        for size in self._sizes:
            found.append(self._below_of_size(size, prices, limit, cuts, most_a_task))
            if not found[-1].is_complete:
                break
        return _merged(found, [one.groups[0] for one in found], [one.costs[0] for one in found])

    def _below_of_size(
        self, size: int, prices: NDArray[np.float64], limit: float, cuts: Cuts, most_a_task: int
    ) -> FoundGroups:
        from shoal.partition.kernels.pricing import price_groups, sum_cheapest

        X, n = self._X, len(self._X)
        slack = _ROUNDING * max(1e-300, float(np.abs(prices).max()))
        stars = np.empty((n, size))

        def sum_up(first: int) -> None:
            sum_cheapest(X, prices, size, first, min(first + _RECORDS_A_TASK, n), stars)

        def price(first: int) -> tuple[FoundGroups, int]:
            self._time_left.check()
            groups = np.empty((_GROUPS_A_TASK, size), dtype=np.int32)
            costs = np.empty(_GROUPS_A_TASK)
            least = np.full(n, np.inf)
            last = min(first + _RECORDS_A_TASK, n)
            count, nodes = price_groups(
                X, prices, size, limit, slack, stars, *cuts.by_record, first, last, most_a_task, groups, costs, least
            )
            kept = min(count, _GROUPS_A_TASK)
            found = FoundGroups(
                [groups[:kept].copy()], [costs[:kept].copy()], least, nodes >= 0, nodes >= 0 and count == kept
            )
            return found, nodes if nodes >= 0 else most_a_task

        _in_threads(sum_up, n)
        results: list[tuple[FoundGroups, int]] = _in_threads(price, n)
        self.work += sum(nodes for _, nodes in results) / _NODES_A_STEP
        parts = [found for found, _ in results]
        groups = np.concatenate([one.groups[0] for one in parts])
        costs = np.concatenate([one.costs[0] for one in parts])
        return _merged(parts, [groups], [costs])


def _merged(parts: list[FoundGroups], groups: list[NDArray[np.int32]], costs: list[NDArray[np.float64]]) -> FoundGroups:
    """Return what all parts of a search found together; `groups` and `costs` are theirs, by size."""
    return FoundGroups(
        groups=groups,
        costs=costs,
        least=np.minimum.reduce([one.least for one in parts]),
        is_complete=all(one.is_complete for one in parts),
        has_all=all(one.has_all for one in parts),
    )


def _in_threads(work: Callable[[int], Any], n: int) -> list[Any]:
    starts = range(0, n, _RECORDS_A_TASK)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, starts))


_PROVEN = 1e-9  # relative


@dataclass(frozen=True)
class IntegerSolution:
    """What the integer program found.

    Attributes
    ----------
    groups
        Numbers of the groups of the best partition found.
    bound
        A lower bound on the squared error of every partition that the groups make up.
    work
        How much work it was, in steps of the local search that take about as long.
    """

    groups: NDArray[np.int64]
    bound: float
    work: float = 0.0


def best_of(
    pool: GroupPool,
    numbers: NDArray[np.int64],
    start: NDArray[np.int64],
    triples: NDArray[np.int64],
    most_nodes: int,
    time_left: TimeLeft,
) -> IntegerSolution:
    """Find the best partition of the records of some groups, made of these groups and others.

    Parameters
    ----------
    pool
        Where groups come from.
    numbers
        The groups that may be used.
    start
        The groups of a partition to start from, which says what the records are.
    triples
        Cuts, which every partition keeps: they make the program quicker.
    most_nodes
        How many branches to follow at most.
    time_left
        How long it may take.
    """
    import highspy

    numbers = np.unique(np.concatenate([numbers, start]))
    records = np.sort(pool.members[start], axis=None).astype(np.int64)
    records = records[records >= 0]
    n = len(records)
    index, starts = pool.entries(numbers, records, triples)
    count = len(numbers)
    program = new_program()
    none = np.array([], dtype=np.int32)
    lower = np.concatenate([np.ones(n), np.full(len(triples), -np.inf)])
    program.addRows(n + len(triples), lower, np.ones(n + len(triples)), 0, none, none, np.array([]))
    program.addCols(
        count, pool.errors[numbers], np.zeros(count), np.ones(count), len(index),
        starts, index, np.ones(len(index)),
    )  # fmt: skip
    columns = np.arange(count, dtype=np.int32)
    program.changeColsIntegrality(count, columns, np.array([highspy.HighsVarType.kInteger] * count))
    program.setOptionValue("mip_max_nodes", most_nodes)
    program.setOptionValue("mip_rel_gap", _PROVEN)
    first = highspy.HighsSolution()
    first.col_value = np.isin(numbers, start).astype(float).tolist()
    program.setSolution(first)
    solve(program, time_left)
    values = np.array(program.getSolution().col_value)
    return IntegerSolution(numbers[values > 0.5], float(program.getInfo().mip_dual_bound), work_of(program))


_ASCENT_ROUNDS = 40
_ASCENT_STEP = 0.5
_NEAR = 40  # neighbours of a record among which groups grow, at least
_WIDTH = 0.15  # of the box around the prices, relative to them
_WIDTH_WITH_CUTS = 0.05  # where new cuts change the best prices of few records
_ROOM = 1.0  # for a penalty above the one at the centre, relative to the mean price
_GROWTH = 2.0  # of the box of a price that is at its edge where there is nothing left to add
_GROUPS_A_RECORD = 10  # that one step adds
_NOTHING = 1e-9  # a reduced cost that is none, relative to the mean price
_CLOSED = 1e-6  # relative: the bound has reached the value of the program
_STEPS_A_PROOF = 40  # without one, before the bound of the steadiest prices is proven
_NODES_A_GROUP = 100  # groups that a search may look at, for every one it may find

_FEW_NODES, _MOST_NODES = 3_000_000, 30_000_000  # groups of a size that a search may look at, on the way and in the end


class ColumnGeneration:
    """The linear program over all groups of k to 2k-1 records, step by step, from few groups to all that matter.

    For any prices u of the records, lowered so that no group costs less than its records, the sum of the prices is at
    most the squared error of any partition. The best prices are the duals of the program that uses groups, or parts
    of them, so that every record is used once. Groups are added where prices exceed their cost, until there are none.

    Parameters
    ----------
    X
        The records, at least k.
    k
        The least number of records in a group.
    time_left
        The time there is; a step that has no time to end raises OutOfTimeError, and so does the beginning.

    Attributes
    ----------
    bound
        The best lower bound so far.
    proof
        The prices and cuts that prove it: no group costs less, with its penalties, than the prices of its records, so
        that no partition costs less than all prices without all penalties.
    solution
        The last solution of the program; its groups are those that good partitions are made of.
    pool
        All groups met so far.
    is_closed
        Whether the bound is the value of the program, so that only cuts can make it better.
    is_solved
        Whether the program without cuts is solved: before that, its bound may be far below its value.
    is_final
        Whether there is nothing left to do: no cut makes it better, or the search for all cheap groups was given up.
    """

    def __init__(self, X: NDArray[np.float64], k: int, time_left: TimeLeft | None = None) -> None:
        n = len(X)
        self._n = n
        time_left = time_left or TimeLeft()
        neighbours = nearest_records(X, near_records(n, k))
        self._pricing = Pricing(X, k, neighbours, time_left)
        self.pool = GroupPool(X, k)
        self.pool.put(np.hstack([np.arange(n)[:, np.newaxis], neighbours[:, : k - 1]]))
        nearest = ((X[neighbours[:, : k - 1]] - X[:, np.newaxis]) ** 2).sum(axis=(1, 2))
        self._center = self._ascend(nearest / (2 * k))
        self._center_value = -np.inf
        self._center_penalties = np.empty(0)
        self._width = np.full(n, _WIDTH)
        self._room = np.empty(0)
        self._nothing = _NOTHING * max(float(self._center.mean()), 1e-300)
        self._master = Master(self.pool, n, self._center, self._box(), time_left)
        costs = self.pool.price(np.arange(len(self.pool)), self._center, Cuts(n))
        self._master.add(np.flatnonzero(costs <= 0.15 * k * self._center.mean()))
        self.bound = 0.0
        self.proof = (np.zeros(n), Cuts(n))
        self.is_closed = False
        self.is_solved = False
        self.is_final = not self._center.mean() > 0  # every record is with identical ones
        self._since_proof, self._proof_due = 0, _STEPS_A_PROOF
        self.solution: MasterSolution | None = None

    def prove(self) -> None:
        """Prove the bound of the steadiest prices so far, where there is no time for better ones."""
        self._prove(self._center, Cuts(self._n, self.triples, self._padded(self._center_penalties)), _FEW_NODES)

    @property
    def work(self) -> float:
        """What was done so far, in steps of the local search that take about as long; it is counted, not timed."""
        return self._pricing.work + self._master.work

    @property
    def triples(self) -> NDArray[np.int64]:
        """The three records of every cut."""
        return self._master.triples

    def step(self) -> None:
        """Solve the program, and add groups that its prices make cheap, or cuts if there are none."""
        if self.is_closed:
            self._cut()
            return
        self._since_proof += 1
        if self._since_proof >= self._proof_due:
            self.prove()
        solution = self.solution = self._master.solve()
        if self._look_between(solution) or self._look_near(solution):
            return
        if solution.outside.any() or solution.above.any():
            self._width = np.where(solution.outside > 0, _GROWTH * self._width, self._width)
            self._room = np.where(solution.above > 0, _GROWTH * self._room, self._room)
            self._move_to(solution.prices, solution.cuts.penalties, solution.objective)
        else:
            self._look_everywhere(solution)

    def excess(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what groups of the pool cost beyond the last prices of their records."""
        assert self.solution is not None
        return self.pool.price(numbers, self.solution.prices, self.solution.cuts)

    def near_groups(self, limit: float, most: int) -> NDArray[np.int64] | None:
        """Return the numbers of all groups with a reduced cost below a limit at the proven prices; None if too many.

        A partition with any other group is above the bound by the limit or more.
        """
        prices, cuts = self.proof
        found = self._pricing.below(prices, limit, cuts, _NODES_A_GROUP * most)
        if not found.has_all or sum(map(len, found.groups)) > most:
            return None
        return np.unique(np.concatenate([self.pool.put(groups) for groups in found.groups]))

    def _cut(self) -> None:
        """Add cuts that the last solution violates; if there are none, that is all the program can prove."""
        assert self.solution is not None
        members = self.pool.members[self.solution.groups]
        triples = violated(members, self.solution.values, self._master.triples)
        self.is_final = not len(triples)
        if not self.is_final:
            self._master.add_cuts(triples)
            self.is_closed = False
            self._width = np.full(self._n, _WIDTH_WITH_CUTS)
            self._room = np.full(len(self.triples), _ROOM)
            self._move_to(self.solution.prices, self.solution.cuts.penalties, self.solution.objective)

    def _ascend(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raise and lower prices until the cheapest groups cost about what their records do."""
        cuts = Cuts(self._n)
        least = np.zeros(self._n)
        for _ in range(_ASCENT_ROUNDS):
            prices = prices + _ASCENT_STEP * least
            found = self._pricing.grown(prices, cuts)
            least = found.least
            enough = 0.02 * len(found.groups) * prices.mean()
            for groups, costs in zip(found.groups, found.costs, strict=True):
                self.pool.put(groups[costs < enough])
        return prices + least

    def _move_to(self, prices: NDArray[np.float64], penalties: NDArray[np.float64], value: float) -> None:
        self._center, self._center_penalties, self._center_value = prices, penalties, value
        self._master.move_box(prices, self._box())
        self._master.limit_penalties(self._padded(penalties) + self._room * max(float(self._center.mean()), 1e-300))

    def _box(self) -> NDArray[np.float64]:
        width: NDArray[np.float64] = self._width * np.maximum(self._center, 0.2 * self._center.mean())
        return width

    def _look_between(self, solution: MasterSolution) -> int:
        """Look for groups at prices between the centre and the solution, which are steadier; return how many came."""
        prices = 0.5 * (self._center + solution.prices)
        cuts = Cuts(self._n, self.triples, 0.5 * (solution.cuts.penalties + self._padded(self._center_penalties)))
        found = self._pricing.grown(prices, cuts)
        value = float((prices + np.minimum(found.least, 0)).sum() - cuts.penalties.sum())
        added = self._add(found, solution)
        if value > self._center_value:
            self._move_to(prices, cuts.penalties, value)
        return added

    def _look_near(self, solution: MasterSolution) -> int:
        return self._add(self._pricing.grown(solution.prices, solution.cuts), solution)

    def _look_everywhere(self, solution: MasterSolution) -> None:
        """Look for every cheap group, which proves a bound; if there is none, the program is solved."""
        found = self._prove(solution.prices, solution.cuts, _MOST_NODES)
        self.is_final = not found.is_complete
        added = self._add(found, solution)
        if not added or solution.objective - self.bound <= _CLOSED * solution.objective:
            self.is_closed = self.is_solved = True

    def _prove(self, prices: NDArray[np.float64], cuts: Cuts, most: int) -> FoundGroups:
        """Find every group that costs less than its records, which says by how much the prices have to be lowered."""
        self._since_proof = 0
        found = self._pricing.below(prices, -self._nothing, cuts, most)
        if not found.is_complete:
            self._proof_due *= 2  # it takes long, and may never be complete
        else:
            lowered = prices + np.minimum(found.least, 0) - self._nothing
            bound = float(lowered.sum() - cuts.penalties.sum()) * (1 - ROUNDING)
            if bound > self.bound:
                self.bound, self.proof = bound, (lowered, cuts)
        return found

    def _padded(self, penalties: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([penalties, np.zeros(len(self.triples) - len(penalties))])

    def _add(self, found: FoundGroups, solution: MasterSolution) -> int:
        """Add the cheapest groups of every record; return how many are new to the program."""
        added = 0
        for groups, costs in zip(found.groups, found.costs, strict=True):
            cheap = np.flatnonzero(costs < 0)
            cheap = cheap[np.argsort(costs[cheap], kind="stable")]
            numbers = self.pool.put(_few_of_every_record(groups[cheap], self._n))
            is_cheap = self.pool.price(numbers, solution.prices, solution.cuts) < -self._nothing
            added += self._master.add(numbers[is_cheap])
        return added


def near_records(n: int, k: int) -> int:
    """Return how many neighbours of a record groups grow among."""
    return min(n - 1, max(_NEAR, 2 * k + 20))


def _few_of_every_record(groups: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Return the first groups of every record."""
    counts = np.zeros(n, dtype=np.int64)
    kept = []
    for line, group in enumerate(groups):
        if counts[group].min() < _GROUPS_A_RECORD:
            counts[group] += 1
            kept.append(line)
    return groups[kept]


MOST_RECORDS = 10_000  # that the linear program is tried for
_MOST_DISTANCES = 2**27  # between the neighbours of every record: a gigabyte
_FIRST_STEPS = 25  # that come within about one percent of the value of the program, in a few seconds
_TO_PROVE = 2.0  # seconds that a proof gets at least
NOT_INSTALLED = 'A linear program proves more; it needs highspy, which is not installed: pip install "shoal[prove]".'


def is_highspy_installed() -> bool:
    """Whether the solver of linear and integer programs can be used: one that is there may still not load."""
    try:
        import highspy  # noqa: F401
    except ImportError:
        return False
    return True


def fits_program(n: int, k: int) -> bool:
    """Whether the linear program can be tried for so many records: up to 10,000, and fewer from k = 48 on."""
    return n <= MOST_RECORDS and n * (near_records(n, k) + 1) ** 2 <= _MOST_DISTANCES


def scaled_for_program(X: NDArray[np.float64], k: int) -> tuple[NDArray[np.float64], float]:
    """Return the records divided by a power of two, and that power; a record then costs about 1, as solvers like it.

    They are measured from one of them, so that far from zero no digit is lost in what tells them apart.
    """
    X = X - X[0]
    neighbours = nearest_records(X, min(k - 1, len(X) - 1))
    mean = ((X[neighbours] - X[:, np.newaxis]) ** 2).sum() / (2 * k * len(X))
    unit = 2.0 ** (int(np.frexp(1.5 * np.sqrt(mean or 1.0))[1]) - 1)
    scaled: NDArray[np.float64] = X / unit
    scaled.flags.writeable = False
    return scaled, unit


def bound_by_program(X: NDArray[np.float64], k: int, seconds: float | None) -> float:
    """Return the bound of the linear program, with the cuts there is time for; without seconds, of its first steps."""
    time_left = TimeLeft()
    time_left.start(seconds)
    X, unit = scaled_for_program(X, k)
    try:
        generation = ColumnGeneration(X, k, time_left)
    except OutOfTimeError:
        return 0.0
    steps = 0
    while not generation.is_final and (seconds is not None or (steps < _FIRST_STEPS and not generation.is_closed)):
        if time_left.seconds == 0:
            break
        with suppress(OutOfTimeError):
            generation.step()
        steps += 1
    if generation.bound == 0.0 or (seconds is None and not generation.is_closed):
        time_left.start(None if seconds is None else max(_TO_PROVE, seconds))
        with suppress(OutOfTimeError):
            generation.prove()
    advance(1)
    return generation.bound * unit * unit
