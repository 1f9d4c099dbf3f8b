"""Limits of parameters, declared once: they give the check, the message and the bad values for tests."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

from shoal.errors import ParameterError, nearest_name_hint

__all__ = [
    "Above",
    "AnyNumber",
    "Ascending",
    "Limit",
    "Number",
    "OneOf",
    "OrNone",
    "Text",
    "TrueOrFalse",
    "Whole",
    "check_limits",
    "without_none",
]


Widget = Literal["check", "choice", "number", "text"]


class Limit:
    """What a parameter may be, and with that how it is typed, filled in on a page and shown.

    Attributes
    ----------
    widget
        How a page fills it in.
    typed
        The type that the command line reads.
    """

    widget: ClassVar[Widget] = "text"
    typed: ClassVar[Any] = str

    @property
    def wanted(self) -> str:
        """What is accepted, as the end of the sentence "k must be ..."."""
        raise NotImplementedError

    @property
    def choices(self) -> Mapping[str, str]:
        """The words to choose from, each with what a page shows for it; empty where it is no choice."""
        return {}

    def accepts(self, value: Any) -> bool:
        """Whether `value` is within the limits. A limit writes this or `plain`."""
        try:
            self.plain(value, "it")
        except ParameterError:
            return False
        return True

    def bad_values(self) -> list[Any]:
        """Return some values that must be refused, for tests."""
        raise NotImplementedError

    def plain(self, value: Any, name: str) -> Any:
        """Return a value as a plan holds it; ParameterError that calls it `name` if it is outside the limits."""
        check_limits({name: self}, {name: value})
        return value

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> Any:
        """Return what was typed, as texts; whether it is within the limits is not checked.

        Parameters
        ----------
        texts
            What was typed: one text, or several where an option can be repeated.
        called
            What messages call the option.
        columns
            The columns of the table.
        """
        return texts[-1]

    def shown(self, value: Any) -> str:
        """Return a value as it is typed; "" for none."""
        return "" if value is None else str(value)

    def columns(self, value: Any) -> list[str]:
        """Return the columns that a value names."""
        return []


class _OfNumbers(Limit):
    """A number."""

    widget: ClassVar[Widget] = "number"
    typed: ClassVar[Any] = float

    def plain(self, value: Any, name: str) -> Any:
        check_limits({name: self}, {name: value})
        return int(value) if isinstance(value, Integral) else float(value)

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> Any:
        try:
            number = float(texts[-1])
        except ValueError:
            raise ParameterError(f"{called}: a number is needed, such as 3.") from None
        return int(texts[-1]) if re.fullmatch(r"\s*[+-]?\d{1,30}\s*", texts[-1]) else number


@dataclass(frozen=True)
class Whole(_OfNumbers):
    """A whole number from `low`, and up to `high` if there is one; True and 3.0 are not whole numbers here."""

    typed: ClassVar[Any] = int

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
        return [self.low - 1, self.low + 0.5, float(self.low), str(self.low), None, True, math.nan, *above]


@dataclass(frozen=True)
class Number(_OfNumbers):
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
class Above(_OfNumbers):
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
class AnyNumber(_OfNumbers):
    """A finite number, also below zero."""

    @property
    def wanted(self) -> str:
        return "a number"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Real) and not isinstance(value, bool) and _is_finite(value)

    def bad_values(self) -> list[Any]:
        return [math.nan, math.inf, "1", None, True]


@dataclass(frozen=True)
class Ascending(Limit):
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
class OneOf(Limit):
    """One of a few words; `labels` are what a page shows for them, if not the words themselves."""

    widget: ClassVar[Widget] = "choice"

    words: tuple[str, ...]
    labels: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def choices(self) -> Mapping[str, str]:
        return dict(zip(self.words, self.labels or self.words, strict=True))

    @property
    def wanted(self) -> str:
        return "one of " + ", ".join(f'"{word}"' for word in self.words)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words

    def bad_values(self) -> list[Any]:
        return ["no such word", "", self.words[0].upper() + "?", None, 0]


@dataclass(frozen=True)
class Text(Limit):
    """Any text."""

    @property
    def wanted(self) -> str:
        return "a text"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def bad_values(self) -> list[Any]:
        return [None, 5]


@dataclass(frozen=True)
class TrueOrFalse(Limit):
    """A truth value, Python's or NumPy's; 0 and 1 are numbers."""

    widget: ClassVar[Widget] = "check"
    typed: ClassVar[Any] = bool

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

    def plain(self, value: Any, name: str) -> Any:
        check_limits({name: self}, {name: value})
        return bool(value)


@dataclass(frozen=True)
class OrNone(Limit):
    """None, or within another limit."""

    limit: Limit

    @property
    def wanted(self) -> str:
        return f"{self.limit.wanted}, or None"

    def accepts(self, value: Any) -> bool:
        return value is None or self.limit.accepts(value)

    def bad_values(self) -> list[Any]:
        return [value for value in self.limit.bad_values() if value is not None]

    def plain(self, value: Any, name: str) -> Any:
        return None if value is None else self.limit.plain(value, name)


def without_none(limit: Limit) -> Limit:
    """Return the limit of the values that are not None."""
    return limit.limit if isinstance(limit, OrNone) else limit


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
