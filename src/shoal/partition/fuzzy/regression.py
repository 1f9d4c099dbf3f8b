"""Fuzzy c-regression: several regressions at once, to which every record belongs to a degree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.arithmetic import exp, log, products, pseudo_inverse, triangles
from shoal.errors import ConvergenceWarning, DataError, ParameterError, TooFewRecordsError, warn
from shoal.parameters.limits import Above, Limit, Number, TrueOrFalse, Whole, check_limits
from shoal.partition.estimator import Estimator
from shoal.partition.fuzzy.cmeans import FuzzyCMeans
from shoal.partition.fuzzy.starts import StartOfClusters
from shoal.partition.geometry.checked_matrix import checked_matrix, without_values

__all__ = ["FuzzyCRegression"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_NOTHING = 1e-26  # squared errors in standard deviations below this are rounding: the model fits
_EMPTY = 1e-10  # a model whose memberships sum to less than this has no records
_RANK = 1e-10  # directions of the weighted predictors shorter than this, beside the longest, are rounding


@dataclass(eq=False, repr=False)
class FuzzyCRegression(Estimator):
    """Linear models, c of them, and the degree to which every record follows each.

    The models and the memberships u are computed by turns: models that fit the records best, weighted by u^m;
    memberships proportional to ``E^(-1/(m-1))``, where E is the squared error of the record in the model, over all
    targets together.

    Parameters
    ----------
    n_clusters
        The number of models, c.
    m
        How fuzzy, above 1: near 1, a record belongs to the model that fits it best alone.
    intercept
        Whether the models have a constant. Those of the paper have none.
    standardize
        Whether variables and targets are standardised first: otherwise the target with the largest variance decides.
        Coefficients and predictions are in the units of `X` and `Y` in any case. Without `intercept`, standardised
        models go through the means, others through zero.
    init
        Where the memberships start. ``"joint"``: fuzzy c-means with the same c and m on `X` and `Y` together;
        ``"predictors"``: on `X` alone. Or a matrix, n x c, whose rows are divided by their sums.
    max_iter
        The most iterations.
    tol
        The memberships have come to rest if none changes by more than this.
    random_state
        The seed of fuzzy c-means.

    Attributes
    ----------
    coef_
        The coefficients, c models x t targets x d variables. Where variables depend on others, those of least length.
    intercept_
        The constants, c x t.
    memberships_
        The memberships, n x c; the rows sum to one. They are those of the models in `coef_`.
    order_
        The models of every record, n x c: first the one that it belongs to most, of several the first. It also
        distinguishes memberships that are too small for numbers.
    weights_
        The weights of the records in the least squares of every model, n x c, relative to the largest.
    labels_
        The model every record belongs to most, the first column of `order_`.
    shares_
        The mean memberships, c.
    n_iter_, converged_
        The number of iterations, and whether the memberships came to rest. If not there is a `ConvergenceWarning`.

    Notes
    -----
    A record that models fit without error belongs to these alone, equally. A model that has lost its records starts
    again around the record that fits worst in all models, with the records nearest to it: a c-th of all, and at least
    twice as many as it has coefficients.

    References
    ----------
    R. J. Hathaway, J. C. Bezdek (1993), Switching regression models and fuzzy clustering, IEEE Transactions on Fuzzy
    Systems 1. I. Cano, V. Torra (2009), Generation of synthetic data by means of fuzzy c-regression, IEEE International
    Conference on Fuzzy Systems.
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "n_clusters": Whole(1),
        "m": Above(1),
        "intercept": TrueOrFalse(),
        "standardize": TrueOrFalse(),
        "init": StartOfClusters(("joint", "predictors"), matrix_of="memberships"),
        "max_iter": Whole(1),
        "tol": Number(0),
        "random_state": Whole(0),
    }

    n_clusters: int
    _: KW_ONLY
    m: float = 1.5
    intercept: bool = True
    standardize: bool = True
    init: str | ArrayLike = "joint"
    max_iter: int = 300
    tol: float = 1e-5
    random_state: int = 0

    def fit(self, X: ArrayLike, Y: ArrayLike) -> Self:
        """Find the models.

        Parameters
        ----------
        X
            What is predicted from: n records by d variables, at least `n_clusters` records.
        Y
            What is predicted: n x t, or n values of one target.
        """
        check_limits(self.limits, self.get_params(deep=False))
        matrix = checked_matrix(self, X, [np.float64])
        targets = _checked_targets(self, Y, len(matrix))
        if len(matrix) < self.n_clusters:
            raise TooFewRecordsError(
                f"n_clusters={self.n_clusters} needs at least {self.n_clusters} records; got n_samples={len(matrix)}. "
                "Lower n_clusters."
            )
        self._one_target = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        self._x_units, self._y_units = (_Units.of(one, self.standardize) for one in (matrix, targets))
        self._alternate(self._design(matrix), self._y_units.apply(targets), self._start(matrix, targets))
        self._set_coefficients()
        if not self.converged_:
            warn(
                f"FuzzyCRegression stopped at max_iter={self.max_iter} before the memberships came to rest. Raise "
                "max_iter, or raise tol.",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: ArrayLike, memberships: ArrayLike | None = None) -> Doubles:
        """Return what the models predict, n x t, or n values if `Y` was one target.

        Parameters
        ----------
        X
            n records by d variables.
        memberships
            How much each record belongs to each model, n x c: it gets the value of the one it belongs to most, of
            several the first. None: they cannot be known without the targets, and a record gets the mean of all
            models, weighted by `shares_`.
        """
        self.refuse_unfitted()
        matrix = checked_matrix(self, X, [np.float64], reset=False)
        if memberships is not None:
            return self.fitted_values(matrix, np.argmax(self._checked_memberships(memberships, len(matrix)), axis=1))
        A = self._design(matrix)
        values = np.zeros((len(A), self._coefficients.shape[2]))
        for share, one in zip(self.shares_, self._coefficients, strict=True):
            values += share * products(A, one)
        return self._in_units(values)

    def fitted_values(self, X: ArrayLike, models: ArrayLike) -> Doubles:
        """Return what one model, chosen for each record by its number, predicts for it.

        Parameters
        ----------
        X
            n records by d variables.
        models
            n numbers of models, from 0; `labels_` for the records that were fitted.
        """
        self.refuse_unfitted()
        A = self._design(checked_matrix(self, X, [np.float64], reset=False))
        chosen = np.asarray(models)
        values = np.empty((len(A), self._coefficients.shape[2]))
        for number, one in enumerate(self._coefficients):
            rows = chosen == number
            values[rows] = products(A[rows], one)
        return self._in_units(values)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the coefficient of determination of the predictions, as scikit-learn defines it."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))

    def weighted_design(self, X: ArrayLike, model: int) -> Doubles:
        """Return the rows that the least squares of one model was taken over, each times the root of its weight.

        Parameters
        ----------
        X
            The records that were fitted.
        model
            The number of the model, from 0.
        """
        self.refuse_unfitted()
        A = self._design(checked_matrix(self, X, [np.float64], reset=False))
        return np.asarray(np.sqrt(self.weights_[:, [model]]) * A)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags, Tags, TargetTags

        target = TargetTags(required=True, multi_output=True)
        return Tags(estimator_type="regressor", target_tags=target, regressor_tags=RegressorTags())

    def _start(self, X: Doubles, Y: Doubles) -> Doubles:
        """Return the first memberships."""
        if not isinstance(self.init, str):
            start = self._checked_memberships(self.init, len(X), "init")
            totals = start.sum(axis=1, keepdims=True)
            if (start < 0).any() or not (totals > 0).all():
                raise ParameterError("init must be made of numbers from 0, some of them above 0 in every row.")
            start /= totals
            return start
        parts = [self._x_units.apply(X), self._y_units.apply(Y)][: 2 if self.init == "joint" else 1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a start need not be the best there is
            clusters = FuzzyCMeans(self.n_clusters, m=self.m, random_state=self.random_state).fit(np.hstack(parts))
        return np.asarray(clusters.memberships_)

    def _checked_memberships(self, memberships: Any, records: int, name: str = "memberships") -> Doubles:
        try:
            matrix = np.array(memberships, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"{name} must be made of numbers.") from None
        if matrix.shape != (records, self.n_clusters):
            raise ParameterError(
                f"{name} must have {records} rows, one a record, and {self.n_clusters} columns; got {matrix.shape}."
            )
        if not np.isfinite(matrix).all():
            raise ParameterError(f"{name} must be made of finite numbers.")
        return matrix

    def _design(self, X: Doubles) -> Doubles:
        standard = self._x_units.apply(X)
        return np.column_stack([np.ones(len(standard)), standard]) if self.intercept else standard

    def _in_units(self, standard: Doubles) -> Doubles:
        values = self._y_units.undo(standard)
        return values[:, 0] if self._one_target else values

    def _alternate(self, A: Doubles, targets: Doubles, memberships: Doubles) -> None:
        """Find models and memberships by turns; the models kept are those that gave the final memberships."""
        nothing = _NOTHING * (1.0 if self.standardize else float(targets.var(axis=0).max()))
        logarithms = log(memberships)
        n_iter, converged = 0, False
        while n_iter < self.max_iter and not converged:
            lost = exp(logarithms).sum(axis=0) < _EMPTY
            weights = _weights(self.m * logarithms, lost)
            coefficients = np.stack([_least_squares(A, targets, column) for column in weights.T])
            errors = _squared_errors(A, targets, coefficients)
            for model in np.flatnonzero(lost):
                worst = int(np.argmax(errors[:, np.flatnonzero(~lost)].min(axis=1)))
                weights[:, model] = _around(worst, A, targets, len(lost))
                coefficients[model] = _least_squares(A, targets, weights[:, model])
                errors[:, model] = _squared_errors(A, targets, coefficients[model : model + 1])[:, 0]
                lost[model] = False
            previous, logarithms = exp(logarithms), _log_memberships(errors, self.m, nothing)
            n_iter += 1
            converged = float(np.abs(exp(logarithms) - previous).max()) <= self.tol
        self._coefficients = coefficients  # c x q x t, in standard deviations; the constant, if any, comes first
        self.weights_ = weights
        self.memberships_ = exp(logarithms)
        self.order_ = np.argsort(-logarithms, axis=1, kind="stable")
        self.labels_ = self.order_[:, 0]
        self.shares_ = self.memberships_.mean(axis=0)
        self.n_iter_, self.converged_ = n_iter, converged

    def _set_coefficients(self) -> None:
        """Store the models in the units of the variables and the targets."""
        x, y = self._x_units, self._y_units
        slopes = self._coefficients[:, int(self.intercept) :].transpose(0, 2, 1)
        constants = self._coefficients[:, 0] if self.intercept else np.zeros(slopes.shape[:2])
        self.coef_ = np.where(x.varies, slopes * y.spreads[:, None] / x.divisors, 0.0)
        self.intercept_ = y.places + constants * y.spreads - (self.coef_ * x.places).sum(axis=2)


@dataclass(frozen=True)
class _Units:
    """Standard deviations, and the way back."""

    places: Doubles  # what zero stands for
    spreads: Doubles
    varies: NDArray[np.bool_]

    @classmethod
    def of(cls, V: Doubles, standardize: bool) -> _Units:
        """Return the means and standard deviations of the columns; zero and one if they are to stay as they are."""
        with np.errstate(over="ignore", invalid="ignore"):
            means = V.mean(axis=0)
            spreads = V.std(axis=0, ddof=1) if len(V) > 1 else np.zeros(V.shape[1])
        if not np.isfinite(spreads).all():
            raise DataError("Some numbers are too large to be squared. Divide the columns that have them.")
        if not standardize:
            return cls(np.zeros(V.shape[1]), np.ones(V.shape[1]), np.ones(V.shape[1], dtype=bool))
        varies = spreads > 1e-14 * np.abs(V).max(axis=0)
        return cls(np.where(varies, means, V[0]), spreads, varies)

    @property
    def divisors(self) -> Doubles:
        """The standard deviations, one for columns that do not vary."""
        return np.where(self.varies, self.spreads, 1.0)

    def apply(self, V: Doubles) -> Doubles:
        """Return the columns in standard deviations, those that do not vary zero."""
        return np.where(self.varies, (V - self.places) / self.divisors, 0.0)

    def undo(self, standard: Doubles) -> Doubles:
        """Return the columns as they were."""
        back: Doubles = self.places + standard * self.spreads
        return back


def _checked_targets(estimator: FuzzyCRegression, Y: Any, records: int) -> Doubles:
    """Return the targets as numbers, without a value of them in a message."""
    if Y is None:  # scikit-learn's words, which its checks look for
        raise DataError("FuzzyCRegression requires y to be passed, but the target y is None.")
    from sklearn.utils.validation import check_array, check_consistent_length

    with without_values("Y"):
        targets = check_array(Y, dtype=np.float64, order="C", ensure_2d=False, input_name="y", estimator=estimator)
    check_consistent_length(range(records), targets)
    return np.asarray(targets, dtype=np.float64)


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


def _log_memberships(errors: Doubles, m: float, nothing: float) -> Doubles:
    """Return the logarithms of the memberships; a record that models fit belongs to these, equally."""
    fits = errors <= nothing
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
