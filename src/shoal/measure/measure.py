"""A measure that says what it is, so that whatever shows it needs no special case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Generic, Literal, ParamSpec, TypeVar

__all__ = ["Measure", "measure"]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class About:
    """Name, definition, reference, range and direction of a measure."""

    name: str
    title: str
    definition: str
    reference: str
    range: tuple[float, float]
    better: Literal["lower", "higher"]


class Measure(Generic[P, R]):
    """A function of two files that also says what it measures and which way is good."""

    def __init__(self, function: Callable[P, R], about: About) -> None:
        update_wrapper(self, function)
        self._function = function
        self.about = about

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Compute the measure."""
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<measure {self.about.name}: {self.about.better} is better>"


def measure(
    *,
    name: str,
    title: str,
    definition: str,
    reference: str,
    range: tuple[float, float],
    better: Literal["lower", "higher"],
) -> Callable[[Callable[P, R]], Measure[P, R]]:
    """Turn a function into a Measure with these facts."""
    about = About(name, title, definition, reference, range, better)
    return lambda function: Measure(function, about)
