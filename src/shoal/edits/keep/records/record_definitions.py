"""Rewritten variables that are computed from others, because a rule that is no sum defines them: d == a * b + c."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from shoal.edits.atoms import Requirement
from shoal.edits.expressions import Term, TermComparison, TextLiteral, VariableName, parts_of, variables_in
from shoal.edits.rules import Rule

__all__ = ["RecordDefinition", "definitions_of_records"]


@dataclass(frozen=True)
class RecordDefinition:
    """A variable that is computed in every record, what from, and the rule that says so."""

    name: str
    term: Term
    rule: Rule


def definitions_of_records(
    required: Sequence[tuple[Rule, Requirement]],
    needed: Collection[int],
    rewritten: Collection[str],
    texts: Collection[str],
) -> dict[int, RecordDefinition] | int:
    """Choose the variables that are computed, in an order in which each can be.

    A variable that is computed is in no other requirement, unless that defines another variable by it.

    Parameters
    ----------
    required
        What all rules require, with rewritten variables in it.
    needed
        The places of requirements that can be kept only by computing a variable.
    rewritten
        The variables that may be computed.
    texts
        The columns that hold texts.

    Returns
    -------
    definitions
        By the place of the requirement; or the place of one that defines no variable.
    """
    chosen: dict[int, RecordDefinition] = {}
    waiting = list(needed)
    while waiting:
        place = waiting.pop(0)
        if place in chosen:
            continue
        rule, one = required[place]
        taken = {definition.name for definition in chosen.values()}
        possible = {name: term for name, term in _sides(one, texts).items() if name in rewritten and name not in taken}
        elsewhere = {
            name: [other for other, (_, its) in enumerate(required) if other != place and name in its.variables]
            for name in possible
        }
        if not possible:
            return place
        name = min(possible, key=lambda each: len(elsewhere[each]))
        chosen[place] = RecordDefinition(name, possible[name], rule)
        waiting += [other for other in elsewhere[name] if other not in chosen]
    return _ordered(chosen) or (next(iter(chosen)) if chosen else {})


def _sides(one: Requirement, texts: Collection[str]) -> Mapping[str, Term]:
    """Return the variables that stand alone on one side of an equality, and the other side."""
    if len(one.alternatives) != 1 or len(one.alternatives[0]) != 1:
        return {}
    source = one.alternatives[0][0].source
    if not isinstance(source, TermComparison) or source.relation != "==" or not set(texts).isdisjoint(one.variables):
        return {}
    if any(isinstance(part, TextLiteral) for part in parts_of(source)):
        return {}
    sides = ((source.left, source.right), (source.right, source.left))
    return {
        side.name: other
        for side, other in sides
        if isinstance(side, VariableName) and side.name not in variables_in(other)
    }


def _ordered(chosen: Mapping[int, RecordDefinition]) -> dict[int, RecordDefinition]:
    """Return the definitions in an order in which each variable can be computed; nothing if there is none."""
    waiting, ordered = dict(chosen), {}
    while waiting:
        names = {one.name for one in waiting.values()}
        ready = [place for place, one in waiting.items() if names.isdisjoint(variables_in(one.term))]
        if not ready:
            return {}
        for place in ready:
            ordered[place] = waiting.pop(place)
    return ordered
