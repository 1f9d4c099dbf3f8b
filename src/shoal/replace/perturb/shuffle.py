"""Data shuffling: every variable keeps its values, put into the order of drawn ones that go together as they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log, products
from shoal.parameters.limits import Limit, check_limits
from shoal.replace.perturb.base import Part, Perturbation, Perturbed
from shoal.replace.synthetic.residuals import factor, normal_numbers, regressed
from shoal.replace.synthetic.synthetic import Names, as_tuple

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


@dataclass(frozen=True)
class Shuffle(Perturbation):
    """The values of every variable are put into the order of drawn ones, which go together as the ranks did.

    Parameters
    ----------
    confidential
        The variables to shuffle, by default all of a block. The other numbers of the block stay as they are, and how
        the shuffled ones go together with them is kept.

    Notes
    -----
    Ranks become normal scores. The scores of the confidential variables are regressed on those of the variables that
    stay, and drawn anew: what the regression gives, and normal noise with the covariance of its residuals. The original
    values are then given out in the order of what was drawn. Every variable keeps its values, and so its distribution,
    exactly; correlations of ranks are kept about. The scores that are drawn do not depend on the confidential values of
    the record. Missing values stay, and count as average in the regression; sampling weights stay with their records.

    References
    ----------
    K. Muralidhar and R. Sarathy, Data shuffling: a new masking approach for numerical data, Management Science 52
    (2006), 658-670.
    """

    confidential: Sequence[str] = ()

    name: ClassVar[str] = "shuffle"
    reference: ClassVar[str] = (
        "K. Muralidhar and R. Sarathy, Data shuffling: a new masking approach for numerical data, Management Science "
        "52 (2006), 658-670."
    )
    scope: ClassVar[Literal["column", "block", "file"]] = "block"
    limits: ClassVar[Mapping[str, Limit]] = {"confidential": Names()}
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidential", as_tuple(self.confidential))
        check_limits(self.limits, vars(self))

    def changes(self, name: str) -> bool:
        """Whether a variable is shuffled; the others of its block stay."""
        return not self.confidential or name in self.confidential

    def perturbed(self, part: Part, rng: np.random.Generator) -> Perturbed:
        """Give the values of the confidential columns out anew."""
        names = [name for name in part.values if self.changes(name)]
        if not names:
            return Perturbed({}, {})
        kept = [name for name in part.values if name not in names]
        scores = {name: normal_scores(values) for name, values in part.values.items()}
        drawn = _drawn(_columns(scores, names, len(part)), _columns(scores, kept, len(part)), rng)
        taken = {}
        for place, name in enumerate(names):
            values = part.values[name]
            observed = rng.permutation(np.flatnonzero(~np.isnan(values)))  # equal values are given out at random
            taken[name] = np.arange(len(values))
            ranked = observed[np.argsort(values[observed], kind="stable")]
            taken[name][observed[np.argsort(drawn[observed, place], kind="stable")]] = ranked
        return Perturbed({}, taken)


def _columns(scores: Mapping[str, Doubles], names: Sequence[str], records: int) -> Doubles:
    return np.column_stack([np.zeros((records, 0)), *(scores[name] for name in names)])


def _drawn(X: Doubles, Y: Doubles, rng: np.random.Generator) -> Doubles:
    """Return scores that are drawn for given Y: what the regression on Y gives, and noise like its residuals."""
    fit = regressed(X[None], Y[None])
    triangle = factor(fit.residuals, np.array([X.shape[1]]))[0] / np.sqrt(max(1, int(fit.degrees[0])))
    return np.asarray(fit.fitted[0] + products(normal_numbers(rng, X.shape), triangle))
