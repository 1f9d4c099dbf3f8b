"""Fuzzy c-means with an entropy term: estimator and method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from shoal.parameters.limits import Above, Limit
from shoal.parameters.searched import Searched
from shoal.partition.fuzzy.alternating import Entropic, MembershipRule
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.partition.fuzzy.soft_method import CLUSTERS, SoftMethod

__all__ = ["EntropyFuzzyCMeans", "EntropyMethod"]

_EXTREME = 1e300


@dataclass(eq=False, repr=False, kw_only=True)
class EntropyFuzzyCMeans(ConstrainedClusterer):
    """Clusters to which every record belongs to a degree that falls off exponentially with squared distance.

    The sum over records k and clusters i of ``u_ki |x_k - v_i|^2 + u_ki ln(u_ki) / lam`` is minimised in turns, as in
    `FuzzyCMeans`: memberships are proportional to ``exp(-lam |x_k - v_i|^2)``, centres are their means, or the
    nearest points to these that satisfy the constraints. Unlike there, a record on a centre belongs to others too.

    Parameters
    ----------
    n_clusters
        The number of clusters, c.
    lam
        How crisp, above 0, in units of one over a squared distance: near 0 memberships tend to 1/c and centres to the
        mean of all records; large, clusters are crisp. There is no default, as what is large depends on the data.
    constraints, mode, bounds, inequalities
        As in `FuzzyCMeans`.
    init, max_iter, tol, n_init, random_state, device, memory
        As in `FuzzyCMeans`.

    Attributes
    ----------
    cluster_centers_, memberships_, labels_, n_iter_, converged_, objective_
        As in `FuzzyCMeans`.

    References
    ----------
    S. Miyamoto and M. Mukaidono (1997), Fuzzy c-means as a regularization and maximum entropy approach, IFSA World
    Congress. V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems.
    """

    lam: float

    limits: ClassVar[Mapping[str, Limit]] = {**ConstrainedClusterer.limits, "lam": Above(0)}

    def _make_rule(self, scale: float) -> MembershipRule:
        return Entropic(min(max(self.lam * scale * scale, 1 / _EXTREME), _EXTREME))


@dataclass(frozen=True, kw_only=True)
class EntropyMethod(SoftMethod):
    """Fuzzy c-means with an entropy term and its parameter lam.

    References
    ----------
    S. Miyamoto and M. Mukaidono (1997), Fuzzy c-means as a regularization and maximum entropy approach, IFSA World
    Congress. V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems.
    """

    lam: float = 10.0

    name: ClassVar[str] = "entropy"
    reference: ClassVar[str] = (
        "S. Miyamoto and M. Mukaidono (1997), Fuzzy c-means as a regularization and maximum entropy approach, IFSA "
        "World Congress. V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy "
        "Systems."
    )
    shown_as: ClassVar[str] = "entropy"
    searched: ClassVar[tuple[Searched, ...]] = (
        Searched("lam", (2.0, 5.0, 10.0, 20.0, 50.0, 100.0), start=10.0),
        CLUSTERS,
    )
    estimator: ClassVar[type[ConstrainedClusterer]] = EntropyFuzzyCMeans
    draw_parameter: ClassVar[str] = "lam2"
    limits: ClassVar[Mapping[str, Limit]] = {**SoftMethod.limits, "lam": Above(0)}

    @property
    def fuzziness(self) -> tuple[str, float]:
        """The name and the value of the parameter lambda."""
        return "lam", self.lam

    def rule(self, fuzziness: float) -> MembershipRule:
        """Return the rule with another lambda."""
        return Entropic(fuzziness)

    @property
    def power(self) -> float:
        """One: a record enters a centre with its membership itself."""
        return 1.0
