"""Microaggregation-based hybrid data: IPSO inside every group of a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TooFewRecordsError
from shoal.parameters.limits import Limit, OneOf, TrueOrFalse, check_limits
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.group_merging import merged_with_nearest
from shoal.replace.synthetic.ipso import Rewritten, redrawn, rewritten
from shoal.replace.synthetic.residuals import normal_numbers, regressed
from shoal.replace.synthetic.synthetic import (
    Names,
    Synthetic,
    Tally,
    as_tuple,
    checked,
    is_unchanged,
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
        ``"error"``: refuse, naming the k that is needed. ``"drop-others"``: ignore Y inside these groups; the means
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
    `orthogonal` at least 2L. A group with room enough in which a record came out as it was is drawn again, up to twenty
    times.

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

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator) -> Synthetic:
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
        """
        X, Y, groups = checked(X, Y, groups)
        work = _Work(X, Y, rng, self.least_degrees(X.shape[1]), self.orthogonal)
        groups = np.unique(groups, return_inverse=True)[1].ravel()
        new = work.rewritten(groups)
        if self.small_groups == "accept":
            tally = Tally(
                "{count} of {of} groups are too small to hide their residuals.",
                int((new.degrees < work.least).sum()),
                len(new.degrees),
            )
            same = int(is_unchanged(X, new.values).sum())
            return Synthetic(new.values, same, (tally,), int(new.degrees.min()))
        if self.small_groups == "drop-others":
            return self._with_others_dropped(work, groups, new)
        if self.small_groups == "merge":
            return self._with_groups_merged(work, groups, new)
        self._refuse_small(work, groups, new.degrees < work.least)
        self._refuse_unchanged(work, groups, new)
        return Synthetic(new.values, 0, (), int(new.degrees.min()))

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

    def _refuse_unchanged(self, work: _Work, groups: Labels, new: Rewritten) -> None:
        """Raise GroupsTooSmallError if a record came out unchanged, with the ways out that lead somewhere."""
        same = is_unchanged(work.X, new.values)
        if not same.any():
            return
        poor = work.poor(groups, new)
        alone = work.rewritten(groups, poor, without_others=True)
        dropped = not is_unchanged(work.X, np.where(poor[groups][:, None], alone.values, new.values)).any()
        together = not is_unchanged(work.X, work.rewritten(np.zeros_like(groups)).values).any()
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

    def _with_others_dropped(self, work: _Work, groups: Labels, new: Rewritten) -> Synthetic:
        """Rewrite the groups that let original values through once more, as if there were no other variables."""
        poor = work.poor(groups, new)
        self._refuse_small(work, groups, poor & (np.bincount(groups) <= work.least))
        values, degrees = new.values, new.degrees.copy()
        if poor.any():
            again = work.rewritten(groups, poor, without_others=True)
            values = np.where(poor[groups][:, None], again.values, values)
            degrees[poor] = again.degrees
        self._refuse_unchanged(work, groups, Rewritten(values, degrees, new.is_orthogonal))
        tally = Tally(
            "Groups in which the other variables were ignored: {count} of {of}. Covariances with those variables are "
            "not exact.",
            int(poor.sum()),
            len(poor),
        )
        return Synthetic(values, 0, (tally,), int(degrees.min()))

    def _with_groups_merged(self, work: _Work, groups: Labels, new: Rewritten) -> Synthetic:
        """Merge the groups that let original values through with their nearest until none does."""
        given, before = groups, int(groups.max()) + 1
        values, degrees = new.values, new.degrees
        poor = work.poor(groups, new)
        enough = self.enough_records(work.X, work.Y) if poor.any() else 0
        while poor.any():
            if len(poor) == 1:
                alone = work.rewritten(given, without_others=True)
                can_drop = work.Y.shape[1] > 0 and not work.poor(given, alone).any()
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
            poor = work.poor(groups, Rewritten(values, degrees, again.is_orthogonal))
        after = int(groups.max()) + 1
        tally = Tally("Groups merged with others, to hide their residuals: {count} of {of}.", before - after, before)
        return Synthetic(values, 0, (tally,), int(degrees.min()), groups if after < before else None)


class _Work:
    """The data, the noise, and what is asked of a group."""

    def __init__(self, X: Doubles, Y: Doubles, rng: np.random.Generator, least: int, orthogonal: bool) -> None:
        self.X, self.Y, self.W = X, Y, normal_numbers(rng, X.shape)
        self.rng, self.least = rng, least
        self.orthogonal = orthogonal

    def rewritten(self, groups: Labels, wanted: Flags | None = None, *, without_others: bool = False) -> Rewritten:
        """Return IPSO-C inside the groups that are wanted, drawn again where a record came out as it was."""
        Y = self.Y[:, :0] if without_others else self.Y
        new = rewritten(self.X, Y, self.W, groups, orthogonal=self.orthogonal, wanted=wanted)
        free = np.ones(int(groups.max()) + 1, dtype=bool) if wanted is None else wanted.copy()
        free[free] = new.degrees > 1  # of a residual and its mirror image a coin has chosen
        values = redrawn(self.X, Y, new.values, groups, self.rng, orthogonal=self.orthogonal, wanted=free)
        return Rewritten(values, new.degrees, new.is_orthogonal)

    def poor(self, groups: Labels, new: Rewritten) -> Flags:
        """Return which groups have too few degrees of freedom, or a record that is unchanged."""
        poor: Flags = new.degrees < self.least
        poor[groups[is_unchanged(self.X, new.values)]] = True
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
