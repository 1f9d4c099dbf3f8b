"""A measure that describes itself, so that whatever shows or publishes it needs no special case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, get_args

from shoal.describe.variables import Kind
from shoal.errors import NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.pairs import Pair, pair
from shoal.measure.publication import Publication
from shoal.parameters.limits import Limit, OneOf, OrNone, check_limits

__all__ = ["About", "FileMeasure", "FromEvaluation", "Measure", "MeasuredValue", "file_measure", "partition_measure"]

P = ParamSpec("P")
R = TypeVar("R")

# What a measure can take from an evaluation: how the file was masked, the column of weights, the seed, what recodes
# took before, the values that were measured with default options before it, and both files on everything that is
# released, which risks are measured on.
FromEvaluation = Literal[
    "method",
    "k",
    "blocks",
    "replace",
    "strata",
    "standardize",
    "weight",
    "seed",
    "lost_by_recoding",
    "measured",
    "everything",
]


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
    says so. Its options are the other parameters of the function; they are checked before it is computed.
    """

    def __init__(
        self,
        function: Callable[Concatenate[Pair, ...], R],
        about: About,
        by_record: bool,
        takes: tuple[FromEvaluation, ...],
        limits: Mapping[str, Limit],
        unpublished_options: tuple[str, ...],
    ) -> None:
        update_wrapper(self, function)
        self.of = function
        self.about = about
        self.by_record = by_record
        self.limits = limits
        self.unpublished_options = unpublished_options
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
        self._first_check: Callable[Concatenate[Pair, ...], Any] | None = None
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
        for name, default in self._options.items():
            if default is inspect.Parameter.empty and name not in options:
                raise ParameterError(f"{self.about.name} needs {name}.")
        self._refuse_unknown(options, self._options)
        checked = self._within_limits(options)
        return self.of(pair(original, masked, columns, kinds=kinds, same_records=self.by_record), **checked)

    def __repr__(self) -> str:
        return f"<measure {self.about.name}: {self.about.better} is better>"

    def in_evaluation(self, function: Callable[Concatenate[Pair, ...], R]) -> Callable[Concatenate[Pair, ...], R]:
        """Decorate another function of a Pair that computes this measure in an evaluation.

        Its parameters are what it takes from the evaluation (`FromEvaluation`), and options.
        """
        _, *taken = inspect.signature(function).parameters.values()
        self._in_evaluation = function
        self._takes = {one.name: one.default for one in taken if one.name in get_args(FromEvaluation)}
        return function

    def check_first(self, function: Callable[Concatenate[Pair, ...], Any]) -> Callable[Concatenate[Pair, ...], Any]:
        """Decorate a quick function that raises ParameterError for options that do not fit the files.

        An evaluation calls it for measures that have options before it computes the first of all, with the arguments
        of the measure that it names.
        """
        self._first_check = function
        return function

    @property
    def options(self) -> dict[str, Any]:
        """The options that can be chosen in an evaluation, with their defaults: all but what it takes from there."""
        return {name: default for name, default in self._options.items() if name not in self._takes}

    def checked_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options for an evaluation; ParameterError for one that does not exist or has a wrong value."""
        for name in options:
            if name in self._takes and name in self._options:
                raise ParameterError(
                    f"options of {self.about.name}: {name} is the same for all measures. Give it to the evaluation."
                )
        self._refuse_unknown(options, self.options)
        try:
            return self._within_limits(options)
        except ParameterError as error:
            raise ParameterError(f"options of {self.about.name}: {error}", parameter=error.parameter) from None

    def lacking(self, evaluation: Mapping[str, Any]) -> list[str]:
        """Return what this measure needs from an evaluation that has None instead."""
        return [
            name
            for name, default in self._takes.items()
            if default is inspect.Parameter.empty and evaluation[name] is None
        ]

    def arguments(self, files: Pair, evaluation: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Return the arguments of `evaluated`, from an evaluation and options; ParameterError if they do not fit."""
        arguments = self._within_limits({name: evaluation[name] for name in self._takes}) | options
        if options and self._first_check is not None:
            wanted = list(inspect.signature(self._first_check).parameters)[1:]
            with suppress(NotApplicableError):  # which the evaluation says of the measure, and is no error
                self._first_check(files, **{name: arguments.get(name, self._options[name]) for name in wanted})
        return arguments

    def evaluated(self, files: Pair, arguments: Mapping[str, Any]) -> R:
        """Compute the measure as in an evaluation."""
        return self._in_evaluation(files, **arguments)

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

    def _refuse_unknown(self, options: Iterable[str], known: Mapping[str, Any]) -> None:
        """Raise ParameterError for an option that is not among those known."""
        for name in options:
            if name not in known:
                hint = nearest_name_hint(str(name), known) or f" It has {', '.join(known) or 'none'}."
                raise ParameterError(f'{self.about.name} has no option "{name}".{hint}')

    def _within_limits(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values with words as words; ParameterError for one that is outside its limits."""
        words = {name: _as_word(value, self.limits.get(name)) for name, value in values.items()}
        check_limits({name: limit for name, limit in self.limits.items() if name in words}, words)
        return words


def _as_word(value: Any, limit: Limit | None) -> Any:
    """Return "2001" for 2001 where the limit is a word, and None for "none" where the limit allows it, as in texts."""
    if isinstance(limit, OneOf) and isinstance(value, int) and str(value) in limit.words:
        return str(value)
    if isinstance(limit, OrNone) and isinstance(value, str) and value.lower() == "none":
        return None
    return value


def partition_measure(about: About) -> Callable[[Callable[P, R]], Measure[P, R]]:
    """Turn a function of two partitions, or of one file, into a measure with this description."""
    return lambda function: Measure(function, about)


def file_measure(
    about: About,
    *,
    by_record: bool = True,
    takes: tuple[FromEvaluation, ...] = (),
    limits: Mapping[str, Limit] | None = None,
    unpublished_options: tuple[str, ...] = (),
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
    limits
        What its options may be, as far as that does not depend on the files.
    unpublished_options
        Options with which it is not published: values over other columns, beside those over all, could reveal that of
        a single column, which may be a count of few records.
    """
    return lambda function: FileMeasure(function, about, by_record, takes, limits or {}, unpublished_options)
