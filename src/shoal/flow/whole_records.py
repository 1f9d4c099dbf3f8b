"""How many whole released records are alike, where columns were grouped or drawn apart from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import records_alike
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["alike_as_a_whole"]


def alike_as_a_whole(plan: Plan, masked: Table) -> NDArray[np.int64] | None:
    """Return for every record how many are like it in all released columns, itself among them.

    Sampling weights do not count. None where all columns are one block and drawn together, in which k is the number,
    and for synthetic data.
    """
    if plan.is_synthetic or (len(plan.blocks) == 1 and not plan.draws_per_variable):
        return None
    return records_alike(masked, [name for name in masked.names if name != plan.weights])
