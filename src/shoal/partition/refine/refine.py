"""Refine: a search that makes the groups of any partition tighter, for some seconds or some steps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ParameterError
from shoal.parameters.choices import build, written_form
from shoal.parameters.limits import Limit, Number, OrNone, TrueOrFalse, Whole
from shoal.partition.base import Partitioner
from shoal.partition.bounds.column_generation import (
    MOST_RECORDS,
    fits_program,
    is_highspy_installed,
    scaled_for_program,
)
from shoal.partition.bounds.lower_bound import LowerBound
from shoal.partition.bounds.prices import bound_by_prices, lower_bound_by_neighbours
from shoal.partition.bounds.time_left import OutOfTimeError
from shoal.partition.catalogue import PARTITIONERS
from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.geometry.squared_distances import scaled_for_squares, total_sse
from shoal.partition.kernels.refine import Groups
from shoal.partition.refine.proof import Proof
from shoal.partition.refine.search import Optimum, RefineSearch, copy_of, groups_of, labels_of_start, split_large
from shoal.progress import advance, share

__all__ = ["Refine"]

_SHORTEST_LIST, _LONGEST_LIST = 24, 64  # of neighbours
_STEPS_BEFORE_PROOF = 40  # for every group
_FOR_LAST = 0.1  # of the seconds, for bounds where the linear program is not solved in the others
_START, _SEARCH = 0.1, 0.85  # parts of the work, as far as they can be known beforehand


@dataclass(frozen=True)
class _StartLimit(Limit):
    """What a search can start from; whether labels fit the records is checked in `fit`."""

    wanted: str = "the name of a method, a partitioner of shoal, or an array with the group of every record"

    def accepts(self, value: Any) -> bool:
        """Whether a search can start from `value`; raise ParameterError for a name or a method that cannot be used."""
        if isinstance(value, str):
            value = _named_start(value, k=2)
        if isinstance(value, Refine) and value._clock is not None:
            raise ParameterError("start must not search by the clock, or nothing could be repeated: give it steps.")
        return isinstance(value, Partitioner | np.ndarray | list | tuple)

    def bad_values(self) -> list[Any]:
        """Return some values that must be refused, for tests."""
        return ["no such word", "", None, 0, Partitioner]


class Refine(Partitioner):
    """Groups of k to 2k-1 with a small sum of squared errors, by local search from another partition.

    Again and again: take some neighbouring groups (2 to 32, more often where the loss is large), and part their
    records anew, mostly into as many groups, now and then into one more (a split) or one less (a group is dissolved),
    by simulated annealing: records shift to the group of a near record or swap places with one of its members, and
    what makes things worse is accepted less and less. If the loss is smaller in the end the new groups stay,
    else the old ones do. When that leads no further, results that are a little worse are accepted for a while, and
    the best partition is kept. So the result is never worse than its start, and better the longer the search.

    Parameters
    ----------
    k
        The least number of records in a group.
    start
        The partition to start from: the name of a method (``"mdav"``, ``"vmdav:gamma=0.5"``), a partitioner, or the
        group of every record. Its groups have at least k records; those with 2k or more are split, which makes no
        partition worse.
    seconds
        How long to search, not counting the start; ignored if there is a number of `steps`. In `shoal.protect` all
        strata and blocks share these seconds, by their numbers of records and columns.
    steps
        How many steps to take, however long they need. None: as many as there is time for. The search also ends when
        1,000 steps for every group have brought nothing, and when no partition can be better: every record is with
        its k-1 nearest and no other, or with identical ones alone.
    prove
        Whether to prove how good the result is: a linear program over all groups gives a lower bound on every partition
        and the groups that good ones are made of, and integer programs put these together, until the time is up or
        the partition is proven to be the best. It needs highspy (``shoal[prove]``), and files of up to 10,000 records,
        fewer from k = 48 on; larger ones are searched without one. A search of 40 steps for every group comes first:
        with fewer steps, or no time after it, there is no proof, and `lower_bound_.note` says so.
    random_state
        The seed of the search, a whole number from 0 to 4294967295, as in scikit-learn. `shoal.protect` takes it from
        its own `seed` where the method is named without one.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1. An interrupted search (Ctrl-C) keeps the best so far, where another can
        start.
    steps_
        How many steps were taken. The same `random_state` and ``steps=steps_`` give the same labels, on any
        number of threads.
    sse_, start_sse_
        The sum of squared distances of the records to the mean of their group, at the end and at the start.
    lower_bound_
        A lower bound on `sse_` of all partitions with groups of at least k (see `lower_bound`, which may find a better
        one with longer lists of neighbours).
    gap_
        ``(sse_ - lower_bound_) / sse_``: the part of the loss that a better partition could save at most. 0 where
        the search ended because none can be better, whatever rounding leaves of the difference.

    history_
        With `prove`, for every step of the proof: the seconds since it began, the squared error and the bound, both in
        a unit of their own.

    Notes
    -----
    A step costs the same in a small file and in a large one: it looks at the groups it takes and at nothing else.
    Which groups are neighbours is read from lists of the nearest records of every record. A round has 32 steps, in
    large files up to 256. They are independent of each other, so that threads can share them; then the proposals that
    gain are applied in order, unless they took a group that an earlier one changed. Every step has its own random
    numbers, which follow from the seed and its number. The more steps took a group already, the less often it is
    chosen to begin with. Where the groups have more than 320 records together, a step moves the 320 for which another
    mean is not much farther than that of their own group.

    The squared error is that of the matrix given. `shoal.protect` gives standard scores, and for a nominal variable an
    indicator (0 or 1) of each of its categories: there the loss of a group of s records is what its numbers lose and,
    for every nominal variable, s minus the sum over its categories of (how many records have it) squared, divided by s.

    References
    ----------
    For the loss and its place among the methods: J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), Practical
    data-oriented microaggregation for statistical disclosure control, IEEE Transactions on Knowledge and Data
    Engineering 14. For the annealing: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi (1983), Optimization by
    simulated annealing, Science 220.
    """

    name: ClassVar[str] = "refine"
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
        "prove": TrueOrFalse(),
    }

    def __init__(
        self,
        k: int,
        start: str | Partitioner | ArrayLike = "mdav",
        seconds: float | None = 10,
        steps: int | None = None,
        random_state: int = 0,
        prove: bool = False,
    ) -> None:
        self.k = k
        self.start = start
        self.seconds = seconds
        self.steps = steps
        self.random_state = random_state
        self.prove = prove

    @property
    def _clock(self) -> float | None:
        """How many seconds the search may take; None: as many as its steps take."""
        return self.seconds if self.steps is None else None

    def for_part(self, part: float) -> Refine:
        """Return this search with that part of its seconds."""
        copy = self.unfitted()
        return copy if self._clock is None else copy.set_params(seconds=self._clock * part)

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        if self.seconds is None and self.steps is None:
            raise ParameterError("seconds=None needs steps, the number of steps to take; got steps=None.")
        if self.prove and not is_highspy_installed():
            raise ParameterError('prove=True needs highspy, which is not installed: pip install "shoal[prove]".')
        scaled, unit = scaled_for_squares(X)
        with share(_START):
            start = self.start if not isinstance(self.start, str) else _named_start(self.start, self.k)
            start_labels = labels_of_start(start, scaled, self.k)
        split = split_large(scaled, start_labels, self.k)
        length = max(_SHORTEST_LIST, min(2 * self.k, _LONGEST_LIST))
        neighbours = nearest_records(scaled, min(length, len(X) - 1))
        bound = lower_bound_by_neighbours(scaled, neighbours, self.k)
        optimum = Optimum(scaled, neighbours, self.k, bound)
        groups = groups_of(scaled, split, self.k)
        advance(1 - _START - _SEARCH)
        with share(_SEARCH):
            labels, proven = self._searched(scaled, groups, neighbours, optimum)
        if total_sse(scaled, labels) > total_sse(scaled, start_labels):
            labels = split  # the gain was nothing but rounding
        sse = total_sse(scaled, labels)
        bounds = {"neighbours": bound} | proven
        if len(X) < 2 * self.k or optimum.is_reached(groups_of(scaled, labels, self.k)):
            bounds["optimum"] = sse
        scaled_bound = LowerBound(bounds)
        has_proof = "optimum" in bounds or scaled_bound.method != "neighbours"
        note = "" if has_proof or not self.prove else self._why_no_proof(len(X))
        self.lower_bound_ = LowerBound({method: value * unit * unit for method, value in bounds.items()}, note)
        self.sse_ = sse * unit * unit
        self.start_sse_ = total_sse(scaled, start_labels) * unit * unit
        self.gap_ = scaled_bound.gap(sse)  # of the scaled ones, which neither over- nor underflow
        return labels

    def _why_no_proof(self, n: int) -> str:
        """Return why a search that was to prove how good its groups are did not."""
        if not fits_program(n, self.k):
            most = f"{MOST_RECORDS:,} records, fewer from k = 48 on"
            return f"The search has no proof of how good its groups are: it proves that of up to {most}."
        return (
            "The search has no proof of how good its groups are: its seconds or steps were used up before it got to "
            "one. Give it more."
        )

    def _searched(
        self, X: NDArray[np.float64], groups: Groups, neighbours: NDArray[np.int32], optimum: Optimum
    ) -> tuple[NDArray[np.int64], dict[str, float]]:
        """Search, and prove what can be proven; return the labels and the bound of the proof."""
        began = time.perf_counter()
        clock, steps = self._clock, self.steps
        is_proof = self.prove and fits_program(len(X), self.k)
        first = _STEPS_BEFORE_PROOF * int(groups.in_use[0])
        if is_proof:
            steps = first if steps is None else min(steps, first)
        seed, start = int(self.random_state), copy_of(groups)
        one = RefineSearch(X, groups, neighbours, self.k, optimum, seed)
        try:
            with share(0.1 if is_proof else 1):
                one.go_on(clock, steps)
        finally:  # what there is stays if someone interrupts it
            self.labels_, self.steps_ = one.labels, one.n_steps
        if not is_proof or one.n_steps < first or optimum.is_reached(groups):
            return one.labels, {}

        def search_on(labels: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
            other = RefineSearch(X, groups_of(X, labels, self.k), neighbours, self.k, optimum, seed)
            with share(0):
                other.go_on(None, first // 2)
            return other.labels

        searches = [one]

        def explore(number: int) -> tuple[NDArray[np.int64], int]:
            if number == len(searches):
                random = (seed + number) % 2**32
                searches.append(RefineSearch(X, copy_of(start), neighbours, self.k, optimum, random))
            before = searches[number].n_steps
            with share(0):
                searches[number].go_on(None, before + first // 8)
            return searches[number].labels, searches[number].n_steps - before

        scaled, unit = scaled_for_program(X, self.k)
        left = self._seconds_left(began)
        last = None if left is None else _FOR_LAST * left
        to_begin = None if left is None or last is None else left - last
        if self.steps == first:
            to_begin = 0.0  # as where the beginning took all the time
        labels, bounds, is_solved = one.labels, {}, False
        with share(0.9):
            try:
                proof = Proof(scaled, self.k, [labels], neighbours, search_on, explore, to_begin)
                labels, is_solved = self._proven(proof, first, self._seconds_left(began))
                if not is_solved:
                    began_last = time.perf_counter()
                    proof.prove(None if last is None else last / 2)
                    last = None if last is None else max(0.0, last - (time.perf_counter() - began_last))
                bounds["linear program"] = proof.bound * unit * unit
            except OutOfTimeError:
                advance(1)
        if not is_solved:
            bounds["prices"] = bound_by_prices(scaled, self.k, seconds=last)[0] * unit * unit
        return labels, bounds

    def _seconds_left(self, began: float) -> float | None:
        return None if self._clock is None else max(0.0, self._clock - (time.perf_counter() - began))

    def _proven(self, proof: Proof, first: int, seconds: float | None) -> tuple[NDArray[np.int64], bool]:
        """Let a proof go on; return its labels, and whether its linear program was solved."""
        try:
            proof.go_on(seconds, None if self.steps is None else self.steps - first, solved_in=1 - _FOR_LAST)
        finally:  # what there is stays if someone interrupts it
            self.labels_, self.steps_, self.history_ = proof.labels, first + proof.n_steps, proof.history
        return proof.labels, proof.is_solved


def _named_start(name: str, k: int) -> Partitioner:
    """Return the partitioner that a text such as "vmdav:gamma=0.5" names, for groups of k unless it says otherwise."""
    partitioner: Partitioner = build({"k": k} | written_form(name, PARTITIONERS, "start"), PARTITIONERS, "start")
    return partitioner
