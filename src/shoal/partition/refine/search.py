"""The search of `Refine`: steps in rounds, fresh starts, and the best partition kept."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.base import Partitioner
from shoal.partition.k_means_micro import KMeansMicro
from shoal.partition.kernels.refine_groups import Groups
from shoal.partition.mdav.mdav import MDAV
from shoal.partition.refine.groups import copy_of, groups_of, room_for_proposals, split_large
from shoal.partition.refine.optimum import Optimum
from shoal.progress import advance, share

__all__ = ["RefineSearch"]

_SHORTEST_ROUND, _LONGEST_ROUND = 32, 256  # steps; the longer a round, the less threads wait for each other
_GROUPS_A_STEP = 200  # with fewer, too many steps of one round would take the same groups
# Steps for every group:
_REST = 10  # without any gain, before the partition is shaken
_SHAKE = 15  # that shake it
_RACE = 30  # for a fresh start to get ahead of the best partition
_PATIENCE = 1_000  # without a new best partition, before the search ends
_TOLERANCE = 1.0  # at first, for results that are worse, relative to the mean loss of their records
_HASTE = 5  # that are quicker and colder: a large file gains more from having been everywhere first
_FIRST_MOVES, _MOST_MOVES = 30, 300  # of every record that a step makes, at first and after the haste
_FIRST_HEAT = 0.5  # of a step, at first; 1 after the haste
_FRESH_STARTS = 3  # between two shakes


class RefineSearch:
    """A search that can be interrupted and go on: the same steps give the same partition, in one go or in many.

    Parameters
    ----------
    X
        The records.
    groups
        The partition to start from; the search changes it.
    neighbours
        The nearest other records of every record, nearest first.
    k
        The least number of records in a group.
    optimum
        Tells whether no partition can be better.
    seed
        What the random numbers follow from.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        groups: Groups,
        neighbours: NDArray[np.int32],
        k: int,
        optimum: Optimum,
        seed: int,
    ) -> None:
        self._X = X
        self._groups = groups
        self._neighbours = neighbours
        self._k = k
        self._optimum = optimum
        self._seed = seed
        self._round = max(_SHORTEST_ROUND, min(int(groups.in_use[0]) // _GROUPS_A_STEP, _LONGEST_ROUND))
        self._proposals = room_for_proposals(self._round, k)
        self._phases = _Phases(X, k, groups)
        self.n_steps = 0

    def go_on(self, seconds: float | None, steps: int | None) -> None:
        """Take steps until `n_steps` are `steps`, or the seconds are used up; None is no limit.

        It also ends when no partition can be better, or when too many steps have brought nothing. Pauses change nothing
        if they come after whole rounds (`steps` a multiple of 32 up to 6,400 groups, of as many as make a round
        beyond).
        """
        threads = min(os.cpu_count() or 1, self._round)
        self._make_proposals(0, 0, 1.0)  # compiles, or loads what was compiled
        reported, first = 0.0, self.n_steps
        began = time.perf_counter()
        with ThreadPoolExecutor(max(threads - 1, 1)) as pool:
            while not (self._optimum.is_reached(self._groups) or self._phases.is_over(self.n_steps)):
                count = self._round if steps is None else min(self._round, steps - self.n_steps)
                elapsed = time.perf_counter() - began
                if count <= 0 or (seconds is not None and elapsed >= seconds):
                    break
                self._take_a_round(count, threads, pool)
                part = (self.n_steps - first) / (steps - first) if steps else 0.0
                progress = max(part, elapsed / seconds if seconds else 0.0)
                if progress >= reported + 0.01:
                    advance(progress - reported)
                    reported = progress
        advance(1 - reported)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The best partition so far, labels 0 to g-1; the search can go on from where it is."""
        labels: NDArray[np.int64] = np.unique(self._phases.best.labels, return_inverse=True)[1].astype(np.int64)
        return labels

    def _make_proposals(self, count: int, moves: int, heat: float) -> None:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.refine import make_proposals

        make_proposals(
            self._X, self._groups, self._neighbours, self._k, self._seed, self.n_steps, count, moves, heat,
            self._proposals,
        )  # fmt: skip

    def _take_a_round(self, count: int, threads: int, pool: ThreadPoolExecutor) -> None:
        """Make proposals in all threads and apply those that gain."""
        from shoal.partition.kernels.refine import apply_proposals

        calm = min(1.0, (self.n_steps - self._phases.started) / (_HASTE * int(self._groups.in_use[0])))
        moves = int(_FIRST_MOVES + (_MOST_MOVES - _FIRST_MOVES) * calm)
        heat = _FIRST_HEAT + (1 - _FIRST_HEAT) * calm
        self._proposals.next_step[0] = 0
        others = [pool.submit(self._make_proposals, count, moves, heat) for _ in range(threads - 1)]
        self._make_proposals(count, moves, heat)
        for other in others:
            other.result()
        n_steps = self.n_steps + count
        tolerance = self._phases.tolerance(n_steps)
        has_changed = apply_proposals(self._groups, self._proposals, count, n_steps, tolerance) > 0
        self.n_steps = n_steps  # not before: it may be interrupted
        self._phases.after_round(n_steps, has_changed)


class _Phases:
    """The phases of a search: what is accepted in each, when the next one begins, and the best partition so far.

    A search accepts what is better until nothing better turns up. Then it shakes the best partition: it also accepts
    what is a little worse, less and less so, and afterwards only what is better again. Three times out of four it
    starts afresh instead, in turn from k-means and from MDAV with a larger k: groups of other sizes lead to partitions
    that shifting, splitting and dissolving the present groups do not. A fresh start that does not get ahead soon is
    given up for the next: which of them leads to a good partition is chance, and shows early.
    """

    def __init__(self, X: NDArray[np.float64], k: int, groups: Groups) -> None:
        self._X = X
        self._k = k
        self._groups = groups
        self._rests = 0
        self._best = copy_of(groups)
        self.started = 0  # the number of steps before the present fresh start
        self._best_since = 0
        self._last_change = 0
        self._shaking_since: int | None = None

    def is_over(self, n_steps: int) -> bool:
        """Whether the search has gone on too long without a better partition."""
        in_use = self._groups.in_use[0]
        return bool(in_use == 1 or n_steps - self._best_since >= _PATIENCE * in_use)

    def tolerance(self, n_steps: int) -> float:
        """Return how much worse a proposal may be, relative to the mean loss of its records."""
        if self._shaking_since is None:
            return 0.0
        steps = _SHAKE * int(self._groups.in_use[0])
        return _TOLERANCE * max(0.0, 1 - (n_steps - self._shaking_since) / steps)

    def after_round(self, n_steps: int, has_changed: bool) -> None:
        """Count a round, and go on to the next phase if it is time."""
        if self._shaking_since is not None:
            if self.tolerance(n_steps) == 0:
                self._shaking_since = None
                self._last_change = n_steps
        elif has_changed:
            self._last_change = n_steps
        elif n_steps - self._last_change >= _REST * self._groups.in_use[0]:
            self._next_phase(n_steps)
        if self.started and n_steps - self.started >= _RACE * self._groups.in_use[0] and not self._is_ahead():
            self._next_phase(n_steps)

    def _next_phase(self, n_steps: int) -> None:
        if self._keep_the_better():
            self._best_since = self._last_change
        self.started = 0
        self._last_change = n_steps
        turn, kind = divmod(self._rests, _FRESH_STARTS + 1)
        if kind < _FRESH_STARTS:
            self._start_afresh(turn * _FRESH_STARTS + kind)
            self.started = n_steps
        else:
            self._shaking_since = n_steps
        self._rests += 1

    @property
    def best(self) -> Groups:
        """The best partition so far."""
        return self._groups if self._is_ahead() else self._best

    def _is_ahead(self) -> bool:
        return bool(self._groups.sse.sum() < self._best.sse.sum())

    def _keep_the_better(self) -> bool:
        is_better = self._is_ahead()
        if is_better:
            self._best = copy_of(self._groups)
        else:
            self._go_to(self._best)
        return is_better

    def _start_afresh(self, turn: int) -> None:
        start: Partitioner = KMeansMicro(self._k, random_state=turn)
        if turn % 2:
            start = MDAV(min(self._k + 1 + turn // 2 % (self._k - 1), len(self._X)))
        with share(0):
            labels = start.fit(self._X).labels_
        self._go_to(groups_of(self._X, split_large(self._X, labels, self._k), self._k))

    def _go_to(self, partition: Groups) -> None:
        arrays: tuple[NDArray[Any], ...] = self._groups
        for array, other in zip(arrays, partition, strict=True):
            array[:] = other
