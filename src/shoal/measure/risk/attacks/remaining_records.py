"""Which masked records are left for a target when it must be in a candidate group of every block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.measure.risk.attacks.candidate_groups import ALL_RANKS, AT_ONCE, CandidateRule, Candidates, KnownBlock
from shoal.measure.risk.distinct_rows import distinct_rows

__all__ = ["RemainingRecords", "remaining_records"]

Whole64 = NDArray[np.int64]

_FIRST_REACH, _MORE = 4, 4


class RemainingRecords(NamedTuple):
    """How many masked records are left for every target, and whether the true one is among them."""

    counts: Whole64
    has_true: NDArray[np.bool_]


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
    left = RemainingRecords(np.zeros(len(targets), dtype=np.int64), np.zeros(len(targets), dtype=bool))
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
            settled, counts, has_true = mesh.intersect(by_block, cells.labels[targets[places]], nearest)
            left.counts[places[settled]] = counts[settled]
            left.has_true[places[settled]] = has_true[settled]
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
    ) -> tuple[NDArray[np.bool_], Whole64, NDArray[np.bool_]]:
        """Return which targets are settled, how many records are left for each, and whether the true one is."""
        targets, cells, ranks = self._cells_in_all(by_block)
        whole = np.minimum.reduce([one.whole for one in by_block])
        best = np.full(len(whole), ALL_RANKS)
        np.minimum.at(best, targets, ranks)
        settled = (best <= whole) | (whole == ALL_RANKS)
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

    def _cells_a_target(self, by_block: Sequence[Candidates]) -> list[Whole64]:
        return [
            np.bincount(one.targets, np.diff(members.starts)[one.groups], minlength=len(one.whole)).astype(np.int64)
            for one, members in zip(by_block, self.members, strict=True)
        ]

    def _cells_in_all(self, by_block: Sequence[Candidates]) -> tuple[Whole64, Whole64, Whole64]:
        """Return the cells in a candidate group of every block, with their target and the largest of their ranks."""
        # Each target starts from the block that leaves it the fewest cells.
        start = np.argmin(self._cells_a_target(by_block), axis=0)
        parts = []
        for block, one in enumerate(by_block):
            mine = start[one.targets] == block
            targets, cells, ranks = self._expanded(block, one, mine)
            for other, listed in enumerate(by_block):
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
    """Return the rank of each group among the candidates of its target, 0 if it is no candidate."""
    span = max(int(listed.groups.max(initial=0)), int(groups.max(initial=0))) + 1
    keys = np.append(listed.targets * span + listed.groups, ALL_RANKS)
    ranks = np.append(listed.ranks, 0)
    sought = targets * span + groups
    place = np.searchsorted(keys, sought)
    return np.where(keys[place] == sought, ranks[place], 0)
