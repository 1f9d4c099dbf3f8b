"""Numbers and names as a reader sees them in a report."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from itertools import pairwise

__all__ = [
    "compact",
    "edge_texts",
    "number_text",
    "percent_text",
    "printable",
    "range_text",
    "rounded_edges",
    "rounded_up",
    "short_of_k",
    "shortened",
    "value_text",
    "whole_text",
    "width_of",
    "without_capital",
]

_MINUS, _NONE = "\N{MINUS SIGN}", "\N{EN DASH}"
_LETTERS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_JOINED = " \u200d\ufe0f"  # characters that join letters, one of which may have been cut off
_UNSEEN = {"Cc", "Cs", "Cn", "Zl", "Zp"}  # categories of characters that break a line or cannot be shown


def printable(name: str) -> str:
    """Return a name on one line, without characters that cannot be shown or written."""
    return "".join(" " if unicodedata.category(letter) in _UNSEEN else letter for letter in name)


def without_capital(sentence: str) -> str:
    """Return a sentence with a small first letter, for use inside another; a name in capitals stays."""
    first = sentence.partition(" ")[0]
    return sentence if len(first) > 1 and first.isupper() else sentence[:1].lower() + sentence[1:]


def short_of_k(k: int, reached: int, uniques: int) -> str:
    """Say that whole records are less than k alike; "" where they are."""
    if reached >= k:
        return ""
    return f"Mind that its k over everything released is {reached:,}: {uniques:,} records are unique."


def width_of(text: str) -> int:
    """Return how many letters of average width a text takes up; emoji and East Asian letters count two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(name: str, most: int) -> str:
    """Return a name cut to at most so many letters: its beginning and its end, which tell it from others."""
    plain = printable(name)
    if width_of(plain) <= most:
        return plain
    end = _fitting(plain[::-1], most // 3)[::-1]
    start = _fitting(plain, most - 1 - width_of(end))
    return f"{start.rstrip(_JOINED)}…{end.lstrip(_JOINED)}"


def _fitting(text: str, room: int) -> str:
    """Return as much of the beginning as there is room for."""
    taken = 0
    for place, letter in enumerate(text):
        taken += width_of(letter)
        if taken > room:
            return text[:place]
    return text


def number_text(value: float | None, digits: int = 3) -> str:
    """Return a number with so many significant digits, and commas between thousands."""
    if value is None:
        return _NONE
    if abs(value) < 1e-12:  # rounding error
        return "0"
    if abs(value) >= 1e9 or abs(value) < 1e-4:
        text = f"{value:.{digits - 1}e}"
        mantissa, power = text.split("e")
        return f"{mantissa} \N{MULTIPLICATION SIGN} 10^{int(power)}".replace("-", _MINUS)
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 1 if abs(value) >= 1000 else 0)
    return f"{value:,.{decimals}f}".replace("-", _MINUS)


def whole_text(value: float) -> str:
    """Return a whole number with commas between thousands; one of ten digits or more with three of them."""
    return f"{value:,.0f}" if abs(value) < 1e9 else number_text(value)


def percent_text(value: float | None) -> str:
    """Return a percentage with three significant digits, two decimals at most."""
    if value is None:
        return _NONE
    if value >= 1e6 or abs(value) < 1e-12:
        return f"{number_text(value)} %"
    return f"{value:,.{2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0}f} %".replace("-", _MINUS)


def rounded_up(percent: float) -> Decimal:
    """Return a percentage of 0 or more with the digits of `percent_text`, never below its value."""
    last = Decimal("0.01" if percent < 10 else "0.1" if percent < 100 else "1")
    return int((Decimal(repr(float(percent))) / last).to_integral_value(ROUND_CEILING)) * last


def value_text(value: float, unit: str) -> str:
    """Return the value of a measure with its unit."""
    if unit == "%":
        return percent_text(value)
    return f"{int(value):,}" if unit == "records" else number_text(value)


def range_text(values: Iterable[float | None]) -> str:
    """Return the lowest and the highest of some values, "9.08 to 9.48", or "none"."""
    known = [value for value in values if value is not None]
    return f"{min(known):.2f} to {max(known):.2f}" if known else "none"


def compact(value: float, digits: int = 4) -> str:
    """Return a number in its shortest form, for an axis: 1.5k, 200k, 3M."""
    size, letter = next((one for one in _LETTERS if one[0] <= abs(value) < 1e15), (1.0, ""))
    if letter == "k" and abs(value) < 10_000:
        size, letter = 1.0, ""
    return f"{value / size + 0:,.{digits}g}{letter}".replace("-", _MINUS)


def rounded_edges(edges: Sequence[float]) -> list[float]:
    """Return the edges of bins as round numbers, as coarse as possible without two becoming equal."""
    width = min((high - low for low, high in pairwise(edges)), default=0.0)
    if not 1e-12 < width < 1e15:
        return [float(f"{edge:.6g}") for edge in edges]
    power = math.floor(math.log10(width))
    step = next(one for one in (5, 2, 1, 0.5, 0.2) if one * 10.0**power <= width / 2) * 10.0**power
    return [float(f"{round(edge / step) * step:.12g}") for edge in edges]


def edge_texts(edges: Sequence[float], coarse: bool = False) -> list[str]:
    """Return the edges of bins as texts, to a tenth of the width of a bin or as `rounded_edges`."""
    width = min((high - low for low, high in pairwise(edges)), default=0.0)
    if not 1e-12 < width < 1e15:
        return [number_text(edge, 6) for edge in edges]
    if coarse:
        return [compact(edge, digits=6) for edge in rounded_edges(edges)]
    power = math.floor(math.log10(width))
    return [f"{round(edge, 1 - power) + 0:,.{max(1 - power, 0)}f}".replace("-", _MINUS) for edge in edges]
