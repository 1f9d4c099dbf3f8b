"""A measure that says what it is, so that whatever shows it needs no special case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar

from shoal.describe.variables import Kind
from shoal.errors import ParameterError, nearest_name_hint
from shoal.measure.pairs import Pair, pair

__all__ = ["About", "Figure", "FileMeasure", "Measure", "file_measure", "measure"]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class About:
    """What a measure is.

    Attributes
    ----------
    name, title
        As code and as people call it.
    definition, reference
        What is computed, in a sentence or two, and who proposed it.
    range
        The least and the greatest value it can have.
    better
        Which way is good: "lower" or "higher".
    side
        What it speaks of: "utility", "risk", "score" (both) or "partitions".
    unit
        "%", "records", or "" for a plain number.
    """

    name: str
    title: str
    definition: str
    reference: str
    range: tuple[float, float]
    better: Literal["lower", "higher"]
    side: Literal["utility", "risk", "score", "partitions"]
    unit: Literal["%", "records", ""]


class Figure(float):
    """A measured number that carries its parts: use it as a number, and look at its attributes.

    Examples
    --------
    >>> loss = Figure(40.0, mean=0.0, variance=80.0)
    >>> loss + 2, loss.variance, sorted(loss.parts)
    (42.0, 80.0, ['mean', 'variance'])
    """

    parts: Mapping[str, Any]

    def __new__(cls, value: float, **parts: Any) -> Figure:
        """Make a number of `value` that carries `parts`."""
        figure = super().__new__(cls, value)
        figure.parts = parts
        return figure

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __getattr__(self, name: str) -> Any:
        if name != "parts" and name in self.parts:
            return self.parts[name]
        raise AttributeError(f"This figure has no part {name!r}; it has {', '.join(self.__dict__.get('parts', ()))}.")

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), dict(self.parts)

    def __repr__(self) -> str:
        parts = "".join(f", {name}={part!r}" for name, part in self.parts.items())
        return f"Figure({float(self)!r}{parts})"


class Measure(Generic[P, R]):
    """A function that also says what it measures and which way is good."""

    def __init__(self, function: Callable[P, R], about: About) -> None:
        update_wrapper(self, function)
        self.of = function
        self.about = about

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Compute the measure."""
        return self.of(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<measure {self.about.name}: {self.about.better} is better>"


class FileMeasure(Generic[R]):
    """A measure of a masked file against its original.

    It is written as a function of a Pair, `of`, and called with two files: the call brings them together.
    """

    def __init__(self, function: Callable[Concatenate[Pair, ...], R], about: About, by_record: bool) -> None:
        update_wrapper(self, function)
        self.of = function
        self.about = about
        self.by_record = by_record
        _, *options = inspect.signature(function).parameters.values()
        first = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Any")
            for name in ("original", "masked")
        ]
        both = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in ("columns", "kinds")]
        self.__signature__ = inspect.Signature([*first, *both, *options])
        self._options = {option.name: option.default for option in options}

    def __call__(
        self,
        original: Any,
        masked: Any,
        *,
        columns: Iterable[Any] | None = None,
        kinds: Mapping[str, Kind] | None = None,
        **options: Any,
    ) -> R:
        """Compute the measure on the columns that both files have, or on some of them; `kinds` as in `evaluate`."""
        self._check(options)
        return self.of(pair(original, masked, columns, kinds=kinds, same_records=self.by_record), **options)

    def __repr__(self) -> str:
        return f"<measure {self.about.name}: {self.about.better} is better>"

    def _check(self, options: Iterable[str]) -> None:
        """Raise ParameterError for an option there is not, and for one that is needed and not given."""
        for name in options:
            if name not in self._options:
                hint = nearest_name_hint(name, self._options) or f" It has {', '.join(self._options) or 'none'}."
                raise ParameterError(f'{self.about.name} has no option "{name}".{hint}')
        for name, default in self._options.items():
            if default is inspect.Parameter.empty and name not in options:
                raise ParameterError(f"{self.about.name} needs {name}.")


def measure(about: About) -> Callable[[Callable[P, R]], Measure[P, R]]:
    """Turn a function into a Measure with these facts."""
    return lambda function: Measure(function, about)


def file_measure(
    about: About, *, by_record: bool = True
) -> Callable[[Callable[Concatenate[Pair, ...], R]], FileMeasure[R]]:
    """Turn a function of a Pair into a measure of two files.

    Parameters
    ----------
    about
        Its facts.
    by_record
        Whether records are compared one by one, so that both files must have the same number of them.
    """
    return lambda function: FileMeasure(function, about, by_record)
