"""The linear program of set partitioning, by column generation: its value is a lower bound on every partition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.cuts import Cuts, violated
from shoal.partition.bounds.group_pool import GroupPool
from shoal.partition.bounds.master import Master, MasterSolution
from shoal.partition.bounds.pricing import FoundGroups, Pricing
from shoal.partition.bounds.rounding import ROUNDING
from shoal.partition.bounds.time_left import TimeLeft
from shoal.partition.geometry.neighbours import nearest_records

__all__ = ["ColumnGeneration", "near_records"]

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
