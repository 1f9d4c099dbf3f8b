"""Which groups a target can be in, block by block, and which masked records that leaves.

A rule says which groups of one block an intruder takes into account. It is a function of the targets (as rows of the
file) and of a reach, and returns `Candidates`. A rule that ranks groups by how likely they are lists the best `reach`
of them; one that is sure of its groups gives all of them the rank 1 and does not mind the reach. `survivors` knows no
more of a rule than this, so a new one is a new function here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale, standard_scale
from shoal.measure.risk.distinct_rows import distinct_rows
from shoal.replace.membership_draw import UNCHANGED

__all__ = [
    "ROUNDING",
    "Block",
    "Candidates",
    "Rule",
    "Survivors",
    "bracketing_groups",
    "groups_by_value",
    "groups_found_again",
    "has_intervals",
    "likely_groups",
    "nearest_groups",
    "survivors",
]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

# So near to each other, as a part of the variable's range or of a distance, numbers are the same but for rounding.
ROUNDING = 1e-9
_ALL = np.iinfo(np.int64).max
_FIRST_REACH, _MORE = 4, 4
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Block:
    """The known variables of a block: the original values of all records, and the groups seen in the masked file.

    Attributes
    ----------
    original
        The original values, n by d.
    groups
        The group of every masked record. Groups that have the same masked values in these variables count as one.
        They are numbered in the order of these values.
    centres
        The masked values of every group, g by d.
    sizes
        How many masked records have them.
    scales
        The scale of every variable in the original.
    """

    original: Doubles
    groups: Whole64
    centres: Doubles
    sizes: Whole64
    scales: tuple[Scale, ...]

    def scaled(self, values: Doubles) -> Doubles:
        """Bring values of the variables, original or masked, to the scale of the original."""
        return np.column_stack([scale.apply(column) for scale, column in zip(self.scales, values.T, strict=True)])


class Candidates(NamedTuple):
    """The groups that some targets can be in, by target and then by group.

    Attributes
    ----------
    targets, groups, ranks
        A target's place among those asked for, a group, and how many groups come before it.
    whole
        For every target asked for, down to which rank its list is complete.
    """

    targets: Whole64
    groups: Whole64
    ranks: Whole64
    whole: Whole64


Rule = Callable[[Whole64, int], Candidates]


def groups_by_value(
    original: Doubles, masked: Doubles, complete: NDArray[np.bool_], *, standardize: bool = True
) -> Block:
    """Find the groups of a block: the distinct rows of its masked values, up to rounding.

    Parameters
    ----------
    original, masked
        The known variables of the block, all of which vary.
    complete
        The records to look at. They have no gap; the scales are those of all values.
    standardize
        Whether distances are taken on standard scores.
    """
    scales = tuple(standard_scale(column) if standardize else Scale(0.0, 1.0, 0) for column in original.T)
    original, masked = original[complete], masked[complete]
    values = []
    for first, second in zip(original.T, masked.T, strict=True):
        together, place = np.unique(second, return_inverse=True)
        rounding = ROUNDING * max(np.ptp(first), np.ptp(second))
        values.append(np.cumsum(np.diff(together, prepend=together[0]) > rounding)[place])
    rows = distinct_rows(np.column_stack(values))
    return Block(original, rows.labels, masked[rows.examples], rows.counts, scales)


def has_intervals(block: Block) -> bool:
    """Whether the groups of a single variable are intervals of its sorted values."""
    values = block.original[:, 0]
    least, largest = np.full(len(block.sizes), np.inf), np.full(len(block.sizes), -np.inf)
    np.minimum.at(least, block.groups, values)
    np.maximum.at(largest, block.groups, values)
    return bool((largest[:-1] <= least[1:] + ROUNDING * np.ptp(values)).all())


def bracketing_groups(block: Block, *, k: int | None = None) -> Rule:
    """Take the two groups whose centres a target's value lies between; the truth is one of them.

    This holds if the groups of a single variable are intervals of the sorted values and their centres lie inside.
    A value that is a centre can belong to that group and to both next to it.

    Parameters
    ----------
    block
        The block, of one variable.
    k
        If the groups have the least sum of squared errors among all with at least k records, and are replaced by
        their mean, one of the two can often be ruled out: moving the target to the other would make the sum smaller.
    """
    values, centres = block.original[:, 0], block.centres[:, 0]
    rounding = ROUNDING * max(np.ptp(values), np.ptp(centres))
    low = np.searchsorted(centres, values + rounding, side="right") - 1
    high = np.searchsorted(centres, values - rounding, side="left")
    first = np.where(low >= high, high - 1, low).clip(0)
    last = np.where(low >= high, low + 1, high).clip(None, len(centres) - 1)
    if k is not None:
        out_of_first = _would_rather_move(values, first, last, block, k)
        out_of_last = _would_rather_move(values, last, first, block, k)
        first, last = np.where(out_of_first, last, first), np.where(out_of_last, first, last)

    def rule(targets: Whole64, reach: int) -> Candidates:
        counts = last[targets] - first[targets] + 1
        place = np.repeat(np.arange(len(targets)), counts)
        groups = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts) + first[targets][place]
        return Candidates(place, groups, np.ones_like(place), np.full(len(targets), _ALL))

    return rule


def _would_rather_move(values: Doubles, here: Whole64, there: Whole64, block: Block, k: int) -> NDArray[np.bool_]:
    """Whether a value in group `here` would make the sum of squared errors smaller in group `there`.

    The groups must be neighbours, and both must have a size that shows that each is one group.
    """
    centres, sizes = block.centres[:, 0], block.sizes
    would: NDArray[np.bool_] = (
        (np.abs(here - there) == 1) & (sizes[here] > k) & (sizes[here] < 2 * k) & (sizes[there] < 2 * k - 1)
    )
    values, here, there = values[would], here[would], there[would]
    apart = centres[here] - centres[there]
    less = sizes[here] / (sizes[here] - 1) * ((values - centres[here]) / apart) ** 2
    more = sizes[there] / (sizes[there] + 1) * ((values - centres[there]) / apart) ** 2
    would[would] = less > more + ROUNDING
    return would


def nearest_groups(block: Block) -> Rule:
    """Take the groups whose centres are nearest, each variable in units of the original's standard deviation."""
    tree = _tree(block)
    count = len(block.centres)

    def rule(targets: Whole64, reach: int) -> Candidates:
        some = min(reach + 1, count)  # one more, to see where the others that are as near end
        distances, groups = tree.query(block.scaled(block.original[targets]), k=some)
        is_farther = np.ones((len(targets), some), dtype=bool)
        is_farther[:, 1:] = distances[:, 1:] > distances[:, :-1] * (1 + ROUNDING) + ROUNDING
        ranks = 1 + np.maximum.accumulate(np.where(is_farther, np.arange(some), 0), axis=1)
        whole = np.full(len(targets), _ALL) if some == count else ranks[:, -1] - 1
        place, column = np.nonzero(ranks <= whole[:, np.newaxis])
        order = np.lexsort((groups[place, column], place))
        place, column = place[order], column[order]
        return Candidates(place, groups[place, column].astype(np.int64), ranks[place, column], whole)

    return rule


def likely_groups(block: Block, memberships: Callable[[Doubles, Doubles], Doubles], negligible: float) -> Rule:
    """Take every group whose centre the target may have drawn: all but those with negligible membership.

    Parameters
    ----------
    block
        The block.
    memberships
        Gives the memberships of records in centres, both on the scale of the original.
    negligible
        A membership below it is as good as none; the largest of a target never is.
    """
    centres = block.scaled(block.centres)
    unchanged = UNCHANGED * block.scaled(block.original).std(axis=0, ddof=1)

    def rule(targets: Whole64, reach: int) -> Candidates:
        places, groups = [], []
        at_once = max(1, _AT_ONCE // len(centres))
        for start in range(0, len(targets), at_once):
            sought = block.scaled(block.original[targets[start : start + at_once]])
            some = memberships(sought, centres)
            is_likely = some >= np.minimum(negligible, some.max(axis=1, keepdims=True))
            # One whom a centre would have left unchanged may have drawn again among the others.
            is_near = (np.abs(sought - centres[some.argmax(axis=1)]) <= unchanged).all(axis=1)
            for row in np.flatnonzero(is_near):
                others = (np.abs(sought[row] - centres) > unchanged).any(axis=1)
                if others.any():
                    is_likely[row, others] |= memberships(sought[row : row + 1], centres[others])[0] >= negligible
            place, group = np.nonzero(is_likely)
            places.append(place + start)
            groups.append(group)
        place = np.concatenate(places)
        return Candidates(place, np.concatenate(groups), np.ones_like(place), np.full(len(targets), _ALL))

    return rule


def groups_found_again(block: Block, labels: Whole64) -> Rule:
    """Take the one group that is at the mean of the target's group in `labels`, which the intruder has made."""
    counts = np.bincount(labels)
    means = [np.bincount(labels, column) / counts for column in block.scaled(block.original).T]
    nearest = _tree(block).query(np.column_stack(means), return_distance=False)[:, 0]

    def rule(targets: Whole64, reach: int) -> Candidates:
        place = np.arange(len(targets))
        return Candidates(place, nearest[labels[targets]], np.ones_like(place), np.full(len(targets), _ALL))

    return rule


def _tree(block: Block) -> Any:
    from sklearn.neighbors import KDTree

    return KDTree(block.scaled(block.centres))


class Survivors(NamedTuple):
    """For every target, how many masked records are left, and whether the true one is among them."""

    counts: Whole64
    has_true: NDArray[np.bool_]


def survivors(
    blocks: Sequence[Block], rules: Sequence[Rule], targets: Whole64, *, nearest: int | None = None
) -> Survivors:
    """Return what is left when a record must be in a candidate group of every block.

    Parameters
    ----------
    blocks, rules
        The blocks that the intruder knows something of, and the rule for each.
    targets
        The rows of the targets.
    nearest
        The rank down to which groups are candidates. By default the least, for each target, that leaves a record.
    """
    cells = distinct_rows(np.column_stack([block.groups for block in blocks]))
    mesh = _Mesh(
        groups=[block.groups[cells.examples] for block in blocks],
        counts=cells.counts,
        members=[_members(block.groups[cells.examples], len(block.sizes)) for block in blocks],
    )
    left = Survivors(np.zeros(len(targets), dtype=np.int64), np.zeros(len(targets), dtype=bool))
    pending = [np.arange(len(targets))]
    reach = nearest or _FIRST_REACH
    while pending:
        later = []
        while pending:
            places = pending.pop()
            found = (
                None if len(places) > max(1, _AT_ONCE // reach) else [rule(targets[places], reach) for rule in rules]
            )
            if found is None or (len(places) > 1 and mesh.work(found) > _AT_ONCE):
                pending.extend(np.array_split(places, 2))
                continue
            settled, counts, has_true = mesh.intersect(found, cells.labels[targets[places]], nearest)
            left.counts[places[settled]] = counts[settled]
            left.has_true[places[settled]] = has_true[settled]
            if not settled.all():
                later.append(places[~settled])
        pending = later
        reach *= _MORE
    return left


class _Members(NamedTuple):
    """The cells of every group, in `cells`; those of group g from starts[g] to starts[g + 1]."""

    cells: Whole64
    starts: Whole64


def _members(groups: Whole64, count: int) -> _Members:
    return _Members(np.argsort(groups, kind="stable"), np.searchsorted(np.sort(groups), np.arange(count + 1)))


@dataclass(frozen=True)
class _Mesh:
    """All blocks laid over each other: records in the same group of every block are one cell."""

    groups: list[Whole64]
    counts: Whole64
    members: list[_Members]

    def work(self, found: Sequence[Candidates]) -> int:
        """Return how many cells have to be looked at."""
        return int(np.minimum.reduce(self._cells_a_target(found)).sum())

    def intersect(
        self, found: Sequence[Candidates], true: Whole64, nearest: int | None
    ) -> tuple[NDArray[np.bool_], Whole64, NDArray[np.bool_]]:
        """Return which targets are settled, how many records are left of each, and whether the true one is."""
        targets, cells, ranks = self._cells_in_all(found)
        whole = np.minimum.reduce([one.whole for one in found])
        best = np.full(len(whole), _ALL)
        np.minimum.at(best, targets, ranks)
        settled = (best <= whole) | (whole == _ALL)
        if nearest is not None:
            # Where more than `nearest` are equally near, even the first rank may not be complete.
            settled = whole >= nearest
            best[:] = nearest
        kept = ranks <= best[targets]
        targets, cells = targets[kept], cells[kept]
        counts = np.bincount(targets, self.counts[cells], minlength=len(whole)).astype(np.int64)
        has_true = np.zeros(len(whole), dtype=bool)
        has_true[targets[cells == true[targets]]] = True
        return settled, counts, has_true

    def _cells_a_target(self, found: Sequence[Candidates]) -> list[Whole64]:
        return [
            np.bincount(one.targets, np.diff(members.starts)[one.groups], minlength=len(one.whole)).astype(np.int64)
            for one, members in zip(found, self.members, strict=True)
        ]

    def _cells_in_all(self, found: Sequence[Candidates]) -> tuple[Whole64, Whole64, Whole64]:
        """Return the cells in a candidate group of every block, with their target and the largest of their ranks."""
        # Each target starts from the block that leaves it the fewest cells.
        start = np.argmin(self._cells_a_target(found), axis=0)
        parts = []
        for block, one in enumerate(found):
            mine = start[one.targets] == block
            targets, cells, ranks = self._expanded(block, one, mine)
            for other, listed in enumerate(found):
                if other != block:
                    rank = _rank_of(listed, targets, self.groups[other][cells])
                    kept = rank > 0
                    targets, cells, ranks = targets[kept], cells[kept], np.maximum(ranks, rank)[kept]
            parts.append((targets, cells, ranks))
        targets, cells, ranks = (np.concatenate(part) for part in zip(*parts, strict=True))
        return targets, cells, ranks

    def _expanded(self, block: int, one: Candidates, mine: NDArray[np.bool_]) -> tuple[Whole64, Whole64, Whole64]:
        """Return the cells of some candidate groups, with their target and rank."""
        starts = self.members[block].starts
        counts = np.diff(starts)[one.groups[mine]]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        cells = self.members[block].cells[np.repeat(starts[one.groups[mine]], counts) + within]
        return np.repeat(one.targets[mine], counts), cells, np.repeat(one.ranks[mine], counts)


def _rank_of(listed: Candidates, targets: Whole64, groups: Whole64) -> Whole64:
    """Return the rank of each group among the candidates of its target, 0 if it is not one of them."""
    span = max(int(listed.groups.max(initial=0)), int(groups.max(initial=0))) + 1
    keys = np.append(listed.targets * span + listed.groups, _ALL)
    ranks = np.append(listed.ranks, 0)
    sought = targets * span + groups
    place = np.searchsorted(keys, sought)
    return np.where(keys[place] == sought, ranks[place], 0)
