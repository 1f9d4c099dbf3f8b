"""Candidate groups where every variable was drawn on its own, so that a record has the values of several centres."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.measure.risk.attacks.candidate_groups import (
    AT_ONCE,
    CandidateRule,
    Candidates,
    KnownBlock,
    groups_by_value,
    joined_candidates,
    not_negligible,
)
from shoal.measure.risk.distinct_rows import distinct_rows

__all__ = ["groups_by_variable"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


def groups_by_variable(
    block: KnownBlock, memberships: Callable[[Doubles, Doubles], Doubles], negligible: float
) -> list[tuple[KnownBlock, CandidateRule]]:
    """Return a block for each variable, with the rule for the values that a target may have drawn of it.

    A value is as likely as the centres that have it, by the memberships in these; how likely a record is, is the
    product over the variables. What the centres were is seen in the masked file: most records draw most variables from
    one centre, so that of every value the most frequent companions in the other variables are those of its centre.

    Parameters
    ----------
    block, memberships, negligible
        As in `likely_groups`.
    """
    columns = zip(block.original.T[:, :, np.newaxis], block.centres[block.groups].T[:, :, np.newaxis], strict=True)
    every = np.ones(len(block.original), dtype=bool)
    apart = [groups_by_value(own, masked, every) for own, masked in columns]
    values = _centres_seen(np.column_stack([one.groups for one in apart]))
    centres = np.column_stack([one.centres[codes, 0] for one, codes in zip(apart, values.T, strict=True)])
    scaled = block.scaled(centres)
    last: list[tuple[Whole64, Doubles]] = []  # all variables are asked about the same targets

    def chances_of(targets: Whole64) -> Doubles:
        if not last or not np.array_equal(last[0][0], targets):
            last[:] = [(targets, memberships(block.scaled(block.original[targets]), scaled))]
        return last[0][1]

    def rule_of(codes: Whole64, count: int) -> CandidateRule:
        is_in = np.zeros((len(codes), count))
        is_in[np.arange(len(codes)), codes] = 1.0

        def rule(targets: Whole64, reach: int) -> Candidates:
            at_once = max(1, AT_ONCE // len(codes))
            found = [
                not_negligible(chances_of(targets[start : start + at_once]) @ is_in, negligible, start)
                for start in range(0, len(targets), at_once)
            ]
            return joined_candidates(found, len(targets))

        return rule

    return [(one, rule_of(codes, len(one.sizes))) for one, codes in zip(apart, values.T, strict=True)]


def _centres_seen(values: Whole64) -> Whole64:
    """Return the centres as numbers of values: for each value of each variable its most frequent companions."""
    seen = []
    for column in values.T:
        count = int(column.max()) + 1
        companions = np.empty((count, values.shape[1]), dtype=np.int64)
        for place, other in enumerate(values.T):
            width = int(other.max()) + 1
            pairs, times = np.unique(column * width + other, return_counts=True)
            order = np.lexsort((-pairs, times))  # of equally frequent ones the first
            companions[pairs[order] // width, place] = pairs[order] % width
        seen.append(companions)
    together = np.concatenate(seen)
    return np.asarray(together[distinct_rows(together).examples], dtype=np.int64)
