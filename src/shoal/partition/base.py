"""What every partition algorithm shares: parameters with limits, the checks of `fit`, the promise of k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin

from shoal.errors import MethodError, TooFewRecordsError
from shoal.parameters.limits import Limit, Whole, check_limits
from shoal.partition.geometry.checked_matrix import checked_matrix

__all__ = ["Partition", "Partitioner"]


@dataclass(frozen=True)
class Partition:
    """The groups of one block of variables.

    Attributes
    ----------
    labels
        The group of every record, 0 to g-1. A record with nothing observed in this block is in no
        group and has the label -1.
    columns
        The variables of the block.
    """

    labels: NDArray[np.int64]
    columns: tuple[str, ...]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records in every group."""
        return np.bincount(self.labels[self.labels >= 0]).astype(np.int64)

    @property
    def k(self) -> int:
        """The size of the smallest group."""
        return int(self.sizes.min())


class Partitioner(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that put records into groups of at least k.

    A subclass declares the limits of its parameters and writes `_partition`, which gets a finite, C-ordered
    float64 matrix of at least k rows and returns one label per row, 0 to g-1. Gaps (NaN) get through only if
    its scikit-learn tags say ``allow_nan``. The matrix is read-only: it may be the caller's own, and a kernel would
    be compiled once more for one that is not. An estimator works on the matrix it is given; `shoal.protect` is
    what standardises.
    """

    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2)}
    cost: ClassVar[str] = ""  # how time grows, where it grows so fast that there is a `most_records`
    most_records: ClassVar[int | None] = None  # more take longer than about a minute; None: no limit worth naming

    k: int

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Partition the rows of `X` into groups of at least `k`.

        Parameters
        ----------
        X
            Matrix of n records by d variables, at least `k` records.
        y
            Ignored; here because scikit-learn's pipelines pass it.
        """
        check_limits(self.limits, self.get_params(deep=False))
        gaps = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        records: NDArray[np.float64] = checked_matrix(self, X, dtype=np.float64, ensure_all_finite=gaps)
        n = len(records)
        if n < self.k:
            raise TooFewRecordsError(f"k={self.k} needs at least {self.k} records; got n_samples={n}. Lower k.")
        records = records.view()
        records.flags.writeable = False
        self.labels_ = self._partition(records)
        return self

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of variable it groups where there are no gaps; for other matrices there is `for_mixed`."""
        return frozenset({"continuous"})

    def for_mixed(self, *, distance: str, nominal: Sequence[int]) -> Partitioner:
        """Return the form of this algorithm for matrices with gaps or columns of other kinds, if it has one."""
        raise MethodError(
            f"{type(self).__name__} groups complete, continuous variables only; some here are nominal, ordinal or have "
            'gaps. Use the method "mdav", or leave them out.'
        )

    def for_part(self, part: float) -> Partitioner:
        """Return the form of this algorithm for a part of the work; one that searches takes that part of its time."""
        return self

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        raise NotImplementedError
