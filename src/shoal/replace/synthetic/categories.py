"""Confidential categories dealt anew: as many of each as there were in every cell of records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import exp, products, singular
from shoal.replace.synthetic.indicators import pooled
from shoal.replace.synthetic.synthetic import without_extremes

__all__ = ["cells_of", "chances_of", "dealt", "drawn_by_chance"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_PER_COEFFICIENT = 10  # records of a category; with fewer, a model follows single records and deals them what they had
_MOST_CLASSES = 100  # a model of more is large, and says little
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


def dealt(codes: Labels, cells: Labels, before: Doubles, after: Doubles, rng: np.random.Generator) -> Labels:
    """Deal the categories of every cell to its records anew, each likelier to those whose variables go with it.

    Every cell has as many of each category as before. Categories with too few records for a model of their own have one
    together, and are dealt at random to those who get one of them; so are all where there is nothing to model.

    Parameters
    ----------
    codes, cells
        The category and the cell of every record, from 0.
    before, after
        What categories go with, n x p: as it was, and with the new values of what was rewritten.
    rng
        Where the order of the records and the draws come from.
    """
    varying = int((np.ptp(before, axis=0) > 0).sum())
    classes = pooled(codes, _PER_COEFFICIENT * (1 + varying))
    drawn = classes
    if varying and 0 < classes.max() < _MOST_CLASSES:
        drawn = drawn_by_chance(classes, cells, chances_of(classes, before, after), rng)
    else:
        classes = drawn = np.zeros_like(codes)
    new = np.empty_like(codes)
    new[np.lexsort((rng.random(len(codes)), drawn, cells))] = codes[np.lexsort((classes, cells))]
    return new


def drawn_by_chance(codes: Labels, cells: Labels, chances: Doubles, rng: np.random.Generator) -> Labels:
    """Deal the categories of every cell to its records anew, by their chances; if these are equal, at random.

    Parameters
    ----------
    codes, cells
        The category and the cell of every record, from 0.
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


def chances_of(codes: Labels, before: Doubles, after: Doubles) -> Doubles:
    """Return the chance of every category for every record, n x c, by multinomial logistic regression.

    Parameters
    ----------
    codes
        The category of every record, 0 to c-1.
    before
        What the categories are regressed on, n x p; a constant is added.
    after
        What the chances are computed from: the same variables, with those in new values that were rewritten.
    """
    old, new = _spanning(before, after)
    has = (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float64)
    coefficients = np.zeros((old.shape[1], has.shape[1]))
    for _ in range(_MOST_STEPS):  # of Boehning's bound, which with orthonormal columns needs no inverse
        gradient = products(old.T, has - _softmax(products(old, coefficients)))
        if np.abs(gradient).max() < _TOLERANCE:
            break
        coefficients += 2 * gradient
    return np.clip(_softmax(products(new, coefficients)), _LEAST_CHANCE, 1.0)


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


def _softmax(scores: Doubles) -> Doubles:
    odds = exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float64)
