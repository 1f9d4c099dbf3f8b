"""The search of `Refine`: trials in rounds, fresh starts, and the best partition kept."""

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
from shoal.partition.refine.groups import copy_of, groups_of, room_for_trials, split_large
from shoal.partition.refine.optimum import Optimum
from shoal.progress import advance, share

__all__ = ["search"]

_TRIALS_A_ROUND = 32
# Trials for every group:
_REST = 10  # without any gain, before the partition is shaken
_SHAKE = 15  # that shake it
_RACE = 30  # for a fresh start to get ahead of the best partition
_PATIENCE = 1_000  # without a new best partition, before the search ends
_TOLERANCE = 1.0  # at first, for results that are worse, relative to the mean loss of their records
# Moves of every record that a trial makes; a large file gains more from having been everywhere first.
_FIRST_MOVES, _ADDED_MOVES, _MOST_MOVES = 60, 60, 300  # at first, more for each trial per group, and at most
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
    """Make trials and apply those that pay to `groups`; return how many were made.

    The search ends when the seconds or the steps are used up, when no partition can be better, or when too many trials
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
        How long to search, and how many trials to make; None is no limit.
    seed
        What the random numbers follow from.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.refine import apply_trials, make_trials

    threads = min(os.cpu_count() or 1, _TRIALS_A_ROUND)
    trials = room_for_trials(_TRIALS_A_ROUND, k)
    make_trials(X, groups, neighbours, k, seed, 0, 0, 0, trials)  # compiles, or loads what was compiled
    phases = _Phases(X, k, groups)
    made, reported = 0, 0.0
    began = time.perf_counter()
    with ThreadPoolExecutor(max(threads - 1, 1)) as pool:
        while not (optimum.is_reached(groups) or phases.is_over(made)):
            count = _TRIALS_A_ROUND if steps is None else min(_TRIALS_A_ROUND, steps - made)
            elapsed = time.perf_counter() - began
            if count <= 0 or (seconds is not None and elapsed >= seconds):
                break
            moves = min(_MOST_MOVES, int(_FIRST_MOVES + _ADDED_MOVES * (made - phases.started) / groups.in_use[0]))
            arguments = (X, groups, neighbours, k, seed, made, count, moves, trials)
            trials.next_trial[0] = 0
            others = [pool.submit(make_trials, *arguments) for _ in range(threads - 1)]
            make_trials(*arguments)
            for other in others:
                other.result()
            made += count
            has_changed = apply_trials(groups, trials, count, made, phases.tolerance(made)) > 0
            phases.after_round(made, has_changed)
            progress = max(made / steps if steps else 0.0, elapsed / seconds if seconds else 0.0)
            if progress >= reported + 0.01:
                advance(progress - reported)
                reported = progress
    phases.end()
    advance(1 - reported)
    return made


class _Phases:
    """Says what a search accepts, step by step, and keeps the best partition found.

    It accepts what is better until nothing is found any more. Then it shakes the best partition: it accepts also
    what is a little worse, less and less so, and afterwards only what is better again. Three times out of four it
    starts afresh instead, in turn from k-means and from MDAV with a larger k: groups of other sizes lead to places that
    shifting, splitting and dissolving the present ones do not. A fresh start that does not get ahead soon is left for
    the next: which of them leads to a good place is chance, and seen early.
    """

    def __init__(self, X: NDArray[np.float64], k: int, groups: Groups) -> None:
        self._X = X
        self._k = k
        self._groups = groups
        self._rests = 0
        self._best = copy_of(groups)
        self.started = 0  # steps made then
        self._best_found = 0
        self._last_change = 0
        self._shaking_since: int | None = None

    def is_over(self, made: int) -> bool:
        """Whether there is nothing more to hope for."""
        in_use = self._groups.in_use[0]
        return bool(in_use == 1 or made - self._best_found >= _PATIENCE * in_use)

    def tolerance(self, made: int) -> float:
        """Return how much worse a trial may be, relative to the mean loss of its records."""
        if self._shaking_since is None:
            return 0.0
        steps = _SHAKE * int(self._groups.in_use[0])
        return _TOLERANCE * max(0.0, 1 - (made - self._shaking_since) / steps)

    def after_round(self, made: int, has_changed: bool) -> None:
        """Take note of a round, and go on to the next phase if it is time."""
        if self._shaking_since is not None:
            if self.tolerance(made) == 0:
                self._shaking_since = None
                self._last_change = made
        elif has_changed:
            self._last_change = made
        elif made - self._last_change >= _REST * self._groups.in_use[0]:
            self._next_phase(made)
        if self.started and made - self.started >= _RACE * self._groups.in_use[0] and not self._is_ahead():
            self._next_phase(made)

    def _next_phase(self, made: int) -> None:
        if self._keep_the_better():
            self._best_found = self._last_change
        self.started = 0
        self._last_change = made
        turn, kind = divmod(self._rests, _FRESH_STARTS + 1)
        if kind < _FRESH_STARTS:
            self._start_afresh(turn * _FRESH_STARTS + kind)
            self.started = made
        else:
            self._shaking_since = made
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
