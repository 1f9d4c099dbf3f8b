"""A plan in words: what it does, a sentence each."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shoal.describe.units import columns_within, units_of
from shoal.flow.plan import Plan
from shoal.flow.request import OPTIONS, PlannedOptions
from shoal.parameters.choices import as_text
from shoal.partition import METHODS
from shoal.read.tables import Table
from shoal.replace import REPLACEMENTS
from shoal.report.wording import without_capital

__all__ = ["plan_sentences", "refused_missing", "short_text"]

_MOST_NAMED = 8
_CATEGORIES = {
    "suppress": "keep their true values; cells are suppressed until k records share every combination",
    "within": "keep their true values; groups stay within them",
}


def plan_sentences(plan: Plan, table: Table) -> list[str]:
    """Return what a plan does to a table, a sentence each."""
    return [
        *_dropped(plan),
        *_recoded(plan),
        *_grouped(plan, table),
        *_replaced(plan),
        *_kept(plan, table.names),
        *_missing(plan, table),
        *_options(plan),
    ]


def refused_missing(plan: Plan, table: Table) -> dict[str, int]:
    """Return how many values are missing, by column, where the plan refuses them and could do something else."""
    is_asked = plan.missing == "error" and not plan.family.rewrites  # synthetic data needs complete records
    return _incomplete(table, [*plan.rewritten, *plan.strata]) if is_asked else {}


def _incomplete(table: Table, names: Iterable[str]) -> dict[str, int]:
    counts = {name: int(table.missing(name).sum()) for name in names}
    return {name: count for name, count in counts.items() if count}


def _missing(plan: Plan, table: Table) -> Iterator[str]:
    if _incomplete(table, [*plan.columns, *plan.strata]):
        yield OPTIONS["missing"].says(plan.missing)


def _dropped(plan: Plan) -> Iterator[str]:
    names = [name for name, role in plan.roles.items() if role == "identifier"]
    if names:
        yield f"Direct identifiers are dropped: {_named(names)}."
    if plan.unit is not None:
        fate = "is left out" if plan.drop_unit else "gets new ids, drawn at random"
        yield f"Records belong to units by {plan.unit}, which {fate}; k counts different units."


def _recoded(plan: Plan) -> Iterator[str]:
    for name, recodes in plan.recodes.items():
        yield f"{name} is made coarser first: {', then '.join(map(as_text, recodes))}."


def _grouped(plan: Plan, table: Table) -> Iterator[str]:
    if not plan.family.makes_groups:
        yield "Values are changed record by record: there are no groups, and no k is promised."
        return
    name = plan.method["name"]
    what = "units" if plan.unit is not None else "records"
    yield (
        f"Groups of at least {plan.k} {what} are made by {short_text(plan.method, METHODS)} "
        f"({without_capital(METHODS[name].summary)})."
    )
    yield from _blocks(plan, table)
    if plan.strata:
        yield f"No group mixes values of {_named(list(plan.strata))}."
    if plan.weights is not None:
        weights = "the sampling weights, which count in the values of groups and are released as they are"
        yield f"{plan.weights} has {weights}."


def _blocks(plan: Plan, table: Table) -> Iterator[str]:
    """Say which columns are grouped apart: blocks, and what is the same for all records of a unit."""
    blocks = [block for block in plan.grouped_blocks if block] or plan.blocks
    same: set[str] = set()
    if plan.unit is not None:
        same = set(columns_within(table, units_of(table, plan.unit), plan.columns))
    of_units = [block for block in blocks if same.issuperset(block)]
    if of_units and len(of_units) < len(blocks):
        names = _named([name for block in of_units for name in block])
        yield f"{names}: the same for all records of a unit, and grouped first, by units; the rest inside these groups."
    several = max(len(of_units), len(blocks) - len(of_units))
    if several > 1:
        yield f"The columns are grouped in {several} blocks, each for itself: whole records are then mostly unique."


def _replaced(plan: Plan) -> Iterator[str]:
    for written, names in _by_choice(plan.replace):
        summary = without_capital(REPLACEMENTS[written["name"]].summary)
        changed = [name for name in names if name in plan.rewritten]
        if changed:
            yield f"New values for {_named(changed)}: {short_text(written, REPLACEMENTS)} ({summary})."


def _kept(plan: Plan, released: Sequence[str]) -> Iterator[str]:
    for way, names in _by_choice(plan.categories):
        yield f"{_named(names)} {_CATEGORIES[way]}."
    dropped = [name for name, role in plan.roles.items() if role == "identifier"]
    unchanged = [name for name in plan.unchanged(released) if name not in dropped]
    if unchanged:
        yield f"Released as they are, with whatever they disclose: {_named(unchanged)}."


def _options(plan: Plan) -> Iterator[str]:
    """Say what was asked for beside the usual; of missing values it is said where there are some."""
    for name in PlannedOptions.model_fields:
        value, option = getattr(plan, name), OPTIONS[name]
        if name != "missing" and value != option.default and option.says(value):
            yield option.says(value)
    if plan.decimals:
        yield f"Rounded, with rules that still hold: {_named(list(plan.decimals))}."


def short_text(written: Mapping[str, Any], registry: Mapping[str, Any]) -> str:
    """Return a method or a replacement as one line, without parameters that are as usual or were drawn."""
    parameters = inspect.signature(registry[written["name"]]).parameters
    usual = {name: one.default for name, one in parameters.items()}
    own = {
        name: value
        for name, value in written.items()
        if name == "name" or (name not in ("random_state", "confidential") and usual.get(name, ...) != value)
    }
    return as_text(own)


def _by_choice(by_column: Mapping[str, Any]) -> list[tuple[Any, list[str]]]:
    shared: dict[str, tuple[Any, list[str]]] = {}
    for column, choice in by_column.items():
        shared.setdefault(str(choice), (choice, []))[1].append(column)
    return list(shared.values())


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
