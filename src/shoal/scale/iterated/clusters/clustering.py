"""Fuzzy c-means of the whole file: memberships and weighted sums of every page, and centres from all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import exp
from shoal.partition.fuzzy.alternating import Crisp, MembershipRule
from shoal.partition.fuzzy.centred_records import CentredRecords, RecordBlock
from shoal.scale.iterated.clusters.starts import Clustering, farthest_from, started
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded

__all__ = ["FoundCentres", "Iterating", "clustered"]

Doubles = NDArray[np.float64]
Project = Callable[[Doubles], Doubles]

_LIMITS = np.finfo(np.float64)
_WEAK = float(_LIMITS.smallest_normal) / float(_LIMITS.eps) ** 2  # weights below this are too small for numbers


class Iterating(Clustering, Protocol):
    """What is asked of a fuzzy method, or of an estimator, beside how it starts."""

    @property
    def max_iter(self) -> int:
        """The most moves of the centres."""
        ...

    @property
    def tol(self) -> float:
        """How far a centre that has stopped may still move, relative to the spread of the records."""
        ...


@dataclass(frozen=True)
class FoundCentres:
    """Where the centres ended.

    Attributes
    ----------
    centres
        The centres, c x d.
    n_iter, converged
        How often they were moved, and whether they stopped.
    objective
        Its value at the end.
    """

    centres: Doubles
    n_iter: int
    converged: bool
    objective: float


class _Sums(NamedTuple):
    """Weighted sums over some records, per centre (the last column has the weights), and the objective."""

    sums: Doubles
    objective: float


def clustered(
    pages: Sequence[Page],
    clusters: int,
    rule: MembershipRule,
    how: Iterating,
    project: Project | None = None,
    *,
    projects_each_time: bool = True,
) -> Passes[FoundCentres]:
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
    spread = math.sqrt(sum((yield Pass(pages, _squares_from, (mean,)))) / records)
    enough = max(how.tol, 8 * float(_LIMITS.eps)) * spread
    best: FoundCentres | None = None
    for start in (yield from started(pages, clusters, how, mean)):
        each_time = project if projects_each_time else None
        one = yield from _alternated(pages, start, mean, rule, each_time, enough, how.max_iter)
        if best is None or one.objective < best.objective:
            best = one
    assert best is not None
    if project is None:
        return best
    return FoundCentres(project(best.centres), best.n_iter, best.converged, best.objective)


def _alternated(
    pages: Sequence[Page],
    start: Doubles,
    mean: Doubles,
    rule: MembershipRule,
    project: Project | None,
    enough: float,
    max_iter: int,
) -> Passes[FoundCentres]:
    """Compute memberships and centres in turn until the centres stay where they are."""
    present = start - mean
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        whole = _added((yield Pass(pages, _sums_of, (present, mean, rule))))
        moved = yield from _means(pages, whole.sums, present, mean, rule)
        if project is not None:
            moved = project(moved + mean) - mean
        converged = math.sqrt(float(np.square(moved - present).sum(axis=1).max())) <= enough
        present = moved
        n_iter += 1
    whole = _added((yield Pass(pages, _sums_of, (present, mean, rule))))
    return FoundCentres(present + mean, n_iter, converged, whole.objective)


def _means(
    pages: Sequence[Page], sums: Doubles, present: Doubles, mean: Doubles, rule: MembershipRule
) -> Passes[Doubles]:
    """Return the weighted means; centres whose weights are too small for numbers have them taken in logarithms."""
    d = present.shape[1]
    weights = sums[:, d + 1]
    is_weak = weights < _WEAK
    means = sums[:, :d] / np.where(is_weak, 1.0, weights)[:, None]
    weak = np.flatnonzero(is_weak)
    if not len(weak):
        return means
    if isinstance(rule, Crisp):
        places = present + mean
        for centre in weak:  # one without records goes to the record that is then farthest from all
            distance, record = yield from farthest_from(pages, places)
            means[centre] = present[centre] if distance == 0 else record - mean
            places = np.vstack([places, record])
        return means
    _, whole = _joined_logs((yield Pass(pages, _sums_in_logs, (present, mean, rule, weak))))
    is_known = whole[:, d + 1] > 0
    known = whole[:, :d] / np.where(is_known, whole[:, d + 1], 1.0)[:, None]
    means[weak] = np.where(is_known[:, None], known, present[weak])
    return means


def _added(of_pages: Sequence[_Sums]) -> _Sums:
    return reduce(lambda one, other: _Sums(one.sums + other.sums, one.objective + other.objective), of_pages)


def _joined_logs(parts: Sequence[tuple[Doubles, Doubles]]) -> tuple[Doubles, Doubles]:
    """Return the largest logarithms of all parts, and their sums relative to these."""

    def join(one: tuple[Doubles, Doubles], other: tuple[Doubles, Doubles]) -> tuple[Doubles, Doubles]:
        top = np.maximum(one[0], other[0])
        return top, one[1] * _relative(one[0], top) + other[1] * _relative(other[0], top)

    return reduce(join, parts)


def _relative(own: Doubles, top: Doubles) -> Doubles:
    return exp(own - _finite(top))[:, None]


def _finite(top: Doubles) -> Doubles:
    return np.where(np.isneginf(top), 0.0, top)


def _sum_of(page: Page) -> Doubles:
    return np.asarray(loaded(page).sum(axis=0))


def _squares_from(page: Page, origin: Doubles) -> float:
    return float(np.square(loaded(page) - origin).sum(axis=1).sum())


def _sums_of(page: Page, centres: Doubles, origin: Doubles, rule: MembershipRule) -> _Sums:
    def gather(block: RecordBlock) -> _Sums:
        weights = rule.weigh(block)
        return _Sums(
            block.arithmetic.weighted_sums(weights.matrix, block.rows, weights.factors), float(weights.objective)
        )

    return _added(list(CentredRecords(loaded(page), matrices=rule.matrices, origin=origin).walk(centres, gather)))


def _sums_in_logs(
    page: Page, centres: Doubles, origin: Doubles, rule: MembershipRule, weak: NDArray[np.int64]
) -> tuple[Doubles, Doubles]:
    def gather(block: RecordBlock) -> tuple[Doubles, Doubles]:
        logarithms = rule.log_weights(block, weak)
        top = logarithms.max(axis=0)
        return top, block.arithmetic.weighted_sums(exp(logarithms - _finite(top)), block.rows, None)

    records = CentredRecords(loaded(page), matrices=rule.matrices, origin=origin)
    return _joined_logs(list(records.walk(centres, gather)))
