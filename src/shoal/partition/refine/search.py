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

__all__ = ["search"]

_STEPS_A_ROUND = 32
# Steps for every group:
_REST = 10  # without any gain, before the partition is shaken
_SHAKE = 15  # that shake it
_RACE = 30  # for a fresh start to get ahead of the best partition
_PATIENCE = 1_000  # without a new best partition, before the search ends
_TOLERANCE = 1.0  # at first, for results that are worse, relative to the mean loss of their records
# Moves of every record that a step makes; a large file gains more from having been everywhere first.
_FIRST_MOVES, _ADDED_MOVES, _MOST_MOVES = 60, 60, 300  # at first, more for each step per group, and at most
_FRESH_STARTS = 3  # between two shakes


def search(
    X: NDArray[np.float64],
    groups: Groups,
    neighbours: NDArray[np.int32],
    k: int,
    optimum: Optimum,
    seconds: float | None,
    steps: int | None,
    seed: int,
) -> int:
    """Take steps, apply the proposals that gain to `groups`, and return how many steps were taken.

    The search ends when the seconds or the steps are used up, when no partition can be better, or when too many steps
    have brought nothing.

    Parameters
    ----------
    X
        The records.
    groups
        The partition to start from; it is changed to the best partition found.
    neighbours
        The nearest other records of every record, nearest first.
    k
        The least number of records in a group.
    optimum
        Tells whether no partition can be better.
    seconds, steps
        How long to search, and how many steps to take; None is no limit.
    seed
        What the random numbers follow from.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.refine import apply_proposals, make_proposals

    threads = min(os.cpu_count() or 1, _STEPS_A_ROUND)
    proposals = room_for_proposals(_STEPS_A_ROUND, k)
    make_proposals(X, groups, neighbours, k, seed, 0, 0, 0, proposals)  # compiles, or loads what was compiled
    phases = _Phases(X, k, groups)
    n_steps, reported = 0, 0.0
    began = time.perf_counter()
    with ThreadPoolExecutor(max(threads - 1, 1)) as pool:
        while not (optimum.is_reached(groups) or phases.is_over(n_steps)):
            count = _STEPS_A_ROUND if steps is None else min(_STEPS_A_ROUND, steps - n_steps)
            elapsed = time.perf_counter() - began
            if count <= 0 or (seconds is not None and elapsed >= seconds):
                break
            moves = min(_MOST_MOVES, int(_FIRST_MOVES + _ADDED_MOVES * (n_steps - phases.started) / groups.in_use[0]))
            arguments = (X, groups, neighbours, k, seed, n_steps, count, moves, proposals)
            proposals.next_step[0] = 0
            others = [pool.submit(make_proposals, *arguments) for _ in range(threads - 1)]
            make_proposals(*arguments)
            for other in others:
                other.result()
            n_steps += count
            has_changed = apply_proposals(groups, proposals, count, n_steps, phases.tolerance(n_steps)) > 0
            phases.after_round(n_steps, has_changed)
            progress = max(n_steps / steps if steps else 0.0, elapsed / seconds if seconds else 0.0)
            if progress >= reported + 0.01:
                advance(progress - reported)
                reported = progress
    phases.end()
    advance(1 - reported)
    return n_steps


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

    def end(self) -> None:
        """Leave the best partition in place."""
        self._keep_the_better()

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
