"""Normal scores: what values would be if they had the same ranks and a normal distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log

__all__ = ["normal_quantiles", "normal_scores"]

Doubles = NDArray[np.float64]

# The coefficients of M. J. Wichura, Algorithm AS 241: the percentage points of the normal distribution, Applied
# Statistics 37 (1988), from the highest power down: above and below the line, in the middle, beside it and far out.
_MIDDLE = (
    (
        *(2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457),
        *(13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    ),
    (
        *(5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867),
        *(5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
    ),
)
_BESIDE = (
    (
        *(7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258),
        *(3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    ),
    (
        *(1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459),
        *(0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
    ),
)
_FAR_OUT = (
    (
        *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093),
        *(0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    ),
    (
        *(2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4),
        *(0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
    ),
)


def normal_scores(values: Doubles) -> Doubles:
    """Return the normal quantiles of rank / (n + 1), equal values with the mean of their ranks; 0 for a missing one."""
    scores = np.zeros(len(values))
    observed = ~np.isnan(values)
    _, place, counts = np.unique(values[observed], return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores[observed] = normal_quantiles(ranks / (observed.sum() + 1))[place]
    return scores


def normal_quantiles(shares: Doubles) -> Doubles:
    """Return the normal quantiles of shares above 0 and below 1, the same on every processor."""
    away = shares - 0.5
    r = np.sqrt(-log(np.where(away < 0, shares, 1 - shares)))
    far = np.where(r <= 5, _ratio(_BESIDE, r - 1.6), _ratio(_FAR_OUT, r - 5))
    near = away * _ratio(_MIDDLE, 0.180625 - away * away)
    return np.where(np.abs(away) <= 0.425, near, np.where(away < 0, -far, far))


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Doubles) -> Doubles:
    above, below = np.zeros_like(x), np.zeros_like(x)
    for one, other in zip(*coefficients, strict=True):
        above, below = above * x + one, below * x + other
    return np.asarray(above / below)
