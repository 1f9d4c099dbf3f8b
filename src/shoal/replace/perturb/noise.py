"""Additive noise: normal numbers with a share of the covariance of the data, added to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.errors import DataError
from shoal.parameters.limits import Above, Limit, TrueOrFalse, check_limits
from shoal.parameters.searched import Searched
from shoal.replace.perturb.base import Part, Perturbation, Perturbed
from shoal.replace.synthetic.residuals import factor, normal_numbers
from shoal.replace.synthetic.synthetic import without_extremes

__all__ = ["Noise"]

Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Noise(Perturbation):
    """Normal noise is added to every value, with alpha times the covariance of the data.

    Parameters
    ----------
    alpha
        The variance of the noise, as a share of that of the variable.
    correlated
        Whether the noise of the variables of a block goes together as they do, with the covariance alpha S, so that
        correlations are kept; otherwise every variable has noise of its own.
    keep_variance
        Whether what comes out is drawn towards the mean, (x - mean) / sqrt(1 + alpha) + mean, so that variances are
        kept, and covariances too if the noise is correlated. Without it they are 1 + alpha times as large.

    Notes
    -----
    S has n - 1 below it, and is weighted where there are sampling weights. With missing values, which stay, that of
    correlated noise is taken over the complete records. Correlated noise follows every linear relation of the variables
    of its block: a sum that held still does, up to rounding. Values may leave their range.

    References
    ----------
    J. J. Kim, A method for limiting disclosure in microdata based on random noise and transformation, Proceedings of
    the Section on Survey Research Methods, American Statistical Association, 1986, 303-308.
    """

    alpha: float = 0.1
    correlated: bool = True
    keep_variance: bool = False

    name: ClassVar[str] = "noise"
    reference: ClassVar[str] = (
        "J. J. Kim, A method for limiting disclosure in microdata based on random noise and transformation, "
        "Proceedings of the Section on Survey Research Methods, American Statistical Association, 1986, 303-308."
    )
    limits: ClassVar[Mapping[str, Limit]] = {
        "alpha": Above(0),
        "correlated": TrueOrFalse(),
        "keep_variance": TrueOrFalse(),
    }
    leaves_range: ClassVar[bool] = True
    searched: ClassVar[tuple[Searched, ...]] = (
        Searched("alpha", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5), 0.1),
        Searched("keep_variance", (False, True), False),
    )

    def __post_init__(self) -> None:
        check_limits(self.limits, vars(self))

    def perturbed(self, part: Part, rng: np.random.Generator) -> Perturbed:
        """Add noise to every column, all drawn together."""
        names = list(part.values)
        X = np.column_stack([part.values[name] for name in names])
        present = ~np.isnan(X)
        scaled, exponents = without_extremes(np.where(present, X, 0.0))  # squares are then numbers, however large X is
        draws = normal_numbers(rng, X.shape)
        weights = np.ones(len(X)) if part.weights is None else part.weights
        means = np.array([_mean(scaled[own, place], weights[own]) for place, own in enumerate(present.T)])
        together = present.all(axis=1) if self.correlated else None
        if together is not None and X.shape[1] > 1 and together.sum() < 2:
            raise DataError(
                f"The covariance of {', '.join(names)} needs two complete records at least. Fill missing values, or "
                "use noise:correlated=false."
            )
        if together is not None and X.shape[1] > 1:
            noise = products(draws, self._factor(scaled[together], weights[together]))
        else:
            own = [
                self._factor(scaled[there][:, [place]], weights[there])[0, 0] for place, there in enumerate(present.T)
            ]
            noise = draws * np.array(own)
        after = scaled + noise
        if self.keep_variance:
            after = (after - means) / np.sqrt(1 + self.alpha) + means
        with np.errstate(over="ignore"):
            after = np.where(present, np.ldexp(after, exponents), np.nan)
        _refuse_overflow(names, after)
        return Perturbed({name: after[:, place] for place, name in enumerate(names)}, {})

    def _factor(self, X: Doubles, weights: Doubles) -> Doubles:
        """Return R with R'R = alpha S: noise with independent normal numbers times R has that covariance."""
        count, columns = X.shape
        if count < 2:
            return np.zeros((columns, columns))
        means = np.array([_mean(column, weights) for column in X.T])
        deviations = (X - means) * np.sqrt(weights / weights.sum() * count)[:, None]
        triangle = factor(deviations[None], np.array([columns]))[0]
        return np.asarray(triangle * np.sqrt(self.alpha / (count - 1)))


def _mean(values: Doubles, weights: Doubles) -> float:
    """Return the weighted mean, that of values which are all the same exactly; 0 of none."""
    if values.size == 0:
        return 0.0
    mean = (values * weights).sum() / weights.sum()
    return float(np.clip(mean, values.min(), values.max()))


def _refuse_overflow(names: list[str], after: Doubles) -> None:
    beyond = np.isinf(after).any(axis=0)
    if beyond.any():
        name = names[int(np.argmax(beyond))]
        raise DataError(f'"{name}" has values so large that noise takes them beyond what floats hold. Divide them.')
