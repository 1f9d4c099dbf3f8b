"""Fuzzy possibilistic c-means: fuzzy clusters with typicalities in addition to the memberships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from shoal.parameters.limits import Above, Limit
from shoal.partition.fuzzy.alternating import MembershipRule, Possibilistic, typicalities
from shoal.partition.fuzzy.base import FuzzyClusterer

__all__ = ["FuzzyPossibilisticCMeans"]


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
        check_is_fitted(self)
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
