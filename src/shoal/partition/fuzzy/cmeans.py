"""c-means, fuzzy, fuzzy with noise, and crisp: estimators, and the fuzzy method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from shoal.parameters.limits import Above, Limit, Number, OrNone
from shoal.parameters.searched import Searched
from shoal.partition.fuzzy.alternating import Crisp, MembershipRule, Noisy, c_means_rule
from shoal.partition.fuzzy.base import ConstrainedClusterer, FuzzyClusterer
from shoal.partition.fuzzy.soft_method import CLUSTERS, SoftMethod

__all__ = ["CMeans", "FuzzyCMeans", "FuzzyMethod", "NoiseClustering"]


@dataclass(eq=False, repr=False, kw_only=True)
class FuzzyCMeans(ConstrainedClusterer):
    """Clusters to which every record belongs to a degree, with centres that can be held to linear constraints.

    The sum over records k and clusters i of ``u_ki^m |x_k - v_i|^2`` is minimised in turns: the memberships u that are
    best for the centres v, then the centres that are best for the memberships. It never rises. The best centre is a
    weighted mean; under constraints it is the point nearest to that mean that satisfies them.

    Parameters
    ----------
    n_clusters
        The number of clusters, c.
    m
        How fuzzy, 1 or more: near 1 almost crisp; large, memberships near 1/c. At 1, the limit, this is `CMeans`: every
        record belongs to its nearest centre alone, of several to the first.
    constraints
        A pair (A, b): every centre v has A v = b, in the units of the matrix. One row or many; a row that follows from
        others does no harm.
    mode
        ``"alternate"``: the constraints hold in every step, and the objective is as small as they let it be.
        ``"project"``: clusters without them, and their centres moved to the nearest points that satisfy them.
    bounds
        A pair (low, high) of numbers, or of one number for each variable, that centres stay within; None or an
        infinity is no bound.
    inequalities
        A pair (G, h): every centre v has G v <= h.
    init
        ``"k-means++"``: records drawn with probability proportional to the squared distance to those drawn before.
        ``"farthest"``: the record farthest from the mean, then always the one farthest from all before; nothing is
        drawn. ``"random"``: records drawn at random, each at most once. All move the records by a hundredth of the way
        to the mean, as a centre that lies on a record hardly leaves it if m is large. Or a matrix: centres, c x d, in
        the units of `X`; or memberships, n x c, a row for each record of `X`, of which the first centres are the means.
    max_iter
        The most iterations.
    tol
        The centres have come to rest if none moves farther than this times the root mean square distance of the
        records to their mean.
    n_init
        How many starts of k-means++, or of random ones; the result with the least objective counts. The other kinds of
        start are one each.
    random_state
        The seed of the starts.
    device
        ``"cpu"``, or a device of PyTorch's such as ``"cuda"``. A matrix of float32 is worked on in single precision.
        Only double precision on ``"cpu"`` is the same, to the last bit, on every machine.
    memory
        Megabytes for what is computed on the way, beside copies of the matrix; n x c is worked on in blocks. None: 256,
        on a GPU 16,000, or half of what is free there if that is less.

    Attributes
    ----------
    cluster_centers_
        The centres, c x d.
    memberships_
        The memberships, n x c. They are kept if they fit into `memory`, or 256 megabytes; if not they are computed,
        from the matrix that is then kept instead, each time they are asked for.
    labels_
        The cluster every record belongs to most, of several the first.
    n_iter_, converged_
        The number of iterations, and whether the centres came to rest. If not there is a `ConvergenceWarning`.
    objective_
        Its value before every iteration and after the last; with ``mode="project"`` before the projection.

    Notes
    -----
    A record that lies on centres belongs to these alone, equally. Memberships and their powers are formed relative to
    the nearest centre, so that m = 1.0001 and m = 100,000 are safe. A centre all of whose weights are too small for
    numbers is moved by their logarithms.

    Two limits that are often stated hold only in part. For large m memberships tend to 1/c, but for the records that
    centres came to lie on; and the centres tend to the mean of all records where these are alike in all directions, but
    need not elsewhere.

    References
    ----------
    J. C. Bezdek (1981), Pattern Recognition with Fuzzy Objective Function Algorithms, Plenum. V. Torra, Fuzzy
    microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems (the constraints).
    """

    m: float = 2.0

    limits: ClassVar[Mapping[str, Limit]] = {**ConstrainedClusterer.limits, "m": Number(1)}

    def _make_rule(self, scale: float) -> MembershipRule:
        return c_means_rule(float(self.m))


@dataclass(frozen=True, kw_only=True)
class FuzzyMethod(SoftMethod):
    """Fuzzy c-means with the exponent m; c-means if m is 1.

    References
    ----------
    J. C. Bezdek (1981), Pattern Recognition with Fuzzy Objective Function Algorithms, Plenum. V. Torra, Fuzzy
    microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems.
    """

    m: float = 1.2

    name: ClassVar[str] = "fuzzy"
    reference: ClassVar[str] = (
        "J. C. Bezdek (1981), Pattern Recognition with Fuzzy Objective Function Algorithms, Plenum. V. Torra, Fuzzy "
        "microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems."
    )
    shown_as: ClassVar[str] = "fuzzy"
    searched: ClassVar[tuple[Searched, ...]] = (
        Searched("m", (1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0), start=1.2),
        CLUSTERS,
    )
    estimator: ClassVar[type[ConstrainedClusterer]] = FuzzyCMeans
    draw_parameter: ClassVar[str] = "m2"
    limits: ClassVar[Mapping[str, Limit]] = {**SoftMethod.limits, "m": Number(1)}

    @property
    def fuzziness(self) -> tuple[str, float]:
        """The name and the value of the exponent m."""
        return "m", self.m

    def rule(self, fuzziness: float) -> MembershipRule:
        """Return the rule with another exponent."""
        return c_means_rule(fuzziness)

    @property
    def power(self) -> float:
        """The exponent m: a record enters a centre with its membership to this power."""
        return self.m


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


class CMeans(FuzzyClusterer):
    """Crisp clusters: a record belongs to its nearest centre, a centre is the mean of its records.

    Of centres equally near it is the first. A centre without records goes to the record farthest from all centres.

    Parameters
    ----------
    n_clusters
        The number of clusters, c.
    init, max_iter, tol, n_init, random_state, device, memory
        As in `FuzzyCMeans`.

    Attributes
    ----------
    cluster_centers_, memberships_, labels_, n_iter_, converged_, objective_
        As in `FuzzyCMeans`; memberships are zero or one.

    References
    ----------
    S. P. Lloyd (1982), Least squares quantization in PCM, IEEE Transactions on Information Theory 28.
    """

    def _make_rule(self, scale: float) -> MembershipRule:
        return Crisp()
