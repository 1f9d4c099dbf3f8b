"""Where the centres of fuzzy clusters start, as `partition.fuzzy.starts` does it in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import squared_distances_between
from shoal.partition.fuzzy.base import FuzzyClusterer
from shoal.partition.fuzzy.soft_method import SoftMethod
from shoal.partition.fuzzy.starts import TOWARDS_THE_MEAN
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded, saved

Doubles = NDArray[np.float64]
Iterating = SoftMethod | FuzzyClusterer
"""What says how clusters start, and when they have been found."""


class Start:
    """The pages of one stratum, and how their records are found by their place in all of them."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = pages
        self.ends = np.cumsum([page.records for page in pages])

    def record(self, place: int) -> Passes[Doubles]:
        """Return the record at a place among all records of the stratum."""
        page = int(np.searchsorted(self.ends, place, side="right"))
        first = int(self.ends[page]) - self.pages[page].records
        (found,) = yield Pass((self.pages[page],), _record_at, (place - first,))
        return np.asarray(found)


def started(pages: Sequence[Page], clusters: int, how: Iterating, mean: Doubles) -> Passes[list[Doubles]]:
    """Return the centres of every start: records, a hundredth of the way nearer to the mean of all."""
    start = Start(pages)
    if how.init == "farthest":
        found = [(yield from _farthest_first(pages, clusters, mean))]
    else:
        rng = np.random.default_rng(how.random_state)
        found = []
        for _ in range(how.n_init):
            if how.init == "random":
                rows = rng.choice(int(start.ends[-1]), clusters, replace=False).tolist()
                drawn = []
                for row in rows:
                    drawn.append((yield from start.record(row)))
            else:
                drawn = yield from _plus_plus(start, clusters, rng)
            found.append(np.array(drawn))
    return [centres + TOWARDS_THE_MEAN * (mean - centres) for centres in found]


def farthest_from(pages: Sequence[Page], centres: Doubles) -> Passes[tuple[float, Doubles]]:
    """Return how far the record farthest from all centres is (squared), and the first such record."""
    answers: list[tuple[float, Doubles]] = yield Pass(pages, _farthest_in, (centres,))
    return max(answers, key=lambda one: one[0])  # of several the first


def _plus_plus(start: Start, clusters: int, rng: np.random.Generator) -> Passes[list[Doubles]]:
    """Return records, each drawn with probability proportional to its squared distance to the others."""
    centres = [(yield from start.record(int(rng.integers(int(start.ends[-1])))))]
    while len(centres) < clusters:
        upto = np.cumsum((yield Pass(start.pages, _add_centre, (centres[-1], len(centres) == 1))))
        drawn = rng.random() * upto[-1]
        page = min(int(np.searchsorted(upto, drawn, side="right")), len(upto) - 1)
        rest = drawn - (upto[page - 1] if page else 0.0)
        (found,) = yield Pass((start.pages[page],), _record_reaching, (rest,))
        centres.append(found)
    return centres


def _farthest_first(pages: Sequence[Page], clusters: int, mean: Doubles) -> Passes[Doubles]:
    """Return the record farthest from the mean, then always the one farthest from those before."""
    _, first = yield from farthest_from(pages, mean[None])
    centres = [first]
    while len(centres) < clusters:
        _, record = yield from farthest_from(pages, np.array(centres))
        centres.append(record)
    return np.array(centres)


def _record_at(page: Page, place: int) -> Doubles:
    return np.asarray(loaded(page)[place])


def _add_centre(page: Page, centre: Doubles, is_first: bool) -> float:
    """Take one more centre into account; return the sum of the squared distances to the nearest."""
    nearest = squared_distances_between(loaded(page), centre[None])[:, 0]
    if not is_first:
        nearest = np.minimum(nearest, loaded(page, "nearest"))  # twice is as good as once
    saved(page.path("nearest"), nearest)
    return float(np.cumsum(nearest)[-1])


def _record_reaching(page: Page, drawn: float) -> Doubles:
    """Return the record at which the sum of squared distances passes a number."""
    place = int(np.searchsorted(np.cumsum(loaded(page, "nearest")), drawn, side="right"))
    return np.asarray(loaded(page)[min(place, page.records - 1)])


def _farthest_in(page: Page, centres: Doubles) -> tuple[float, Doubles]:
    X = loaded(page)
    nearest = np.full(len(X), np.inf)
    for centre in centres:
        nearest = np.minimum(nearest, squared_distances_between(X, centre[None])[:, 0])
    place = int(np.argmax(nearest))
    return float(nearest[place]), X[place]
