"""The draw itself: a centre for every record, and enough records for every centre."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.fuzzy.alternating import MembershipRule, memberships

__all__ = ["UNCHANGED", "Chances", "SoftGroups", "by_distance", "by_membership", "soft_groups"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Chances = Callable[[NDArray[np.int64], NDArray[np.int64]], Doubles]
"""Gives, for some records and some centres, the probabilities of the draw, up to a factor for every record."""

UNCHANGED = 1e-3  # standard deviations, in every variable: as good as the record itself
_NEARBY = 0.1  # standard deviations, root mean square: what it may cost not to be unchanged
_AT_ONCE = 4_000_000  # memberships: 32 MB


@dataclass(frozen=True)
class SoftGroups:
    """What came of a draw.

    Attributes
    ----------
    labels
        The centre of every record.
    centres
        The centres, one row each; some may be no record's.
    behind
        The effective number of records behind each.
    expected
        How many records each was expected to get: the sum of their probabilities, before any centre was left out.
    places
        Their places among the centres that were drawn from.
    """

    labels: Labels
    centres: Doubles
    behind: Doubles
    expected: Doubles
    places: Labels


def by_distance(X: Doubles, centres: Doubles, rule: MembershipRule) -> Chances:
    """Return the probabilities that follow from the distances of the records to the centres."""
    return lambda rows, some: np.asarray(memberships(X[rows], centres[some], rule))


def by_membership(in_clusters: Doubles, centre_of: Labels) -> Chances:
    """Return the probabilities that are memberships in clusters, some of which were merged into one centre."""
    in_centres = in_clusters
    if len(centre_of) > centre_of.max() + 1:
        in_centres = np.zeros((len(in_clusters), int(centre_of.max()) + 1))
        for cluster, centre in enumerate(centre_of):
            in_centres[:, centre] += in_clusters[:, cluster]

    return lambda rows, some: in_centres[np.ix_(rows, some)]


def soft_groups(
    X: Doubles,
    centres: Doubles,
    behind: Doubles,
    chances: Chances,
    fewest: int,
    rng: np.random.Generator,
    *,
    homes: Labels | None = None,
    unit: Doubles | None = None,
    rounded: bool = False,
) -> SoftGroups:
    """Draw a centre for every record; each is then some record's `fewest` times or not at all.

    Parameters
    ----------
    X
        The records.
    centres, behind
        The centres, and the effective number of records behind each.
    chances
        The probabilities.
    fewest
        How many records a centre needs that is not left out.
    rng
        What is drawn from.
    homes
        For every record a centre, and every centre that of at least `fewest`. With it, centres that too few records
        drew get some back, and are left out only if these would then be unchanged.
    unit
        The standard deviation of every variable. With it, a record that a centre would leave unchanged draws again
        among others nearby; without `homes` not if `fewest` records are as near to that centre.
    rounded
        Whether centres were moved to where rules hold, so that one may well be the same as a record, and no other
        nearby: such a record draws among all others.
    """
    every = np.arange(len(centres))
    enough_alike = fewest if homes is None else len(X) + 1
    if unit is not None and rounded:
        chances = _by_others(X, centres, chances, enough_alike, unit)
    labels = _drawn(chances, np.arange(len(X)), every, rng)
    if unit is not None:
        _redraw_unchanged(X, centres, labels, chances, enough_alike, unit, rng)
    if homes is None:
        _leave_out(labels, every, chances, fewest, rng)
    elif fewest:
        unit = np.ones(X.shape[1]) if unit is None else unit
        _Completion(X, centres, labels, homes.copy(), chances, fewest, unit).complete(rng)
    used, labels = np.unique(labels, return_inverse=True)
    expected = _expected(chances, len(X), every)
    return SoftGroups(labels.astype(np.int64), centres[used], behind[used], expected[used], used)


def _drawn(
    chances: Chances, rows: NDArray[np.int64], some: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return, of some centres, that whose part of the interval from 0 to 1 a random number falls into, for each row."""
    labels = np.empty(len(rows), dtype=np.int64)
    at_once = max(1, _AT_ONCE // len(some))
    for start in range(0, len(rows), at_once):
        block = slice(start, start + at_once)
        upto = np.cumsum(chances(rows[block], some), axis=1)
        upto[upto[:, -1] == 0] = np.arange(1, len(some) + 1)  # who belongs to none of them takes any
        labels[block] = (upto < rng.random((len(upto), 1)) * upto[:, -1:]).sum(axis=1)
    return some[np.minimum(labels, len(some) - 1)]


def _expected(chances: Chances, records: int, every: NDArray[np.int64]) -> Doubles:
    """Return how many records each centre is expected to get when all draw among all centres."""
    expected = np.zeros(len(every))
    at_once = max(1, _AT_ONCE // len(every))
    for start in range(0, records, at_once):
        shares = chances(np.arange(start, min(start + at_once, records)), every)
        totals = shares.sum(axis=1, keepdims=True)
        none = totals[:, 0] == 0
        expected += (shares[~none] / totals[~none]).sum(axis=0) + none.sum() / len(every)
    return expected


def _by_others(X: Doubles, centres: Doubles, chances: Chances, enough_alike: int, unit: Doubles) -> Chances:
    """Return the probabilities without the centres that would leave a record unchanged, where it has others."""
    identifying = np.array([_is_unchanged(X, one[None], unit).sum() < enough_alike for one in centres])

    def without(rows: Labels, some: Labels) -> Doubles:
        found = chances(rows, some)
        unchanged = _is_unchanged(X[rows], centres[some], unit) & identifying[some]
        for place in np.flatnonzero(unchanged.any(axis=1) & ~unchanged.all(axis=1)):
            others = ~unchanged[place]
            own = chances(rows[[place]], some[others])[0]
            found[place] = 0.0
            found[place, others] = own if own.any() else 1.0  # who belongs to none of the others takes any of them
        return found

    return without


def _is_unchanged(X: Doubles, centres: Doubles, unit: Doubles) -> NDArray[np.bool_]:
    """Return which centres, in columns, are as good as which records, in rows, variable by variable to save memory."""
    found = np.ones((len(X), len(centres)), dtype=bool)
    for place, one in enumerate(unit):
        found &= np.abs(X[:, [place]] - centres[:, place]) <= UNCHANGED * one
    return found


def _redraw_unchanged(
    X: Doubles,
    centres: Doubles,
    labels: Labels,
    chances: Chances,
    enough_alike: int,
    unit: Doubles,
    rng: np.random.Generator,
) -> None:
    """Let records draw again that got a centre as good as themselves, if there is another one nearby."""
    for row in np.flatnonzero((np.abs(X - centres[labels]) <= UNCHANGED * unit).all(axis=1)):
        if (np.abs(X - centres[labels[row]]) <= UNCHANGED * unit).all(axis=1).sum() >= enough_alike:
            continue
        apart = np.abs(X[row] - centres) / unit
        others = np.flatnonzero((apart > UNCHANGED).any(axis=1) & _is_nearby(apart))
        if len(others):
            labels[row] = _drawn(chances, np.array([row]), others, rng)[0]


def _leave_out(
    labels: Labels, alive: NDArray[np.int64], chances: Chances, fewest: int, rng: np.random.Generator
) -> None:
    """Leave out centres that too few records drew, the one with the fewest first; its records draw again."""
    counts = np.bincount(labels, minlength=len(alive))
    while len(alive) > 1 and counts[alive].min() < fewest:
        out = alive[np.argmin(counts[alive])]
        alive = alive[alive != out]
        rows = np.flatnonzero(labels == out)
        if len(rows):
            labels[rows] = _drawn(chances, rows, alive, rng)
            counts = np.bincount(labels, minlength=len(counts))


@dataclass
class _Completion:
    """Centres that are given enough records, or left out.

    Attributes
    ----------
    X, centres, chances, fewest, unit
        As in `soft_groups`.
    labels, homes
        The centre that every record has, and that it can return to; changed on the way.
    """

    X: Doubles
    centres: Doubles
    labels: Labels
    homes: Labels
    chances: Chances
    fewest: int
    unit: Doubles

    def complete(self, rng: np.random.Generator) -> None:
        """Give every centre enough records, one at a time, the centre with the fewest first.

        Of those that the centre would not leave unchanged, one at home there comes first, whose present centre can
        spare it; then another at home there, then any other nearby whose present centre can spare it; of each the one
        with the highest probability. If there is none, the centre is left out and its records draw again.

        This ends: a move makes what is lacking less, or it leaves that as it is and brings a record home, and with all
        at home nothing is lacking.
        """
        alive = np.arange(len(self.centres))
        counts = np.bincount(self.labels, minlength=len(alive))
        while len(alive) > 1 and counts[alive].min() < self.fewest:
            centre = int(alive[np.argmin(counts[alive])])
            row = self._next(centre, counts)
            if row is not None:
                self.labels[row] = centre
            else:
                alive = alive[alive != centre]
                self._leave_out(centre, alive, rng)
            counts = np.bincount(self.labels, minlength=len(counts))

    def _next(self, centre: int, counts: NDArray[np.int64]) -> int | None:
        """Return the record that a centre gets next."""
        is_home, can_spare = self.homes == centre, counts[self.labels] > self.fewest
        rows = np.flatnonzero((is_home | can_spare) & (self.labels != centre))
        apart = np.abs(self.X[rows] - self.centres[centre]) / self.unit
        fits = (apart > UNCHANGED).any(axis=1) & (is_home[rows] | _is_nearby(apart))
        rows = rows[fits]
        if not len(rows):
            return None
        turn = np.where(is_home[rows], np.where(can_spare[rows], 0, 1), 2)
        own = self.chances(rows, np.array([centre]))[:, 0]
        return int(rows[np.lexsort((-own, turn))[0]])

    def _leave_out(self, centre: int, alive: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Let the records of a centre draw among the others: those that leave them unchanged only if need be."""
        self.homes[self.homes == centre] = -1
        for row in np.flatnonzero(self.labels == centre):
            changes = (np.abs(self.X[row] - self.centres[alive]) > UNCHANGED * self.unit).any(axis=1)
            others = alive[changes] if changes.any() else alive
            self.labels[row] = _drawn(self.chances, np.array([row]), others, rng)[0]


def _is_nearby(apart: Doubles) -> NDArray[np.bool_]:
    """Whether a record and a centre that are so many standard deviations apart are near each other."""
    nearby: NDArray[np.bool_] = np.square(apart).mean(axis=1) <= _NEARBY**2
    return nearby
