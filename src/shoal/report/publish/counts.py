"""Counts of records as they may be given: none, or k and more, and no difference of two that is smaller."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["published_counts"]


def published_counts(counts: Mapping[int, int], records: int, fewest: int) -> dict[int, int | None]:
    """Return counts of records below several thresholds as they may be given, None for those that may not.

    Records below a smaller threshold are among those below a larger one, so that differences are counts too: each
    given count is no nearer than `fewest` records to the next one given, to none and to all, or it is the same.

    Parameters
    ----------
    counts
        By threshold, how many records are below it.
    records
        How many records there are.
    fewest
        The fewest records that may be counted; 1 where everything may be given.
    """
    given: dict[int, int | None] = {}
    above = records
    for threshold in sorted(counts, reverse=True):
        count = counts[threshold]
        may_be = all(apart == 0 or apart >= fewest for apart in (count, above - count))
        given[threshold] = count if may_be else None
        above = count if may_be else above
    return {threshold: given[threshold] for threshold in counts}
