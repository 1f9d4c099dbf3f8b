"""A kernel that makes groups one after the other, run in steps so that progress can be reported."""

from __future__ import annotations

from collections.abc import Callable

from shoal.progress import advance

__all__ = ["make_groups_in_steps"]

_SMALL = 2_000  # fewer records than this are one step
_STEPS = 50


def make_groups_in_steps(make_groups: Callable[[int, int, int], tuple[int, int]], n: int, least: int) -> None:
    """Call `make_groups` until fewer than `least` of `n` records remain; it counts for the whole of the work.

    Parameters
    ----------
    make_groups
        Takes how many groups there are, how many records remain and how many have to remain for it to make another
        group; returns the first two as they are afterwards.
    n
        The number of records.
    least
        How many records have to remain for another group.
    """
    step = n if n < _SMALL else n // _STEPS
    group, remaining = 0, n
    while remaining >= least:
        before = remaining
        group, remaining = make_groups(group, remaining, max(least, remaining - step))
        advance((before - remaining) / n)
    advance(remaining / n)
