"""A recode worth trying, where many records are below k over the columns of categories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.describe.units import units_of
from shoal.errors import ShoalError
from shoal.recode.effect import effect_on
from shoal.recode.recoded_table import recoded_table

if TYPE_CHECKING:
    from shoal.search.setup import TrialSetup

__all__ = ["SuggestedRecode", "suggested_recode"]

_MANY = 0.05  # of the records
_RARE = (0.02, 0.05, 0.1)  # of the records: what a category has at least that is not merged
_MOST_CELLS = 2_000_000  # that are counted for a suggestion


@dataclass(frozen=True)
class SuggestedRecode:
    """Records below k over the columns of categories, and the recode of one column that leaves fewest.

    Attributes
    ----------
    k, below, records
        The k, the records below it, and all records.
    column, recode, left
        The column, its recode as text and the records it leaves below k; None where none was found.
    """

    k: int
    below: int
    records: int
    column: str | None = None
    recode: str | None = None
    left: int | None = None


def suggested_recode(setup: TrialSetup, k: int) -> SuggestedRecode | None:
    """Return a recode worth trying; None where few records are below k, or recodes were tried.

    Of merging the rare categories of one column, it is what leaves fewest records below k over all columns of
    categories and the strata, if that is at most half of them.
    """
    selection, table = setup.selection, setup.recoded
    strata = [name for name, role in selection.roles.items() if role == "stratum"]
    keys = [*setup.categories, *strata]
    if setup.tried or not setup.categories:
        return None
    unit = next((name for name, role in selection.roles.items() if role == "unit"), None)
    units = None if unit is None else units_of(table, unit)
    below = effect_on(recoded_table(table, {}, k=k), [], keys, k, units).before.below_k
    if below <= _MANY * len(table):
        return None
    found = SuggestedRecode(k, below, len(table))
    if len(table) * len(keys) * len(_RARE) > _MOST_CELLS:
        return found
    fewest = below // 2 + 1  # what leaves more than half of them is not worth what it takes
    for column in setup.categories:
        for share in _RARE:
            text = f"merge:rare={max(k, math.ceil(share * len(table)))}"
            try:
                recoded = recoded_table(table, {column: [text]}, k=k)
            except ShoalError:
                continue
            left = effect_on(recoded, [column], keys, k, units).together.below_k
            if left < fewest:
                fewest, found = left, SuggestedRecode(k, below, len(table), column, text, left)
    return found
