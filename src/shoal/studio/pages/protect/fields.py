"""The fields of the step Protect: k, method and replacement first, the rest folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from htmltools import Tag, TagList, tags

from shoal.parameters.option import Option
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS
from shoal.studio.decisions import Decisions
from shoal.studio.pages.parts import declared_field, labelled, sending_check, sending_field, sending_select
from shoal.studio.pages.protect.choices import (
    BY_COLUMN,
    Parameter,
    What,
    chosen,
    grouped_choices,
    parameters_of,
    usual,
)
from shoal.studio.pages.settings import SETTINGS, as_shown
from shoal.studio.workspace import OpenedFile

__all__ = ["basic_fields", "more_settings"]

Ids = Callable[[str], str]
_SUMMARIES: Mapping[What, Mapping[str, Any]] = {"method": METHODS, "replace": REPLACEMENTS}


def basic_fields(to: str, ns: Ids, decisions: Decisions) -> Tag:
    """Return k, the method and the replacement, as they are decided."""
    k = sending_field(to, ns("k_field"), "k", decisions.k, "number", "such as 5", field="k")
    k.attrs.update({"min": "2", "step": "1", "inputmode": "numeric"})
    return tags.div(
        labelled("k", k, "The fewest records that are alike in the release."),
        _choice(to, ns, decisions, "method", "Method: how records are grouped"),
        _choice(to, ns, decisions, "replace", "Replacement: what their values become"),
        class_="fields fields-top",
    )


def _choice(to: str, ns: Ids, decisions: Decisions, what: What, label: str) -> Tag:
    written = chosen(decisions, what)
    by_column = written is None and what in decisions.options
    is_open = what == "replace" and decisions.get("edits")
    default = "the one that keeps the rules" if is_open else f"the usual one ({usual(decisions, what)})"
    choices: dict[str, str | Mapping[str, str]] = {"": default}
    if by_column:
        choices[BY_COLUMN] = "a different one for some columns"
    selected = BY_COLUMN if by_column else "" if written is None else str(written["name"])
    shown = selected if written is not None else usual(decisions, what)
    summary = "" if is_open and written is None else _SUMMARIES[what][shown].summary if not by_column else ""
    select = sending_select(to, ns(f"{what}_field"), label, choices | grouped_choices(what), selected, field=what)
    box = labelled(label, select, f"{summary}." if summary else "")
    box.add_class("field-wide")
    return box


def more_settings(to: str, ns: Ids, file: OpenedFile, decisions: Decisions) -> Tag:
    """Return everything else that can be set, folded."""
    own: list[Tag] = []
    needed = False
    for what, title in (("method", "Parameters of the method"), ("replace", "Parameters of the replacement")):
        written = chosen(decisions, what) or {"name": usual(decisions, what)}  # type: ignore[arg-type]
        parameters = parameters_of(what, written)  # type: ignore[arg-type]
        needed |= any(one.is_needed for one in parameters)
        if parameters:
            about = {"field": "parameter", "what": what, "of": str(written["name"])}
            drawn = [_parameter(to, ns, one, about) for one in parameters]
            own.append(_group(f"{title}, {written['name']}", drawn))
    checks = [_setting(to, ns, decisions, one) for one in SETTINGS if one.form.widget == "check"]
    others = [_setting(to, ns, decisions, one) for one in SETTINGS if one.form.widget != "check"]
    return tags.details(
        tags.summary("More settings"),
        *own,
        _group("Settings of the release", [*others, tags.div(*checks, class_="field-wide")]),
        _strata(to, ns, file, decisions),
        {"id": ns("more"), "open": "" if needed else None},
        class_="more",
    )


def _group(title: str, drawn: list[Tag]) -> Tag:
    return tags.fieldset(tags.legend(title), tags.div(*drawn, class_="fields fields-top"))


def _parameter(to: str, ns: Ids, one: Parameter, about: Mapping[str, str]) -> Tag:
    id = ns(f"{about['what']}_parameter_{one.name}")
    label = f"{one.name} (needed)" if one.is_needed else one.name
    return declared_field(to, id, label, one.limit, one.value, one.meaning, **about, name=one.name)


def _setting(to: str, ns: Ids, decisions: Decisions, setting: Option) -> Tag:
    id, shown = ns(f"setting_{setting.name}"), as_shown(decisions, setting)
    # The replacement for all columns is a field of its own, above.
    sent = BY_COLUMN if setting.name == "replace" else setting.name
    several = " Several with semicolons between." * (setting.form.widget == "text")
    return declared_field(to, id, setting.label, setting.form, shown, setting.help + several, field=sent)


def _strata(to: str, ns: Ids, file: OpenedFile, decisions: Decisions) -> Tag:
    listed = decisions.get("strata") or []
    strata = [listed] if isinstance(listed, str) else list(listed)
    boxes = [
        sending_check(to, ns(f"stratum_{place}"), name, name in strata, field="strata", column=name)
        for place, name in enumerate(file.names)
    ]
    return tags.fieldset(
        tags.legend("Strata: no group mixes values of these columns"),
        tags.div(TagList(*boxes), class_="boxes", tabindex="0", role="group", aria_label="Strata"),
    )
