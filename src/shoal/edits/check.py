"""Whether the records of a table keep its rules, and which of them do not."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.edits.contradictions import refuse_contradictions
from shoal.edits.evaluation import TOLERANCE, TableRecords
from shoal.edits.expressions import InOriginal, parts_of
from shoal.edits.rules import Kind, Rule
from shoal.edits.source import read_edits
from shoal.errors import RuleError, nearest_name_hint
from shoal.parameters.limits import Limit, Number, TrueOrFalse, Whole, check_limits
from shoal.progress import step
from shoal.read import Table, as_table

__all__ = ["Check", "RuleStatus", "check", "refuse_without_original"]

_LIMITS: dict[str, Limit] = {"tolerance": Number(0), "first": Whole(0), "values": TrueOrFalse()}


@dataclass(frozen=True)
class RuleStatus:
    """How one rule fares.

    Attributes
    ----------
    rule
        The rule as a line of text.
    name
        What its author called it, if anything.
    kind
        Which of the kinds of rule it is.
    broken
        How many records break it.
    first
        The numbers of the first of them; the first record of the table is 1.
    gaps
        How many records have a gap in one of its variables. They do not count as broken.
    values
        What the first of them have in the variables of the rule, if that was asked for.
    """

    rule: str
    name: str
    kind: Kind
    broken: int
    first: tuple[int, ...]
    gaps: int
    values: tuple[Mapping[str, Any], ...] | None = field(default=None, repr=False)

    @property
    def holds(self) -> bool:
        """Whether no record breaks it."""
        return self.broken == 0


@dataclass(frozen=True)
class Check:
    """What a check found.

    Attributes
    ----------
    records
        How many records were looked at.
    tolerance
        What counted as rounding where something was computed.
    rules
        How each rule fares, in the order they were given.
    """

    records: int
    tolerance: float
    rules: tuple[RuleStatus, ...]

    @property
    def holds(self) -> bool:
        """Whether no record breaks any rule."""
        return all(one.holds for one in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain lists, dictionaries, texts and numbers, ready for JSON."""
        return {
            "records": self.records,
            "tolerance": self.tolerance,
            "holds": self.holds,
            "rules": [_plain(one) for one in self.rules],
        }


def check(
    data: Any,
    edits: str | os.PathLike[str] | Iterable[str | Rule],
    *,
    original: Any = None,
    tolerance: float = TOLERANCE,
    first: int = 10,
    values: bool = False,
) -> Check:
    """Check whether every record of a table keeps the rules.

    Parameters
    ----------
    data
        A pandas, polars or Arrow table, a 2-D array, or the path of a file.
    edits
        A list of rules, or the path of a file of them, as `read_edits` takes it.
    original
        The table that ``town in original`` speaks of.
    tolerance
        Two sides of which one is computed are equal if they differ by no more than this part of the size of their
        terms. A variable beside a number or another variable is compared as it is.
    first
        For how many of the records that break a rule to give the number.
    values
        Whether to give their values too. They are as confidential as the table.

    Raises
    ------
    RuleError
        A rule cannot be read or checked, names no column, or there is none.

    Examples
    --------
    >>> found = check(np.array([[1.0, 2.0], [5.0, 4.0]]), ["`0` <= `1`"])
    >>> found.holds, found.rules[0].broken, found.rules[0].first
    (False, 1, (2,))
    """
    check_limits(_LIMITS, {"tolerance": tolerance, "first": first, "values": values})
    rules = read_edits(edits)
    if not rules:
        raise RuleError("There is no rule to check.")
    if original is None:
        refuse_without_original(rules)
    table = as_table(data)
    known = None if original is None else as_table(original)
    for rule in rules:
        rule.refuse_unknown(table.names)
        if known is not None:
            _refuse_unknown_original(rule, known)
    records = TableRecords(table, known)
    found = []
    for rule in rules:
        with step(1 / len(rules)):
            found.append(_status(rule, records, tolerance, first, values))
    if sum(one.broken for one in found) >= len(table):  # perhaps no record can keep them all
        refuse_contradictions(rules)
    return Check(len(table), float(tolerance), tuple(found))


def refuse_without_original(rules: Iterable[Rule]) -> None:
    """Raise RuleError if a rule speaks of the original table; for where nobody named one."""
    for rule in rules:
        if _looked_up(rule):
            raise RuleError(
                f'The rule "{rule.shown}" speaks of the original table: name it with original (--original FILE).'
            )


def _refuse_unknown_original(rule: Rule, known: Table) -> None:
    for name in _looked_up(rule):
        if name not in known.names:
            hint = nearest_name_hint(name, known.names)
            raise RuleError(f'The rule "{rule.shown}" names "{name}", which is no column of the original table.{hint}')


def _looked_up(rule: Rule) -> list[str]:
    return [part.variable.name for part in parts_of(rule.expression) if isinstance(part, InOriginal)]


def _status(rule: Rule, records: TableRecords, tolerance: float, first: int, values: bool) -> RuleStatus:
    rows = np.flatnonzero(rule.broken(records, tolerance))
    gaps = np.zeros(len(records), dtype=bool)
    for name in rule.variables:
        gaps |= records.gaps(name)
    shown = rows[:first].tolist()
    return RuleStatus(
        rule=rule.text,
        name=rule.name,
        kind=rule.kind,
        broken=len(rows),
        first=tuple(row + 1 for row in shown),
        gaps=int(gaps.sum()),
        values=tuple(_values(rule, records.table, row) for row in shown) if values else None,
    )


def _values(rule: Rule, table: Table, row: int) -> dict[str, Any]:
    cells = {name: table.frame[name].item(row) for name in rule.variables}
    return {name: _plain_value(cell) for name, cell in cells.items()}


def _plain_value(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or isinstance(cell, str | int) or (isinstance(cell, float) and math.isfinite(cell)):
        return cell
    return str(cell)


def _plain(status: RuleStatus) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "rule": status.rule,
        "name": status.name,
        "kind": status.kind,
        "holds": status.holds,
        "broken": status.broken,
        "gaps": status.gaps,
        "first": list(status.first),
    }
    if status.values is not None:
        plain["values"] = [dict(one) for one in status.values]
    return plain
