"""Refine: a search that makes the groups of any partition tighter, for as long as it may."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from shoal.errors import ParameterError
from shoal.parameters.choices import build, written_form
from shoal.parameters.limits import Limit, Number, OrNone, Whole
from shoal.partition.base import Partitioner
from shoal.partition.bound import lower_bound_by_neighbours
from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.geometry.safe_scale import scaled_for_squares
from shoal.partition.k_means_micro import KMeansMicro
from shoal.partition.kernels.refine_groups import Groups
from shoal.partition.mdav.mdav import MDAV
from shoal.partition.refine.groups import groups_of, room_for_trials, sse_by_group
from shoal.progress import advance, share

__all__ = ["Refine"]

_TRIALS_A_ROUND = 32
# Trials for every group:
_REST = 10  # without any gain, before the partition is shaken
_SHAKE = 15  # that shake it
_RACE = 30  # for a fresh start to get ahead of the best partition
_PATIENCE = 1_000  # without a new best partition, before the search gives up
_TOLERANCE = 1.0  # at first, for results that are worse, relative to the mean loss of their records
# Moves of every record that a trial makes; a large file gains more from having been everywhere first.
_FIRST_MOVES, _MORE_MOVES, _MOVES = 60, 60, 300  # at first, more for each trial per group, and at most
_SHORTEST_LIST, _LONGEST_LIST = 24, 64  # of neighbours
_FRESH_STARTS = 3  # between two shakes
_START, _SEARCH = 0.1, 0.85  # parts of the work, as far as anyone can say
_CLOSE = 1e-6  # to the lower bound, relative: more than rounding takes from it


@dataclass(frozen=True)
class _StartLimit:
    """What a search can start from; whether labels fit the records is seen in `fit`."""

    wanted: str = "the name of a method, a partitioner of shoal, or an array with the group of every record"

    def accepts(self, value: Any) -> bool:
        """Whether a search can start from `value`; raise ParameterError for a name or a method that does not serve."""
        if isinstance(value, str):
            value = _named_start(value, k=2)
        if isinstance(value, Refine) and value._clock is not None:
            raise ParameterError("start must not search by the clock, or nothing could be repeated: give it steps.")
        return isinstance(value, Partitioner | np.ndarray | list | tuple)

    def bad_values(self) -> list[Any]:
        """Return some values that must be refused, for tests."""
        return ["no such word", "", None, 0, MDAV]


class Refine(Partitioner):
    """Groups of k to 2k-1 with a small sum of squared errors, by local search from another partition.

    Again and again: take some neighbouring groups (2 to 32, more often where the loss is large), and part their
    records anew, mostly into as many groups, now and then into one more (a split) or one less (a group is dissolved),
    by simulated annealing: records shift to the group of a near record or swap places with one of its members, and
    what makes things worse is accepted less and less. If the loss is smaller in the end the new groups stay,
    else the old ones do. When that leads no further, results that are a little worse are accepted for a while, and
    the best partition is kept. So the result is never worse than its start, and better the longer it is searched for.

    Parameters
    ----------
    k
        The least number of records in a group.
    start
        The partition to start from: the name of a method (``"mdav"``, ``"vmdav:gamma=0.5"``), a partitioner, or the
        group of every record. Its groups have
        at least k records; those with 2k or more are split, which makes no partition worse.
    seconds
        How long to search, not counting the start; without meaning where `steps` is given. In `shoal.protect` all
        strata and blocks share these seconds, by their numbers of records and columns.
    steps
        How many trials to make, however long they take. None: as many as there is time for. The search also ends when
        1,000 trials for every group have brought nothing, and when no partition can be better: every record is with
        its k-1 nearest and no other, or with identical ones alone.
    random_state
        The seed of the search, a whole number from 0 to 4294967295, as in scikit-learn. `shoal.protect` takes it from
        its own `seed` where a method that is named does not say.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.
    steps_
        How many trials were made. The same `random_state` and ``steps=steps_`` give the same labels, on any
        number of threads.
    sse_, start_sse_
        The sum of squared distances of the records to the mean of their group, at the end and at the start.
    lower_bound_
        A number that `sse_` of no partition with groups of at least k is below (see `lower_bound`, which may find
        a better one with longer lists of neighbours).
    gap_
        ``(sse_ - lower_bound_) / sse_``: the part of the loss that a better partition could save at most. 0 where
        the search ended because none can be better, whatever rounding leaves of the difference.

    Notes
    -----
    A trial costs the same in a small file and in a large one: it looks at the groups it takes and at nothing else.
    Which groups are neighbours is read from lists of the nearest records of every record. 32 trials make a round.
    They are independent of each other, so that threads can share them; then those with a gain are applied in order,
    unless they took a group that an earlier one changed. Every trial has its own random numbers, from the seed and
    its number. Where the groups have more than 320 records together, a trial moves
    the 320 for which another mean is not much farther than that of their own group.

    References
    ----------
    For the loss and its place among the methods: J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), Practical
    data-oriented microaggregation for statistical disclosure control, IEEE Transactions on Knowledge and Data
    Engineering 14. For the annealing: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi (1983), Optimization by
    simulated annealing, Science 220.
    """

    name: ClassVar[str] = "refine"
    summary: ClassVar[str] = (
        "Groups of k to 2k-1 with a small sum of squared errors, by local search from another partition"
    )
    reference: ClassVar[str] = (
        "For the loss and its place among the methods: J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), "
        "Practical data-oriented microaggregation for statistical disclosure control, IEEE Transactions on "
        "Knowledge and Data Engineering 14. For the annealing: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi "
        "(1983), Optimization by simulated annealing, Science 220."
    )
    search_defaults: ClassVar[Mapping[str, Any]] = {"steps": 320}  # seconds would give another result every time
    limits: ClassVar[Mapping[str, Limit]] = {
        "k": Whole(2),
        "start": _StartLimit(),
        "seconds": OrNone(Number(0)),
        "steps": OrNone(Whole(0)),
        "random_state": Whole(0, 2**32 - 1),
    }

    def __init__(
        self,
        k: int,
        start: str | Partitioner | ArrayLike = "mdav",
        seconds: float | None = 10,
        steps: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.k = k
        self.start = start
        self.seconds = seconds
        self.steps = steps
        self.random_state = random_state

    @property
    def _clock(self) -> float | None:
        """How many seconds the search may take; None: as many as its steps take."""
        return self.seconds if self.steps is None else None

    def for_part(self, part: float) -> Refine:
        """Return this search with that part of its seconds."""
        found: Refine = clone(self)
        return found if self._clock is None else found.set_params(seconds=self._clock * part)

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        if self.seconds is None and self.steps is None:
            raise ParameterError("seconds=None needs steps, the number of trials to make; got steps=None.")
        scaled, unit = scaled_for_squares(X)
        with share(_START):
            start = self._start_labels(scaled)
        split = _split_large(scaled, start, self.k)
        length = max(_SHORTEST_LIST, min(2 * self.k, _LONGEST_LIST))
        neighbours = nearest_records(scaled, min(length, len(X) - 1))
        bound = lower_bound_by_neighbours(scaled, neighbours, self.k)
        optimum = _Optimum(scaled, neighbours, self.k, bound)
        groups = groups_of(scaled, split, self.k)
        advance(1 - _START - _SEARCH)
        with share(_SEARCH):
            self.steps_ = _search(
                scaled, groups, neighbours, self.k, optimum, self._clock, self.steps, int(self.random_state)
            )
        labels = np.unique(groups.labels, return_inverse=True)[1].astype(np.int64)
        if _sse(scaled, labels) > _sse(scaled, start):
            labels = split  # a gain that was rounding alone
        sse = _sse(scaled, labels)
        self.gap_ = (sse - bound) / sse if sse > bound and not optimum.is_reached(groups) else 0.0
        self.sse_ = sse * unit * unit
        self.start_sse_ = _sse(scaled, start) * unit * unit
        self.lower_bound_ = bound * unit * unit
        return labels

    def _start_labels(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        if isinstance(self.start, str):
            given = np.asarray(_named_start(self.start, self.k).fit(X).labels_)
        elif isinstance(self.start, Partitioner):
            given = np.asarray(clone(self.start).fit(X).labels_)
        else:
            try:
                given = np.asarray(self.start)
            except ValueError:
                raise ParameterError(
                    "start must be whole numbers, one for every record; got lists of different lengths in a list."
                ) from None
            advance(1)
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
            raise ParameterError(
                f"start must be whole numbers, one for every record; got {given.ndim} dimension(s) of {given.dtype}."
            )
        if len(given) != len(X):
            raise ParameterError(f"start must have a group for each of the {len(X)} records; got {len(given)} of them.")
        _, labels, sizes = np.unique(given, return_inverse=True, return_counts=True)
        if sizes.min() < self.k:
            raise ParameterError(
                f"start must have groups of at least k={self.k} records; {np.count_nonzero(sizes < self.k)} of its "
                f"{len(sizes)} groups have fewer, the smallest {sizes.min()}. Lower k, or start from another partition."
            )
        return labels.astype(np.int64)


def _named_start(given: str, k: int) -> Partitioner:
    """Make the partitioner that a text such as "vmdav:gamma=0.5" names, for groups of k unless it says otherwise."""
    from shoal.partition import PARTITIONERS

    made: Partitioner = build({"k": k} | written_form(given, PARTITIONERS, "start"), PARTITIONERS, "start")
    return made


def _search(
    X: NDArray[np.float64],
    groups: Groups,
    neighbours: NDArray[np.int32],
    k: int,
    optimum: _Optimum,
    seconds: float | None,
    steps: int | None,
    seed: int,
) -> int:
    """Make trials and apply them to `groups` until time, steps or hope run out; return how many were made."""
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.refine import apply_trials, make_trials

    threads = min(os.cpu_count() or 1, _TRIALS_A_ROUND)
    trials = room_for_trials(_TRIALS_A_ROUND, k)
    make_trials(X, groups, neighbours, k, seed, 0, 0, 0, trials)  # compiles, or loads what was compiled
    phases = _Phases(X, k, groups)
    made, done = 0, 0.0
    began = time.perf_counter()
    with ThreadPoolExecutor(max(threads - 1, 1)) as pool:
        while not (optimum.is_reached(groups) or phases.is_over(made)):
            count = _TRIALS_A_ROUND if steps is None else min(_TRIALS_A_ROUND, steps - made)
            elapsed = time.perf_counter() - began
            if count <= 0 or (seconds is not None and elapsed >= seconds):
                break
            moves = min(_MOVES, int(_FIRST_MOVES + _MORE_MOVES * (made - phases.started) / groups.in_use[0]))
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
            if progress >= done + 0.01:
                advance(progress - done)
                done = progress
    phases.end()
    advance(1 - done)
    return made


class _Optimum:
    """Says whether a partition is one that no other can be better than, where that is plain to see.

    The loss of a group of s records is the sum of the squared distances of its pairs, divided by s: at least that of
    every record's k-1 nearest, divided by 2k, and as much only if these are the group, or if all its distances are 0.
    The distances are compared one by one. The loss would not do, in which rounding, or one far record, hides others.
    """

    def __init__(self, X: NDArray[np.float64], neighbours: NDArray[np.int32], k: int, bound: float) -> None:
        self._X = X
        self._k = k
        self._reach = _squared_distances(X, neighbours[:, min(k - 1, neighbours.shape[1]) - 1])
        # The mean of identical records may be off in its last digits, more so of many.
        rounding = X.size * (2 * k * np.finfo(float).eps * np.abs(X).max()) ** 2
        self._close = bound * (1 + _CLOSE) + rounding

    def is_reached(self, groups: Groups) -> bool:
        """Whether every record is with its k-1 nearest and no other, or with identical ones alone."""
        if groups.sse.sum() > self._close:
            return False
        sizes = groups.sizes[groups.labels]
        reach = np.where(sizes == self._k, self._reach, 0.0)
        for position, members in enumerate(groups.members.T):
            is_beyond = _squared_distances(self._X, members[groups.labels]) > reach
            if np.any(is_beyond & (position < sizes)):
                return False
        return True


def _squared_distances(X: NDArray[np.float64], others: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the squared distance of every record to another, summed as for the lists of neighbours."""
    from shoal.partition.kernels.lower_bound import measure_lists

    squared = np.empty((len(X), 1))
    measure_lists(X, np.ascontiguousarray(others)[:, np.newaxis], squared)
    return squared[:, 0]


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
        self._best = _copy(groups)
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
            self._best = _copy(self._groups)
        else:
            self._go_to(self._best)
        return is_better

    def _start_afresh(self, turn: int) -> None:
        start: Partitioner = KMeansMicro(self._k, random_state=turn)
        if turn % 2:
            start = MDAV(min(self._k + 1 + turn // 2 % (self._k - 1), len(self._X)))
        with share(0):
            labels = start.fit(self._X).labels_
        self._go_to(groups_of(self._X, _split_large(self._X, labels, self._k), self._k))

    def _go_to(self, partition: Groups) -> None:
        arrays: tuple[NDArray[Any], ...] = self._groups
        for array, other in zip(arrays, partition, strict=True):
            array[:] = other


def _copy(groups: Groups) -> Groups:
    arrays: tuple[NDArray[Any], ...] = groups
    return Groups._make(array.copy() for array in arrays)


def _split_large(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Split the groups of 2k records and more into groups of k to 2k-1."""
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


def _sse(X: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    return float(sse_by_group(X, labels, labels.max() + 1).sum())
