"""The largest share that one record has in a released value: what is allowed, what cannot be kept, what is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from shoal.describe.strata import Strata
from shoal.errors import DataError
from shoal.flow.blocks.work import Work
from shoal.replace import Aggregate
from shoal.replace.contributions import Contributions, GroupTotals

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = [
    "COUNTED_FROM",
    "ShareLimit",
    "averages_amounts",
    "contributed_sums",
    "limits_on",
    "reach_of_weights",
    "refuse_large_share",
    "refuse_large_shares",
]

Doubles = NDArray[np.float64]

COUNTED_FROM = 80.0  # % of a group's sum: cells in which one record has more are counted, where nothing else was asked
_OF_WEIGHT = 0.5


def averages_amounts(plan: Plan, name: str) -> bool:
    """Whether the released values of a column are averages of amounts, so that a sum can be worked out."""
    if plan.kinds[name] != "continuous":
        return False
    one = plan.replacements[name]
    return isinstance(one, Aggregate) and not one.keeps_values


def contributed_sums(
    work: Work, name: str, values: Doubles, labels: NDArray[np.int64], counted: NDArray[np.bool_]
) -> tuple[GroupTotals, float] | None:
    """Return what the records of every group contribute to its sum of absolute values, and from which share it counts.

    Values are not multiplied by sampling weights: what others of the group know of a record is its value. What records
    of one unit contribute is added up. None for a column whose released values are no averages of amounts.
    """
    plan = work.plan
    if not averages_amounts(plan, name):
        return None
    most = (COUNTED_FROM if plan.dominance is None else plan.dominance) / 100
    sums = Contributions.of(values, counted, most, work.units)
    return sums.totals(labels, int(labels.max(initial=-1)) + 1), most


@dataclass(frozen=True, eq=False)
class ShareLimit:
    """How large a share of a total one record may have, of those behind the values of a column."""

    column: str
    contributions: Contributions
    is_of_weight: bool  # else of the sum of the values

    def above(self, labels: NDArray[np.int64], groups: int) -> NDArray[np.bool_]:
        """Return the groups in which one record has too large a share."""
        return self.contributions.totals(labels, groups).above(self.contributions.most)


def limits_on(work: Work, name: str, values: Doubles, counted: NDArray[np.bool_]) -> Iterator[ShareLimit]:
    """Give what has to hold of the records that count in the values of a column: by weights, and by `dominance`."""
    plan = work.plan
    if work.weights is not None:
        yield ShareLimit(name, Contributions.of(work.weights, counted, _OF_WEIGHT, work.units), is_of_weight=True)
    if plan.dominance is not None and averages_amounts(plan, name):
        sums = Contributions.of(values, counted, plan.dominance / 100, work.units)
        yield ShareLimit(name, sums, is_of_weight=False)


def reach_of_weights(work: Work, labels: NDArray[np.int64]) -> Doubles | None:
    """Return how much of the way to each record the mean of its group may be moved, at most half; None without weights.

    A mean that is moved a share of the way to a record has that share of it, beside what its weight has in the rest.
    """
    if work.weights is None:
        return None
    everyone = np.ones(len(labels), dtype=bool)
    shares = Contributions.of(work.weights, everyone, _OF_WEIGHT, work.units).shares(labels)
    return np.asarray(np.clip((_OF_WEIGHT - shares) / np.maximum(1 - shares, 1 - _OF_WEIGHT), 0.0, _OF_WEIGHT))


def refuse_large_shares(work: Work, number: int, strata: Strata) -> None:
    """Raise DataError if one record has too large a share of a whole stratum, which no joining of groups can mend."""
    plan, matrix = work.plan, work.matrices[number]
    for name, values in work.values[number].items():
        if name in matrix.constant:
            continue
        observed = ~np.isnan(values)
        enough = np.bincount(strata.codes[observed], minlength=len(strata)) >= plan.k  # else k is what cannot be kept
        for limit in limits_on(work, name, values, observed):
            wrong = limit.above(strata.codes, len(strata)) & enough
            if wrong.any():
                refuse_large_share(plan, limit, strata, int(wrong.sum()))


def refuse_large_share(plan: Plan, limit: ShareLimit, strata: Strata, count: int) -> NoReturn:
    """Raise DataError for a share that is too large in so many strata."""
    parts = f"strata of {', '.join(strata.columns)}" if strata.columns else "parts that rules make"
    where = f"in {count:,} of {len(strata):,} {parts}" if len(strata) > 1 else "in the whole file"
    merge = "Merge them" if len(strata) > 1 else "Leave that record out"
    if limit.is_of_weight:
        raise DataError(
            f"No record may carry more than half of the weight behind a released value; {where} one has more than half "
            f'of "{plan.weights}" where "{limit.column}" is observed. {merge}, or trim the weights.'
        )
    raise DataError(
        f"dominance={plan.dominance:g} cannot be kept: {where} one record is more than {plan.dominance:g} % of the sum "
        f'of "{limit.column}". {merge}, raise dominance, or drop the variable (role identifier).'
    )
