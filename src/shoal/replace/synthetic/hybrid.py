"""Microaggregation-based hybrid data: IPSO inside every group of a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TooFewRecordsError
from shoal.parameters.limits import Limit, OneOf, TrueOrFalse, check_limits
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.group_merging import merged_with_nearest
from shoal.replace.synthetic.ipso import Rewritten, redrawn, rewritten, rewritten_apart
from shoal.replace.synthetic.leverage import SetApart, alone_in, alone_in_all, set_apart, watched_cells
from shoal.replace.synthetic.residuals import normal_numbers, regressed
from shoal.replace.synthetic.synthetic import (
    Names,
    Synthetic,
    Tally,
    as_tuple,
    checked,
    is_unchanged,
    refuse_unchanged,
    without_extremes,
)

__all__ = ["GroupsTooSmallError", "MicroHybrid"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]

_WAYS_OUT = {
    "merge": "merge such groups",
    "drop-others": "ignore the other variables inside them",
    "accept": "accept it",
}


class GroupsTooSmallError(TooFewRecordsError):
    """Groups are too small to hide their residuals, or a record of theirs.

    Attributes
    ----------
    problem
        What is wrong, with {least} where the k belongs that is needed, and {where} where the place does.
    least
        The k without which it cannot work.
    settings
        The values of `small_groups` with which it might.
    """

    def __init__(
        self, problem: str, least: int, settings: Sequence[str], *, raising: str = "", more: str = "", where: str = ""
    ) -> None:
        ways = [*_spelled(settings), *(way for way in (raising, more) if way)]
        text = f"{', '.join(ways[:-1])}{',' * (len(ways) > 2)} or {ways[-1]}" if len(ways) > 1 else ways[0]
        super().__init__(f"{problem.format(least=least, where=where)} {text[0].upper()}{text[1:]}.")
        self.problem, self.least, self.settings = problem, least, tuple(settings)
        self.raising, self.more, self.where = raising, more, where

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.problem, self.least, self.settings, self.raising, self.more, self.where)

    def at(self, where: str) -> GroupsTooSmallError:
        """Return the same of a part of the file."""
        return _again(self.problem, self.least, self.settings, self.raising, self.more, where)

    def for_whole_file(self, least: int, can_be_raised: bool, can_merge: bool) -> GroupsTooSmallError:
        """Return the same with the k that every part of the file needs, and the ways out that lead somewhere."""
        raising = _raise_to(least) if can_be_raised else ""
        settings = [one for one in self.settings if can_merge or one != "merge"]
        return _again(self.problem, least, settings, raising, self.more, self.where)


@dataclass(frozen=True)
class MicroHybrid(SyntheticReplacement):
    """Every group of a partition gets a synthetic version of its own, with the same means and covariances.

    The means and covariances of all variables, confidential or not, are those of the original file, exactly, whatever
    the groups are. The smaller the groups, the more of the rest stays too, and the less is hidden: k decides.

    Parameters
    ----------
    confidential
        The names of the variables to rewrite, X; the others, Y, are released as they are.
    small_groups
        What to do where a group is too small to hide its residuals, or a record would come out unchanged.
        ``"error"``: refuse, naming the k that is needed; groups that are large enough, but in which a record stands
        alone, are merged. ``"drop-others"``: ignore Y inside these groups; the means there, and the covariances of X,
        stay exact, the covariances of X with Y inside them do not. ``"merge"``: merge such a group with the nearest
        until there is room; nothing is lost but some closeness. ``"accept"``: rewrite as far as it goes, and report how
        many records are unchanged.
    orthogonal
        Whether new residuals are uncorrelated with the old in every group. It needs larger groups.

    Notes
    -----
    In a group of n records the residuals of X on [1, Y] have d = n - rank [1, Y] degrees of freedom. With d = 0 the
    original values come out, with d = 1 they do in one of two cases, and below L, the number of confidential variables,
    the new values are a rotation of the old with little freedom. d has to be at least 2 and at least L; with
    `orthogonal` at least 2L. A group with room enough in which a record came out as it was is drawn again, up to twenty
    times. A record stands alone if its fitted value is nearly its own, by its leverage in the regression of its group.
    One that would stand alone among all records is rewritten without regard to Y, with others, at least k together.

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
    reference: ClassVar[str] = (
        "J. Domingo-Ferrer, U. Gonzalez-Nicolas (2010), Hybrid microdata using microaggregation, Information Sciences "
        "180, 2834-2844. The rules on small_groups are shoal's."
    )
    default_method: ClassVar[str] = "mdav"
    shown_as: ClassVar[str] = "hybrid"
    search_defaults: ClassVar[Mapping[str, Any]] = {"small_groups": "merge"}
    limits: ClassVar[Mapping[str, Limit]] = {
        "confidential": Names(),
        "small_groups": OneOf(("error", "drop-others", "merge", "accept")),
        "orthogonal": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidential", as_tuple(self.confidential))
        check_limits(self.limits, vars(self))

    @property
    def accepts_unchanged(self) -> bool:
        """Whether records may come out unchanged, because small groups were accepted."""
        return self.small_groups == "accept"

    def remarks(self, *, in_groups: bool, is_rewritten: Flags) -> list[str]:
        """Return that records are easier to link, whatever the groups are: groups are what this replacement is."""
        return super().remarks(in_groups=True, is_rewritten=is_rewritten)

    def least_degrees(self, columns: int) -> int:
        """Return how many residual degrees of freedom a group needs to rewrite so many variables."""
        return max(2, 2 * columns if self.orthogonal else columns)

    def enough_records(self, X: Doubles, Y: Doubles) -> int:
        """Return the size at which any group of these records has enough degrees of freedom."""
        least = self.least_degrees(X.shape[1])
        if self.small_groups == "drop-others":
            return least + 1
        others, _ = without_extremes(Y)
        return least + int(regressed(X[None, :, :0], others[None]).rank[0])

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator, *, k: int = 3) -> Synthetic:
        """Rewrite X group by group; what is merged is merged among the groups given.

        Parameters
        ----------
        X
            The confidential variables, n x L, without missing values.
        Y
            The others, n x M; M may be 0.
        groups
            The group of every record, 0 to g-1.
        rng
            The source of the noise: n x L normal numbers, whatever the groups are, and more where a record came out
            unchanged.
        k
            How many records are rewritten together, at least, without regard to Y where some stand alone in it.
        """
        X, Y, groups = checked(X, Y, groups)
        work = _Work(X, Y, rng, self.least_degrees(X.shape[1]), self.orthogonal, k)
        groups = np.unique(groups, return_inverse=True)[1].ravel()
        if self.small_groups == "drop-others":
            return self._with_others_dropped(work, groups)
        if self.small_groups != "accept":
            work.watched = watched_cells(X, np.zeros(len(X), dtype=bool))
        new = work.rewritten(groups)
        alone = alone_in(Y, groups, work.alone_in_all, work.least)
        if self.small_groups == "accept":
            tally = Tally(
                "{count} of {of} groups are too small to hide their residuals.",
                int((new.degrees < work.least).sum()),
                len(new.degrees),
            )
            same = int(is_unchanged(X, new.values).sum())
            return Synthetic(new.values, same, (tally,), int(new.degrees.min()), watched=watched_cells(X, alone))
        if self.small_groups == "error":
            self._refuse_small(work, groups, new.degrees < work.least)
            self._refuse_unchanged(work, groups, new, ~alone)
        return self._with_groups_merged(work, groups, new, alone)

    def _refuse_small(self, work: _Work, groups: Labels, small: Flags) -> None:
        """Raise GroupsTooSmallError if a group has too few degrees of freedom."""
        if not small.any():
            return
        least = self.enough_records(work.X, work.Y)
        enough = len(groups) >= least
        can_drop = self.small_groups == "error" and bool((np.bincount(groups)[small] > work.least).all())
        raise GroupsTooSmallError(
            f"Hybrid data needs at least k={{least}} for these variables; {_groups(small)} too small{{where}}, "
            "and would release original values or nearly.",
            least,
            ["merge"] * enough + ["drop-others"] * (can_drop and work.Y.shape[1] > 0),
            raising=_raise_to(least) if enough else "",
            more="name fewer variables",
        )

    def _refuse_unchanged(self, work: _Work, groups: Labels, new: Rewritten, counted: Flags) -> None:
        """Raise GroupsTooSmallError if a record that counts came out unchanged, with the ways out of it."""
        same = is_unchanged(work.X, new.values) & counted
        if not same.any():
            return
        poor = work.poor(groups, new, same)
        without = work.rewritten(groups, poor, Y=work.Y[:, :0])
        dropped = not is_unchanged(work.X, np.where(poor[groups][:, None], without.values, new.values))[counted].any()
        whole = set_apart(work.Y, np.zeros_like(groups), work.k, work.least)
        together = not is_unchanged(work.X, work.rewritten_but(whole).values).any()
        first = np.unique(groups, return_index=True)[1][groups]
        alike = (work.X[first] == work.X).all(axis=1)[poor[groups]].all()
        why = "are all alike in their group" if alike else "differ in their group by no more than rounding"
        if dropped:
            why = "follow from the other variables in their group"
        least = int(np.bincount(groups)[poor].max()) + 1
        raise GroupsTooSmallError(
            f"Hybrid data leaves {int(same.sum())} of {len(same)} records{{where}} as they are, which would release "
            f"them. They {why}.",
            least,
            ["merge"] * together + ["drop-others"] * (dropped and self.small_groups == "error") + ["accept"],
            raising=_raise_to(least) if together else "",
            more="" if together else "name another variable confidential too",
        )

    def _with_others_dropped(self, work: _Work, groups: Labels) -> Synthetic:
        """Rewrite the groups that let original values through as if there were no other variables."""
        apart = set_apart(work.Y, groups, work.k, work.least)
        groups, work.watched = apart.groups, watched_cells(work.X, apart.alone | work.alone_in_all)
        new = work.rewritten_but(apart)
        poor = work.poor(groups, new, is_unchanged(work.X, new.values))
        self._refuse_small(work, groups, poor & (np.bincount(groups) <= work.least))
        values, degrees = new.values, new.degrees.copy()
        if poor.any():
            again = work.rewritten(groups, poor, Y=work.Y[:, :0])
            values = np.where(poor[groups][:, None], again.values, values)
            degrees[poor] = again.degrees
        self._refuse_unchanged(
            work, groups, Rewritten(values, degrees, new.is_orthogonal), np.ones(len(groups), dtype=bool)
        )
        tally = Tally(
            "Groups in which the other variables were ignored: {count} of {of}. Covariances with those variables are "
            "not exact.",
            int(poor.sum()),
            len(poor),
        )
        return Synthetic(values, 0, (tally, *apart.tallies), int(degrees.min()), apart.divided, work.watched)

    def _with_groups_merged(self, work: _Work, groups: Labels, new: Rewritten, alone: Flags) -> Synthetic:
        """Merge the groups that let original values through with their nearest until none does.

        Records that stand alone among all are no reason to merge: they would in any group, and are set apart at last.
        """
        given, before = groups, int(groups.max()) + 1
        values, degrees = new.values, new.degrees
        helped = ~work.alone_in_all
        poor = work.poor(groups, new, (alone | is_unchanged(work.X, values)) & helped)
        enough = self.enough_records(work.X, work.Y) if poor.any() else 0
        while poor.any():
            if len(poor) == 1:
                without = work.rewritten(given, Y=work.Y[:, :0])
                can_drop = (
                    work.Y.shape[1] > 0 and not work.poor(given, without, is_unchanged(work.X, without.values)).any()
                )
                raise TooFewRecordsError(
                    f"Hybrid data needs {enough} records and other variables that do not determine the confidential "
                    f"ones; even all {len(values)} records as one group would release original values. Name "
                    f"{'fewer variables' if len(values) < enough else 'another variable confidential too'}"
                    + ', or ignore the others inside groups (small_groups="drop-others")' * can_drop
                    + "."
                )
            merging = merged_with_nearest(groups, np.hstack([work.X, work.Y]), poor, degrees, work.least, enough)
            groups = merging.groups
            touched = merging.is_merged
            again = work.rewritten(groups, touched)
            values = np.where(touched[groups][:, None], again.values, values)
            degrees = degrees[merging.first]
            degrees[touched] = again.degrees
            here = alone_in(work.Y, groups, work.alone_in_all, work.least, touched)
            alone = np.where(touched[groups], here, alone)
            new = Rewritten(values, degrees, again.is_orthogonal)
            poor = work.poor(groups, new, (alone | is_unchanged(work.X, values)) & helped)
        after = int(groups.max()) + 1
        tally = Tally("Groups merged with others, to hide their residuals: {count} of {of}.", before - after, before)
        made = Synthetic(values, 0, (tally,), int(degrees.min()), groups if after < before else None, work.watched)
        return self._with_records_set_apart(work, groups, made) if work.alone_in_all.any() else made

    def _with_records_set_apart(self, work: _Work, groups: Labels, made: Synthetic) -> Synthetic:
        """Rewrite the groups once more in which there are records that stand alone among all; these are set apart."""
        apart = set_apart(work.Y, groups, work.k, work.least)
        again = np.zeros(int(apart.groups.max()) + 1, dtype=bool)
        again[apart.groups[(np.bincount(groups, weights=apart.alone) > 0)[groups]]] = True
        work.watched = watched_cells(work.X, apart.alone)
        new = work.rewritten_but(apart, again)
        values = np.where(again[apart.groups][:, None], new.values, made.values)
        refuse_unchanged(
            "Hybrid data",
            int(is_unchanged(work.X, values).sum()),
            len(values),
            'Name another variable confidential too, or accept it (small_groups="accept").',
        )
        degrees = min(int(made.degrees or 0), int(new.degrees.min()))
        return Synthetic(values, 0, (*made.tallies, *apart.tallies), degrees, apart.groups, work.watched)


class _Work:
    """The data, the noise, and what is asked of a group."""

    def __init__(self, X: Doubles, Y: Doubles, rng: np.random.Generator, least: int, orthogonal: bool, k: int) -> None:
        self.X, self.Y, self.W = X, Y, normal_numbers(rng, X.shape)
        self.rng, self.least, self.k = rng, least, k
        self.orthogonal = orthogonal
        self.watched: Flags | None = None

    @cached_property
    def alone_in_all(self) -> Flags:
        """Which records stand alone among all, whatever the groups are."""
        return alone_in_all(self.Y)

    def rewritten(self, groups: Labels, wanted: Flags | None = None, *, Y: Doubles | None = None) -> Rewritten:
        """Return IPSO-C inside the groups that are wanted, drawn again where a record came out as it was.

        By default the variables that stay are those given.
        """
        Y = self.Y if Y is None else Y
        new = rewritten(self.X, Y, self.W, groups, orthogonal=self.orthogonal, wanted=wanted)
        free = np.ones(int(groups.max()) + 1, dtype=bool) if wanted is None else wanted.copy()
        free[free] = new.degrees > 1  # of a residual and its mirror image a coin has chosen
        values = redrawn(
            self.X, Y, new.values, groups, self.rng, orthogonal=self.orthogonal, wanted=free, watched=self.watched
        )
        return Rewritten(values, new.degrees, new.is_orthogonal)

    def rewritten_but(self, apart: SetApart, wanted: Flags | None = None) -> Rewritten:
        """Return the same, but in the groups of records that are set apart as if there were no other variables."""
        if apart.is_rest is None:
            return self.rewritten(apart.groups, wanted)
        wanted = apart.is_rest | apart.is_apart if wanted is None else wanted
        new = self.rewritten(apart.groups, wanted & apart.is_rest)
        values, _ = rewritten_apart(self.X, self.W, new.values, apart, self.rng, self.watched)
        degrees = np.bincount(apart.groups) - 1
        degrees[wanted & apart.is_rest] = new.degrees
        return Rewritten(values, degrees[wanted], new.is_orthogonal)

    def poor(self, groups: Labels, new: Rewritten, let_through: Flags) -> Flags:
        """Return which groups have too few degrees of freedom, or one of the records that are let through."""
        poor: Flags = new.degrees < self.least
        poor[groups[let_through]] = True
        return poor


def _raise_to(least: int) -> str:
    return f"raise k to at least {least} (more may be needed)"


def _groups(small: Flags | int) -> str:
    count = int(np.sum(small))
    return "1 group is" if count == 1 else f"{count} groups are"


def _spelled(settings: Sequence[str]) -> list[str]:
    """Return the ways out, each with its setting; the first also as an option of the command line."""
    first = '{} (small_groups="{}", --replace hybrid:small_groups={})'
    return [
        (first if place == 0 else '{} ("{}")').format(_WAYS_OUT[one], one, one) for place, one in enumerate(settings)
    ]


def _again(
    problem: str, least: int, settings: Sequence[str], raising: str, more: str, where: str
) -> GroupsTooSmallError:
    return GroupsTooSmallError(problem, least, settings, raising=raising, more=more, where=where)
