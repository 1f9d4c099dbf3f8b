"""Microaggregation-based hybrid data: IPSO inside every group of a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TooFewRecordsError
from shoal.limits import Limit, OneOf, TrueOrFalse, check_limits
from shoal.replace.group_merging import merged_with_nearest
from shoal.replace.ipso import Rewritten, rewritten
from shoal.replace.residuals import regressed
from shoal.replace.synthetic import (
    Names,
    Synthetic,
    as_tuple,
    checked,
    is_unchanged,
    refuse_unchanged,
    without_extremes,
)

__all__ = ["MicroHybrid"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class MicroHybrid:
    """Every group of a partition gets a synthetic version of its own, with the same means and covariances.

    The means and covariances of all variables, confidential or not, are those of the original file, exactly, whatever
    the groups are. The smaller the groups, the more of the rest stays too, and the less is hidden: k is the dial.

    Parameters
    ----------
    confidential
        The names of the variables to rewrite, X; the others, Y, are released as they are.
    small_groups
        What to do where a group is too small to hide its residuals, or a record would come out as it went in.
        ``"error"``: refuse, and say which k would do. ``"drop-others"``: forget Y inside these groups; the means
        there, and the covariances of X, stay exact, the covariances of X with Y inside them do not.
        ``"merge"``: merge such a group with the nearest until there is room; nothing is lost but some closeness.
        ``"accept"``: rewrite as far as it goes, and report how many records are unchanged.
    orthogonal
        Whether new residuals are uncorrelated with the old in every group. It needs larger groups.

    Notes
    -----
    In a group of n records the residuals of X on [1, Y] have d = n - rank [1, Y] degrees of freedom. With d = 0 the
    original values come out, with d = 1 they do in one of two cases, and below L, the number of confidential variables,
    the new values are a rotation of the old with little freedom. d has to be at least 2 and at least L; with
    `orthogonal` at least 2L.

    Linkage of the confidential values finds more records than after plain microaggregation of the same groups: these
    data are closer to the original in everything.

    References
    ----------
    J. Domingo-Ferrer, U. Gonzalez-Nicolas (2010), Hybrid microdata using microaggregation, Information Sciences 180,
    2834-2844. The rules on `small_groups` are shoal's.
    """

    confidential: Sequence[str] = ()
    small_groups: str = "error"
    orthogonal: bool = False

    name: ClassVar[str] = "hybrid"
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous"})
    limits: ClassVar[Mapping[str, Limit]] = {
        "confidential": Names(),
        "small_groups": OneOf(("error", "drop-others", "merge", "accept")),
        "orthogonal": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidential", as_tuple(self.confidential))
        check_limits(self.limits, vars(self))

    def least_degrees(self, columns: int) -> int:
        """Return how many residual degrees of freedom a group needs to rewrite so many variables."""
        return max(2, 2 * columns if self.orthogonal else columns)

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator) -> Synthetic:
        """Rewrite X group by group; what is merged is merged among the groups given.

        Parameters
        ----------
        X
            The confidential variables, n x L, without gaps.
        Y
            The others, n x M; M may be 0.
        groups
            The group of every record, 0 to g-1.
        rng
            Where the noise comes from: n x L normal numbers, whatever the groups are.
        """
        X, Y, groups = checked(X, Y, groups)
        work = _Work(X, Y, rng.standard_normal(X.shape), self.least_degrees(X.shape[1]), self.orthogonal)
        groups = np.unique(groups, return_inverse=True)[1].ravel()
        new = work.rewritten(groups)
        if self.small_groups == "accept":
            small, same = int((new.degrees < work.least).sum()), int(is_unchanged(X, new.values).sum())
            notes = [f"{_groups(small)} too small to hide {'its' if small == 1 else 'their'} residuals."] * (small > 0)
            notes += [f"{same} of {len(X)} records are unchanged, which was accepted."] * (same > 0)
            return Synthetic(new.values, same, tuple(notes), int(new.degrees.min()))
        if self.small_groups == "drop-others":
            return self._with_others_dropped(work, groups, new)
        if self.small_groups == "merge":
            return self._with_groups_merged(work, groups, new)
        if (new.degrees < work.least).any():
            raise TooFewRecordsError(
                f"Hybrid data needs k={work.enough_records()} for these variables; {_groups(new.degrees < work.least)} "
                "too small, and would release original values or nearly. Raise k, merge such groups "
                '(small_groups="merge"), or forget the other variables inside them (small_groups="drop-others").'
            )
        refuse_unchanged(
            "Hybrid data",
            int(is_unchanged(X, new.values).sum()),
            len(X),
            "They are what the other variables in their group say they are. Raise k, merge such groups "
            '(small_groups="merge"), forget the other variables inside them ("drop-others"), or accept it ("accept").',
        )
        return Synthetic(new.values, 0, (), int(new.degrees.min()))

    def _with_others_dropped(self, work: _Work, groups: Labels, new: Rewritten) -> Synthetic:
        """Rewrite the groups that let original values through once more, as if there were no other variables."""
        poor = work.poor(groups, new)
        least = work.least + 1
        small = poor & (np.bincount(groups) < least)
        if small.any():
            raise TooFewRecordsError(
                f"Even without the other variables hybrid data needs k={least}; {_groups(small)} too small. "
                'Raise k, or merge such groups (small_groups="merge").'
            )
        values, degrees = new.values, new.degrees.copy()
        if poor.any():
            again = work.rewritten(groups, poor, without_others=True)
            values = np.where(poor[groups][:, None], again.values, values)
            degrees[poor] = again.degrees
        refuse_unchanged(
            "Hybrid data",
            int(is_unchanged(work.X, values).sum()),
            len(values),
            "All records of their group are alike. Raise k, merge such groups "
            '(small_groups="merge"), or accept it ("accept").',
        )
        note = (
            f"Groups in which the other variables were forgotten: {int(poor.sum())} of {len(poor)}. Covariances with "
        )
        note += "those variables are not exact."
        return Synthetic(values, 0, (note,) if poor.any() else (), int(degrees.min()))

    def _with_groups_merged(self, work: _Work, groups: Labels, new: Rewritten) -> Synthetic:
        """Merge the groups that let original values through with their nearest until none does."""
        before = int(groups.max()) + 1
        values, degrees = new.values, new.degrees
        poor = work.poor(groups, new)
        while poor.any():
            if len(poor) == 1:
                raise TooFewRecordsError(
                    f"Hybrid data needs {work.enough_records()} records and other variables that do not determine the "
                    f"confidential ones; even all {len(values)} records as one group would release original values. "
                    "Name fewer variables."
                )
            merging = merged_with_nearest(
                groups, np.hstack([work.X, work.Y]), poor, degrees, work.least, work.enough_records()
            )
            groups = merging.groups
            touched = merging.is_merged
            again = work.rewritten(groups, touched)
            values = np.where(touched[groups][:, None], again.values, values)
            degrees = degrees[merging.first]
            degrees[touched] = again.degrees
            poor = work.poor(groups, Rewritten(values, degrees, again.is_orthogonal))
        after = int(groups.max()) + 1
        note = f"Groups merged with others, to hide their residuals: {before - after} of {before}."
        return Synthetic(values, 0, (note,) if after < before else (), int(degrees.min()))


class _Work:
    """The data, the noise, and what is asked of a group."""

    def __init__(self, X: Doubles, Y: Doubles, W: Doubles, least: int, orthogonal: bool) -> None:
        self.X, self.Y, self.W = X, Y, W
        self.least = least
        self.orthogonal = orthogonal
        self._enough: int | None = None

    def rewritten(self, groups: Labels, wanted: Flags | None = None, *, without_others: bool = False) -> Rewritten:
        """Return IPSO-C inside the groups that are wanted."""
        Y = self.Y[:, :0] if without_others else self.Y
        return rewritten(self.X, Y, self.W, groups, orthogonal=self.orthogonal, wanted=wanted)

    def poor(self, groups: Labels, new: Rewritten) -> Flags:
        """Return which groups have too few degrees of freedom, or a record that is unchanged."""
        poor: Flags = new.degrees < self.least
        poor[groups[is_unchanged(self.X, new.values)]] = True
        return poor

    def enough_records(self) -> int:
        """Return the size at which any group has enough degrees of freedom."""
        if self._enough is None:
            others, _ = without_extremes(self.Y)
            self._enough = self.least + int(regressed(self.X[None, :, :0], others[None]).rank[0])
        return self._enough


def _groups(small: Flags | int) -> str:
    count = int(np.sum(small))
    return "1 group is" if count == 1 else f"{count} groups are"
