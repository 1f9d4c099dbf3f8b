"""Passes over the pages of a file, one after the other: each is a task for every page, and the next needs all of them.

An algorithm is written as a generator that yields passes and is sent what they return, page by page in the order of the
file. Those of several strata go on in step, so that small strata do not keep workers waiting.

Why pages: a sum in floating point depends on where it is cut. Pages are cut by the numbers of the rows and by nothing
else, each is added up in its order and all of them in theirs, so that every sum is the same for any chunks and any
workers. Exact sums would be, too, but each of the records times centres times variables that an iteration adds up would
then cost as much as twenty.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.progress import share
from shoal.scale.input.chunks import Gathered

__all__ = ["Page", "Pass", "Passes", "in_step", "loaded", "saved"]

Result = TypeVar("Result")

_OF_THE_REST = 0.04  # of the work that is left, as nobody knows how many passes there will be


@dataclass(frozen=True)
class Page:
    """Rows of one stratum of the file, which no chunking changes.

    Attributes
    ----------
    number
        Its number among all pages.
    stratum
        The number of its stratum.
    rows
        Where its rows are.
    records
        How many it has.
    folder
        Where passes leave arrays for each other.
    block
        The block of variables that passes are about.
    numbers
        Which of the arrays has the numbers that they compute with.
    """

    number: int
    stratum: int
    rows: Gathered
    records: int
    folder: Path
    block: int = 0
    numbers: str = "numbers"

    def path(self, what: str) -> Path:
        """Return the file of an array."""
        return self.folder / f"{what}-{self.block:03}-{self.number:06}.npy"


@dataclass(frozen=True)
class Pass:
    """One task for every page: ``function(page, *shared)``.

    Attributes
    ----------
    pages
        The pages that it goes over.
    function
        A function of a module, which can be carried out again without harm.
    shared
        What all pages have in common.
    """

    pages: Sequence[Page]
    function: Callable[..., Any]
    shared: tuple[Any, ...] = ()


Passes = Generator[Pass, list[Any], Result]
Tasks = Callable[[Callable[..., Any], Sequence[Any]], list[Any]]


def in_step(tasks: Tasks, jobs: Sequence[Passes[Result]]) -> list[Result]:
    """Carry out several algorithms at once; return what they return.

    Parameters
    ----------
    tasks
        Calls a function with every item of a list, somewhere, and returns the results in their order.
    jobs
        Their passes.
    """
    results: dict[int, Result] = {}
    sent: dict[int, Any] = dict.fromkeys(range(len(jobs)))
    left = 1.0
    while sent:
        wanted: dict[int, Pass] = {}
        for number, answer in sent.items():
            try:
                wanted[number] = jobs[number].send(answer)
            except StopIteration as end:
                results[number] = end.value
        if not wanted:
            break
        items = [(one.function, page, one.shared) for one in wanted.values() for page in one.pages]
        with share(left * _OF_THE_REST):
            answers = iter(tasks(_carried_out, items))
        left -= left * _OF_THE_REST
        sent = {number: [next(answers) for _ in one.pages] for number, one in wanted.items()}
    return [results[number] for number in range(len(jobs))]


def saved(path: Path, array: NDArray[Any]) -> None:
    """Write an array, whole or not at all."""
    temporary = path.with_name(f".{secrets.token_hex(6)}.part")
    try:
        with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            np.save(file, array)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def loaded(page: Page, what: str = "") -> NDArray[Any]:
    """Return an array that a pass before this one has left; by default the numbers."""
    return np.asarray(np.load(page.path(what or page.numbers)))


def _carried_out(item: tuple[Callable[..., Any], Page, tuple[Any, ...]]) -> Any:
    function, page, shared = item
    return function(page, *shared)
