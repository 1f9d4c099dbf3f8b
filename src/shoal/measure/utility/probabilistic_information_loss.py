"""How far the statistics of the masked file differ from the original's, compared with their sampling error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import (
    NEGLIGIBLE,
    QUANTILES,
    JointMoments,
    joint_moments,
    on_original_scale,
    quantile_places,
)

__all__ = ["QuantileChange", "loss_of_statistics", "probabilistic_information_loss", "reach_of_density"]

Doubles = NDArray[np.float64]

_MARGIN = 1e-9  # of the range


@file_measure(
    About(
        name="probabilistic_information_loss",
        title="Probabilistic information loss",
        definition="For means, variances, covariances, correlations and the quantiles 5 % to 95 %: 100 (2 Phi(z) - 1), "
        "where z is the change of the statistic in units of its standard error in the original, averaged over "
        "variables or pairs; then the average of the five, or of those that exist, as one variable has no pairs. A "
        "statistic whose standard error is 0 counts 0 if it is unchanged and 100 if not; constant variables have no "
        "correlation and no quantiles, and a correlation that masking made undefined counts as 0.",
        reference="Mateo-Sanz, Domingo-Ferrer and Sebé (2005), Probabilistic information loss measures in "
        "confidentiality protection of continuous microdata, Data Mining and Knowledge Discovery 11(2)",
        range=(0.0, 100.0),
        better="lower",
        side="utility",
        unit="%",
        counts="neither",
        slow=False,
        publication=Publication.OVER_VARIABLES,
    ),
    by_record=False,
)
def probabilistic_information_loss(files: Pair) -> MeasuredValue:
    """Return the loss in percent, with the average of each kind of statistic in `.mean`, `.variance`, ...

    A part is None if there is no such statistic. The masked file may have another number of records: each statistic
    of a file is computed over its observed values.
    """
    files, taken = files.for_numeric_pairs()
    original, masked = on_original_scale(*files.need_numeric(varying=False))
    before, after = joint_moments(original, fourth_order=True), joint_moments(masked)
    return loss_of_statistics(before, after, lambda j: _quantile_change(original[:, j], masked[:, j]), **taken)


@dataclass(frozen=True)
class QuantileChange:
    """The quantiles 5 % to 95 % of one variable in both files, on the scale of the original.

    Attributes
    ----------
    before, after
        The quantiles of both files.
    records, span
        How many values the original has, and their range.
    inside
        How many of them lie within `reach_of_density` of each quantile.
    """

    before: Doubles
    after: Doubles
    records: int
    span: float
    inside: NDArray[np.int64]

    @property
    def loss(self) -> float:
        """The loss averaged over the quantiles."""
        spread = QUANTILES * (1 - QUANTILES) * (2 * self.span / 1000 * self.records / self.inside) ** 2
        return float(_loss(self.before, self.after, spread, 0.0, self.records).mean())


def reach_of_density(span: float) -> float:
    """Return how far from a quantile values count for the density there: strictly less than a thousandth of the range.

    A value at the end of an interval stays outside it, whatever the unit of the variable.
    """
    return span / 1000 - _MARGIN * span


def loss_of_statistics(
    before: JointMoments, after: JointMoments, quantiles: Callable[[int], QuantileChange], **taken: int
) -> MeasuredValue:
    """Return the loss from statistics of both files on the scale of the original.

    Parameters
    ----------
    before, after
        Their moments, those of the original of fourth order too.
    quantiles
        Gives the quantiles of a variable, by its place.
    taken
        How many variables they are of, if not of all.
    """
    observed = (before.counts > 0) & (after.counts > 0)
    one, two = np.diag(observed), np.triu(observed, 1)
    components = {
        "mean": _average(_loss(before.means, after.means, before.variances, 1.0, before.counts).diagonal()[one]),
        "variance": _average(_variance_losses(before, after)[one]),
        "covariance": _average(_covariance_losses(before, after)[two]),
        "correlation": _average(_correlation_losses(before, after)[two & before.vary & before.vary.T]),
        "quantile": _average(
            np.array([quantiles(j).loss for j in np.flatnonzero(one & before.vary.diagonal()).tolist()])
        ),
    }
    defined = [component for component in components.values() if component is not None]
    if not defined:
        raise NotApplicableError("This measure needs a numeric variable that has values in both files.")
    return MeasuredValue(math.fsum(defined) / len(defined), **components, **taken)


def _average(losses: Doubles) -> float | None:
    return float(losses.mean()) if losses.size else None


def _loss(before: Doubles, after: Doubles, spread: Doubles, size: Doubles | float, n: Doubles | float) -> Doubles:
    """Return 100 (2 Phi(z) - 1) for z = |after - before| / sqrt(spread / n).

    Changes are measured in standard deviations; a spread that is negligible beside `size`, the size of the terms whose
    difference it is, counts as 0.
    """
    from scipy.special import erf  # type: ignore[import-untyped]  # deferred: slow to import

    change = np.abs(after - before)
    changed = change > NEGLIGIBLE * (1 + np.abs(before))
    spreads = spread > NEGLIGIBLE * size
    z = change * np.sqrt(n / np.where(spreads, spread, 1.0))
    return np.asarray(100 * np.where(changed, np.where(spreads, erf(z / math.sqrt(2)), 1.0), 0.0))


def _variance_losses(before: JointMoments, after: JointMoments) -> Doubles:
    spread = before.fourths - before.variances**2
    return _loss(before.variances, after.variances, spread, before.fourths, before.counts).diagonal()


def _covariance_losses(before: JointMoments, after: JointMoments) -> Doubles:
    spread = before.squares - before.products**2
    return _loss(before.products, after.products, spread, before.squares, before.counts)


def _correlation_losses(before: JointMoments, after: JointMoments) -> Doubles:
    """Return the losses of all correlations; their variance is in the form that does not divide by the covariance."""
    r = before.correlations
    variances = np.where(before.vary, before.variances, 1.0)
    both = variances * variances.T
    squares, fourths = before.squares / both, before.fourths / variances**2
    cubes = before.cubes / (variances * np.sqrt(both))
    spread = squares + r**2 / 4 * (fourths + fourths.T + 2 * squares) - r * (cubes + cubes.T)
    return _loss(r, after.correlations, spread, 1 + squares, before.counts)


def _quantile_change(original: Doubles, masked: Doubles) -> QuantileChange:
    values, others = (np.sort(column[~np.isnan(column)]) for column in (original, masked))
    n, span = len(values), float(values[-1] - values[0])
    before, after = values[quantile_places(n)], others[quantile_places(len(others))]
    reach = reach_of_density(span)
    inside = np.searchsorted(values, before + reach, "left") - np.searchsorted(values, before - reach, "right")
    return QuantileChange(before, after, n, span, inside)
