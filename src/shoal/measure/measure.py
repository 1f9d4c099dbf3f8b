"""A measure that describes itself, so that whatever shows or publishes it needs no special case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar

from shoal.describe.variables import Kind
from shoal.errors import ParameterError, nearest_name_hint
from shoal.measure.pairs import Pair, pair
from shoal.measure.publication import Publication

__all__ = ["About", "FileMeasure", "FromEvaluation", "Measure", "MeasuredValue", "file_measure", "partition_measure"]

P = ParamSpec("P")
R = TypeVar("R")

# What a measure can take from an evaluation: how the file was masked, the seed, and the values measured before it.
FromEvaluation = Literal["method", "k", "blocks", "replace", "strata", "standardize", "seed", "measured"]


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
        The smallest and the largest value it can have.
    better
        Which direction is better: "lower" or "higher".
    side
        What it is about: "utility", "risk", "score" (both) or "partitions".
    unit
        "%", "records", or "" for a plain number.
    counts
        What a percentage of it is a share of: "records", their "cells", or "neither".
    slow
        Whether it grows faster than sorting, or draws a sample to stay feasible; `quick` leaves these out.
    work
        How long it takes compared with others, roughly, for the progress bar.
    publication
        How a public report may give it. None: the measure does not say, and is not published.
    not_published_with
        Names of measures beside which it is not published, because the difference would be a count of few records.
    """

    name: str
    title: str
    definition: str
    reference: str
    range: tuple[float, float]
    better: Literal["lower", "higher"]
    side: Literal["utility", "risk", "score", "partitions"]
    unit: Literal["%", "records", ""]
    counts: Literal["records", "cells", "neither"]
    slow: bool
    work: int = 1
    publication: Publication | None = None
    not_published_with: tuple[str, ...] = ()


class MeasuredValue(float):
    """A measured number that carries its parts: use it as a number, and look at its attributes.

    Examples
    --------
    >>> loss = MeasuredValue(40.0, mean=0.0, variance=80.0)
    >>> loss + 2, loss.variance, sorted(loss.parts)
    (42.0, 80.0, ['mean', 'variance'])
    """

    parts: Mapping[str, Any]

    def __new__(cls, value: float, **parts: Any) -> MeasuredValue:
        """Make a number of `value` that carries `parts`."""
        measured = super().__new__(cls, value)
        measured.parts = parts
        return measured

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __getattr__(self, name: str) -> Any:
        if name != "parts" and name in self.parts:
            return self.parts[name]
        raise AttributeError(f"This value has no part {name!r}; it has {', '.join(self.__dict__.get('parts', ()))}.")

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), dict(self.parts)

    def __repr__(self) -> str:
        parts = "".join(f", {name}={part!r}" for name, part in self.parts.items())
        return f"MeasuredValue({float(self)!r}{parts})"


class Measure(Generic[P, R]):
    """A function that also says what it measures and which direction is better."""

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

    It is written as a function of a Pair, `of`, and called with two files, which are made a Pair first. In an
    evaluation it is computed by `in_evaluation`; a public report computes it by `from_published` if its publication
    says so.
    """

    def __init__(
        self,
        function: Callable[Concatenate[Pair, ...], R],
        about: About,
        by_record: bool,
        takes: tuple[FromEvaluation, ...],
    ) -> None:
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
        self._in_evaluation = function
        self._takes: dict[str, Any] = {name: self._options[name] for name in takes}
        self._from_published: Callable[[Mapping[str, Any], Callable[[str, float], float]], R] | None = None

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

    def in_evaluation(self, function: Callable[Concatenate[Pair, ...], R]) -> Callable[Concatenate[Pair, ...], R]:
        """Decorate another function of a Pair that computes this measure in an evaluation.

        Its parameters are what it takes from the evaluation (`FromEvaluation`).
        """
        _, *taken = inspect.signature(function).parameters.values()
        self._in_evaluation = function
        self._takes = {parameter.name: parameter.default for parameter in taken}
        return function

    def lacking(self, evaluation: Mapping[str, Any]) -> list[str]:
        """Return what this measure needs from an evaluation that has None instead."""
        return [
            name
            for name, default in self._takes.items()
            if default is inspect.Parameter.empty and evaluation[name] is None
        ]

    def evaluated(self, files: Pair, evaluation: Mapping[str, Any]) -> R:
        """Compute the measure with what it takes from an evaluation."""
        return self._in_evaluation(files, **{name: evaluation[name] for name in self._takes})

    def from_published(
        self, function: Callable[[Mapping[str, Any], Callable[[str, float], float]], R]
    ) -> Callable[[Mapping[str, Any], Callable[[str, float], float]], R]:
        """Decorate the function that computes this measure from the parts of it that are published.

        It takes the parts, and a function that returns a value of a measure, by its name, as it is published.
        """
        self._from_published = function
        return function

    def recomputed(self, parts: Mapping[str, Any], published: Callable[[str, float], float]) -> R:
        """Compute the measure from parts, after `published` has made of each what is published of it."""
        if self._from_published is None:
            raise NotImplementedError(f"{self.about.name} does not say how it is computed from what is published.")
        return self._from_published(parts, published)

    def _check(self, options: Iterable[str]) -> None:
        """Raise ParameterError for an option that does not exist, and for a missing one that is needed."""
        for name in options:
            if name not in self._options:
                hint = nearest_name_hint(name, self._options) or f" It has {', '.join(self._options) or 'none'}."
                raise ParameterError(f'{self.about.name} has no option "{name}".{hint}')
        for name, default in self._options.items():
            if default is inspect.Parameter.empty and name not in options:
                raise ParameterError(f"{self.about.name} needs {name}.")


def partition_measure(about: About) -> Callable[[Callable[P, R]], Measure[P, R]]:
    """Turn a function of two partitions into a measure with this description."""
    return lambda function: Measure(function, about)


def file_measure(
    about: About, *, by_record: bool = True, takes: tuple[FromEvaluation, ...] = ()
) -> Callable[[Callable[Concatenate[Pair, ...], R]], FileMeasure[R]]:
    """Turn a function of a Pair into a measure of two files.

    Parameters
    ----------
    about
        Its description.
    by_record
        Whether records are compared one by one, so that both files must have the same number of them.
    takes
        Which of its options an evaluation passes on. One without a default is needed: without it, the measure is
        left out.
    """
    return lambda function: FileMeasure(function, about, by_record, takes)
