"""IPSO: synthetic values that keep a regression, and with variant C means and covariances, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.parameters.limits import Limit, OneOf, TrueOrFalse, check_limits
from shoal.parameters.searched import Searched
from shoal.progress import advance, share
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.leverage import SetApart, set_apart, watched_cells
from shoal.replace.synthetic.residuals import (
    Regressed,
    factor,
    normal_numbers,
    random_basis,
    regressed,
    residual_basis,
    stacks,
    without_fit,
)
from shoal.replace.synthetic.synthetic import (
    Names,
    Synthetic,
    as_tuple,
    checked,
    is_unchanged,
    near_cells,
    refuse_unchanged,
    unmoved_cells,
    without_extremes,
)

__all__ = ["IPSO", "Rewritten", "redrawn", "rewritten", "rewritten_apart"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_REDRAWS = 20  # of what came out as it was by bad luck


@dataclass(frozen=True)
class IPSO(SyntheticReplacement):
    """Information-preserving statistical obfuscation: fitted values, and residuals drawn anew.

    The confidential variables X are regressed on the others, Y, and a constant. The fitted values stay; the residuals
    are replaced. Y is released as it is.

    Parameters
    ----------
    variant
        ``"A"``: normal noise with the covariances of the residuals is added; nothing is kept exactly. ``"B"``: the
        noise is first made orthogonal to [1, Y], which keeps the regression coefficients, and with them all means and
        the covariances of X with Y. ``"C"``: it is then given the residuals' own sums of squares and products as well,
        which keeps all means and all covariances of X and Y.
    confidential
        The names of the variables X.
    orthogonal
        For C: the noise is orthogonal to X too, so that new and old residuals are uncorrelated, not just independent.
        Needs 2L + M + 1 records for L confidential variables and M others, where C alone needs L + M + 1.
    accept_unchanged
        Whether records may come out unchanged. They do if X follows from Y without error, if there are as few
        records as variables in Y, or if a record stands alone in Y. By default records that stand alone are rewritten
        without regard to Y, at least k together, and the other cases are refused, as are groups with fewer degrees of
        freedom than 2 or L. A record that came out as it was by bad luck is drawn again, with others.

    Notes
    -----
    The letters differ between texts. Here, and where B is introduced as A corrected to keep the coefficients, A is
    fitted values plus noise. The handbook of statistical disclosure control calls the fitted values alone "method A".
    The paper on microaggregation-based hybrid data speaks of the "basic form, IPSO-A" and then describes what keeps
    means, variances and covariances exactly: this is C with ``orthogonal=True``. Its least group size is misprinted
    (|X| + 2|Y| + 1 for 2|X| + |Y| + 1).

    A record stands alone if its fitted value is at least 98 % its own, by its leverage, or if it would be without up to
    four others like it. Covariances with Y are exact for the other records.

    Any rank will do: columns that follow from others are found and cost nothing, and X keeps every exact linear
    relation among its variables and with those of Y. What is kept are moments, not ranges: an income may come out
    negative, a count may come out broken, unless a rule of `shoal.protect` says that it may not.

    References
    ----------
    J. Burridge (2003), Information preserving statistical obfuscation, Statistics and Computing 13, 321-327.
    """

    variant: str = "C"
    confidential: Sequence[str] = ()
    orthogonal: bool = False
    accept_unchanged: bool = False

    name: ClassVar[str] = "ipso"
    reference: ClassVar[str] = (
        "J. Burridge (2003), Information preserving statistical obfuscation, Statistics and Computing 13, 321-327."
    )
    searched: ClassVar[tuple[Searched, ...]] = (Searched("variant", ("A", "B", "C"), start="C"),)
    limits: ClassVar[Mapping[str, Limit]] = {
        "variant": OneOf(("A", "B", "C")),
        "confidential": Names(),
        "orthogonal": TrueOrFalse(),
        "accept_unchanged": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidential", as_tuple(self.confidential))
        check_limits(self.limits, vars(self))
        if self.orthogonal and self.variant != "C":
            raise ParameterError(f'orthogonal=True needs variant="C"; got "{self.variant}".')

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator, *, k: int = 3) -> Synthetic:
        """Rewrite X group by group.

        Parameters
        ----------
        X
            The confidential variables, n x L, without missing values.
        Y
            The others, n x M; M may be 0.
        groups
            The group of every record, 0 to g-1; all zeros to rewrite the file as one.
        rng
            Where the noise comes from: n x L normal numbers, whatever the groups are, and more where a record came out
            as it was.
        k
            How many records are rewritten together, at least, without regard to Y where some stand alone in it.
        """
        X, Y, groups = checked(X, Y, groups)
        W = normal_numbers(rng, X.shape)
        needed = max(2, X.shape[1] * (2 if self.orthogonal else 1))
        apart = set_apart(Y, groups, k, needed, accepted=self.accept_unchanged)
        groups, rest = apart.groups, apart.is_rest
        watched = watched_cells(X, apart.alone)
        avoided = None if self.accept_unchanged else watched
        new = rewritten(X, Y, W, groups, variant=self.variant, orthogonal=self.orthogonal, wanted=rest)
        if self.orthogonal and not new.is_orthogonal.all():
            raise TooFewRecordsError(
                f"orthogonal=True needs up to {2 * X.shape[1] + Y.shape[1] + 1} records in a group, two for each "
                f"confidential variable, one for each other and one; {int((~new.is_orthogonal).sum())} of "
                f"{len(new.is_orthogonal)} groups have too few. Raise k, name fewer variables, or use orthogonal=False."
            )
        least = max(2, X.shape[1])  # with one degree of freedom, what is not the original is its mirror image
        if new.degrees.min(initial=least) < least and not self.accept_unchanged:
            enough = int(regressed(X[None, :, :0], without_extremes(Y)[0][None]).rank[0]) + least
            raise TooFewRecordsError(
                f"IPSO needs {least} records more in a group than the other variables tell apart; "
                f"{int((new.degrees < least).sum())} of {len(new.degrees)} groups have fewer. "
                f"{f'Raise k to {enough} or more, or name' if enough <= len(X) else 'Name'} fewer other variables."
            )
        values = redrawn(X, Y, new.values, groups, rng, orthogonal=self.orthogonal, wanted=rest, watched=avoided)
        values, degrees = rewritten_apart(X, W, values, apart, rng, avoided)
        unchanged = int(is_unchanged(X, values).sum())
        if not self.accept_unchanged:
            refuse_unchanged(
                "IPSO",
                unchanged,
                len(X),
                "They follow from the other variables, or nearly. Name variables that determine "
                "them confidential too, raise k, or accept it "
                "(accept_unchanged=True; --replace ipso:accept_unchanged=true).",
            )
        return Synthetic(
            values, unchanged, apart.tallies, int(new.degrees.min(initial=degrees)), apart.divided, watched
        )


@dataclass(frozen=True, eq=False)
class Rewritten:
    """What IPSO made of the groups.

    Attributes
    ----------
    values
        The new values, n x L; those of groups that were not wanted are as before.
    degrees
        The residual degrees of freedom of the groups that were rewritten, in the order of their numbers.
    is_orthogonal
        Whether the noise of each is orthogonal to X; it is not where that was not asked for, or where there is no room.
    """

    values: Doubles
    degrees: Labels
    is_orthogonal: NDArray[np.bool_]


def rewritten(
    X: Doubles,
    Y: Doubles,
    W: Doubles,
    groups: Labels,
    *,
    variant: str = "C",
    orthogonal: bool = False,
    wanted: NDArray[np.bool_] | None = None,
) -> Rewritten:
    """Run IPSO inside every group, or every one that is wanted, with the noise W.

    A group too small for noise orthogonal to X gets noise that is not.
    """
    scaled, exponents = without_extremes(X)
    others, _ = without_extremes(Y)
    values = X.copy()
    count = int(groups.max()) + 1
    degrees = np.full(count, -1)
    is_orthogonal = np.zeros(count, dtype=bool)
    for numbers, records in stacks(groups, X.shape[1] + Y.shape[1] + 1, wanted):
        fit = regressed(scaled[records], others[records])
        noise, is_orthogonal[numbers] = _noise(fit, W[records], variant, orthogonal)
        with np.errstate(under="ignore"):
            values[records] = np.ldexp(fit.means + (fit.fitted + noise), exponents)
        degrees[numbers] = fit.degrees
        advance(records.size / len(X))
    there = degrees >= 0
    return Rewritten(values, degrees[there], is_orthogonal[there])


def redrawn(
    X: Doubles,
    Y: Doubles,
    values: Doubles,
    groups: Labels,
    rng: np.random.Generator,
    *,
    orthogonal: bool = False,
    wanted: NDArray[np.bool_] | None = None,
    watched: NDArray[np.bool_] | None = None,
) -> Doubles:
    """Return new values in which no record is as it was, nor near where it is watched, if a few more draws can help.

    IPSO-C runs once more over what it made: inside a group that has such a record, or, in a large one, over that record
    and others drawn at random. What was kept exactly still is.

    Parameters
    ----------
    X, Y, groups
        As they were given.
    values
        What became of X.
    rng
        Where the noise comes from; nothing is drawn where every record changed.
    orthogonal
        Whether how new and old values go together is to be kept as well.
    wanted
        Which groups may be touched; None: all.
    watched
        Which values are not to be near what they were, n x L; None: none.
    """
    kept = np.hstack([Y, X]) if orthogonal else Y
    may_move = np.ones(len(X), dtype=bool) if wanted is None else wanted[groups]
    for _ in range(_REDRAWS):
        same = is_unchanged(X, values) & may_move
        if watched is not None:
            same |= (watched & near_cells(X, X, values)).any(axis=1) & may_move
        if not same.any():
            break
        rows = _with_company(same, groups, 4 * (1 + kept.shape[1] + X.shape[1]), rng)
        own = np.unique(groups[rows], return_inverse=True)[1].ravel()
        before = values[rows]
        with share(0.0):
            after = rewritten(before, kept[rows], normal_numbers(rng, before.shape), own).values
        # Who did not move at all has no residual, and never will.
        may_move[rows] &= ~(same[rows] & unmoved_cells(X, before, after).all(axis=1))
        values = values.copy()
        values[rows] = after
    return values


def rewritten_apart(
    X: Doubles,
    W: Doubles,
    values: Doubles,
    apart: SetApart,
    rng: np.random.Generator,
    watched: NDArray[np.bool_] | None,
) -> tuple[Doubles, int]:
    """Return the values with those of records that are set apart, by IPSO-C without others, and its least degrees.

    Parameters
    ----------
    X, W
        The confidential variables, and noise.
    values
        The new values of the other records.
    apart
        Which are set apart, in which groups.
    rng
        Where more noise comes from.
    watched
        Which values are not to be near what they were, n x L; None: none.
    """
    if not apart.tallies:
        return values, len(X)
    wanted = apart.is_apart
    new = rewritten(X, X[:, :0], W, apart.groups, wanted=wanted)
    values = np.where(apart.together[:, None], new.values, values)
    values = redrawn(X, X[:, :0], values, apart.groups, rng, wanted=wanted, watched=watched)
    return values, int(new.degrees.min())


def _with_company(same: NDArray[np.bool_], groups: Labels, company: int, rng: np.random.Generator) -> Labels:
    """Return the records that are the same and others of their groups, ascending: all, or of many enough."""
    sizes, count = np.bincount(groups), np.bincount(groups, weights=same).astype(np.int64)
    enough = company + 2 * count
    taken = (count > 0)[groups]
    for group in np.flatnonzero((count > 0) & (sizes > enough)):
        others = rng.permutation(np.flatnonzero((groups == group) & ~same))
        taken[others[company + count[group] :]] = False
    return np.flatnonzero(taken)


def _noise(fit: Regressed, W: Doubles, variant: str, orthogonal: bool) -> tuple[Doubles, NDArray[np.bool_]]:
    """Return what takes the place of the residuals, and in which groups it is orthogonal to them."""
    columns = W.shape[2]
    free, kept = fit.degrees, fit.basis
    room = np.zeros(len(W), dtype=bool)
    if variant != "C":
        noise = products(W, factor(fit.residuals, np.full(len(W), columns))) / np.sqrt(W.shape[1])
        return (noise if variant == "A" else without_fit(noise, fit)), room
    if orthogonal:
        own, rank = residual_basis(fit)
        room = free >= 2 * rank
        kept = np.concatenate([kept, np.where(room[:, None, None], own, 0.0)], axis=2)
        free = np.where(room, free - rank, free)
    width = np.minimum(free, columns)
    return products(random_basis(W, kept, width), factor(fit.residuals, width)), room
