"""Possibilistic c-means: typicalities instead of memberships, or, in fuzzy possibilistic c-means, beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Above, Limit
from shoal.partition.fuzzy.alternating import (
    Alternation,
    Fuzzy,
    MembershipRule,
    Possibilistic,
    Typicality,
    alternate,
    mean_distances,
    typicalities,
)
from shoal.partition.fuzzy.base import FuzzyClusterer
from shoal.partition.fuzzy.device import threads_for_blocks, to_device, to_host
from shoal.progress import advance, step

__all__ = ["FuzzyPossibilisticCMeans", "PossibilisticCMeans"]


@dataclass(eq=False, repr=False, kw_only=True)
class FuzzyPossibilisticCMeans(FuzzyClusterer):
    """Fuzzy c-means in which a record also counts by how typical it is of a cluster among all records.

    The sum over records k and clusters i of ``(u_ki^m + t_ki^eta) |x_k - v_i|^2`` is minimised in turns. The
    memberships u of a record sum to one over the clusters, the typicalities t of a cluster over the records; a centre
    is the mean weighted by u^m + t^eta.

    Parameters
    ----------
    n_clusters
        The number of clusters, c.
    m
        How fuzzy the memberships are, above 1.
    eta
        The same for the typicalities, above 1; 2 is usual. With eta below 1, which has been published, a record is the
        more typical the farther it is from the centre, and the steps lead nowhere.
    init, max_iter, tol, n_init, random_state, device, memory
        As in `FuzzyCMeans`.

    Attributes
    ----------
    typicalities_
        The typicalities, n x c; the columns sum to one. Kept like the memberships.
    cluster_centers_, memberships_, labels_, n_iter_, converged_, objective_
        As in `FuzzyCMeans`.

    Notes
    -----
    Typicalities are of the size of 1/n, so that with many records they hardly move the centres.

    References
    ----------
    N. R. Pal, K. Pal and J. C. Bezdek (1997), A mixed c-means clustering model, IEEE International Conference on Fuzzy
    Systems.
    """

    m: float = 2.0
    eta: float = 2.0

    limits: ClassVar[Mapping[str, Limit]] = {
        **FuzzyClusterer.limits,
        "m": Above(1),
        "eta": Above(1, why="at 1 and below, the record farthest from a centre would be the most typical of it"),
    }

    @property
    def typicalities_(self) -> NDArray[Any]:
        """The typicalities of the records, n x c; the columns sum to one."""
        self.refuse_unfitted()
        if self._typicalities is not None:
            return self._typicalities
        return self._typicalities_of(self._training_matrix())

    def _make_rule(self, scale: float) -> MembershipRule:
        return Possibilistic(float(self.m), float(self.eta))

    def _learn(self, X: NDArray[Any], fits: bool) -> None:
        super()._learn(X, fits)
        self._typicalities = self._typicalities_of(X) if fits else None

    def _typicalities_of(self, X: NDArray[Any]) -> NDArray[Any]:
        return self._computed(X, typicalities)


@dataclass(eq=False, repr=False, kw_only=True)
class PossibilisticCMeans(FuzzyClusterer):
    """Clusters in which a record is typical of each by its distance alone, whatever the other clusters are.

    The typicality of record k for cluster i is ``t_ki = 1 / (1 + (|x_k - v_i|^2 / eta_i)^(1/(m-1)))``: one half at the
    distance sqrt(eta_i), nearly zero for an outlier in all clusters. A centre is the mean weighted by t^m. Fuzzy
    c-means with the same m is the start, and gives each cluster its eta, the mean squared distance of the records to
    its centre weighted by u^m, which then stays. The sum over records and clusters of
    ``t_ki^m |x_k - v_i|^2 + eta_i (1 - t_ki)^m`` is minimised in turns.

    Parameters
    ----------
    n_clusters
        The number of clusters, c.
    m
        How fuzzy, above 1.
    init, n_init
        The start of fuzzy c-means, as in `FuzzyCMeans`.
    max_iter, tol, random_state, device, memory
        As in `FuzzyCMeans`; `max_iter` for each of the two.

    Attributes
    ----------
    typicalities_
        The typicalities, n x c, from 0 to 1. Those of a record need not add up to one.
    memberships_
        The same, as what a possibilistic partition has for memberships: the fuzzy Rand index is not defined for them.
    labels_
        The cluster every record is most typical of, of several the first.
    eta_
        The squared distance at which a record is half typical of each cluster, c.
    cluster_centers_, n_iter_, converged_, objective_
        As in `FuzzyCMeans`, without the fuzzy c-means of the start.

    Notes
    -----
    Clusters do not compete for records, so that two of them may end in the same place.

    References
    ----------
    R. Krishnapuram and J. M. Keller (1993), A possibilistic approach to clustering, IEEE Transactions on Fuzzy Systems
    1.
    """

    m: float = 2.0

    limits: ClassVar[Mapping[str, Limit]] = {**FuzzyClusterer.limits, "m": Above(1)}

    @property
    def typicalities_(self) -> NDArray[Any]:
        """The typicalities of the records, n x c; the rows need not sum to one."""
        return self.memberships_

    def _make_rule(self, scale: float) -> MembershipRule:
        return Fuzzy(float(self.m))

    def _best(self, records: NDArray[Any], scale: float, project: Callable[[Any], Any] | None) -> Alternation:
        with step(0.5):
            start = super()._best(records, scale, project)
        assert isinstance(start.rule, Fuzzy)
        X = to_device(records, self.device)
        with step(0.5), threads_for_blocks() as threads:
            etas = to_host(mean_distances(X, start.centres, start.rule, memory=self.memory, threads=threads))
            least = np.finfo(records.dtype).tiny  # where all records of a cluster are the same
            return alternate(
                X,
                start.centres,
                Typicality(float(self.m), tuple(np.maximum(etas, least).tolist())),
                max_iter=self.max_iter,
                tol=self.tol,
                memory=self.memory,
                threads=threads,
                after_each=lambda: advance(1 / self.max_iter),
            )

    def _learn(self, X: NDArray[Any], fits: bool) -> None:
        super()._learn(X, fits)
        assert isinstance(self._rule, Typicality)
        self.eta_ = np.array([eta * self._scale * self._scale for eta in self._rule.eta])
