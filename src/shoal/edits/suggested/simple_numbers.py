"""Numbers of few digits, as people write them into rules."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.edits.suggested.number_columns import Doubles

__all__ = ["digits_of", "simple_factors", "simple_number"]

_PRECISION = 1e-7  # relative: how near a computed number is to the simple one
_MOST_DECIMALS, _MOST_DIGITS = 4, 4
_MOST_FACTORS = 20  # a relation between more columns is none to read
_MULTIPLES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)


def simple_number(number: float) -> float | None:
    """Return the number of at most four digits, and four decimals, that a computed number stands for; None if none."""
    for decimals in range(_MOST_DECIMALS + 1):
        rounded = round(number, decimals)
        if abs(rounded - number) <= _PRECISION * abs(number):
            return rounded if rounded and digits_of(rounded) <= _MOST_DIGITS else None
    return None


def digits_of(number: float) -> int:
    """Return how many digits a number is written with, leading and trailing zeros left out."""
    return len(f"{abs(number):.6f}".replace(".", "").strip("0"))


def simple_factors(factors: Doubles) -> Doubles | None:
    """Return factors of a relation, times whatever makes all of them simple numbers; None if nothing does.

    A relation stays the same if all its factors are multiplied by one number. One of them becomes 1, or all become
    whole numbers; of several ways, the one with the least to read is taken.
    """
    used = np.flatnonzero(factors)
    best: tuple[int, Doubles] | None = None
    if len(used) > _MOST_FACTORS:
        return None
    for unit in used:
        for multiple in _MULTIPLES:
            simple = list(_simple_ones(factors[used] * (multiple / factors[unit]), whole=multiple != 1))
            if len(simple) == len(used) and (best is None or _effort(simple) < best[0]):
                result = np.zeros_like(factors)
                result[used] = simple
                best = _effort(simple), result
    return None if best is None else best[1]


def _simple_ones(numbers: Doubles, whole: bool) -> Iterator[float]:
    """Yield the simple numbers that numbers stand for, up to the first that is not simple, or not whole if need be."""
    for number in numbers.tolist():
        simple = simple_number(number)
        if simple is None or (whole and not simple.is_integer()):
            return
        yield simple


def _effort(factors: list[float]) -> int:
    """Return how much there is to read in factors: their digits, decimals twice, and three more if none is 1."""
    digits = sum(digits_of(one) + 2 * _decimals_of(one) for one in factors if abs(one) != 1)
    return digits + (0 if any(abs(one) == 1 for one in factors) else 3)


def _decimals_of(number: float) -> int:
    return len(f"{number:.6f}".rstrip("0").partition(".")[2])
