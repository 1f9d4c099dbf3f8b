"""The recodes and missing codes that were asked for, made before anything else is decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ColumnError
from shoal.flow.request import PlannedOptions
from shoal.read import Table
from shoal.recode.recoded_table import RecodedTable, recoded_table

__all__ = ["recoded_by_plan", "refuse_recoded_roles"]

_NOT_RECODED = ("identifier", "weight", "unit")


def recoded_by_plan(plan: PlannedOptions, table: Table) -> RecodedTable:
    """Make the recodes of a plan or of a request, on its input or another table."""
    return recoded_table(table, plan.recodes, plan.missing_codes, k=plan.k)


def refuse_recoded_roles(recodes: Mapping[str, Any], role_of: Mapping[str, str]) -> None:
    """Raise ColumnError if a column is to be recoded that is dropped, a weight or a unit."""
    for name in recodes:
        if role_of.get(name) in _NOT_RECODED:
            raise ColumnError(
                f'recodes names "{name}", which has the role {role_of[name]} and cannot be recoded. Leave it out.',
                column=name,
            )
