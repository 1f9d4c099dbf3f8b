"""Fuzzy c-means made fuzzy by entropy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from numpy.typing import ArrayLike

from shoal.parameters.limits import Limit
from shoal.partition.fuzzy.alternating import Entropic, Rule
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.partition.fuzzy.limits import Above

__all__ = ["EntropyFuzzyCMeans"]

_EXTREME = 1e300


class EntropyFuzzyCMeans(ConstrainedClusterer):
    """Clusters to which every record belongs to a degree that falls off exponentially with squared distance.

    The sum over records k and clusters i of ``u_ki |x_k - v_i|^2 + u_ki ln(u_ki) / lam`` is made small by turns, as in
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

    limits: ClassVar[Mapping[str, Limit]] = {**ConstrainedClusterer.limits, "lam": Above(0)}

    def __init__(
        self,
        n_clusters: int,
        *,
        lam: float,
        constraints: tuple[ArrayLike, ArrayLike] | None = None,
        mode: str = "alternate",
        bounds: tuple[ArrayLike | None, ArrayLike | None] | None = None,
        inequalities: tuple[ArrayLike, ArrayLike] | None = None,
        init: str | ArrayLike = "k-means++",
        max_iter: int = 300,
        tol: float = 1e-6,
        n_init: int = 1,
        random_state: int = 0,
        device: str = "cpu",
        memory: float = 256,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.constraints = constraints
        self.mode = mode
        self.bounds = bounds
        self.inequalities = inequalities
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.device = device
        self.memory = memory

    def _make_rule(self, scale: float) -> Rule:
        return Entropic(min(max(self.lam * scale * scale, 1 / _EXTREME), _EXTREME))
