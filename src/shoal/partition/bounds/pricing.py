"""Looks for groups whose squared error is below the prices of their records: some of them, or all."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.cuts import Cuts
from shoal.partition.bounds.time_left import TimeLeft

__all__ = ["FoundGroups", "Pricing"]

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
