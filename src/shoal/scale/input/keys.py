"""What no group may mix, as one number a row: the stratum of a record, and the alternatives of rules that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.edits.checked_records import TableRecords
from shoal.edits.keep.cells import alternatives_held
from shoal.flow.rules.kept_rules import block_edits_of
from shoal.scale.input.row_hashes import hashed_numbers, hashed_rows
from shoal.scale.setting import RunSetting, table_of_rows

__all__ = ["keys_of"]


def keys_of(rows: Any, setting: RunSetting) -> NDArray[np.uint64]:
    """Return a hash of what no group may mix, for prepared rows.

    Their stratum, the categories that groups stay within, and the alternatives of rules that hold.
    """
    plan, count = setting.plan, len(rows)
    keys = np.zeros(count, dtype=np.uint64)
    within = [name for name, way in plan.categories.items() if way == "within"]
    if plan.strata or within:
        keys = hashed_rows([rows[name] for name in dict.fromkeys([*plan.strata, *within])], count)[0]
    if plan.edits and not plan.family.no_k:
        table = table_of_rows(rows, setting.recoded_labels, setting.recoded_orders)
        records = TableRecords(table, table)
        for edits in block_edits_of(plan, table):
            if edits.demands:
                for column in alternatives_held(edits, records, repair=plan.repair).T:
                    keys = hashed_numbers(keys ^ hashed_numbers(column, 3), 5)
    return keys
