"""What the fuzzy methods share as plans name them: how many clusters, and in which parts of the file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ConvergenceWarning
from shoal.parameters.limits import Limit, Number, OneOf, OrNone, Whole
from shoal.parameters.searched import Searched
from shoal.partition.base import Method
from shoal.partition.fuzzy.alternating import MembershipRule
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.partition.fuzzy.device import DeviceName
from shoal.partition.fuzzy.starts import STARTS
from shoal.partition.mdav.mdav import MDAV

__all__ = ["CLUSTERS", "DrawnMethod", "FlatClusters", "NestedClusters", "SoftMethod"]

Doubles = NDArray[np.float64]

_LARGEST_WHOLE_FILE, _PART = 10_000, 5_000  # records: larger files are clustered in parts of at least this many

# Worth searching with every fuzzy method: the number of clusters, as a multiple of records // k.
CLUSTERS = Searched("clusters", (0.25, 0.5, 1.0, 2.0), start=1.0)


@dataclass(frozen=True)
class FlatClusters:
    """Fuzzy clusters side by side: centres are averages by membership, and drawn by their distance.

    Attributes
    ----------
    memberships_of
        Gives the memberships of some records.
    power
        The power of them that a centre is averaged with.
    rule
        How distances become the probabilities of the draw.
    """

    memberships_of: Callable[[Doubles], Doubles]
    power: float
    rule: MembershipRule
    fallback_share: ClassVar[float] = 0.0


@dataclass(frozen=True)
class NestedClusters:
    """Groups found by splitting again and again: centres are their means, drawn by the memberships on the way there.

    Attributes
    ----------
    labels
        The group of every record, each with at least k records.
    memberships
        The memberships of every record in the groups, n x g.
    fallback_share
        The share of the records that were left to the method's fallback.
    """

    labels: NDArray[np.int64]
    memberships: Doubles
    fallback_share: float


class DrawnMethod(Protocol):
    """What is asked of a method whose centres are drawn by membership, beside what is asked of every `Method`."""

    name: ClassVar[str]
    fallback: ClassVar[str]
    draw_parameter: ClassVar[str]

    @property
    def fuzziness(self) -> tuple[str, float]:
        """The name and the value of the parameter that sets how fuzzy the clusters are."""
        ...

    def rule(self, fuzziness: float) -> MembershipRule:
        """Return the rule by which distances to released centres become memberships."""
        ...

    def parts(self, X: Doubles) -> list[NDArray[np.int64]]:
        """Return the records of every part that is clustered on its own."""
        ...

    def clusters_to_draw(
        self, X: Doubles, fuzziness: float, share: float, **constraints: Any
    ) -> FlatClusters | NestedClusters:
        """Return the clusters of a part that has this share of all clusters; `fuzziness` is that of the draw."""
        ...


@dataclass(frozen=True, kw_only=True)
class SoftMethod(Method):
    """Base of the fuzzy methods.

    A subclass declares what it is (see `Method`), the estimator it stands for, and the parameter of the membership draw
    that sets how fuzzy the draw is; it writes `fuzziness`, `rule` and `power`.

    Attributes
    ----------
    k
        The k of the release.
    n_clusters
        The number of clusters in the whole stratum; None: the number of records divided by k.
    part
        None: the stratum is clustered as one. A number: it is first cut by MDAV into parts of that many records, or up
        to twice as many, and each part is clustered on its own. Time and memory grow with records times clusters, so
        `protect` does this in large files without being asked, and the plan records it.
    """

    k: int
    n_clusters: int | None = None
    part: int | None = None
    mode: str = "alternate"
    init: str = "k-means++"
    max_iter: int = 100
    tol: float = 1e-4
    n_init: int = 1
    random_state: int = 0
    device: str = "cpu"
    memory: float | None = None

    gives: ClassVar[Literal["groups", "memberships"]] = "memberships"
    draws: ClassVar[bool] = True
    supports_weights: ClassVar[bool] = False
    supports_missing: ClassVar[bool] = False
    keeps_rules: ClassVar[Literal["all", "averages"]] = "averages"
    default_replacement: ClassVar[str] = "membership-draw"
    limits: ClassVar[Mapping[str, Limit]] = {
        "k": Whole(2),
        "n_clusters": OrNone(Whole(1)),
        "part": OrNone(Whole(2)),
        "mode": OneOf(("alternate", "project")),
        "init": OneOf(STARTS),
        "max_iter": Whole(1),
        "tol": Number(0),
        "n_init": Whole(1),
        "random_state": Whole(0, 2**32 - 1),
        "device": DeviceName(),
        "memory": OrNone(Number(1)),
    }
    estimator: ClassVar[type[ConstrainedClusterer]]
    draw_parameter: ClassVar[str]

    @property
    def fuzziness(self) -> tuple[str, float]:
        """The name and the value of the parameter that sets how fuzzy the clusters are."""
        raise NotImplementedError

    def rule(self, fuzziness: float) -> MembershipRule:
        """Return the rule by which distances become memberships, at another fuzziness."""
        raise NotImplementedError

    @property
    def power(self) -> float:
        """The power that memberships are raised to when a centre is averaged over the records."""
        raise NotImplementedError

    def in_large_file(self, records: int) -> SoftMethod:
        """Return this method, in parts if the file is large and neither parts nor a number of clusters was chosen."""
        if self.part is None and self.n_clusters is None and records > _LARGEST_WHOLE_FILE:
            return type(self)(**asdict(self) | {"part": max(_PART, 4 * self.k)})
        return self

    def parts(self, X: NDArray[np.float64]) -> list[NDArray[np.int64]]:
        """Return the records of every part."""
        if self.part is None or len(X) < 2 * self.part:
            return [np.arange(len(X))]
        labels = MDAV(max(self.part, self.k)).fit(X).labels_
        return np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])

    def clusterer(self, records: int, share: float, **constraints: Any) -> ConstrainedClusterer:
        """Return the estimator for a part of the file, by its number of records and its share of all clusters."""
        wanted = records // self.k if self.n_clusters is None else round(self.n_clusters * share)
        settings = asdict(self)
        for name in ("k", "part", "n_clusters"):
            del settings[name]
        return self.estimator(n_clusters=min(max(1, wanted), records), **settings, **constraints)

    def clusters_to_draw(self, X: Doubles, fuzziness: float, share: float, **constraints: Any) -> FlatClusters:
        """Return the clusters of a part of the file; `fuzziness` is that of the draw."""
        clusterer = self.clusterer(len(X), share, **constraints)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # centres that still move are as good for masking
            clusterer.fit(X)
        return FlatClusters(clusterer.predict_memberships, self.power, self.rule(fuzziness))
