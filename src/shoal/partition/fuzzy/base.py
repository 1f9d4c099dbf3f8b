"""What every fuzzy estimator shares: the start, the loop, memberships and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ConvergenceWarning, ParameterError, TooFewRecordsError, warn
from shoal.parameters.limits import Limit, Number, OneOf, OrNone, Whole, check_limits
from shoal.partition.estimator import Clusterer
from shoal.partition.fuzzy.alternating import Alternation, MembershipRule, alternate, labels, memberships
from shoal.partition.fuzzy.device import DeviceName, threads_for_blocks, to_device, to_host
from shoal.partition.fuzzy.projection import FeasibleSet, feasible_set
from shoal.partition.fuzzy.starts import (
    STARTS,
    StartOfClusters,
    farthest_first,
    plus_plus,
    start_from_matrix,
    towards_the_mean,
)
from shoal.partition.geometry.checked_matrix import checked_matrix
from shoal.progress import advance, step

__all__ = ["ConstrainedClusterer", "FuzzyClusterer"]

_MEGABYTES_KEPT = 256.0


@dataclass(eq=False, repr=False)
class FuzzyClusterer(Clusterer):
    """Base of the fuzzy estimators.

    A subclass declares its parameters as fields, which gives it the `__init__` that scikit-learn's conventions ask for,
    and their limits; it writes `_make_rule`. A matrix of float32 is worked on in single precision, any other in double.
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "n_clusters": Whole(1),
        "init": StartOfClusters(STARTS, matrix_of="centres or memberships"),
        "max_iter": Whole(1),
        "tol": Number(0),
        "n_init": Whole(1),
        "random_state": Whole(0),
        "device": DeviceName(),
        "memory": OrNone(Number(1)),
    }

    n_clusters: int
    _: KW_ONLY
    init: str | ArrayLike = "k-means++"
    max_iter: int = 300
    tol: float = 1e-6
    n_init: int = 1
    random_state: int = 0
    device: str = "cpu"
    memory: float | None = None

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Find the centres.

        Parameters
        ----------
        X
            Matrix of n records by d variables, at least `n_clusters` records.
        y
            Ignored; here because scikit-learn's pipelines pass it.
        """
        check_limits(self.limits, self.get_params(deep=False))
        matrix = checked_matrix(self, X, [np.float64, np.float32])
        n, d = matrix.shape
        if n < self.n_clusters:
            raise TooFewRecordsError(
                f"n_clusters={self.n_clusters} needs at least {self.n_clusters} records; got n_samples={n}. "
                "Lower n_clusters."
            )
        allowed = self._feasible_set(d)
        records, scale = _scaled(matrix)
        alternation = self._best(records, scale, self._projection(allowed, scale))
        centres: NDArray[np.float64] = to_host(alternation.centres).astype(np.float64) * scale
        self.cluster_centers_ = centres if allowed is None else allowed.project(centres)
        self.n_iter_ = alternation.n_iter
        self.converged_ = alternation.converged
        self.objective_ = [value * scale * scale for value in alternation.objective]
        self._scale, self._rule = scale, alternation.rule
        fits = n * (self.n_clusters + 1) * matrix.itemsize <= self._megabytes_kept * 1e6
        self._learn(matrix, fits)
        self._training = None if fits else matrix
        if not self.converged_:
            warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the centres came to rest. "
                "Raise max_iter, or raise tol.",
                ConvergenceWarning,
            )
        return self

    @property
    def _megabytes_kept(self) -> float:
        """Megabytes that memberships may take in this process, wherever they are computed."""
        return _MEGABYTES_KEPT if self.memory is None else self.memory

    @property
    def memberships_(self) -> NDArray[Any]:
        """The memberships of the records, n x c.

        They are kept if they fit into `memory`. If not, the matrix is, and they are computed each time this is
        asked for. The matrix does not go into a pickle.
        """
        self.refuse_unfitted()
        if self._memberships is not None:
            return self._memberships
        return self._memberships_of(self._training_matrix())

    def predict_memberships(self, X: ArrayLike) -> NDArray[Any]:
        """Return the memberships of other records, one row each."""
        self.refuse_unfitted()
        return self._memberships_of(checked_matrix(self, X, [np.float64, np.float32], reset=False))

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the cluster that each of other records belongs to most; of several, the first."""
        self.refuse_unfitted()
        return self._labels_of(checked_matrix(self, X, [np.float64, np.float32], reset=False))

    def _make_rule(self, scale: float) -> MembershipRule:
        """Return the rule for records that were divided by `scale`."""
        raise NotImplementedError

    def _feasible_set(self, d: int) -> FeasibleSet | None:
        return None

    def _projects_each_time(self) -> bool:
        return True

    def _learn(self, X: NDArray[Any], fits: bool) -> None:
        """Store what follows from the centres; what is as large as the memberships only if that `fits` into memory."""
        self._memberships = self._memberships_of(X) if fits else None
        self.labels_ = self._labels_of(X) if self._memberships is None else self._memberships.argmax(axis=1)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_training"}

    def _training_matrix(self) -> NDArray[Any]:
        matrix: NDArray[Any] | None = getattr(self, "_training", None)
        if matrix is None:
            raise ParameterError("A copy of an estimator that was pickled has no matrix. Use predict_memberships.")
        return matrix

    def _best(self, records: NDArray[Any], scale: float, project: Callable[[Any], Any] | None) -> Alternation:
        """Return the result with the least objective over all starts."""
        X = to_device(records, self.device)
        rule = self._make_rule(scale)
        starts = self._starts(records, scale, rule.power_of_weights)
        best: Alternation | None = None
        with threads_for_blocks() as threads:
            for start in starts:
                with step(1 / len(starts)):
                    alternation = alternate(
                        X,
                        to_device(start, self.device),
                        rule,
                        project=project,
                        max_iter=self.max_iter,
                        tol=self.tol,
                        memory=self.memory,
                        threads=threads,
                        after_each=lambda: advance(1 / self.max_iter),
                    )
                if best is None or alternation.objective[-1] < best.objective[-1]:
                    best = alternation
        assert best is not None
        return best

    def _starts(self, records: NDArray[Any], scale: float, power: float) -> list[NDArray[Any]]:
        c = self.n_clusters
        if not isinstance(self.init, str):
            return [start_from_matrix(self.init, records, c, scale=scale, power=power)]
        if self.init == "farthest":
            return [towards_the_mean(records, farthest_first(records, c))]
        rng = np.random.default_rng(self.random_state)
        if self.init == "random":
            return [towards_the_mean(records, rng.choice(len(records), c, replace=False)) for _ in range(self.n_init)]
        return [towards_the_mean(records, plus_plus(records, c, rng)) for _ in range(self.n_init)]

    def _projection(self, allowed: FeasibleSet | None, scale: float) -> Callable[[Any], Any] | None:
        """Return the projection on the device, in the units the loop works in."""
        if allowed is None or not self._projects_each_time():
            return None

        def project(centres: Any) -> Any:
            on_host = to_host(centres)
            projected = allowed.project(on_host.astype(np.float64) * scale) / scale
            return to_device(projected.astype(on_host.dtype), self.device)

        return project

    def _memberships_of(self, X: NDArray[Any]) -> NDArray[Any]:
        size = max(1, int(self._megabytes_kept * 1e6) // ((self.n_clusters + 1) * X.itemsize))
        if len(X) <= size:
            return self._computed(X, memberships)
        width = self._computed(X[:1], memberships).shape[1]
        result = np.empty((len(X), width), dtype=X.dtype)
        for start in range(0, len(X), size):
            result[start : start + size] = self._computed(X[start : start + size], memberships)
        return result

    def _labels_of(self, X: NDArray[Any]) -> NDArray[np.int64]:
        return self._computed(X, labels).astype(np.int64)

    def _computed(self, X: NDArray[Any], what: Callable[..., Any]) -> NDArray[Any]:
        """Return what a function of records, centres and rule gives on the device."""
        records = to_device(X / X.dtype.type(self._scale), self.device)
        centres = to_device((self.cluster_centers_ / self._scale).astype(X.dtype), self.device)
        with threads_for_blocks() as threads:
            return to_host(what(records, centres, self._rule, memory=self.memory, threads=threads))


@dataclass(eq=False, repr=False, kw_only=True)
class ConstrainedClusterer(FuzzyClusterer):
    """Base of the estimators whose centres can be held to linear constraints."""

    limits: ClassVar[Mapping[str, Limit]] = {**FuzzyClusterer.limits, "mode": OneOf(("alternate", "project"))}

    constraints: tuple[ArrayLike, ArrayLike] | None = None
    mode: str = "alternate"
    bounds: tuple[ArrayLike | None, ArrayLike | None] | None = None
    inequalities: tuple[ArrayLike, ArrayLike] | None = None

    def _feasible_set(self, d: int) -> FeasibleSet | None:
        return feasible_set(d, self.constraints, self.inequalities, self.bounds)

    def _projects_each_time(self) -> bool:
        return self.mode == "alternate"


def _scaled(X: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """Return `X` divided by a power of two, and that power: 1 unless squares could over- or underflow."""
    largest = float(np.abs(X).max())
    exponent = int(np.frexp(largest)[1]) - 1
    most = 400 if X.dtype == np.float64 else 30
    if largest == 0 or abs(exponent) <= most:
        return X, 1.0
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, exponent))
