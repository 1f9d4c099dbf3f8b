"""Data shuffling: every variable keeps its values, put into the order of drawn ones that go together as they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.parameters.limits import Limit, check_limits
from shoal.replace.perturb.base import Part, Perturbation, Perturbed
from shoal.replace.perturb.normal_scores import normal_scores
from shoal.replace.synthetic.residuals import factor, normal_numbers, regressed
from shoal.replace.synthetic.synthetic import Names, as_tuple

__all__ = ["Shuffle"]

Doubles = NDArray[np.float64]


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
    summary: ClassVar[str] = "Values are put into the order of drawn ones, which go together as the ranks did"
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
