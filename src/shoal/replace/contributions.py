"""How much of a group's total each record contributes, and groups joined until nobody contributes too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.partition.geometry.tree import Tree, find_twins, plant

__all__ = ["Contributions", "GroupTotals", "TooLargeShareError", "joined_to_shares"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_SLACK = 1e-12  # shares that exceed a limit by less than this do not: rounding must not decide
_LARGEST, _ROOM = 900, 128  # sums of numbers with larger exponents could overflow; with so much taken off they cannot
_LOOK_FIRST = 8  # neighbours; four times as many next time
_TREE_FROM = 500  # candidates; fewer are compared one by one


class TooLargeShareError(DataError):
    """A part of the table in which one contributor has too large a share of the whole, so that joining cannot help.

    Attributes
    ----------
    number
        Which of the contributions it is about, from 0.
    parts
        In how many parts.
    """

    def __init__(self, number: int, parts: int) -> None:
        super().__init__(f"In {parts} parts of the table one record has too large a share of the total. Merge parts.")
        self.number = number
        self.parts = parts

    def __reduce__(self) -> tuple[type[TooLargeShareError], tuple[int, int]]:
        return type(self), (self.number, self.parts)


@dataclass(frozen=True, eq=False)
class GroupTotals:
    """What was contributed to every group: the total, the largest contribution, and how many contributed."""

    totals: Doubles
    largest: Doubles
    contributors: Labels

    def above(self, most: float) -> NDArray[np.bool_]:
        """Return the groups in which one contributor has more than this share of the total."""
        return np.asarray(self.largest > most * self.totals * (1 + _SLACK))

    @property
    def lone(self) -> NDArray[np.bool_]:
        """The groups to which one contributor gave everything."""
        return np.asarray(self.contributors == 1)


@dataclass(frozen=True, eq=False)
class Contributions:
    """What every record contributes to something, such as the sum of a variable, and the most that anybody may.

    Attributes
    ----------
    amounts
        n numbers, none of them negative; 0 where a record contributes nothing.
    most
        The largest share of a group's total that one contributor may have.
    who
        The number of the contributor of every record: contributions of the same one add up. None: each its own.
    """

    amounts: Doubles
    most: float
    who: Labels | None = None

    @classmethod
    def of(cls, values: Doubles, counted: NDArray[np.bool_], most: float, who: Labels | None = None) -> Contributions:
        """Return the contributions to a sum of absolute values, over the records that count."""
        amounts = np.where(counted, np.abs(values), 0.0)
        if np.frexp(amounts.max(initial=0.0))[1] > _LARGEST:
            amounts = np.ldexp(amounts, -_ROOM)
        return cls(amounts, most, who)

    def totals(self, labels: Labels, groups: int) -> GroupTotals:
        """Return what was contributed to each of so many groups; records with the label -1 are in none."""
        group, _, amounts = self.by_contributor(labels)
        largest = np.zeros(groups)
        np.maximum.at(largest, group, amounts)
        return GroupTotals(
            totals=np.bincount(group, weights=amounts, minlength=groups).astype(np.float64),
            largest=largest,
            contributors=np.bincount(group, minlength=groups).astype(np.int64),
        )

    def shares(self, labels: Labels) -> Doubles:
        """Return, for every record, the share that its contributor has in the total of its group; 0 in no group."""
        own = np.where(labels >= 0, self.amounts, 0.0)
        if self.who is not None:
            pairs = np.unique(np.column_stack([labels, self.who]), axis=0, return_inverse=True)[1].reshape(-1)
            own = np.bincount(pairs, weights=own)[pairs]
        totals = np.bincount(np.maximum(labels, 0), weights=np.where(labels >= 0, self.amounts, 0.0))
        return np.divide(own, totals[labels], out=np.zeros_like(own), where=(labels >= 0) & (totals[labels] > 0))

    def by_contributor(self, labels: Labels) -> tuple[Labels, Labels, Doubles]:
        """Return group, contributor and amount of all contributions above 0, group by group."""
        records = np.flatnonzero((labels >= 0) & (self.amounts > 0))
        who = records if self.who is None else self.who[records]
        order = np.lexsort((who, labels[records]))
        group, who, amounts = labels[records][order], who[order], self.amounts[records][order]
        is_first = np.ones(len(group), dtype=bool)
        is_first[1:] = (group[1:] != group[:-1]) | (who[1:] != who[:-1])
        first = np.flatnonzero(is_first)
        together = np.add.reduceat(amounts, first) if len(first) else amounts
        return group[first], who[first], together


def joined_to_shares(
    labels: Labels, contributions: Sequence[Contributions], centres: Doubles, part_of_group: Labels
) -> Labels:
    """Return labels, groups joined to their neighbours until nobody has too large a share of any of the totals.

    Groups in which somebody has too much take turns by number. Each is joined to its nearest group that has anything of
    the same total, with all that this one was joined to, and to the next, until nobody has too much. What is joined
    goes by the lowest of the numbers. In two groups together nobody has a larger share than the largest in one of them,
    so that a group that is done stays so.

    Parameters
    ----------
    labels
        The group of every record, 0 to g-1; -1 for a record in no group. Not every number needs to have records.
    contributions
        What has to hold, for every one of them.
    centres
        The centres of the groups, g by d; what a group has no value of counts as the mean of the other groups. Equal
        distances: the lower group number comes first.
    part_of_group
        The part (stratum) of every group; only groups of the same part are joined.

    Raises
    ------
    TooLargeShareError
        If somebody has too large a share of the total of a whole part.
    """
    groups = len(part_of_group)
    totals = [one.totals(labels, groups) for one in contributions]
    short = np.logical_or.reduce([one.above(own.most) for one, own in zip(totals, contributions, strict=True)])
    if not short.any():
        return labels
    part = np.unique(part_of_group, return_inverse=True)[1].reshape(-1)
    part_of_record = np.where(labels >= 0, part[labels], -1)
    for number, one in enumerate(contributions):
        wrong = one.totals(part_of_record, int(part.max()) + 1).above(one.most)
        if wrong.any():
            raise TooLargeShareError(number, int(wrong.sum()))
    joining = [
        _JoinedTotals(one, labels, own, _Places(centres, part, own.totals > 0))
        for one, own in zip(contributions, totals, strict=True)
    ]
    leader = _Leaders(groups)
    for group in np.flatnonzero(short).tolist():
        for total in joining:
            for other in total.needed(group, leader):
                _join(leader, joining, group, other)
    found = np.array([leader.of(group) for group in range(groups)], dtype=np.int64)
    return np.where(labels >= 0, found[labels], -1)


class _Leaders:
    """Which groups are joined: each leads to the lowest number among them."""

    def __init__(self, groups: int) -> None:
        self._above = list(range(groups))

    def of(self, group: int) -> int:
        above = self._above
        while above[group] != group:
            above[group] = above[above[group]]
            group = above[group]
        return group

    def join(self, one: int, other: int) -> tuple[int, int]:
        """Join two sets of groups; return the leader they have, and the one they no longer have."""
        low, high = sorted((self.of(one), self.of(other)))
        self._above[high] = low
        return low, high


def _join(leader: _Leaders, joining: Sequence[_JoinedTotals], group: int, other: int) -> None:
    low, high = leader.join(group, other)
    for one in joining:
        one.add(low, high)


class _JoinedTotals:
    """What was contributed to one total, while groups are joined."""

    def __init__(self, contributions: Contributions, labels: Labels, totals: GroupTotals, places: _Places) -> None:
        self._most, self._places = contributions.most * (1 + _SLACK), places
        self._totals, self._largest = totals.totals.tolist(), totals.largest.tolist()
        group, self._who, self._amounts = contributions.by_contributor(labels)
        self._starts = np.searchsorted(group, np.arange(len(totals.totals) + 1))
        self._held: dict[int, dict[int, float]] = {}  # of groups that were joined: by contributor, how much

    def needed(self, group: int, leader: _Leaders) -> Iterator[int]:
        """Yield groups to join to this one, nearest first, as long as somebody has too large a share in it."""
        neighbours = self._places.nearest(group)
        while self._is_short(leader.of(group)):
            other = next(neighbours)
            if leader.of(other) != leader.of(group):
                yield other

    def _is_short(self, group: int) -> bool:
        return bool(self._largest[group] > self._most * self._totals[group])

    def add(self, low: int, high: int) -> None:
        """Add what was contributed to one group to another."""
        less, more = sorted((self._of(low), self._of(high)), key=len)
        largest = max(self._largest[low], self._largest[high])
        for who, amount in less.items():
            more[who] = more.get(who, 0.0) + amount
            largest = max(largest, more[who])
        self._totals[low] += self._totals[high]
        self._largest[low] = largest
        self._held[low] = more
        self._held.pop(high, None)

    def _of(self, group: int) -> dict[int, float]:
        held = self._held.get(group)
        if held is None:
            mine = slice(self._starts[group], self._starts[group + 1])
            held = dict(zip(self._who[mine].tolist(), self._amounts[mine].tolist(), strict=True))
        return held


class _Places:
    """The groups that something was contributed to, and where they are."""

    def __init__(self, centres: Doubles, part: Labels, is_candidate: NDArray[np.bool_]) -> None:
        known = ~np.isnan(centres)
        means = np.where(known, centres, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        self._centres = np.ascontiguousarray(np.where(known, centres, means))
        candidates = np.flatnonzero(is_candidate)
        self._in_parts = candidates[np.argsort(part[candidates], kind="stable")]
        self._starts = np.searchsorted(part[self._in_parts], np.arange(int(part.max()) + 2))
        self._part = part
        self._parts: dict[int, _PartPlaces] = {}

    def nearest(self, group: int) -> Iterator[int]:
        """Yield the other candidates of the same part, nearest first, the lower number first among equals."""
        part = int(self._part[group])
        if part not in self._parts:
            numbers = self._in_parts[self._starts[part] : self._starts[part + 1]]
            self._parts[part] = _PartPlaces(numbers, np.ascontiguousarray(self._centres[numbers]))
        return self._parts[part].nearest(self._centres[group])


@dataclass(eq=False)
class _PartPlaces:
    """The candidates of one part."""

    numbers: Labels
    centres: Doubles
    tree: Tree | None = field(default=None, init=False)

    def nearest(self, point: Doubles) -> Iterator[int]:
        """Yield the candidates nearest first, the lower number first among equals."""
        seen, look_at = 0, _LOOK_FIRST
        while look_at * 4 < len(self.numbers) and len(self.numbers) >= _TREE_FROM:
            yield from self._by_tree(point, look_at)[seen:].tolist()
            seen, look_at = look_at, 4 * look_at
        yield from self._all(point)[seen:].tolist()

    def _by_tree(self, point: Doubles, count: int) -> Labels:
        from shoal.partition.kernels.neighbours import find_nearest  # numba takes a second to import

        if self.tree is None:
            self.tree = plant(self.centres, *find_twins(self.centres))
        rows, distances = np.empty((1, count), dtype=np.int64), np.empty((1, count))
        find_nearest(self.tree, self.centres, point[None], rows, distances)
        order: Labels = self.numbers[rows[0][np.lexsort((rows[0], distances[0]))]]
        return order

    def _all(self, point: Doubles) -> Labels:
        distances = np.zeros(len(self.numbers))
        for column, place in zip(self.centres.T, point.tolist(), strict=True):
            distances += (column - place) * (column - place)
        order: Labels = self.numbers[np.argsort(distances, kind="stable")]
        return order
