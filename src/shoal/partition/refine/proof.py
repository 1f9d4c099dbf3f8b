"""A search that proves how good it is: local search, linear program and integer programs give each other solutions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.column_generation import ColumnGeneration, IntegerSolution, best_of
from shoal.partition.bounds.time_left import OutOfTimeError, TimeLeft
from shoal.progress import advance

__all__ = ["Proof"]

_MOST_NEAR = 100_000  # groups that good partitions are looked for among
_CHOICE = 20  # of groups in a program over a region, for every group that it has now
_MOST_IN_ALL = 60_000  # groups of a program over the whole file, where these are all that matter,
_MOST_TOGETHER = 8_000  # and where they are not
_REGION = 40  # groups, at first
_GROWTH, _LARGEST_REGION = 1.6, 110
_REGIONS_A_STEP = 4
# Work on the linear program, for every group and divided by k to the power of 4: after so much of it the search takes
# half of the time. The groups that have to be looked at for a proof are about as many times more for larger k.
_FAIR = 200_000
_LEAST_SHARE, _LARGEST_SHARE = 0.25, 6.0  # steps of the search for what is done in the time of one elsewhere
_SHARE_BESIDE_INTEGERS = 0.5
_NODES = 300  # branches that a program over a region follows
_NODES_IN_ALL = (30, 300, 3_000, 30_000)
_CLOSED = 1e-9  # relative


class Proof:
    """The best partition known and the best bound, made better step by step until they meet.

    First the linear program over all groups (`ColumnGeneration`) gives a bound, prices of the records, and the groups
    that good partitions are made of. Then integer programs recombine these and the groups of every partition known, in
    regions of neighbouring groups where the present ones cost more than their records' prices; regions grow, until
    one is the whole file. Over the file, the groups with a reduced cost below the gap are enough: no better
    partition has any other. If there are not too many, that program ends with the best partition there is.

    A search of its own goes on beside them, for a part of the time that grows until the linear program is solved: where
    it never will be, as for large k, nearly all of the time is the search's, until it has come to its end and others
    follow. The time is not taken but estimated, by iterations of the simplex method and groups looked at, so that the
    same steps do the same.

    Parameters
    ----------
    X
        The records.
    k
        The least number of records in a group.
    partitions
        Partitions to start from, as labels; the best is kept.
    neighbours
        The nearest other records of every record, nearest first.
    search
        Searches on from labels, with the random numbers of a seed, and returns labels.
    explore
        Goes on with a search of its own, and returns the labels it has reached and how many steps it took, 0 where
        it has come to its end. Searches are numbered from 0: a number that is new begins another.
    seconds
        How long the beginning may take, before OutOfTimeError is raised; None is no limit.

    Attributes
    ----------
    n_steps
        How many steps were taken: the same number gives the same partition.
    bound
        A lower bound on the squared error of every partition.
    history
        For every step the seconds since `go_on` was called, the squared error and the bound.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        k: int,
        partitions: list[NDArray[np.int64]],
        neighbours: NDArray[np.int32],
        search: Callable[[NDArray[np.int64], int], NDArray[np.int64]] = lambda labels, seed: labels,
        explore: Callable[[int], tuple[NDArray[np.int64], int]] | None = None,
        seconds: float | None = None,
    ) -> None:
        self._n, self._k, self._neighbours, self._search, self._explore = len(X), k, neighbours, search, explore
        self._time_left = TimeLeft()
        self._time_left.start(seconds)
        self._generation = ColumnGeneration(X, k, self._time_left)
        self._pool = self._generation.pool
        numbers = [self._pool.put_partition(labels) for labels in partitions]
        self._best = min(numbers, key=self._loss)
        self._due = 0.0  # steps of the search of its own
        self._ended = 0  # searches that have come to their end
        self.bound = 0.0
        self.n_steps = 0
        self.history: list[tuple[float, float, float]] = []
        self._work = self._steps()

    @property
    def labels(self) -> NDArray[np.int64]:
        """The best partition so far."""
        labels = np.full(self._n, -1, dtype=np.int64)
        for group, members in enumerate(self._pool.members[self._best]):
            labels[members[members >= 0]] = group
        return labels

    @property
    def sse(self) -> float:
        """The squared error of the best partition so far."""
        return self._loss(self._best)

    @property
    def is_solved(self) -> bool:
        """Whether the linear program was solved, with or without cuts."""
        return self._generation.is_solved

    def go_on(self, seconds: float | None, steps: int | None, *, solved_in: float = 1.0) -> None:
        """Take steps until `n_steps` are `steps`, the seconds are used up, or nothing can get better.

        Where the linear program is not solved in the part `solved_in` of the seconds, the rest is not used.
        """
        began = time.perf_counter()
        self._time_left.start(None if seconds is None else solved_in * seconds)
        reported = 0.0
        while (steps is None or self.n_steps < steps) and self._time_left.seconds > 0:
            was_solved = self.is_solved
            try:
                next(self._work)
            except StopIteration:
                break
            except OutOfTimeError:
                self._work = self._steps()  # for the next time
                break
            self.n_steps += 1
            self.bound = min(max(self.bound, self._generation.bound), self.sse)
            elapsed = time.perf_counter() - began
            if seconds is not None and self.is_solved and not was_solved:
                self._time_left.start(seconds - elapsed)
            self.history.append((elapsed, self.sse, self.bound))
            done = min(1.0, max(self.n_steps / steps if steps else 0.0, elapsed / seconds if seconds else 0.0))
            advance(max(0.0, done - reported))
            reported = max(reported, done)
        advance(1 - reported)

    def prove(self, seconds: float | None) -> None:
        """Prove the bound of the steadiest prices so far, if the seconds are enough; where more was out of reach."""
        self._time_left.start(seconds)
        with suppress(OutOfTimeError):
            self._generation.prove()
        self.bound = min(max(self.bound, self._generation.bound), self.sse)

    def _loss(self, numbers: NDArray[np.int64]) -> float:
        return float(self._pool.errors[numbers].sum())

    @property
    def _gap(self) -> float:
        return self.sse - self.bound

    def _steps(self) -> Iterator[None]:
        while not self._generation.is_final:
            before = self._generation.work
            self._generation.step()
            yield
            yield from self._explore_for(self._share() * (self._generation.work - before))
        if self._generation.solution is None:
            return
        self._gather_groups()
        yield
        for nodes in _NODES_IN_ALL:
            yield from self._over_regions()
            work = self._over_all(nodes)
            yield
            yield from self._explore_for(_SHARE_BESIDE_INTEGERS * work)
            if self._gap <= _CLOSED * self.sse:
                return

    def _share(self) -> float:
        """Return how many steps of the search there are for a unit of work on the linear program."""
        if self.is_solved or self._ended:
            return _LEAST_SHARE
        fair = _FAIR * len(self._best) / self._k**4
        return min(max(_LEAST_SHARE, self._generation.work / fair), _LARGEST_SHARE)

    def _explore_for(self, steps: float) -> Iterator[None]:
        """Let the search of its own take as many steps, a part of them at a time; it owes or is owed the difference.

        Where it has come to its end, another one begins: which of them leads to a good partition is chance.
        """
        self._due += steps
        while self._explore is not None and self._due > 0:
            labels, taken = self._explore(self._ended)
            if taken == 0:
                self._ended += 1
                labels, taken = self._explore(self._ended)
            if taken == 0:
                self._explore = None
            self._due -= taken
            self._take_over(labels)
            yield

    def _gather_groups(self) -> None:
        """Put the groups with the least reduced costs into the pool, as many as can be handled."""
        self._first_near = len(self._pool)
        limit = 1e-3 * self.sse / len(self._best)
        while limit < 2 * self._gap and self._generation.near_groups(limit, _MOST_NEAR) is not None:
            limit *= 1.4

    def _over_regions(self) -> Iterator[None]:
        """Solve programs over regions until none gains; then search on, and solve programs over larger regions."""
        size = float(_REGION)
        while size <= _LARGEST_REGION and size < len(self._best):
            before = self.sse
            waiting = self._generation.excess(self._best) > _CLOSED * self.sse / len(self._best)
            is_new = dict(zip(self._best.tolist(), waiting.tolist(), strict=True))
            while any(is_new.get(number, False) for number in self._best.tolist()):
                regions = self._next_regions(int(size), is_new)
                work = self._recombine(regions)
                yield
                yield from self._explore_for(_SHARE_BESIDE_INTEGERS * work)
            if self.sse >= before * (1 - 1e-5):
                size *= _GROWTH
                self._search_on()
                yield

    def _search_on(self) -> None:
        """Let the local search go on from the best partition; its groups are there to combine, if it gains or not."""
        self._take_over(self._search(self.labels, self.n_steps))

    def _take_over(self, labels: NDArray[np.int64]) -> None:
        """Put the groups of a partition into the pool, and keep it if it is the best."""
        found = self._pool.put_partition(labels)
        if self._loss(found) < self.sse:
            self._best = found

    def _next_regions(self, size: int, is_new: dict[int, bool]) -> list[NDArray[np.int64]]:
        """Return some regions without a group in common, each around a group that was in the middle of none yet."""
        labels, excess = self.labels, self._generation.excess(self._best)
        taken = np.zeros(len(self._best), dtype=bool)
        regions: list[NDArray[np.int64]] = []
        for group in np.argsort(-excess, kind="stable").tolist():
            if len(regions) == _REGIONS_A_STEP:
                break
            if taken[group] or not is_new.get(int(self._best[group]), False):
                continue
            region = self._region_around(group, size, labels, taken)
            taken[region] = True
            for inner in region[: max(1, len(region) // 3)]:
                is_new[int(self._best[inner])] = False
            regions.append(region)
        return regions

    def _region_around(
        self, group: int, size: int, labels: NDArray[np.int64], taken: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return the groups that are reached first from one, going from records to their neighbours."""
        region = {group: None}
        for place in range(size):
            if place >= len(region):
                break
            members = self._pool.members[self._best[list(region)[place]]]
            for near in self._neighbours[members[members >= 0], : 2 * self._k].T:
                for other in labels[near].tolist():
                    if len(region) < size and not taken[other]:
                        region.setdefault(other)
        return np.array(list(region), dtype=np.int64)

    def _recombine(self, regions: list[NDArray[np.int64]]) -> float:
        """Solve the program of every region, and take over the groups that are better; return the work it was."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            solutions = list(threads.map(self._solve_region, regions))
        is_out = np.zeros(len(self._best), dtype=bool)
        new: list[NDArray[np.int64]] = []
        for region, solution in zip(regions, solutions, strict=True):
            before = self._best[region]
            if self._loss(solution.groups) < self._loss(before):
                is_out[region] = True
                new.append(solution.groups)
        self._best = np.concatenate([self._best[~is_out], *new])
        return sum(solution.work for solution in solutions)

    def _solve_region(self, region: NDArray[np.int64]) -> IntegerSolution:
        start = self._best[region]
        members = self._pool.members
        is_inside = np.zeros(self._n + 1, dtype=bool)
        is_inside[members[start]] = True  # -1, where a group is smaller, is the last
        numbers = np.flatnonzero(is_inside[members].all(axis=1))
        costs = self._generation.excess(numbers)
        cheapest = np.argsort(costs, kind="stable")[: _CHOICE * len(region)]
        numbers = numbers[cheapest[costs[cheapest] <= self._generation.excess(start).sum()]]
        is_within = is_inside[self._generation.triples].all(axis=1)
        return best_of(self._pool, numbers, start, self._generation.triples[is_within], _NODES, self._time_left)

    def _over_all(self, most_nodes: int) -> float:
        """Solve the program over the whole file, and return the work; with all groups that matter it proves a bound."""
        numbers = self._generation.near_groups(self.sse - self._generation.bound, _MOST_IN_ALL)
        is_proof = numbers is not None
        if numbers is None:
            numbers = np.arange(len(self._pool))
            costs = self._generation.excess(numbers)
            costs[: self._first_near] = np.minimum(costs[: self._first_near], 0)
            numbers = np.argsort(costs, kind="stable")[:_MOST_TOGETHER]
        solution = best_of(self._pool, numbers, self._best, self._generation.triples, most_nodes, self._time_left)
        if self._loss(solution.groups) < self.sse:
            self._best = solution.groups
        if is_proof:
            self.bound = max(self.bound, min(solution.bound * (1 - _CLOSED), self.sse))
        return solution.work
