"""Groups whose members are alike in a confidential variable: found, and joined to others where that is asked for.

Whoever knows that a person is in a group whose members all have one diagnosis knows the diagnosis, however large k is
(Machanavajjhala and others, 2007, l-diversity).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import codes
from shoal.errors import TooFewRecordsError
from shoal.flow.blocks.grouping import Grouping
from shoal.flow.blocks.work import Work
from shoal.replace.neighbours import distances_over_known

__all__ = ["alike_groups", "confidential_codes", "with_diversity"]


def confidential_codes(work: Work, block: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return the values, numbered, of the confidential variables of a block and of those released as they are.

    One that is protected in another block has other values here, those of other groups.
    """
    elsewhere = set(work.plan.columns).difference(block)
    names = [name for name, role in work.plan.roles.items() if role == "confidential" and name not in elsewhere]
    return {name: codes(work.table, name) for name in names}


def alike_groups(labels: NDArray[np.int64], confidential: Mapping[str, NDArray[np.int64]]) -> dict[str, int]:
    """Return, by variable, in how many groups all observed values are the same; variables without any are left out."""
    counts = {}
    for name, values in confidential.items():
        observed = (labels >= 0) & (values >= 0)
        pairs = np.unique(np.column_stack([labels[observed], values[observed]]), axis=0)
        counts[name] = int((np.bincount(pairs[:, 0]) == 1).sum()) if len(pairs) else 0
    return {name: count for name, count in counts.items() if count}


def with_diversity(
    grouping: Grouping,
    centres: NDArray[np.float64],
    confidential: Mapping[str, NDArray[np.int64]],
    least: int,
) -> Grouping:
    """Return groups with at least `least` different values of every confidential variable, or with none of it.

    Groups that have fewer take turns by number; each is joined to the nearest group of its stratum that brings a value
    it does not have, until it has enough.

    Parameters
    ----------
    grouping
        The groups as the method made them.
    centres
        Their centres, NaN where nothing is known.
    confidential
        By variable, its values as numbers, -1 for a missing value.
    least
        How many different values are needed.

    Raises
    ------
    TooFewRecordsError
        If a whole stratum has fewer.
    """
    if not confidential:
        return grouping
    groups = len(grouping.stratum_of_group)
    values: dict[str, list[set[int]]] = {}
    for name, numbered in confidential.items():
        values[name] = [set() for _ in range(groups)]
        for group, value in zip(grouping.labels.tolist(), numbered.tolist(), strict=True):
            if group >= 0 and value >= 0:
                values[name][group].add(value)
    joining = _Joining(values, centres.copy(), grouping.stratum_of_group, np.arange(groups), least)
    for group in range(groups):
        joining.complete(group)
    return _renumbered(grouping, joining.leader)


@dataclass
class _Joining:
    """Groups that are being joined; those that were joined go by the number of the one that lacked values."""

    values: Mapping[str, list[set[int]]]
    centres: NDArray[np.float64]
    stratum: NDArray[np.int64]
    leader: NDArray[np.int64]
    least: int

    def complete(self, group: int) -> None:
        """Join others to this group until it has enough values of every variable."""
        while self.leader[group] == group and (name := self._lacking(group)):
            others = np.flatnonzero(
                (self.leader == np.arange(len(self.leader))) & (self.stratum == self.stratum[group])
            )
            own = self.values[name]
            others = others[[bool(own[other] - own[group]) for other in others]]
            if not len(others):
                raise TooFewRecordsError(
                    f'diversity={self.least} needs {self.least} different values of "{name}" in every stratum; one has '
                    f"{len(own[group])}. Lower diversity, or merge strata.",
                    records=len(own[group]),
                    column=name,
                )
            distances = distances_over_known(self.centres[others], self.centres[group])
            self._join(group, int(others[distances.argmin()]))

    def _lacking(self, group: int) -> str:
        return next((name for name, own in self.values.items() if 0 < len(own[group]) < self.least), "")

    def _join(self, group: int, other: int) -> None:
        for own in self.values.values():
            own[group] |= own[other]
        both = self.leader == group, self.leader == other
        sizes = [int(one.sum()) for one in both]
        self.centres[group] = (sizes[0] * self.centres[group] + sizes[1] * self.centres[other]) / sum(sizes)
        self.leader[both[1]] = group


def _renumbered(grouping: Grouping, leader: NDArray[np.int64]) -> Grouping:
    kept, number = np.unique(leader, return_inverse=True)
    labels = np.where(grouping.labels >= 0, number[grouping.labels], -1)
    return replace(grouping, labels=labels, stratum_of_group=grouping.stratum_of_group[kept])
