"""The medoid: one of the records of a group stands for all of them, as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.replace.base import Replacement
from shoal.replace.members import Members

__all__ = ["Medoid"]


@dataclass(frozen=True)
class Medoid(Replacement):
    """The record nearest to all others of its group, released as it is in place of each.

    With sampling weights every other record counts as often as its weight says. It keeps every rule that holds within a
    record, because what is released is a record. That is also its price: a record of the original file is published, if
    only as one of at least k that look the same.
    """

    name: ClassVar[str] = "medoid"
    scope: ClassVar[Literal["column", "block", "file"]] = "block"
    supports_missing: ClassVar[bool] = False
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal", "nominal"})
    keeps_values: ClassVar[bool] = True

    def records(
        self,
        points: NDArray[np.float64],
        nominal: tuple[int, ...],
        members: Members,
        mismatch: float = 2.0,
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the medoid of every group: the record with the least sum of squared distances to the others.

        Parameters
        ----------
        points
            The records as points, complete.
        nominal
            The columns of `points` whose values are the same or not.
        members
            The records of every group.
        mismatch
            The squared distance of values of nominal columns that differ.
        weights
            How many records each record stands for, n positive numbers; None: each for itself.
        """
        gathered, starts, sizes = points[members.records], members.starts[:-1], members.sizes
        counts = members.relative_weights(weights)
        together = np.add.reduceat(counts, starts)
        ordered = [place for place in range(points.shape[1]) if place not in nominal]
        total = np.zeros(len(gathered))
        if ordered:
            values = gathered[:, ordered]
            centres = np.add.reduceat(values * counts[:, None], starts) / together[:, None]
            total += ((values - np.repeat(centres, sizes, axis=0)) ** 2).sum(axis=1) * np.repeat(together, sizes)
        for place in nominal:
            pairs = np.column_stack([members.entries, gathered[:, place]])
            alike = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
            total += mismatch * (np.repeat(together, sizes) - np.bincount(alike, weights=counts)[alike])
        order = np.lexsort((members.records, total, members.entries))
        return members.records[order[starts]]
