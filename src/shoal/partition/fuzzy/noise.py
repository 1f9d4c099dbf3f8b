"""Fuzzy clusters, and one more cluster for noise: records that belong to none of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from shoal.parameters.limits import Above, Limit, OrNone
from shoal.partition.fuzzy.alternating import MembershipRule, Noisy
from shoal.partition.fuzzy.base import FuzzyClusterer

__all__ = ["NoiseClustering"]


@dataclass(eq=False, repr=False, kw_only=True)
class NoiseClustering(FuzzyClusterer):
    """Fuzzy c-means with a noise cluster, equally far from every record, that keeps outliers from moving the centres.

    Memberships are those of `FuzzyCMeans` with one more centre, at distance delta from every record; the centres are
    weighted means as there.

    Parameters
    ----------
    n_clusters
        The number of clusters, c, without noise.
    m
        How fuzzy, above 1.
    delta
        The distance of noise. None: Davé's rule, delta^2 is `lam` times the mean squared distance of records to
        centres. It follows the centres for the first 30 iterations and then stays, since the objective has no meaning
        while it moves.
    lam
        For Davé's rule; 0.05 to 0.5 is sensible, and the larger, the nearer to `FuzzyCMeans`.
    init, max_iter, tol, n_init, random_state, device, memory
        As in `FuzzyCMeans`.

    Attributes
    ----------
    cluster_centers_
        The centres, c x d, without noise.
    memberships_
        The memberships, n x (c + 1); the last column is noise, so that the rows sum to one.
    labels_
        The cluster every record belongs to most, of several the first; c is noise.
    delta_
        The distance of noise.
    n_iter_, converged_, objective_
        As in `FuzzyCMeans`; of the objective only the values since delta stays.

    References
    ----------
    R. N. Davé (1991), Characterization and detection of noise in clustering, Pattern Recognition Letters 12.
    """

    m: float = 2.0
    delta: float | None = None
    lam: float = 0.1

    limits: ClassVar[Mapping[str, Limit]] = {
        **FuzzyClusterer.limits,
        "m": Above(1),
        "delta": OrNone(Above(0)),
        "lam": Above(0),
    }

    def _make_rule(self, scale: float) -> MembershipRule:
        return Noisy(float(self.m), None if self.delta is None else float(self.delta) / scale, float(self.lam))

    def _learn(self, X: NDArray[Any], fits: bool) -> None:
        super()._learn(X, fits)
        assert isinstance(self._rule, Noisy) and self._rule.delta is not None
        self.delta_ = self._rule.delta * self._scale
