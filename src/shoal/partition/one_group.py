"""OneGroup: all records are one group."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.partition.base import Partitioner
from shoal.progress import advance

__all__ = ["OneGroup"]


class OneGroup(Partitioner):
    """All records in one group, for synthetic and perturbed data of a whole file.

    Parameters
    ----------
    k
        The least number of records; the group has all of them.

    Attributes
    ----------
    labels_
        Zeros.
    """

    name: ClassVar[str] = "one-group"
    reference: ClassVar[str] = ""
    scope: ClassVar[Literal["column", "block", "file"]] = "file"

    def __init__(self, k: int) -> None:
        self.k = k

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        advance(1)
        return np.zeros(len(X), dtype=np.int64)
