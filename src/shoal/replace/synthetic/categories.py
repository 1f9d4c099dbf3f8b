"""Confidential categories dealt anew: as many of each as there were in every cell of records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import exp, products, singular
from shoal.replace.synthetic.indicators import pooled
from shoal.replace.synthetic.synthetic import without_extremes

__all__ = ["cells_of", "chances_of", "dealt"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_PER_COEFFICIENT = 10  # records of a category; with fewer, a model follows single records and deals them what they had
_MOST_CATEGORIES = 100  # a model of more is large, and says little
_MOST_STEPS = 200
_TOLERANCE = 0.01  # of sums of residuals, whose standard deviation is up to 0.5
_LEAST_CHANCE = 1e-6
_RANK = 1e-9  # directions of the predictors shorter than this, beside the longest, are rounding


def cells_of(groups: Labels, kept: Sequence[Labels], least: int) -> Labels:
    """Return the cell of every record: a combination of kept categories inside a group, of at least `least` records.

    Records of a combination with fewer make cells by fewer of the variables, those with the fewest categories for
    longest; those that are left in the end by their group alone, and join its smallest cell where they are too few.

    Parameters
    ----------
    groups
        The group of every record, each of at least `least` records.
    kept
        The kept variables, numbered.
    least
        The fewest records of a cell.
    """
    by_categories = sorted(kept, key=lambda one: len(np.unique(one)))
    cells = np.full(len(groups), -1, dtype=np.int64)
    for used in range(len(kept), -1, -1):
        rows = np.flatnonzero(cells < 0)
        columns = np.column_stack([groups[rows], *(one[rows] for one in by_categories[:used])])
        own, sizes = np.unique(columns, axis=0, return_inverse=True, return_counts=True)[1:]
        own = own.ravel()
        large = sizes[own] >= least
        cells[rows[large]] = own[large] + cells.max() + 1
    _join_smallest(cells, groups)
    return np.unique(cells, return_inverse=True)[1].astype(np.int64).ravel()


def _join_smallest(cells: Labels, groups: Labels) -> None:
    """Put every record without a cell into the smallest cell of its group."""
    alone = np.flatnonzero(cells < 0)
    if not len(alone):
        return
    sizes = np.bincount(cells[cells >= 0], minlength=int(cells.max()) + 1)
    numbers, first = np.unique(cells, return_index=True)
    numbers, first = numbers[1:], first[1:]  # without -1
    ascending = np.lexsort((numbers, sizes[numbers]))
    group_of_cell = groups[first[ascending]]
    found, place = np.unique(group_of_cell, return_index=True)  # the first of a group is its smallest
    cells[alone] = numbers[ascending][place[np.searchsorted(found, groups[alone])]]


def chances_of(codes: Labels, before: Doubles, after: Doubles) -> Doubles:
    """Return the chance of every category for every record, n x c, by multinomial logistic regression.

    Categories with too few records for a model of their own have one together, and inside it the chances of their
    shares; where there is nothing to model, all chances are shares.

    Parameters
    ----------
    codes
        The category of every record, 0 to c-1.
    before
        What the categories are regressed on, n x p; a constant is added.
    after
        What the chances are computed from: the same variables, with those in new values that were rewritten.
    """
    sizes = np.bincount(codes)
    shares = sizes / len(codes)
    old, new = _spanning(before, after)
    modelled = pooled(codes, _PER_COEFFICIENT * old.shape[1])
    if modelled.max() == 0 or old.shape[1] == 1 or modelled.max() >= _MOST_CATEGORIES:
        return np.tile(shares, (len(codes), 1))
    model_of = np.zeros(len(sizes), dtype=np.int64)
    model_of[codes] = modelled
    inside = shares / np.bincount(model_of, weights=shares)[model_of]
    return np.asarray(_logistic(modelled, old, new)[:, model_of] * inside, dtype=np.float64)


def _spanning(before: Doubles, after: Doubles) -> tuple[Doubles, Doubles]:
    """Return orthonormal columns that span [1, before], and the same combinations of [1, after]."""
    scaled, exponents = without_extremes(before)
    spread = scaled.std(axis=0)
    varies = spread > 0
    with np.errstate(under="ignore"):
        new = np.ldexp(after, -exponents)
    means, spread = scaled[:, varies].mean(axis=0), spread[varies]
    old, new = (np.column_stack([np.ones(len(V)), (V[:, varies] - means) / spread]) for V in (scaled, new))
    left, sizes, right = (one[0] for one in singular(old[None]))
    inside = sizes > _RANK * sizes[0]
    return left[:, inside], products(new, (right[inside] / sizes[inside, None]).T)


def _logistic(codes: Labels, old: Doubles, new: Doubles) -> Doubles:
    """Return the chances that a model of the codes on `old` gives with `new`.

    Steps of Boehning's bound: with orthonormal columns it is the sum of the residuals, and needs no inverse.
    """
    has = (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float64)
    coefficients = np.zeros((old.shape[1], has.shape[1]))
    for _ in range(_MOST_STEPS):
        gradient = products(old.T, has - _softmax(products(old, coefficients)))
        if np.abs(gradient).max() < _TOLERANCE:
            break
        coefficients += 2 * gradient
    return np.clip(_softmax(products(new, coefficients)), _LEAST_CHANCE, 1.0)


def _softmax(scores: Doubles) -> Doubles:
    odds = exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float64)


def dealt(codes: Labels, cells: Labels, chances: Doubles, rng: np.random.Generator) -> Labels:
    """Deal the categories of every cell to its records anew; a record is likelier to get one it has a chance of.

    Every cell has as many of each category as before. With equal chances this is a random permutation.

    Parameters
    ----------
    codes, cells
        The category, 0 to c-1, and the cell of every record.
    chances
        Those of every category for every record, n x c, above 0.
    rng
        Where the order of the records and the draws come from.
    """
    from shoal.partition.kernels.dealing import deal  # takes a while the first time, and many runs need none

    order = rng.permutation(len(codes))
    order = order[np.argsort(cells[order], kind="stable")]
    starts = np.append(0, np.cumsum(np.bincount(cells)))
    new = np.empty_like(codes)
    deal(order, starts, np.ascontiguousarray(codes), np.ascontiguousarray(chances), rng.random(len(codes)), new)
    return new
