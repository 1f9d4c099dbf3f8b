"""The smallest of many numbers, kept in order while these come one after the other."""

from __future__ import annotations

from shoal.partition.kernels.compiled import Doubles, Scalar, inner_kernel


@inner_kernel
def keep_least(least: Doubles, filled: Scalar, value: Scalar) -> Scalar:
    """Put a value into the sorted `least`, if it is among the smallest; return how many there are."""
    if filled < least.shape[0]:
        filled += 1
    elif value >= least[filled - 1]:
        return filled
    place = filled - 1
    while place > 0 and least[place - 1] > value:
        least[place] = least[place - 1]
        place -= 1
    least[place] = value
    return filled
