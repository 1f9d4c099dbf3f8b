"""Synthetic values from fuzzy c-regression models: several regressions, each record on the one that fits it best."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import exp, log, products, pseudo_inverse, triangles
from shoal.errors import ConvergenceWarning, DataError, TooFewRecordsError
from shoal.parameters.limits import Above, Limit, Number, TrueOrFalse, Whole, check_limits
from shoal.parameters.searched import Searched
from shoal.progress import advance
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.residuals import stacks
from shoal.replace.synthetic.synthetic import (
    Names,
    Synthetic,
    Tally,
    as_tuple,
    checked,
    is_unchanged,
    refuse_unchanged,
    unmoved_cells,
    without_extremes,
)

__all__ = ["FuzzyRegression", "Models", "fitted_models"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_BY_CHANCE = 0.01  # of the records may round to what they were; where more do, models fit too well
_NOTHING = 1e-26  # squared errors in standard deviations below this are rounding: the model fits
_CLOSER_WITH_MODELS = "The more models fuzzy regression has (n_clusters), the easier records are to link: measure it."
_EMPTY = 1e-10  # a model whose memberships sum to less than this has no records
_RANK = 1e-10  # directions of the weighted predictors shorter than this, beside the longest, are rounding


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
    Where more than one in a hundred would, nothing is moved, and such data are refused.

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
    summary: ClassVar[str] = "Every record gets the fitted values of one of c regressions on the other variables"
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

    def remarks(self, *, in_groups: bool, is_rewritten: NDArray[np.bool_]) -> list[str]:
        """Return what a reader should know about the number of models; groups make no difference to that."""
        return [_CLOSER_WITH_MODELS]

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator) -> Synthetic:
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
        seeds = rng.integers(0, 2**32, size=len(sizes))
        at_rest, total = 0, 0
        for numbers, stack in stacks(groups, X.shape[1] + Y.shape[1]):
            for number, records in zip(numbers, stack, strict=True):
                found, undo = self._models(scaled[records], others[records], int(seeds[number]))
                values[records] = np.ldexp(undo(found.values), exponents)
                second[records] = np.ldexp(undo(found.second), exponents)
                at_rest += found.converged
                total += 1
                advance(len(records) / len(X))
        by_chance = is_unchanged(X, values) & ~unmoved_cells(X, X, values).all(axis=1)
        if by_chance.mean() <= _BY_CHANCE:
            values[by_chance] = second[by_chance]
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
        return Synthetic(values, unchanged, (restless,))

    def _models(self, X: Doubles, Y: Doubles, seed: int) -> tuple[Models, _Undo]:
        """Return the models of one group, in standard deviations, and the way back."""
        from shoal.partition.fuzzy.cmeans import FuzzyCMeans  # imports scikit-learn, which many runs never need

        targets, undo = _standardised(X)
        predictors, _ = _standardised(Y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a start need not be the best there is
            start = FuzzyCMeans(self.n_clusters, m=self.m, random_state=seed)
            memberships = start.fit(np.hstack([predictors, targets])).memberships_
        found = fitted_models(
            targets,
            predictors,
            np.asarray(memberships, dtype=np.float64),
            m=self.m,
            intercept=self.intercept,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return found, undo


@dataclass(frozen=True, eq=False)
class Models:
    """Where the search ended.

    Attributes
    ----------
    values
        The fitted values of the model each record belongs to most, n x t.
    second
        Those of the model it belongs to most after this one; the same if there is only one.
    coefficients
        Of every model, c x q x t; the constant, if there is one, comes first.
    memberships
        n x c.
    n_iter, converged
        The number of iterations, and whether the memberships came to rest.
    """

    values: Doubles
    second: Doubles
    coefficients: Doubles
    memberships: Doubles
    n_iter: int
    converged: bool


def fitted_models(
    targets: Doubles,
    predictors: Doubles,
    memberships: Doubles,
    *,
    m: float,
    intercept: bool = True,
    max_iter: int = 30,
    tol: float = 1e-5,
) -> Models:
    """Find regression models and memberships by turns, from the memberships given.

    Parameters
    ----------
    targets
        What is predicted, n x t; all columns weigh alike, so they should be standardised.
    predictors
        What from, n x s.
    memberships
        The start, n x c.
    m, intercept, max_iter, tol
        As in `FuzzyRegression`.
    """
    A = np.column_stack([np.ones(len(targets)), predictors]) if intercept else predictors
    logarithms = log(memberships)
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        lost = exp(logarithms).sum(axis=0) < _EMPTY
        weights = _weights(m * logarithms, lost)
        coefficients = np.stack([_least_squares(A, targets, column) for column in weights.T])
        errors = _squared_errors(A, targets, coefficients)
        for model in np.flatnonzero(lost):
            worst = int(np.argmax(errors[:, np.flatnonzero(~lost)].min(axis=1)))
            coefficients[model] = _least_squares(A, targets, _around(worst, A, targets, len(lost)))
            errors[:, model] = _squared_errors(A, targets, coefficients[model : model + 1])[:, 0]
            lost[model] = False
        previous, logarithms = exp(logarithms), _log_memberships(errors, m)
        n_iter += 1
        converged = float(np.abs(exp(logarithms) - previous).max()) <= tol
    order = np.argsort(-logarithms, axis=1, kind="stable")
    values, second = (_said(A, coefficients, order[:, place]) for place in (0, min(1, order.shape[1] - 1)))
    return Models(values, second, coefficients, exp(logarithms), n_iter, converged)


def _said(A: Doubles, coefficients: Doubles, chosen: Labels) -> Doubles:
    """Return the fitted values of the model chosen for each record."""
    values = np.empty((len(A), coefficients.shape[2]))
    for number, one in enumerate(coefficients):
        rows = chosen == number
        values[rows] = products(A[rows], one)
    return values


class _Undo:
    """The way back from standard deviations."""

    def __init__(self, means: Doubles, sd: Doubles) -> None:
        self.means, self.sd = means, sd

    def __call__(self, standard: Doubles) -> Doubles:
        back: Doubles = self.means + standard * self.sd
        return back


def _standardised(V: Doubles) -> tuple[Doubles, _Undo]:
    """Return the columns with mean 0 and standard deviation 1, constants zero; and the way back."""
    means = V.mean(axis=0)
    sd = V.std(axis=0, ddof=1) if len(V) > 1 else np.zeros(V.shape[1])
    varies = sd > 1e-14 * np.abs(V).max(axis=0)
    standard = np.where(varies, (V - means) / np.where(varies, sd, 1.0), 0.0)
    return standard, _Undo(np.where(varies, means, V[0]), sd)


def _weights(logarithms: Doubles, lost: NDArray[np.bool_]) -> Doubles:
    """Return the weights of every model, relative to its largest; all zero for one that is lost."""
    largest = np.where(lost, 0.0, logarithms.max(axis=0))
    return np.where(lost, 0.0, exp(logarithms - largest))


def _least_squares(A: Doubles, targets: Doubles, weights: Doubles) -> Doubles:
    """Return the coefficients of least length that minimise the weighted squares; columns may depend on others."""
    used = weights > 0
    root = np.sqrt(weights[used])[:, None]
    # The triangle of [A, T] has the same least squares solution, and few rows.
    _, (triangle,) = triangles((root * np.hstack([A[used], targets[used]]))[None], columns=0)
    q = A.shape[1]
    return products(pseudo_inverse(triangle[:, :q], _RANK), triangle[:, q:])


def _squared_errors(A: Doubles, targets: Doubles, coefficients: Doubles) -> Doubles:
    """Return the squared distance of every record to the fitted values of each model, n x c."""
    return np.column_stack([np.square(targets - products(A, one)).sum(axis=1) for one in coefficients])


def _log_memberships(errors: Doubles, m: float) -> Doubles:
    """Return the logarithms of the memberships; a record that models fit belongs to these, equally."""
    fits = errors <= _NOTHING
    logarithms = log(errors) / (1 - m)
    logarithms[fits.any(axis=1)] = -np.inf
    logarithms[fits] = 0.0
    logarithms -= logarithms.max(axis=1, keepdims=True)
    logarithms -= log(exp(logarithms).sum(axis=1, keepdims=True))
    return logarithms


def _around(record: int, A: Doubles, targets: Doubles, models: int) -> Doubles:
    """Return weights, one for the records nearest to this one: a share of them, or as many as a model needs."""
    distances = np.square(A - A[record]).sum(axis=1) + np.square(targets - targets[record]).sum(axis=1)
    count = min(len(A), max(len(A) // models, 2 * A.shape[1]))
    weights = np.zeros(len(A))
    weights[np.argsort(distances, kind="stable")[:count]] = 1.0
    return weights
