"""The rows of the step Variables: one for each column, drawn by itself, so that a decision draws only its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from htmltools import Tag, TagChild, tags

from shoal.describe.variables import KINDS
from shoal.parameters.choices import as_text
from shoal.studio.decisions import Decisions
from shoal.studio.pages.column_roles import ROLE_CHOICES, role_of, suggested_role, written_codes
from shoal.studio.pages.parts import sending_button, sending_select
from shoal.studio.tasks.opening import DescribedVariable
from shoal.studio.workspace import OpenedFile, open_questions

__all__ = ["KIND_CHOICES", "ShownVariable", "cells_of", "row_id", "shown_variables"]

KIND_CHOICES: dict[str, str] = {kind: kind for kind in KINDS}
_FEW = 150  # different values, as ages have


@dataclass(frozen=True)
class ShownVariable:
    """What the page shows of a column: what the file says, and what is decided.

    Attributes
    ----------
    variable
        What the file says.
    kind, role
        As they are chosen; "-" while the column has to be decided.
    recode, codes
        As they are written in their fields.
    is_open
        Whether something has to be decided.
    role_hint, codes_hint
        What shoal would decide but leaves to the user; "" for nothing.
    """

    variable: DescribedVariable
    kind: str
    role: str
    recode: str
    codes: str
    is_open: bool
    role_hint: str
    codes_hint: str


def shown_variables(file: OpenedFile, decisions: Decisions) -> list[ShownVariable]:
    """Return what is shown of every column."""
    undecided = open_questions(file, decisions)
    return [_shown(one, decisions, one.name in undecided) for one in file.variables]


def _shown(one: DescribedVariable, decisions: Decisions, is_open: bool) -> ShownVariable:
    codes = written_codes(decisions.of_column("missing_codes", one.name))
    return ShownVariable(
        one,
        kind="-" if is_open else decisions.of_column("kinds", one.name) or one.kind or "-",
        role="-" if is_open else role_of(decisions, one.name),
        recode=_written(decisions.of_column("recodes", one.name)),
        codes=codes,
        is_open=is_open,
        role_hint=suggested_role(one, decisions),
        codes_hint="" if codes else written_codes(list(one.missing_codes)),
    )


def row_id(ns: Callable[[str], str], place: int) -> str:
    """Return the id of the row of a column."""
    return ns(f"row_{place}")


def cells_of(ns: Callable[[str], str], place: int, shown: ShownVariable, is_chosen: bool) -> list[TagChild]:
    """Return the cells of the row of a column.

    Parameters
    ----------
    ns
        What gives the names of the page's inputs.
    place
        The column's place in the file.
    shown
        What is shown of it.
    is_chosen
        Whether it is among those that are changed together.
    """
    one, change = shown.variable, ns("change")
    name = one.name
    kinds = {"-": "decide" if shown.is_open else "-"} | KIND_CHOICES if shown.kind == "-" else KIND_CHOICES
    roles = {"-": "decide"} | ROLE_CHOICES if shown.is_open else ROLE_CHOICES
    return [
        _box(ns, place, name, is_chosen),
        tags.span(
            name,
            tags.small(one.label) if one.label else None,
            {"data-name": f"{name} {one.label}"},
            class_="variable open" if shown.is_open else "variable",
        ),
        sending_select(change, ns(f"kind_{place}"), f"Kind of {name}", kinds, shown.kind, column=name, field="kind"),
        sending_select(change, ns(f"role_{place}"), f"Use of {name}", roles, shown.role, column=name, field="role"),
        _text(ns, place, name, "recode", "Recode", shown.recode, _example(one)),
        _text(ns, place, name, "codes", "Missing codes", shown.codes),
        f"{one.distinct:,}",
        f"{one.missing:,}" if one.missing else "-",
        tags.div(
            tags.small(one.reason if shown.is_open else one.reason.removeprefix("to be decided: ")),
            *_hints(ns, place, shown),
            class_="why",
        ),
    ]


def _box(ns: Callable[[str], str], place: int, name: str, is_chosen: bool) -> Tag:
    return tags.input(
        {
            "type": "checkbox",
            "id": ns(f"choose_{place}"),
            "aria-label": f"Choose {name}",
            "data-send": ns("choose"),
            "data-about-column": name,
            "checked": "" if is_chosen else None,
        },
        class_="form-check-input",
    )


def _text(
    ns: Callable[[str], str], place: int, name: str, field: str, label: str, value: str, placeholder: str = ""
) -> Tag:
    return tags.input(
        {
            "type": "text",
            "id": ns(f"{field}_{place}"),
            "aria-label": f"{label} of {name}",
            "placeholder": placeholder,
            "value": value,
            "spellcheck": "false",
            "data-send": ns("change"),
            "data-about-column": name,
            "data-about-field": field,
        },
        class_=f"form-control form-control-sm {field}",
    )


def _written(recode: Any) -> str:
    """Return a recode, or several one after the other, as the field shows it."""
    several = recode if isinstance(recode, list | tuple) else [] if recode is None else [recode]
    return "; ".join(one if isinstance(one, str) else as_text(one) for one in several)


def _example(one: DescribedVariable) -> str:
    return "bands:width=5" if one.kind == "continuous" and one.distinct <= _FEW else ""


def _hints(ns: Callable[[str], str], place: int, shown: ShownVariable) -> list[Tag]:
    """Return what shoal would decide but leaves to the user, each a click away."""
    hints = []
    name, take = shown.variable.name, ns("take")
    if shown.role_hint:
        text = f"looks like a {ROLE_CHOICES[shown.role_hint].partition(':')[0]}: use it"
        about = {"column": name, "field": "role", "take": shown.role_hint}
        hints.append(sending_button(take, ns(f"hint_{place}"), text, "link hint", **about))
    if shown.codes_hint:
        text = f"{shown.codes_hint} may mean no value: take as missing"
        about = {"column": name, "field": "codes", "take": shown.codes_hint}
        hints.append(sending_button(take, ns(f"codes_hint_{place}"), text, "link hint", **about))
    return hints
