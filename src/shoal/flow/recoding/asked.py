"""The recodes and missing codes that `protect` was asked for, made before anything else is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import ColumnError
from shoal.read import Table
from shoal.recode.catalogue import written_recodes
from shoal.recode.missing_codes import written_missing_codes
from shoal.recode.recoded_table import RecodedTable, recoded_table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["AskedRecodes", "recoded_as_asked", "recoded_by_plan", "refuse_recoded_roles"]

_NOT_RECODED = ("identifier", "weight", "unit")


@dataclass(frozen=True, eq=False)
class AskedRecodes:
    """What a plan writes of recodes and missing codes, and the table they were made on."""

    recodes: dict[str, list[dict[str, Any]]]
    missing_codes: dict[str, list[int | float | str]]
    recoded: RecodedTable

    def with_kinds(self, kinds: Any) -> Any:
        """Return the stated kinds with those that recodes say; what the user says wins."""
        if not self.recoded.kinds or not (kinds is None or isinstance(kinds, Mapping)):
            return kinds
        stated = {str(name) for name in kinds or ()}
        return {name: kind for name, kind in self.recoded.kinds.items() if name not in stated} | dict(kinds or {})


def recoded_as_asked(
    table: Table, recodes: Any, missing_codes: Any, k: int, *, roles: Any, weights: Any, unit: Any
) -> AskedRecodes:
    """Make the recodes that `protect` was asked for; the other arguments are its own, for columns with a role."""
    written, codes = written_recodes(recodes), written_missing_codes(missing_codes)
    role_of = {str(name): role for name, role in roles.items()} if isinstance(roles, Mapping) else {}
    role_of |= {str(name): role for name, role in ((weights, "weight"), (unit, "unit")) if isinstance(name, str | int)}
    refuse_recoded_roles(written, role_of)
    return AskedRecodes(written, codes, recoded_table(table, written, codes, k=k))


def recoded_by_plan(plan: Plan, table: Table) -> RecodedTable:
    """Make the recodes of a plan, on its input or another table."""
    return recoded_table(table, plan.recodes, plan.missing_codes, k=plan.k)


def refuse_recoded_roles(recodes: Mapping[str, Any], role_of: Mapping[str, str]) -> None:
    """Raise ColumnError if a column is to be recoded that is dropped, a weight or a unit."""
    for name in recodes:
        if role_of.get(name) in _NOT_RECODED:
            raise ColumnError(
                f'recodes names "{name}", which has the role {role_of[name]} and cannot be recoded. Leave it out.',
                column=name,
            )
