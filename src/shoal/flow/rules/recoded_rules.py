"""Rules that a recode makes meaningless, refused before anything is masked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.edits import Rule
from shoal.edits.checked_records import TableRecords
from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Expression,
    IsInteger,
    Negative,
    NumberLiteral,
    PlaceIn,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
    XPathTest,
    parts_of,
    variables_in,
)
from shoal.errors import RuleError
from shoal.recode.base import text_of
from shoal.recode.recoded_table import RecodedTable

__all__ = ["refuse_recoded_rules"]

_WAY_OUT = "Leave the rule out, write it for the recoded column, or leave the recode out."


def refuse_recoded_rules(
    rules: Sequence[Rule], recodes: Mapping[str, Sequence[Mapping[str, Any]]], recoded: RecodedTable, *, repair: bool
) -> None:
    """Raise RuleError for a rule that a recode makes meaningless, or breaks in a file that keeps it."""
    for rule in rules:
        for name in rule.variables:
            reason = _reason(rule, name, recoded) if name in recodes else ""
            if reason:
                names = " and ".join(str(one["name"]) for one in recodes[name])
                raise RuleError(
                    f'The rule "{rule.shown}" {reason} after the recode {names} of "{name}". {_WAY_OUT}', rule=rule.text
                )
        ruled = [name for name in rule.variables if name in recodes]
        if ruled and not (repair and rule.is_linear):
            _refuse_broken_by_recodes(rule, ruled, recodes, recoded)


def _refuse_broken_by_recodes(
    rule: Rule, ruled: Sequence[str], recodes: Mapping[str, Sequence[Mapping[str, Any]]], recoded: RecodedTable
) -> None:
    before, after = (TableRecords(table, table) for table in (recoded.before, recoded.table))
    broken = int(rule.broken(after).sum())
    if broken and _kept(rule, before):
        named = ", ".join(f"{' and '.join(str(one['name']) for one in recodes[name])} of {name}" for name in ruled)
        raise RuleError(
            f'{broken:,} of {len(recoded.table):,} records keep the rule "{rule.shown}" and break it once recoded '
            f"({named}). {_WAY_OUT}",
            rule=rule.text,
        )


def _kept(rule: Rule, records: TableRecords) -> bool:
    """Whether all records keep a rule; one that is written for recoded columns cannot be checked before the recode."""
    try:
        return not rule.broken(records).any()
    except RuleError:
        return False


def _reason(rule: Rule, name: str, recoded: RecodedTable) -> str:
    """Return what is wrong with a rule about a column that was recoded; an empty text if nothing is."""
    is_number, was_number = recoded.table.is_numeric(name), recoded.before.is_numeric(name)
    for part in parts_of(rule.expression):
        if isinstance(part, XPathTest) and name in part.names and was_number and not is_number:
            return f'tests "{name}" as a number, which is text'
        if not is_number and _computes(part, name):
            return f'computes with "{name}", or compares its size with a number, which is text'
    if is_number and recoded.kinds.get(name, "continuous") == "continuous":
        return ""
    parts = [part for part in parts_of(rule.expression) if not (is_number and _is_about_size(part))]
    literals = {text_of(one.value) for part in parts for one in _compared_with(part, name)}
    gone = literals - _values(recoded, name, after=True)
    became_text = was_number and not is_number
    if gone and (became_text or not gone.isdisjoint(_values(recoded, name, after=False))):
        return "names a category that no longer exists"
    return ""


def _is_about_size(part: Expression | Term) -> bool:
    return isinstance(part, TermComparison) and part.relation not in ("==", "!=")


def _computes(part: Expression | Term, name: str) -> bool:
    """Whether a part of a rule uses a column as a number."""
    if isinstance(part, Arithmetic | Negative):
        return name in variables_in(part)
    if isinstance(part, IsInteger):
        return part.variable.name == name
    if isinstance(part, TermComparison) and _is_about_size(part):
        sides = (part.left, part.right)
        return VariableName(name) in sides and any(isinstance(side, NumberLiteral | Arithmetic) for side in sides)
    return False


def _compared_with(part: Expression | Term, name: str) -> Iterator[NumberLiteral | TextLiteral]:
    """Return the values that a part of a rule compares a column with."""
    if isinstance(part, Among) and part.variable.name == name:
        yield from part.values
    elif isinstance(part, TermComparison) and VariableName(name) in (part.left, part.right):
        yield from (side for side in (part.left, part.right) if isinstance(side, NumberLiteral | TextLiteral))
    elif isinstance(part, PlaceIn) and part.value == VariableName(name):
        yield from map(TextLiteral, part.order)


def _values(recoded: RecodedTable, name: str, *, after: bool) -> set[str]:
    table = recoded.table if after else recoded.before
    column = table.column(name).drop_nulls().unique().to_list()
    categories = getattr(table.type_of(name), "categories", ()) if after else ()
    return {text_of(cell) for cell in (*column, *categories)}
