"""Mean relative change of values, means, covariances, variances and correlations: the information loss of 2001."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import NEGLIGIBLE, JointMoments, joint_moments, on_original_scale

__all__ = ["changes_of_cells", "mean_change", "mean_variation", "variation_of_statistics"]

Doubles = NDArray[np.float64]

_LARGEST = 1e100  # a larger relative change counts as this, so that the mean does not overflow


@file_measure(
    About(
        name="mean_variation",
        title="Mean variation (information loss of 2001)",
        definition="100 times the average of five mean relative changes |masked - original| / |original|: of the "
        "values, the means, the covariances of pairs, the variances and the correlations; of those that exist, as one "
        "variable has no pairs. The relative change of a 0 counts 0 if it stays 0, and is left out otherwise. Constant "
        "variables have no correlation; one that masking made undefined counts as 0.",
        reference="Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for "
        "microdata, Confidentiality, Disclosure and Data Access, Elsevier",
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="%",
        counts="neither",
        slow=False,
        publication=Publication.OVER_VARIABLES,
    )
)
def mean_variation(files: Pair) -> MeasuredValue:
    """Return the loss in percent, with its five components (1 is 100 %) as parts; None for one that does not exist."""
    files, taken = files.for_numeric_pairs()
    original, masked = files.need_numeric(varying=False)
    before, after = (joint_moments(file) for file in on_original_scale(original, masked))
    observed = np.diag((before.counts > 0) & (after.counts > 0))
    means = np.array([_means(original[:, j], masked[:, j]) for j in np.flatnonzero(observed)]).reshape(-1, 2)
    cells = ~(np.isnan(original) | np.isnan(masked))
    return variation_of_statistics(mean_change(original[cells], masked[cells], 0.0), means, before, after, **taken)


def variation_of_statistics(
    values: float | None, means: Doubles, before: JointMoments, after: JointMoments, **taken: int
) -> MeasuredValue:
    """Return the loss from statistics of both files.

    Parameters
    ----------
    values
        The mean relative change of values; None where there is none.
    means
        The means of both files, a row for each variable that has values in both.
    before, after
        The moments of both files, on the scale of the original.
    taken
        How many variables they are of, if not of all.
    """
    observed = (before.counts > 0) & (after.counts > 0)
    one, two = np.diag(observed), np.triu(observed, 1)
    correlated = two & before.vary & before.vary.T
    components = {
        "values": values,
        "means": mean_change(means[:, 0], means[:, 1], NEGLIGIBLE),
        "covariances": mean_change(before.products[two], after.products[two], NEGLIGIBLE),
        "variances": mean_change(before.variances.diagonal()[one], after.variances.diagonal()[one], NEGLIGIBLE),
        "correlations": mean_change(before.correlations[correlated], after.correlations[correlated], NEGLIGIBLE),
    }
    defined = [component for component in components.values() if component is not None]
    if not defined:
        raise NotApplicableError("This measure needs a number other than 0 that has a value in both files.")
    return MeasuredValue(100 * math.fsum(defined) / len(defined), **components, **taken)


def _means(original: Doubles, masked: Doubles) -> tuple[float, float]:
    """Return the means of one variable in both files, in units of its largest value in the original."""
    before, after = original[~np.isnan(original)], masked[~np.isnan(masked)]
    exponent = int(np.frexp(np.abs(before).max())[1])
    with np.errstate(over="ignore"):  # a masked value may be far larger than any original one
        after = np.clip(np.ldexp(after, -exponent), -_LARGEST, _LARGEST)
    return float(np.ldexp(before, -exponent).mean()), float(after.mean())


def mean_change(before: Doubles, after: Doubles, zero: float) -> float | None:
    """Return the mean of |after - before| / |before|; a number of at most `zero` counts as 0."""
    changes = changes_of_cells(before, after, zero)
    return float(changes.mean()) if changes.size else None


def changes_of_cells(before: Doubles, after: Doubles, zero: float) -> Doubles:
    """Return |after - before| / |before| of every number that has one; one of at most `zero` counts as 0."""
    was, stays = np.abs(before) > zero, np.abs(after) <= zero
    with np.errstate(over="ignore"):
        change = np.abs(after - before) / np.where(was, np.abs(before), np.inf)
    return np.minimum(change[was | stays], _LARGEST)
