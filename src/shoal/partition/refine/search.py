"""The search of `Refine`: steps in rounds, fresh starts, and the best partition kept."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ParameterError
from shoal.partition.base import Partitioner
from shoal.partition.geometry.squared_distances import sse_by_group
from shoal.partition.k_means_micro import KMeansMicro
from shoal.partition.kernels.refine import MOST_GROUPS, MOST_MOVABLE, Groups, Proposals
from shoal.partition.mdav.mdav import MDAV
from shoal.progress import advance, share


def groups_of(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> Groups:
    """Bring a partition with groups of k to 2k-1, labels 0 to g-1, into the form for the search."""
    n, most = len(labels), len(labels) // k
    sizes = np.bincount(labels, minlength=most).astype(np.int32)
    first = np.cumsum(sizes) - sizes
    by_group = np.argsort(labels, kind="stable").astype(np.int32)
    position = np.arange(n) - first[labels[by_group]]
    members = np.zeros((most, 2 * k - 1), dtype=np.int32)
    members[labels[by_group], position] = by_group
    return Groups(
        labels=labels.astype(np.int32),
        members=members,
        sizes=sizes,
        sse=sse_by_group(X, labels, most),
        numbers=np.arange(most, dtype=np.int32),
        place=np.arange(most, dtype=np.int32),
        in_use=np.array([labels.max() + 1], dtype=np.int64),
        changed=np.full(most, -1, dtype=np.int64),
        visits=np.zeros(most, dtype=np.int32),
    )


def copy_of(groups: Groups) -> Groups:
    """Return the same partition in arrays of its own."""
    arrays: tuple[NDArray[Any], ...] = groups
    return Groups._make(array.copy() for array in arrays)


def split_large(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Split the groups of 2k records and more into groups of k to 2k-1, which makes no partition worse."""
    labels = labels.copy()
    sizes = np.bincount(labels)
    groups = len(sizes)
    with share(0):
        for group in np.flatnonzero(sizes >= 2 * k):
            members = np.flatnonzero(labels == group)
            parts = MDAV(k).fit(X[members]).labels_
            labels[members] = np.where(parts == 0, group, groups + parts - 1)
            groups += parts.max()
    return labels


def room_for_proposals(steps: int, k: int) -> Proposals:
    """Return room for the proposals of that many steps."""
    records = max(MOST_MOVABLE, 2 * (2 * k - 1))  # two groups fit in any case
    return Proposals(
        taken=np.zeros((steps, MOST_GROUPS + 1), dtype=np.int32),
        counts=np.zeros((steps, 3), dtype=np.int32),
        rows=np.zeros((steps, records), dtype=np.int32),
        parts=np.zeros((steps, records), dtype=np.int32),
        sse=np.zeros((steps, MOST_GROUPS + 1)),
        gain=np.zeros(steps),
        leeway=np.zeros(steps),
        next_step=np.zeros(1, dtype=np.int64),
    )


_CLOSE = 1e-6  # to the lower bound, relative: more than rounding takes from it


class Optimum:
    """Tells whether no partition can be better than the present one, in the two cases where that is plain to see.

    The loss of a group of s records is the sum of the squared distances of its pairs, divided by s: at least that of
    every record's k-1 nearest, divided by 2k, and as much only if these are the group, or if all its distances are 0.
    The distances are compared one by one: none is beyond the (k-1)th smallest, and as many are below it as there are
    such records. The total loss would not do: rounding, or one far record, hides the others.

    Parameters
    ----------
    X
        The records.
    neighbours
        The nearest other records of every record, nearest first.
    k
        The least number of records in a group.
    bound
        A lower bound on the loss of all partitions.
    """

    def __init__(self, X: NDArray[np.float64], neighbours: NDArray[np.int32], k: int, bound: float) -> None:
        self._X = X
        self._k = k
        nearest = neighbours[:, : k - 1]
        self._reach = _squared_distances_to(X, nearest[:, -1])
        self._nearer = np.zeros(len(X), dtype=np.int64)  # how many records are nearer than that
        for others in nearest.T:
            self._nearer += _squared_distances_to(X, others) < self._reach
        # The mean of identical records may be off in its last digits, more so of many.
        rounding = X.size * (2 * k * np.finfo(float).eps * np.abs(X).max()) ** 2
        self._close = bound * (1 + _CLOSE) + rounding

    def is_reached(self, groups: Groups) -> bool:
        """Whether every record is with its k-1 nearest and no other, or with identical ones alone."""
        if groups.sse.sum() > self._close:
            return False
        sizes = groups.sizes[groups.labels]
        reach = np.where(sizes == self._k, self._reach, 0.0)
        nearer = np.where(sizes == self._k, self._nearer, 0)
        for position, members in enumerate(groups.members.T):
            others = members[groups.labels]
            distances = _squared_distances_to(self._X, others)
            if np.any((distances > reach) & (position < sizes)):
                return False
            nearer -= (distances < reach) & (position < sizes) & (others != np.arange(len(others)))
        return not nearer.any()


def _squared_distances_to(X: NDArray[np.float64], others: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the squared distance of every record to another, summed as for the lists of neighbours."""
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.prices import measure_lists

    squared = np.empty((len(X), 1))
    measure_lists(X, np.ascontiguousarray(others)[:, np.newaxis], squared)
    return squared[:, 0]


def labels_of_start(start: Partitioner | ArrayLike, X: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the groups to start from, numbered 0 to g-1.

    Parameters
    ----------
    start
        A partitioner, or the group of every record as any whole number.
    X
        The records.
    k
        The least number of records in a group.
    """
    if isinstance(start, Partitioner):
        numbers = np.asarray(start.unfitted().fit(X).labels_)
    else:
        try:
            numbers = np.asarray(start)
        except ValueError:
            raise ParameterError(
                "start must be whole numbers, one for every record; got lists of different lengths in a list."
            ) from None
        advance(1)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ParameterError(
            f"start must be whole numbers, one for every record; got {numbers.ndim} dimension(s) of {numbers.dtype}."
        )
    if len(numbers) != len(X):
        raise ParameterError(f"start must have a group for each of the {len(X)} records; got {len(numbers)} of them.")
    _, labels, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
    if sizes.min() < k:
        raise ParameterError(
            f"start must have groups of at least k={k} records; {np.count_nonzero(sizes < k)} of its "
            f"{len(sizes)} groups have fewer, the smallest {sizes.min()}. Lower k, or start from another partition."
        )
    return labels.astype(np.int64)


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
