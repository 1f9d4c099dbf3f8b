"""Limits of parameters, declared once: they give the check, the message and the bad values for tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Protocol

from shoal.errors import ParameterError, nearest_name_hint

__all__ = [
    "Above",
    "AnyNumber",
    "Ascending",
    "Limit",
    "Number",
    "OneOf",
    "OrNone",
    "TrueOrFalse",
    "Whole",
    "check_limits",
]


class Limit(Protocol):
    """The limits of one parameter."""

    @property
    def wanted(self) -> str:
        """What is accepted, as the end of the sentence "k must be ..."."""
        ...

    def accepts(self, value: Any) -> bool:
        """Whether `value` is within the limits."""
        ...

    def bad_values(self) -> list[Any]:
        """Return some values that must be refused, for tests."""
        ...


@dataclass(frozen=True)
class Whole:
    """A whole number from `low`, and up to `high` if there is one; True and 3.0 are not whole numbers here."""

    low: int
    high: int | None = None

    @property
    def wanted(self) -> str:
        if self.high is not None:
            return f"a whole number from {self.low} to {self.high}"
        return f"a whole number, {self.low} or more"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Integral) or isinstance(value, bool):
            return False
        return self.low <= int(value) and (self.high is None or int(value) <= self.high)

    def bad_values(self) -> list[Any]:
        above = [] if self.high is None else [self.high + 1]
        return [self.low - 1, -1, self.low + 0.5, float(self.low), str(self.low), None, True, math.nan, *above]


@dataclass(frozen=True)
class Number:
    """A finite number between `low` and `high`, both included."""

    low: float
    high: float = math.inf

    @property
    def wanted(self) -> str:
        if math.isinf(self.high):
            return f"a number, {self.low:g} or more"
        return f"a number from {self.low:g} to {self.high:g}"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        return _is_finite(value) and self.low <= float(value) <= self.high

    def bad_values(self) -> list[Any]:
        above = [] if math.isinf(self.high) else [self.high + 1]
        return [self.low - 1, math.nan, math.inf, str(self.low), None, True, *above]


@dataclass(frozen=True)
class Above:
    """A finite number above `low`, which is not included, up to `high`; `why` may say in brackets what goes wrong."""

    low: float
    why: str = ""
    high: float = math.inf

    @property
    def wanted(self) -> str:
        up_to = "" if math.isinf(self.high) else f", {self.high:g} at most"
        return f"a number above {self.low:g}{up_to}{f' ({self.why})' if self.why else ''}"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        return _is_finite(value) and self.low < float(value) <= self.high

    def bad_values(self) -> list[Any]:
        above = [] if math.isinf(self.high) else [self.high + 1]
        return [self.low, self.low - 1, math.nan, math.inf, str(self.low + 1), None, True, *above]


@dataclass(frozen=True)
class AnyNumber:
    """A finite number, also below zero."""

    @property
    def wanted(self) -> str:
        return "a number"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Real) and not isinstance(value, bool) and _is_finite(value)

    def bad_values(self) -> list[Any]:
        return [math.nan, math.inf, "1", None, True]


@dataclass(frozen=True)
class Ascending:
    """Finite numbers, each above the one before, and at least one."""

    @property
    def wanted(self) -> str:
        return "numbers that ascend, such as [0, 15, 65]"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            return False
        if not all(AnyNumber().accepts(one) for one in value):
            return False
        return all(before < after for before, after in pairwise(value))

    def bad_values(self) -> list[Any]:
        return [[], [1, 1], [2, 1], [0, math.nan], [0, math.inf], "0,1", 5, ["a"], [True]]


@dataclass(frozen=True)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def wanted(self) -> str:
        return "one of " + ", ".join(f'"{word}"' for word in self.words)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words

    def bad_values(self) -> list[Any]:
        return ["no such word", "", self.words[0].upper() + "?", None, 0]


@dataclass(frozen=True)
class TrueOrFalse:
    """A truth value, Python's or NumPy's; 0 and 1 are numbers."""

    @property
    def wanted(self) -> str:
        return "True or False"

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool):
            return True
        import numpy as np  # here, because `import shoal` does without it

        return isinstance(value, np.bool_)

    def bad_values(self) -> list[Any]:
        return [0, 1, "true", None]


@dataclass(frozen=True)
class OrNone:
    """None, or within another limit."""

    limit: Limit

    @property
    def wanted(self) -> str:
        return f"{self.limit.wanted}, or None"

    def accepts(self, value: Any) -> bool:
        return value is None or self.limit.accepts(value)

    def bad_values(self) -> list[Any]:
        return [value for value in self.limit.bad_values() if value is not None]


def check_limits(limits: Mapping[str, Limit], values: Mapping[str, Any]) -> None:
    """Raise ParameterError for the first of `values` that is outside its limits."""
    for name, limit in limits.items():
        value = values[name]
        if not limit.accepts(value):
            hint = nearest_name_hint(value, limit.words) if isinstance(limit, OneOf) and isinstance(value, str) else ""
            shown = repr(value) if value is None or isinstance(value, str | Real) else type(value).__name__
            shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
            raise ParameterError(f"{name} must be {limit.wanted}; got {shown}.{hint}", parameter=name)


def _is_finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number, beyond what a float can be
        return False
