"""Synthetic values from fuzzy c-regression models: several regressions, each record on the one that fits it best."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ConvergenceWarning, DataError, TooFewRecordsError
from shoal.parameters.limits import Above, Limit, Number, TrueOrFalse, Whole, check_limits
from shoal.parameters.searched import Searched
from shoal.progress import advance
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.leverage import alone_in_turn, watched_cells
from shoal.replace.synthetic.residuals import directions, stacks
from shoal.replace.synthetic.synthetic import (
    Names,
    Synthetic,
    Tally,
    as_tuple,
    checked,
    is_unchanged,
    near_cells,
    refuse_unchanged,
    unmoved_cells,
    without_extremes,
)

if TYPE_CHECKING:
    from shoal.partition.fuzzy.regression import FuzzyCRegression

__all__ = ["FuzzyRegression"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]

_BY_CHANCE = 0.01  # of the records may round to what they were; where more do, models fit too well
_MORE = 20  # records, at most, that a mean is taken over beyond what it needs
_CLOSER_WITH_MODELS = "The more models fuzzy regression has (n_clusters), the easier records are to link: measure it."


@dataclass(frozen=True)
class FuzzyRegression(SyntheticReplacement):
    """Every record gets the fitted values of one of c regressions on the other variables.

    The models and the memberships of the records in them are computed by turns: models that fit the records best,
    weighted by membership; memberships that fall with the squared error. The confidential variables then take the
    fitted values of the model each record belongs to most. One membership serves all variables.

    Parameters
    ----------
    n_clusters
        The number of models, c: the more there are, the closer to the original the values are.
    m
        How fuzzy, above 1.
    confidential
        The names of the variables to rewrite; they are predicted from the others, which are released as they are.
    intercept
        Whether the models have a constant. The paper's have none, and lose more by it.
    max_iter
        The most iterations.
    tol
        The memberships have converged if none changes by more than this.
    accept_unchanged
        Whether records may come out unchanged. They do where a model has few records and fits them without
        error. By default such data are refused.

    Notes
    -----
    All variables are standardised. The start are the memberships of fuzzy c-means, with the same c and m, on all
    variables. A model that has lost its records starts again around the record that fits worst in all models, with the
    records nearest to it: a c-th of all, and at least twice as many as it has coefficients. The values are those of
    the models that gave the final memberships. Most often `max_iter` ends the search; the notes of the result mention
    it.

    A record whose values, all of them whole numbers, would round to what they were takes those of the next best model.
    Where more than one in a hundred would, nothing is moved, and such data are refused. Records that a model follows,
    by their leverage in its least squares, get the mean of at least k records.

    There is no noise: records that agree in the other variables and in the model get the same values, and variances
    shrink. No moment is kept exactly.

    References
    ----------
    I. Cano, V. Torra (2009), Generation of synthetic data by means of fuzzy c-regression, IEEE International Conference
    on Fuzzy Systems. R. J. Hathaway, J. C. Bezdek (1993), Switching regression models and fuzzy clustering, IEEE
    Transactions on Fuzzy Systems 1.
    """

    n_clusters: int
    m: float = 2.0
    confidential: Sequence[str] = ()
    intercept: bool = True
    max_iter: int = 30
    tol: float = 1e-5
    accept_unchanged: bool = False

    name: ClassVar[str] = "fuzzy-regression"
    redraws: ClassVar[bool] = False
    reference: ClassVar[str] = (
        "I. Cano, V. Torra (2009), Generation of synthetic data by means of fuzzy c-regression, IEEE International "
        "Conference on Fuzzy Systems. R. J. Hathaway, J. C. Bezdek (1993), Switching regression models and fuzzy "
        "clustering, IEEE Transactions on Fuzzy Systems 1."
    )
    searched: ClassVar[tuple[Searched, ...]] = (
        Searched("n_clusters", (3, 5, 10, 20, 30), 5),
        Searched("m", (1.2, 1.5, 2.0), 2.0),
    )
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_clusters": Whole(1),
        "m": Above(1),
        "confidential": Names(),
        "intercept": TrueOrFalse(),
        "max_iter": Whole(1),
        "tol": Number(0),
        "accept_unchanged": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidential", as_tuple(self.confidential))
        check_limits(self.limits, vars(self))

    @property
    def keeps_sums(self) -> bool:
        """Whether fitted values keep sums: they do if all models have a constant."""
        return self.intercept

    def remarks(self, *, in_groups: bool, is_rewritten: NDArray[np.bool_]) -> list[str]:
        """Return what a reader should know about the number of models; groups make no difference to that."""
        return [_CLOSER_WITH_MODELS]

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator, *, k: int = 3) -> Synthetic:
        """Rewrite X group by group.

        Parameters
        ----------
        X
            The confidential variables, n x L, without missing values.
        Y
            The others, n x M.
        groups
            The group of every record, 0 to g-1; all zeros to rewrite the file as one. Every group has its own models.
        rng
            Where the starts of fuzzy c-means come from.
        k
            How many records, at least, get their mean together where models follow some of them.
        """
        X, Y, groups = checked(X, Y, groups)
        if Y.shape[1] == 0:
            raise DataError("Fuzzy regression needs other variables to predict the confidential ones from. Keep some.")
        sizes = np.bincount(groups)
        small = int(((sizes > 0) & (sizes < self.n_clusters)).sum())
        if small:
            raise TooFewRecordsError(
                f"n_clusters={self.n_clusters} needs at least so many records in every group; {small} of "
                f"{int((sizes > 0).sum())} have fewer. Lower n_clusters, or raise k."
            )
        scaled, exponents = without_extremes(X)
        others, _ = without_extremes(Y)
        values, second = X.copy(), X.copy()
        alone, apart = np.zeros(len(X), dtype=bool), groups.copy()
        watched = watched_cells(X, alone)
        seeds = rng.integers(0, 2**32, size=len(sizes))
        at_rest, total = 0, 0
        for numbers, stack in stacks(groups, X.shape[1] + Y.shape[1]):
            for number, records in zip(numbers, stack, strict=True):
                models = self._fitted(scaled[records], others[records], int(seeds[number]))
                for place, fitted in enumerate((values, second)):
                    chosen = models.order_[:, min(place, self.n_clusters - 1)]
                    fitted[records] = np.ldexp(models.fitted_values(others[records], chosen), exponents)
                if not self.accept_unchanged:
                    near = (watched[records] & near_cells(X, X[records], values[records])).any(axis=1)
                    alone[records], parts = _followed(models, others[records], scaled[records], near, k)
                    apart[records[parts > 0]] = apart.max() + parts[parts > 0]
                at_rest += models.converged_
                total += 1
                advance(len(records) / len(X))
        by_chance = is_unchanged(X, values) & ~unmoved_cells(X, X, values).all(axis=1)
        if by_chance.mean() <= _BY_CHANCE:
            values[by_chance] = second[by_chance]
        for rows in _members(apart, int(groups.max()) + 1):
            values[rows] = np.ldexp(scaled[rows].mean(axis=0), exponents)
        unchanged = int(is_unchanged(X, values).sum())
        if not self.accept_unchanged:
            refuse_unchanged(
                "Fuzzy regression",
                unchanged,
                len(X),
                "A model fits them without error, or nearly. Lower n_clusters, raise k, name variables that determine "
                "them confidential too, or accept it (accept_unchanged=True; "
                "--replace fuzzy-regression:accept_unchanged=true).",
            )
        restless = Tally(
            f"The memberships had not come to rest (not converged) after max_iter={self.max_iter} "
            "in {count} of {of} groups.",
            total - at_rest,
            total,
            if_none="The memberships came to rest (converged).",
        )
        followed = Tally(
            "Records whose values a model follows, which would give these away: {count} of {of}. They have the mean of "
            f"at least {k} records instead, and so do the others of these.",
            int(alone.sum()),
            len(X),
        )
        divided = np.unique(apart, return_inverse=True)[1].ravel() if alone.any() else None
        return Synthetic(values, unchanged, (restless, followed), groups=divided, watched=watched_cells(X, alone))

    def _fitted(self, X: Doubles, Y: Doubles, seed: int) -> FuzzyCRegression:
        """Return the models of one group."""
        # Deferred: it imports scikit-learn, which many runs never need.
        from shoal.partition.fuzzy.regression import FuzzyCRegression

        models = FuzzyCRegression(
            self.n_clusters,
            m=self.m,
            intercept=self.intercept,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # counted, and said in the notes
            return models.fit(Y, X)


def _followed(models: FuzzyCRegression, Y: Doubles, X: Doubles, near: Flags, k: int) -> tuple[Flags, Labels]:
    """Return which records of a group the model they belong to follows, and parts in which they and others get a mean.

    Parameters
    ----------
    models
        Those of the group.
    Y, X
        Its records.
    near
        Records that are not to have the values of their model in any case.
    k
        The fewest records of a part. Those with the most leverage in the model fill it up, and some more where the mean
        is near by chance.
    """
    alone, parts = np.zeros(len(X), dtype=bool), np.zeros(len(X), dtype=np.int64)
    for model in range(models.n_clusters):
        design = models.weighted_design(Y, model)[None]
        here = (_alone(design) | near) & (models.labels_ == model) & (parts == 0)
        if not here.any():
            continue
        alone |= here
        free = int((parts == 0).sum())
        if free < k:
            parts[parts == 0] = max(1, int(parts.max()))
            break
        leverages = np.square(directions(design)[0][0]).sum(axis=1)
        order = np.lexsort((-leverages, ~here, parts > 0))
        size = max(k, int(here.sum()))
        for more in range(_MORE):
            taken = order[: min(size + more, free)]
            if not near_cells(X, X[here], X[taken].mean(axis=0)).any():
                break
        parts[taken] = parts.max() + 1
    return alone, parts


def _alone(design: Doubles) -> Flags:
    """Return which rows stand alone in what least squares are taken over."""
    return alone_in_turn(lambda rows: directions(design[:, rows]), design.shape[1])


def _members(groups: Labels, first: int) -> list[Labels]:
    """Return the records of every group from a number on."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.searchsorted(groups[order], np.arange(first, int(groups.max()) + 1)))[1:]
