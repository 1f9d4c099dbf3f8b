"""The key variables of a plan: what an intruder may know of a record before seeing the release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shoal.describe import Kind
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["key_columns"]


def key_columns(plan: Plan, table: Table, kinds: Mapping[str, Kind]) -> list[str]:
    """Return the columns with the role key or, if there are none, the categories among `kinds` and the strata.

    Of a chain, those that have the role in some step: a key that is a stratum of the last one is a key still.

    Parameters
    ----------
    plan
        The plan, which says what is dropped, and which column holds weights or units.
    table
        The table whose columns they are, in its order.
    kinds
        The kinds of the columns that are protected or recoded.
    """
    released = [name for name in table.names if name not in (*plan.identifiers, plan.weights, plan.unit)]
    steps = [*plan.before, plan]
    keys = {name for step in steps for name, role in step.roles.items() if role == "key"}
    strata = {name for step in steps for name in step.strata}
    categories = {name for name, kind in kinds.items() if kind != "continuous"}
    return [name for name in released if name in keys] or [name for name in released if name in categories | strata]
