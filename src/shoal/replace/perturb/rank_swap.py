"""Rank swapping: values change places with others that are not far away in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.parameters.limits import Above, Limit, check_limits
from shoal.parameters.searched import Searched
from shoal.replace.perturb.base import Part, Perturbation, Perturbed
from shoal.replace.synthetic.synthetic import Tally

__all__ = ["RankSwap"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

_ROUNDING = 1e-9  # of a rank
_ALONE = "{count} of {of} values have no partner to be exchanged with, and stay."


@dataclass(frozen=True)
class RankSwap(Perturbation):
    """Every value is exchanged with one that is at most p % of the ranks away, each variable for itself.

    Parameters
    ----------
    p
        How far apart the ranks of two values may be, in % of the observed values.

    Notes
    -----
    Values are put in order, equal ones at random. From one end on, which is drawn, each is exchanged with one drawn
    evenly from those that are left within p %; each value is exchanged once. All find a partner but for one of an odd
    number. A variable keeps its values, and so its distribution, exactly; how variables go together is kept the less,
    the larger p is. Missing values stay where they are. Ranks count records: sampling weights stay with their records.

    References
    ----------
    R. A. Moore, Controlled data-swapping techniques for masking public use microdata sets, U.S. Bureau of the Census,
    Statistical Research Division Report RR 96-04, 1996.
    """

    p: float = 15.0

    name: ClassVar[str] = "rank-swap"
    reference: ClassVar[str] = (
        "R. A. Moore, Controlled data-swapping techniques for masking public use microdata sets, U.S. Bureau of the "
        "Census, Statistical Research Division Report RR 96-04, 1996."
    )
    limits: ClassVar[Mapping[str, Limit]] = {"p": Above(0, high=100)}
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal"})
    searched: ClassVar[tuple[Searched, ...]] = (Searched("p", (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0), 15.0),)
    unpublished: ClassVar[frozenset[str]] = frozenset({"p"})  # who knows it searches only records within p %

    def __post_init__(self) -> None:
        check_limits(self.limits, vars(self))

    def perturbed(self, part: Part, rng: np.random.Generator) -> Perturbed:
        """Exchange the values of every column."""
        taken, tallies = {}, []
        for name, values in part.values.items():
            observed = np.flatnonzero(~np.isnan(values))
            taken[name] = np.arange(len(values))
            if observed.size == 0 or values[observed].min() == values[observed].max():
                continue
            ranked, partners = self._exchanged(name, values, observed, rng)
            taken[name][ranked] = ranked[partners]
            alone = int((partners == np.arange(len(partners))).sum())
            tallies.append(Tally(_ALONE, alone, len(partners)))
        return Perturbed({}, taken, tuple(tallies))

    def _exchanged(
        self, name: str, values: Doubles, observed: Whole64, rng: np.random.Generator
    ) -> tuple[Whole64, Whole64]:
        """Return the records with an observed value in order, and for each place in it that of the partner."""
        from shoal.partition.kernels.rank_pairs import pair_ranks  # here, to keep start-up quick

        count = len(observed)
        window = int(self.p * count / 100 + _ROUNDING)
        if window < 1:
            raise DataError(
                f'p={self.p:g} % of the ranks of "{name}" is less than one, so that no value could be exchanged. Raise '
                f"p to {100 / count:.3g}: rank-swap:p={np.ceil(1000 / count) / 10:g}, or merge strata."
            )
        mixed = rng.permutation(observed)
        ranked = mixed[np.argsort(values[mixed], kind="stable")]
        if rng.random() < 0.5:  # else what stays of an odd number would always be among the highest
            ranked = ranked[::-1].copy()
        partners = np.empty(count, dtype=np.int64)
        pair_ranks(window, rng.random(count), partners)
        return ranked, partners
