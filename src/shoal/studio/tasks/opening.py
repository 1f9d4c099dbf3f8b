"""Opening a file: what its columns are, which decisions it begins with, and how safe it is as it is."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from shoal.describe import Kind, Role, Variable, describe_table
from shoal.describe.combinations import same_combinations
from shoal.edits import check
from shoal.errors import ReadError, ShoalError
from shoal.flow.job.suggested import codes_of_missing, questions_about, suggested_job
from shoal.measure.headline import Alike, alike_records, unit_numbers
from shoal.read import Table
from shoal.studio.decisions import Decisions
from shoal.studio.tasks.records import example_condition
from shoal.studio.tasks.tables import table_of

__all__ = ["DescribedVariable", "FileFacts", "as_it_is", "opened"]


@dataclass(frozen=True)
class DescribedVariable:
    """A column: what it seems to be, what is to be decided about it ("" if nothing), and what may mean no value."""

    name: str
    label: str
    kind: Kind | None
    role: Role
    reason: str
    question: str
    distinct: int
    missing: int
    is_numeric: bool
    missing_codes: tuple[int, ...] = ()


@dataclass(frozen=True)
class FileFacts:
    """What the headline says of a file that nothing has been done to; None where it is not known.

    Attributes
    ----------
    k, uniques, units
        As in the headline of a release, over all columns but direct identifiers, sampling weights and ids of units.
    rules, holding
        How many rules there are, and how many of them hold; None where they cannot be checked.
    """

    k: int | None
    uniques: int | None
    units: int | None
    rules: int
    holding: int | None


def opened(path: str, name: str, reading: dict[str, Any]) -> dict[str, Any]:
    """Read a file and describe it; errors call it by the user's name for it."""
    try:
        table = table_of({"path": path, "reading": reading})
    except ShoalError as error:
        raise ReadError(str(error).replace(path, name).replace(Path(path).name, name)) from None
    except MemoryError:
        raise ReadError(f"{name} is too large for the memory of this machine.") from None
    questions = questions_about(table)
    variables = tuple(
        DescribedVariable(
            name=one.name,
            label=one.label,
            kind=one.kind,
            role=one.role,
            reason=one.reason or _seen(table, one),
            question=questions.get(one.name, ""),
            distinct=one.distinct,
            missing=one.missing,
            is_numeric=table.is_numeric(one.name),
            missing_codes=tuple(codes_of_missing(table, one.name)) if table.is_numeric(one.name) else (),
        )
        for one in describe_table(table)
    )
    return {
        "records": len(table),
        "variables": variables,
        "suggested": _suggested(table, path),
        "example": example_condition(table, {one.name: one.kind for one in variables}),
    }


def _seen(table: Table, one: Variable) -> str:
    """Return what a user may take for a sign of an identifier where shoal does not: amounts can be so too."""
    if one.distinct < len(table) or not table.is_numeric(one.name):
        return ""
    numbers = table.numbers(one.name)
    return "whole numbers, every one different" if np.array_equal(numbers, np.floor(numbers)) else ""


def _suggested(table: Table, path: str) -> Decisions:
    """Return what `shoal describe -o job.toml` suggests for the file, without the file."""
    content = tomllib.loads(suggested_job(table, Path(path).with_name("job.toml"), Path(path).with_name("masked.csv")))
    return Decisions(options={name: content[name] for name in content if name not in ("file", "output", "reading")})


def as_it_is(source: dict[str, Any], options: dict[str, Any]) -> FileFacts:
    """Return what holds of the file itself."""
    table = table_of(source)
    roles, unit = options.get("roles") or {}, options.get("unit")
    left_out = {unit, options.get("weights"), *(name for name, role in roles.items() if role == "identifier")}
    columns = tuple(name for name in table.names if name not in left_out)
    alike = _alike(json.dumps(source, sort_keys=True), columns, unit) if columns else None
    edits = options.get("edits") or []
    rules = [edits] if isinstance(edits, str) else list(edits)
    return FileFacts(
        k=None if alike is None else alike.k,
        uniques=None if alike is None else alike.uniques,
        units=None if alike is None else alike.units,
        rules=len(rules),
        holding=_holding(source, rules),
    )


@lru_cache(maxsize=4)
def _alike(source: str, columns: tuple[str, ...], unit: str | None) -> Alike:
    table = table_of(json.loads(source))
    return alike_records(same_combinations(table, list(columns)), unit_numbers(table, table, unit))


def _holding(source: dict[str, Any], rules: list[str]) -> int | None:
    if not rules:
        return 0
    try:
        return sum(one.holds for one in check(table_of(source), rules, original=table_of(source)).rules)
    except ShoalError:  # the step Rules says what is wrong with them
        return None
