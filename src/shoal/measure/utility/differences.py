"""How much masking changes means, variances, covariances, correlations and quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import JointMoments, joint_moments, on_original_scale, quantile_places

__all__ = [
    "correlation_difference",
    "correlations_changed",
    "covariance_difference",
    "covariances_changed",
    "mean_difference",
    "quantile_difference",
    "variance_difference",
]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]


def _about(name: str, title: str, definition: str, publication: Publication, most: float = math.inf) -> About:
    return About(
        name=name,
        title=title,
        definition=definition,
        reference="Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata, "
        "Confidentiality, Disclosure and Data Access, Elsevier",
        range=(0.0, most),
        better="lower",
        side="utility",
        unit="",
        counts="neither",
        slow=False,
        publication=publication,
    )


@file_measure(
    _about(
        "mean_difference",
        "Difference of means",
        "Mean over the numeric variables of |masked mean - original mean|, in units of the original's standard "
        "deviation. Each mean is that of the observed values of the file; constant variables are left out.",
        Publication.OVER_VARIABLES,
    ),
    by_record=False,
)
def mean_difference(files: Pair) -> MeasuredValue:
    """Return the mean difference of means, with the difference of each variable in `.by_column`."""
    return _by_column(files, 1, lambda original, masked: abs(masked.mean() - original.mean()))


@file_measure(
    _about(
        "variance_difference",
        "Difference of variances",
        "Mean over the numeric variables of |masked variance - original variance| / original variance (n - 1). Each "
        "variance is that of the observed values of the file; constant variables are left out.",
        Publication.OVER_VARIABLES,
    ),
    by_record=False,
)
def variance_difference(files: Pair) -> MeasuredValue:
    """Return the mean relative difference of variances, with the difference of each variable in `.by_column`."""
    return _by_column(files, 2, lambda original, masked: abs(masked.var(ddof=1) / original.var(ddof=1) - 1))


@file_measure(
    _about(
        "quantile_difference",
        "Difference of quantiles",
        "Mean over the numeric variables and the quantiles 5 %, 10 %, ... 95 % (the value at place (n - 1) q, rounded "
        "down, from 0) of |masked - original|, in units of the original's standard deviation. Constant variables are "
        "left out.",
        Publication.OVER_VARIABLES,
    ),
    by_record=False,
)
def quantile_difference(files: Pair) -> MeasuredValue:
    """Return the mean difference of quantiles, with the difference of each variable in `.by_column`."""
    return _by_column(files, 1, lambda original, masked: np.abs(_quantiles(masked) - _quantiles(original)).mean())


@file_measure(
    _about(
        "covariance_difference",
        "Difference of covariances",
        "Mean over the pairs of numeric variables of |masked covariance - original covariance| (n - 1), in units of "
        "the product of the original's standard deviations, over the records of each file in which both are observed. "
        "Constant variables are left out.",
        Publication.OVER_PAIRS,
    ),
    by_record=False,
)
def covariance_difference(files: Pair) -> MeasuredValue:
    """Return the mean difference of covariances, with the pair that differs most in `.worst`."""
    return _by_pair(files, covariances_changed)


@file_measure(
    _about(
        "correlation_difference",
        "Difference of correlations",
        "Mean over the pairs of numeric variables of |masked correlation - original correlation|, over the records of "
        "each file in which both are observed. Variables that are constant in the original are left out; a "
        "correlation that masking made undefined counts as 0.",
        Publication.OVER_PAIRS,
        most=2.0,
    ),
    by_record=False,
)
def correlation_difference(files: Pair) -> MeasuredValue:
    """Return the mean difference of correlations, with the pair that differs most in `.worst`."""
    return _by_pair(files, correlations_changed)


def covariances_changed(names: Sequence[str], before: JointMoments, after: JointMoments) -> MeasuredValue:
    """Return the mean difference of covariances from the moments of both files, on the scale of the original."""
    one, other = (each.products * each.counts / np.maximum(each.counts - 1, 1) for each in (before, after))
    return _differing_pairs(names, one, other, (before.counts > 1) & (after.counts > 1))


def correlations_changed(names: Sequence[str], before: JointMoments, after: JointMoments) -> MeasuredValue:
    """Return the mean difference of correlations from the moments of both files, on the scale of the original."""
    defined = before.vary & before.vary.T & (after.counts > 0)
    return _differing_pairs(names, before.correlations, after.correlations, defined)


def _quantiles(values: Doubles) -> Doubles:
    return np.asarray(np.sort(values)[quantile_places(len(values))])


def _by_column(files: Pair, least: int, difference: Callable[[Doubles, Doubles], float]) -> MeasuredValue:
    """Average the difference over the variables that have `least` values or more in the masked file."""
    original, masked = on_original_scale(*files.need_numeric())
    by_column = {}
    for name, before, after in zip(files.varying_names, original.T, masked.T, strict=True):
        before, after = before[~np.isnan(before)], after[~np.isnan(after)]
        if len(after) >= least:
            by_column[name] = float(difference(before, after))
    if not by_column:
        values = "a value" if least == 1 else "two values"
        raise NotApplicableError(f"This measure needs a numeric variable that has {values} in the masked file.")
    return MeasuredValue(math.fsum(by_column.values()) / len(by_column), by_column=by_column)


def _by_pair(
    files: Pair, changed: Callable[[Sequence[str], JointMoments, JointMoments], MeasuredValue]
) -> MeasuredValue:
    """Average the difference over the pairs of variables, of very many over those of some."""
    files, taken = files.for_numeric_pairs()
    original, masked = on_original_scale(*files.need_numeric())
    measured = changed(files.varying_names, joint_moments(original), joint_moments(masked))
    return MeasuredValue(float(measured), **measured.parts, **taken)


def _differing_pairs(names: Sequence[str], before: Doubles, after: Doubles, defined: Booleans) -> MeasuredValue:
    """Average the difference over the pairs of variables for which both files have the statistic."""
    pairs = np.argwhere(np.triu(defined, 1))
    if not len(pairs):
        raise NotApplicableError("This measure needs two numeric variables that vary and are observed together.")
    differences = np.abs(after - before)[tuple(pairs.T)]
    worst = int(differences.argmax())
    return MeasuredValue(
        float(differences.mean()),
        worst={"columns": [names[j] for j in pairs[worst]], "difference": float(differences[worst])},
    )
