"""The options of a further step: what the user gives, and what carries over from the release before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.flow.chain.whole_chain import kinds_in_chain
from shoal.parameters.of_columns import as_names
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["options_of_step"]

_ROLE_OF_OPTION = {"strata": "stratum", "weights": "weight", "unit": "unit", "confidential": "confidential"}
_ONE_COLUMN = ("weight", "unit")


def options_of_step(plan: Plan, table: Table, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `protect` for a further step.

    Roles and kinds of the steps before carry over, unless they are given anew. The columns do not: a step protects
    those that it names, and everything else stays as the steps before left it.

    Parameters
    ----------
    plan
        The plan of the release before.
    table
        What the step starts from.
    given
        The options that the user gives.
    """
    options = {name: value for name, value in given.items() if value is not None}
    columns = _columns(options, table)
    if columns:
        options["columns"] = columns
    if options.get("columns") is None and not _names_blocks(options) and not options.get("confidential"):
        raise ParameterError(
            'Say which columns this step protects, such as columns=["income"]; the others stay as the steps before '
            "left them.",
            parameter="columns",
        )
    roles = _roles(plan, table, options)
    if roles is not None:
        options["roles"] = roles
    kinds = options.get("kinds")
    if kinds is None or isinstance(kinds, Mapping):
        recoded = set(map(str, _names_in(options.get("recodes"))))
        carried = {name: kind for name, kind in kinds_in_chain(plan).items() if name in table and name not in recoded}
        options["kinds"] = {**carried, **{str(name): kind for name, kind in (kinds or {}).items()}}
    if plan.drop_unit and plan.unit in (roles or {}) and "unit" not in options:
        options.setdefault("drop_unit", True)
    return options


def _columns(options: Mapping[str, Any], table: Table) -> Any:
    """Return the columns that a step names: in `columns`, or as those with a recode or a replacement of their own."""
    columns = options.get("columns")
    if columns is not None:
        return columns if isinstance(columns, str | int | tuple) else as_names(columns, "columns")
    if _names_blocks(options) or options.get("confidential"):
        return None
    replace = options.get("replace")
    named = dict.fromkeys(map(str, _names_in(options.get("recodes"))))
    named |= dict.fromkeys(map(str, _names_in(options.get("categories"))))
    if isinstance(replace, Mapping) and "name" not in replace:
        named |= dict.fromkeys(map(str, replace))
    return [name for name in table.names if name in named] + [name for name in named if name not in table]


def _names_in(by_column: Any) -> list[Any]:
    return list(by_column) if isinstance(by_column, Mapping) else []


def _names_blocks(options: Mapping[str, Any]) -> bool:
    """Whether blocks are lists of columns, which say what is protected."""
    blocks = options.get("blocks")
    return isinstance(blocks, Iterable) and not isinstance(blocks, str)


def _roles(plan: Plan, table: Table, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the roles of a step; None where what was given is no mapping, which `protect` refuses."""
    stated = options.get("roles") or {}
    if not isinstance(stated, Mapping):
        return None
    anew = {role for option, role in _ROLE_OF_OPTION.items() if options.get(option) is not None}
    anew.update(role for role in stated.values() if role in _ONE_COLUMN)
    chosen = _chosen(options, table)
    carried = {}
    for name, role in plan.roles.items():
        protected_now = name in chosen and role in ("stratum", "weight")
        if name in table and role not in anew and not protected_now and not _has_role(options, name):
            carried[name] = role
    return {**carried, **{str(name): role for name, role in stated.items()}}


def _has_role(options: Mapping[str, Any], name: str) -> bool:
    """Whether a column is given a role by an option of its own, or is released as it is."""
    given = [options.get(option) for option in ("strata", "weights", "unit", "as_is")]
    return any(name in map(str, as_names(names, "strata")) for names in given if isinstance(names, str | int | list))


def _chosen(options: Mapping[str, Any], table: Table) -> set[str]:
    """Return the columns that are named to be protected, as far as they can be read; `protect` refuses the rest."""
    columns, blocks = options.get("columns"), options.get("blocks")
    names: list[Any] = []
    if columns is not None:
        names = [columns] if isinstance(columns, str | int) else list(columns) if isinstance(columns, Iterable) else []
    elif _names_blocks(options):
        names = [name for block in blocks or () if isinstance(block, Iterable) for name in block]
    return {str(name) for name in names if str(name) in table}
