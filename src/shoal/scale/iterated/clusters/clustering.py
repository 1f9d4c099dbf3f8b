"""Fuzzy c-means of the whole file: the loop of `partition.fuzzy`, whose sums over the records are sums over pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.partition.fuzzy.alternating import Alternation, MembershipRule, alternating
from shoal.partition.fuzzy.centred_records import CentredRecords, Farthest, Place, Steps, Total
from shoal.partition.geometry.array_arithmetic import arithmetic_for
from shoal.scale.iterated.clusters.starts import Iterating, farthest_from, started
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded

Doubles = NDArray[np.float64]
Project = Callable[[Doubles], Doubles]
Result = TypeVar("Result")


def clustered(
    pages: Sequence[Page],
    clusters: int,
    rule: MembershipRule,
    how: Iterating,
    project: Project | None = None,
    *,
    projects_each_time: bool = True,
) -> Passes[Alternation]:
    """Find the centres of one stratum, as the estimators of `partition.fuzzy` do.

    Parameters
    ----------
    pages
        The pages of the stratum.
    clusters
        How many centres there are.
    rule
        How distances become memberships.
    how
        How to start and when to stop.
    project
        Takes centres to the nearest that keep constraints.
    projects_each_time
        Whether every step does that, not just the end.
    """
    records = sum(page.records for page in pages)
    mean = np.sum((yield Pass(pages, _sum_of)), axis=0) / records
    mean_square = sum((yield Pass(pages, _squares_from, (mean,)))) / records
    place = Place(arithmetic_for(mean), mean, mean_square)
    each_time = project if projects_each_time else None
    best: Alternation | None = None
    for start in (yield from started(pages, clusters, how, mean)):
        steps = alternating(place, start, rule, project=each_time, max_iter=how.max_iter, tol=how.tol)
        one = yield from _over_pages(pages, place, rule.matrices, steps)
        if best is None or one.objective[-1] < best.objective[-1]:
            best = one
    assert best is not None
    return best if project is None else replace(best, centres=project(best.centres))


def _over_pages(pages: Sequence[Page], place: Place, matrices: int, steps: Steps[Result]) -> Passes[Result]:
    """Carry out an algorithm on the records of all pages: each page is added up, and then the sums of all."""
    answer: Any = None
    while True:
        try:
            asked = steps.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result
        if isinstance(asked, Total):
            totals = yield Pass(pages, _total_of, (asked, place.origin, matrices))
            answer = reduce(partial(asked.join, place.arithmetic), totals)
        else:
            answer = yield from _farthest(pages, place.origin, asked)


def _farthest(pages: Sequence[Page], origin: Doubles, asked: Farthest) -> Passes[Doubles]:
    """Return a new place for each centre without records: the record that is then farthest from all."""
    found, places = [], asked.centres + origin
    for stay in asked.stay:
        distance, record = yield from farthest_from(pages, places)
        found.append(stay if distance == 0 else record - origin)
        places = np.vstack([places, record])
    return np.array(found)


def _sum_of(page: Page) -> Doubles:
    return np.asarray(loaded(page).sum(axis=0))


def _squares_from(page: Page, origin: Doubles) -> float:
    return float(np.square(loaded(page) - origin).sum(axis=1).sum())


def _total_of(page: Page, asked: Total, origin: Doubles, matrices: int) -> Any:
    return CentredRecords(loaded(page), matrices=matrices, origin=origin).total(asked)
