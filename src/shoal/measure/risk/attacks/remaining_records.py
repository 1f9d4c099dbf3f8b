"""Which masked records are left for a target when it must be in a candidate group of every block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.measure.risk.attacks.candidate_groups import (
    ALL_RANKS,
    AT_ONCE,
    ROUNDING,
    CandidateRule,
    Candidates,
    KnownBlock,
)
from shoal.measure.risk.distinct_rows import distinct_rows

__all__ = ["RemainingRecords", "nothing_left", "remaining_records"]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

_FIRST_REACH, _MORE = 4, 4


class RemainingRecords(NamedTuple):
    """What is left for every target.

    Attributes
    ----------
    counts, has_true
        How many masked records are left, and whether the true one is among them.
    expected
        How often the true one is found by drawing one of them, each as likely as it is.
    best_guess
        How often it is found by taking the most likely one; of several one is drawn.
    """

    counts: Whole64
    has_true: NDArray[np.bool_]
    expected: Doubles
    best_guess: Doubles


def nothing_left(targets: int) -> RemainingRecords:
    """Return that no record is left for any of so many targets, to be written over."""
    return RemainingRecords(
        np.zeros(targets, dtype=np.int64), np.zeros(targets, dtype=bool), np.zeros(targets), np.zeros(targets)
    )


def remaining_records(
    blocks: Sequence[KnownBlock], rules: Sequence[CandidateRule], targets: Whole64, *, nearest: int | None = None
) -> RemainingRecords:
    """Return which masked records are left when a record must be in a candidate group of every block.

    Parameters
    ----------
    blocks, rules
        The blocks with a variable that the intruder knows, and the rule for each.
    targets
        The rows of the targets.
    nearest
        Up to which rank groups are candidates. By default the smallest rank, for each target, that leaves a record.
    """
    cells = distinct_rows(np.column_stack([block.groups for block in blocks]))
    mesh = _Mesh(
        groups=[block.groups[cells.examples] for block in blocks],
        counts=cells.counts,
        members=[_cells_by_group(block.groups[cells.examples], len(block.sizes)) for block in blocks],
    )
    left = nothing_left(len(targets))
    pending = [np.arange(len(targets))]
    reach = nearest or _FIRST_REACH
    while pending:
        later = []
        while pending:
            places = pending.pop()
            are_too_many = len(places) > max(1, AT_ONCE // reach)
            by_block = [] if are_too_many else [rule(targets[places], reach) for rule in rules]
            if are_too_many or (len(places) > 1 and mesh.work(by_block) > AT_ONCE):
                pending.extend(np.array_split(places, 2))
                continue
            settled, found = mesh.intersect(by_block, cells.labels[targets[places]], nearest)
            for own, values in zip(left, found, strict=True):
                own[places[settled]] = values[settled]
            if not settled.all():
                later.append(places[~settled])
        pending = later
        reach *= _MORE
    return left


class _CellsByGroup(NamedTuple):
    """The cells of every group, in `cells`: those of group g are at starts[g] to starts[g + 1]."""

    cells: Whole64
    starts: Whole64


def _cells_by_group(groups: Whole64, count: int) -> _CellsByGroup:
    return _CellsByGroup(np.argsort(groups, kind="stable"), np.searchsorted(np.sort(groups), np.arange(count + 1)))


@dataclass(frozen=True)
class _Mesh:
    """The intersections of the groups of all blocks: records in the same group of every block are one cell."""

    groups: list[Whole64]
    counts: Whole64
    members: list[_CellsByGroup]

    def work(self, by_block: Sequence[Candidates]) -> int:
        """Return how many cells have to be looked at."""
        return int(np.minimum.reduce(self._cells_a_target(by_block)).sum())

    def intersect(
        self, by_block: Sequence[Candidates], true: Whole64, nearest: int | None
    ) -> tuple[NDArray[np.bool_], RemainingRecords]:
        """Return which targets are settled, and what is left for each."""
        targets, cells, ranks, chances = self._cells_in_all(by_block)
        whole = np.minimum.reduce([one.whole for one in by_block])
        best = np.full(len(whole), ALL_RANKS)
        np.minimum.at(best, targets, ranks)
        settled = (best <= whole) | (whole == ALL_RANKS)
        if nearest is not None:
            # Where more than `nearest` are equally near, even the first rank may not be complete.
            settled = whole >= nearest
            best[:] = nearest
        kept = ranks <= best[targets]
        return settled, self._left(targets[kept], cells[kept], chances[kept], true)

    def _left(self, targets: Whole64, cells: Whole64, chances: Doubles, true: Whole64) -> RemainingRecords:
        """Return what is left for each target, from its cells and how likely a record of each is its own."""
        records, count = self.counts[cells], len(true)
        is_true = cells == true[targets]
        has_true, of_true, most = np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count)
        has_true[targets[is_true]], of_true[targets[is_true]] = True, chances[is_true]
        np.maximum.at(most, targets, chances)
        total = np.bincount(targets, records * chances, minlength=count)
        is_most = chances >= most[targets] * (1 - ROUNDING)
        as_likely = np.bincount(targets, records * is_most, minlength=count)
        is_guessed = has_true & (of_true >= most * (1 - ROUNDING))
        return RemainingRecords(
            np.bincount(targets, records, minlength=count).astype(np.int64),
            has_true,
            np.divide(of_true, total, out=np.zeros(count), where=total > 0),
            is_guessed / np.maximum(as_likely, 1),
        )

    def _cells_a_target(self, by_block: Sequence[Candidates]) -> list[Whole64]:
        return [
            np.bincount(one.targets, np.diff(members.starts)[one.groups], minlength=len(one.whole)).astype(np.int64)
            for one, members in zip(by_block, self.members, strict=True)
        ]

    def _cells_in_all(self, by_block: Sequence[Candidates]) -> tuple[Whole64, Whole64, Whole64, Doubles]:
        """Return the cells in a candidate group of every block, with their target, the largest rank and the chance."""
        # Each target starts from the block that leaves it the fewest cells.
        start = np.argmin(self._cells_a_target(by_block), axis=0)
        parts = []
        for block, one in enumerate(by_block):
            mine = start[one.targets] == block
            targets, cells, ranks, chances = self._expanded(block, one, mine)
            for other, listed in enumerate(by_block):
                if other != block:
                    place = _places_of(listed, targets, self.groups[other][cells])
                    kept = place >= 0
                    targets, cells, place = targets[kept], cells[kept], place[kept]
                    ranks = np.maximum(ranks[kept], listed.ranks[place])
                    chances = chances[kept] if listed.chances is None else chances[kept] * listed.chances[place]
            parts.append((targets, cells, ranks, chances))
        targets, cells, ranks, chances = (np.concatenate(part) for part in zip(*parts, strict=True))
        return targets, cells, ranks, chances

    def _expanded(
        self, block: int, one: Candidates, mine: NDArray[np.bool_]
    ) -> tuple[Whole64, Whole64, Whole64, Doubles]:
        """Return the cells of some candidate groups, with their target, rank and chance."""
        starts = self.members[block].starts
        counts = np.diff(starts)[one.groups[mine]]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        cells = self.members[block].cells[np.repeat(starts[one.groups[mine]], counts) + within]
        chances = np.ones(len(cells)) if one.chances is None else np.repeat(one.chances[mine], counts)
        return np.repeat(one.targets[mine], counts), cells, np.repeat(one.ranks[mine], counts), chances


def _places_of(listed: Candidates, targets: Whole64, groups: Whole64) -> Whole64:
    """Return where each group stands among the candidates of its target, -1 if it is none of them."""
    span = max(int(listed.groups.max(initial=0)), int(groups.max(initial=0))) + 1
    keys = np.append(listed.targets * span + listed.groups, ALL_RANKS)
    sought = targets * span + groups
    place = np.searchsorted(keys, sought)
    return np.where(keys[place] == sought, place, -1)
