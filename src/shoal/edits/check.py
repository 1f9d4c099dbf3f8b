"""Check whether the records of a table keep its rules, and which of them break one."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.edits.checked_records import TableRecords
from shoal.edits.contradictions import refuse_contradictions
from shoal.edits.evaluation import TOLERANCE
from shoal.edits.expressions import InOriginal, parts_of
from shoal.edits.rules import Rule, RuleKind
from shoal.edits.source import read_edits
from shoal.errors import RuleError, nearest_name_hint
from shoal.parameters.limits import Limit, Number, TrueOrFalse, Whole, check_limits
from shoal.progress import step
from shoal.read import Table, as_table

__all__ = [
    "Check",
    "RuleStatus",
    "check",
    "looked_up_in_original",
    "refuse_unknown_in_original",
    "refuse_without_original",
]

_LIMITS: dict[str, Limit] = {"tolerance": Number(0), "first": Whole(0), "values": TrueOrFalse()}


@dataclass(frozen=True)
class RuleStatus:
    """Whether one rule holds, and which records break it.

    Attributes
    ----------
    rule
        The rule as a line of text.
    name
        The name that its author gave it, if any.
    kind
        Which of the kinds of rule it is.
    broken
        How many records break it.
    first
        The numbers of the first of these records; the first record of the table is 1.
    missing
        How many records have a missing value in one of its variables. They do not break it.
    values
        The values of the rule's variables in the first records that break it, on request only.
    """

    rule: str
    name: str
    kind: RuleKind
    broken: int
    first: tuple[int, ...]
    missing: int
    values: tuple[Mapping[str, Any], ...] | None = field(default=None, repr=False)

    @property
    def holds(self) -> bool:
        """Whether no record breaks it."""
        return self.broken == 0


@dataclass(frozen=True)
class Check:
    """The result of checking rules on a table.

    Attributes
    ----------
    records
        How many records were checked.
    tolerance
        The relative tolerance for rules with arithmetic.
    rules
        The result for each rule, in their order.
    """

    records: int
    tolerance: float
    rules: tuple[RuleStatus, ...]

    @property
    def holds(self) -> bool:
        """Whether no record breaks any rule."""
        return all(one.holds for one in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as lists, dictionaries, texts and numbers, ready for JSON."""
        return {
            "records": self.records,
            "tolerance": self.tolerance,
            "holds": self.holds,
            "rules": [_plain(one) for one in self.rules],
        }


def check(
    data: Any,
    edits: str | os.PathLike[str] | Rule | Iterable[str | Rule],
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
        The rules, or the path of a file of rules, as `read_edits` takes them.
    original
        The table in which rules such as ``town in original`` look values up.
    tolerance
        Relative tolerance for rules with arithmetic: two sides of which at least one is computed are equal if they
        differ by no more than this part of the size of their terms. A variable compared with a number or with another
        variable is compared exactly.
    first
        How many of the records that break a rule to list by number.
    values
        Whether to list their values too. They are as confidential as the table.

    Returns
    -------
    Check
        Whether all rules hold, and for every rule how many records break it.

    Raises
    ------
    RuleError
        There is no rule, or one cannot be read, cannot be checked, or names a variable that is no column.

    Examples
    --------
    >>> result = check(np.array([[1.0, 2.0], [5.0, 4.0]]), ["`0` <= `1`"])
    >>> result.holds, result.rules[0].broken, result.rules[0].first
    (False, 1, (2,))
    """
    check_limits(_LIMITS, {"tolerance": tolerance, "first": first, "values": values})
    rules = read_edits(edits)
    if not rules:
        raise RuleError("There is no rule to check.")
    if original is None:
        refuse_without_original(rules)
    table = as_table(data)
    original_table = None if original is None else as_table(original)
    for rule in rules:
        rule.refuse_unknown(table.names)
        if original_table is not None:
            refuse_unknown_in_original(rule, original_table.names)
    records = TableRecords(table, original_table)
    statuses = []
    for rule in rules:
        with step(1 / len(rules)):
            statuses.append(_status(rule, records, tolerance, first, values))
    if sum(status.broken for status in statuses) >= len(table):  # perhaps no record can keep them all
        refuse_contradictions(rules)
    return Check(len(table), float(tolerance), tuple(statuses))


def refuse_without_original(rules: Iterable[Rule]) -> None:
    """Raise RuleError if a rule looks values up in the original table, where no such table is given."""
    for rule in rules:
        if looked_up_in_original(rule):
            raise RuleError(f"{rule.called} needs the original table: name it with original (--original FILE).")


def refuse_unknown_in_original(rule: Rule, names: Sequence[str]) -> None:
    """Raise RuleError if a rule looks values up in a column that the original table does not have."""
    for name in looked_up_in_original(rule):
        if name not in names:
            hint = nearest_name_hint(name, names)
            raise RuleError(f'The rule "{rule.shown}" names "{name}", which is no column of the original table.{hint}')


def looked_up_in_original(rule: Rule) -> list[str]:
    """Return the variables that a rule looks up in the original table."""
    return [part.variable.name for part in parts_of(rule.expression) if isinstance(part, InOriginal)]


def _status(rule: Rule, records: TableRecords, tolerance: float, first: int, values: bool) -> RuleStatus:
    rows = np.flatnonzero(rule.broken(records, tolerance))
    missing = np.zeros(len(records), dtype=bool)
    for name in rule.variables:
        missing |= records.missing(name)
    listed = rows[:first].tolist()
    return RuleStatus(
        rule=rule.text,
        name=rule.name,
        kind=rule.kind,
        broken=len(rows),
        first=tuple(row + 1 for row in listed),
        missing=int(missing.sum()),
        values=tuple(_values(rule, records.table, row) for row in listed) if values else None,
    )


def _values(rule: Rule, table: Table, row: int) -> dict[str, Any]:
    cells = {name: table.column(name).item(row) for name in rule.variables}
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
        "missing": status.missing,
        "first": list(status.first),
    }
    if status.values is not None:
        plain["values"] = [dict(one) for one in status.values]
    return plain
