"""Records that stand alone in the variables that stay, and groups in which they are rewritten with others.

The fitted value of a record is h times its own value and 1 - h times what the others predict; h is its leverage. With h
near 1 the variables that stay give away what is rewritten, and noise hides nothing, as it is orthogonal to them. So do
a few records that share a direction of these variables: what stays gives away what they have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import powers, products
from shoal.replace.synthetic.residuals import regressed, stacks
from shoal.replace.synthetic.synthetic import Tally, without_extremes

__all__ = ["SetApart", "alone_in", "alone_in_all", "alone_in_basis", "alone_in_turn", "set_apart", "watched_cells"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]

_MOST = 0.98  # of a fitted value may come from the record itself ...
# ... but where there are few degrees of freedom, ordinary records have more: there only what at most so many have in
# normal data, by Chernoff's bound.
_BY_CHANCE = 1e-3
_FEW = 5  # records that share a direction


@dataclass(frozen=True, eq=False)
class SetApart:
    """Groups of records that are set apart, and what is left of the others.

    Attributes
    ----------
    groups
        The group of every record. Those of records that are set apart come behind the old ones, unless they are a
        whole old group.
    together
        Which records are set apart: those that stand alone, and those that fill up their groups.
    alone
        Which records stand alone.
    tallies
        How many do, if any are set apart.
    """

    groups: Labels
    together: Flags
    alone: Flags
    tallies: tuple[Tally, ...] = ()

    @property
    def divided(self) -> Labels | None:
        """The groups, if records were set apart."""
        return self.groups if self.tallies else None

    @property
    def is_apart(self) -> Flags:
        """Which groups are those of records that are set apart."""
        return np.bincount(self.groups, weights=self.together) > 0

    @property
    def is_rest(self) -> Flags | None:
        """Which groups are not; None if none is set apart."""
        return ~self.is_apart & (np.bincount(self.groups) > 0) if self.tallies else None


def set_apart(
    Y: Doubles, groups: Labels, k: int, least: int, *, accepted: bool = False, where: str = "stay"
) -> SetApart:
    """Put the records that stand alone in Y into groups of at least k, to be rewritten there without regard to Y.

    Such a group is filled up with the records of the old one that have the most leverage. Where the rest would be too
    small, it is the whole of it.

    Parameters
    ----------
    Y
        The variables that give away what is rewritten, n x M.
    groups
        The group of every record, from 0.
    k
        The fewest records of a group of records that are set apart.
    least
        The fewest residual degrees of freedom of a group. Nothing is done in groups that have fewer.
    accepted
        Whether records may come out unchanged: those that stand alone are found, and nothing is done.
    where
        What the variables do, for the note.
    """
    alone = in_all = alone_in_all(Y)
    if alone.any() or groups.any():
        alone = alone_in(Y, groups, in_all, least)
    if accepted or not alone.any():
        return SetApart(groups, np.zeros_like(alone), alone)
    apart, together = groups.copy(), np.zeros_like(alone)
    order = np.argsort(groups, kind="stable")
    edges = np.append(0, np.cumsum(np.bincount(groups)))
    for group in np.unique(groups[alone]).tolist():
        rows = order[edges[group] : edges[group + 1]]
        parts, alone[rows] = _parts(Y[rows], in_all[rows], k, least)
        together[rows] = parts > 0
        if not (parts > 0).all():
            apart[rows[parts > 0]] = apart.max() + parts[parts > 0]
    text = (
        f"Records that stand alone in variables that {where}, and would be released nearly as they are: {{count}} of "
        f"{{of}}. They are rewritten with others, at least {k} together, without regard to the variables that stay; "
        "covariances with these are not exact."
    )
    return SetApart(apart, together, alone, (Tally(text, int(alone.sum()), len(alone)),))


def _parts(Y: Doubles, in_all: Flags, k: int, least: int) -> tuple[Labels, Flags]:
    """Return the part of every record of one group, 0 for the rest, and which records stand alone.

    Without some records others may stand alone, so that the rest is looked at again.
    """
    scaled, _ = without_extremes(Y)
    parts, alone = np.zeros(len(Y), dtype=np.int64), in_all.copy()
    size = max(k, least + 1)
    while (rest := np.flatnonzero(parts == 0)).size >= size:
        fit = regressed(np.empty((1, len(rest), 0)), scaled[rest][None])
        if fit.degrees[0] < least:
            break
        here = alone_in_basis(fit.basis, fit.rank, len(rest), least, few=1)[0] | alone[rest]
        if not here.any():
            return parts, alone
        alone[rest[here]] = True
        leverages = np.square(fit.basis[0]).sum(axis=1)
        taken = np.lexsort((-leverages, ~here))[: max(size, int(here.sum()))]
        parts[rest[taken]] = parts.max() + 1
    return np.ones(len(Y), dtype=np.int64), alone


def alone_in_all(Y: Doubles) -> Flags:
    """Return which records stand alone in Y, alone or with a few others, among all or once such are left out."""
    scaled, _ = without_extremes(Y)

    def basis_of(rows: Labels) -> tuple[Doubles, Labels]:
        fit = regressed(np.empty((1, len(rows), 0)), scaled[rows][None])
        return fit.basis, fit.rank

    return alone_in_turn(basis_of, len(Y))


def alone_in_turn(basis_of: Callable[[Labels], tuple[Doubles, Labels]], records: int) -> Flags:
    """Return which records stand alone, or do once those that do are left out.

    Parameters
    ----------
    basis_of
        Returns an orthonormal basis of what is regressed on, for some records, and its rank: a stack of one.
    records
        How many records there are.
    """
    alone = np.zeros(records, dtype=bool)
    while True:
        rest = np.flatnonzero(~alone)
        here = alone_in_basis(*basis_of(rest), len(rest))[0]
        if not here.any():
            return alone
        alone[rest[here]] = True


def alone_in(Y: Doubles, groups: Labels, in_all: Flags, least: int = 2, wanted: Flags | None = None) -> Flags:
    """Return which records stand alone in Y within their group, or among all (`in_all`).

    Nothing is looked for in groups with fewer than `least` degrees of freedom.
    """
    alone = np.zeros(len(Y), dtype=bool)
    scaled, _ = without_extremes(Y)
    for _, records in stacks(groups, Y.shape[1] + 1, wanted):
        fit = regressed(np.empty((*records.shape, 0)), scaled[records])
        counted = (fit.degrees >= least)[:, None]
        here = alone_in_basis(fit.basis, fit.rank, records.shape[1], least, few=1) | in_all[records]
        alone[records] = counted & here
    return alone


def _alone_in_column(column: Doubles) -> Flags:
    """Return which values stand alone, alone or with a few others, among all or once such are left out."""

    def basis_of(rows: Labels) -> tuple[Doubles, Labels]:
        deviations = column[rows] - column[rows].mean()
        length = np.sqrt(np.square(deviations).sum())
        both = np.column_stack(
            [np.full(len(rows), 1 / np.sqrt(len(rows))), deviations / length if length else deviations]
        )
        return both[None], np.array([2])

    return alone_in_turn(basis_of, len(column))


def watched_cells(X: Doubles, alone: Flags) -> Flags:
    """Return which values ought not to come out near: all of records that stand alone, and any far from its column."""
    scaled, _ = without_extremes(X)
    return alone[:, None] | np.column_stack([_alone_in_column(column) for column in scaled.T])


def alone_in_basis(basis: Doubles, rank: Labels, records: int, least: int = 2, few: int = _FEW) -> Flags:
    """Return which records stand alone in each matrix of a stack.

    Parameters
    ----------
    basis
        An orthonormal basis of what is regressed on, zeros behind it, b x s x q.
    rank
        Its rank, in each matrix.
    records
        How many records there are: s, or more if those without much leverage are left out.
    least
        The fewest degrees of freedom, at least 2; with fewer none is found.
    few
        How many records may stand alone together.
    """
    leverages = np.square(basis).sum(axis=2)
    degrees = records - rank
    counted = degrees >= least
    alone: Flags = counted[:, None] & (leverages > _most(records, degrees)[:, None])
    # In a direction that a few records share, these have leverages that add up to nearly 1.
    shared = counted & ~alone.any(axis=1) & (-np.sort(-leverages, axis=1)[:, :few].sum(axis=1) > _MOST)
    if few > 1 and shared.any():
        alone[shared] = _sharing(basis[shared], leverages[shared], records, degrees[shared], few)
    return alone


def _sharing(basis: Doubles, leverages: Doubles, records: int, degrees: Labels, few: int) -> Flags:
    """Return which records stand alone once those with the most leverage are left out, and these with them.

    One record after the other is left out, until another stands alone or there are too many.
    """
    inverse = np.tile(np.eye(basis.shape[2]), (len(basis), 1, 1))
    leverages = leverages.copy()
    alone, out = np.zeros(leverages.shape, dtype=bool), np.zeros(leverages.shape, dtype=bool)
    open_ = np.arange(len(basis))
    for count in range(1, few):
        open_ = open_[degrees[open_] - count >= 2]
        if not len(open_):
            break
        top = leverages[open_].argmax(axis=1)
        room = (1 - leverages[open_, top])[:, None]
        turned = products(inverse[open_], basis[open_, top][:, :, None])
        leverages[open_] += np.square(products(basis[open_], turned)[:, :, 0]) / room
        inverse[open_] += products(turned, turned.transpose(0, 2, 1)) / room[:, :, None]
        out[open_, top] = True
        leverages[open_, top] = -np.inf
        found = leverages[open_] > _most(records - count, degrees[open_] - count)[:, None]
        ends = found.any(axis=1)
        alone[open_[ends]] = found[ends] | out[open_[ends]]
        open_ = open_[~ends]
    return alone


def _most(records: int, degrees: Labels) -> Doubles:
    """Return the most leverage that a record may have."""
    some = np.maximum(degrees, 1)
    return np.maximum(_MOST, 1 - some / records * powers(_BY_CHANCE, 2 / some))
