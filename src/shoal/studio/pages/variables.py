"""The step Variables: what every column is, what it is for, and how it is made coarser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from htmltools import Tag, TagChild, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.describe.variables import KINDS
from shoal.errors import ShoalError
from shoal.parameters.choices import as_text
from shoal.studio.decisions import Decisions
from shoal.studio.pages.column_roles import ROLE_CHOICES, decided, role_of, suggested_role, with_role, written_codes
from shoal.studio.pages.parts import (
    data_table,
    empty,
    filter_field,
    notice,
    sending_button,
    sending_select,
    step_link,
)
from shoal.studio.pages.view import View
from shoal.studio.tasks.opening import DescribedVariable
from shoal.studio.workspace import open_questions

__all__ = ["role_of", "variables_server", "variables_ui", "with_role"]

_MOST_NAMED = 6
_FEW = 150  # different values, as ages have
_HEAD = ("variable", "kind", "use", "coarser by", "missing codes", "different", "missing", "why shoal thinks so")
_KINDS: dict[str, str] = {kind: kind for kind in KINDS}


@module.ui
def variables_ui() -> TagList:
    """Return the page."""
    return TagList(
        tags.h1("Variables"),
        ui.output_ui("questions"),
        tags.div(ui.output_ui("finding"), ui.output_ui("tools"), class_="several"),
        ui.output_ui("table"),
    )


@module.server
def variables_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Show every column, and take over what is decided about it."""
    problem: reactive.Value[str] = reactive.Value("")
    chosen: reactive.Value[frozenset[str]] = reactive.Value(frozenset())

    def decide(names: list[str], field: str, value: str) -> None:
        file = view.file
        if file is None or any(name not in file.names for name in names) or value == "-":
            return
        try:
            done, decisions = decided(file, view.decisions, names, field, value)
        except ShoalError as error:
            problem.set(str(error))
            return
        problem.set("")
        view.workspace.decide(done, decisions)

    _run_choosing(input, session, view, chosen, problem, decide)
    _run_table(session, view, chosen, problem)

    @reactive.effect
    @reactive.event(input.change)
    def _change() -> None:
        message = input.change()
        decide([message["column"]], message["field"], message["value"])

    @reactive.effect
    @reactive.event(input.take)
    def _take() -> None:
        message = input.take()
        decide([message["column"]], message["field"], message["take"])


def _run_choosing(
    input: Inputs,
    session: Session,
    view: View,
    chosen: reactive.Value[frozenset[str]],
    problem: reactive.Value[str],
    decide: Callable[[list[str], str, str], None],
) -> None:
    """Decide about several columns at once: those that are chosen by their boxes."""

    @reactive.effect
    @reactive.event(input.choose)
    def _choose() -> None:
        message = input.choose()
        columns = message.get("columns") or [message.get("column", "")]
        chosen.set(chosen.get() | {*columns} if message["value"] else chosen.get() - {*columns})

    @reactive.effect
    @reactive.event(input.several)
    def _several() -> None:
        message, file = input.several(), view.file
        names = [name for name in (file.names if file else []) if name in chosen.get()]
        if not names:
            problem.set("Choose some columns first: the boxes at the left of their names.")
        else:
            decide(names, message["field"], message["value"])

    @reactive.effect
    @reactive.event(lambda: view.file)
    def _another_file() -> None:
        chosen.set(frozenset())
        problem.set("")

    @render.ui
    def finding() -> TagList | None:
        return None if view.file is None else _finding(session)

    @render.ui
    def tools() -> TagList | None:
        if view.file is None:
            return None
        view.history  # noqa: B018  # drawn anew after every step, so that they say "kind" and "use" again
        return _tools(session, len(chosen.get() & {*view.file.names}))


def _finding(session: Session) -> TagList:
    """Return what finds columns among many."""
    place = session.ns("rows")
    return TagList(
        filter_field(place, session.ns("names"), "Find a variable by its name"),
        tags.label(
            tags.input(
                {"type": "checkbox", "id": session.ns("only"), "data-filter": place, "data-needs": ".open"},
                class_="form-check-input",
            ),
            " only those to be decided",
        ),
    )


def _tools(session: Session, count: int) -> TagList:
    """Return what changes all chosen columns at once."""
    several, place = session.ns("several"), session.ns("rows")
    kinds, roles = {"-": "kind"} | _KINDS, {"-": "use"} | ROLE_CHOICES
    return TagList(
        tags.button(
            "Choose all, or none",
            {"type": "button", "id": session.ns("shown"), "data-shown": place, "data-to": session.ns("choose")},
            class_="btn btn-sm btn-outline-secondary",
        ),
        tags.span(f"{count:,} chosen:", class_="muted"),
        sending_select(several, session.ns("all_kind"), "Kind of the chosen columns", kinds, "-", field="kind"),
        sending_select(several, session.ns("all_role"), "Use of the chosen columns", roles, "-", field="role"),
    )


def _run_table(
    session: Session, view: View, chosen: reactive.Value[frozenset[str]], problem: reactive.Value[str]
) -> None:
    """Show the columns, and what is to be decided about them."""

    @render.ui
    def questions() -> Tag | TagList:
        file = view.file
        if file is None:
            return empty("No file is open.", "Open one in the step Data.")
        refused = notice(problem.get(), "problem") if problem.get() else None
        return TagList(refused, _questions(open_questions(file, view.decisions)))

    @render.ui
    def table() -> Tag | None:
        file, decisions = view.file, view.decisions
        if file is None:
            return None
        with reactive.isolate():
            are_chosen = chosen.get()
        undecided = open_questions(file, decisions)
        rows = [
            [
                _box(session, place, one, one.name in are_chosen),
                *_row(session, place, one, decisions, one.name in undecided),
            ]
            for place, one in enumerate(file.variables)
        ]
        head = (tags.span("chosen", class_="visually-hidden"), *_HEAD)
        return tags.div(
            data_table("Variables of the file", head, rows, numeric=(6, 7)),
            tags.p(
                "Coarser by: a recode such as bands:width=5 or top-bottom:top=85; try them with their effect on k in "
                "the step ",
                step_link("Keys", "Keys"),
                ". Missing codes: values such as -9 or unknown that mean no value, with commas between.",
                class_="muted",
            ),
            id=session.ns("rows"),
        )


def _questions(undecided: Mapping[str, str]) -> Tag:
    if not undecided:
        return notice("Every column is decided.", "good")
    named = [f"{name} ({why})" for name, why in list(undecided.items())[:_MOST_NAMED]]
    more = f" and {len(undecided) - _MOST_NAMED:,} more" if len(undecided) > _MOST_NAMED else ""
    return notice(
        f"To be decided before anything can be protected: {', '.join(named)}{more}. Give each a kind or a use.",
        "warning",
    )


def _box(session: Session, place: int, one: DescribedVariable, is_chosen: bool) -> Tag:
    return tags.input(
        {
            "type": "checkbox",
            "id": session.ns(f"choose_{place}"),
            "aria-label": f"Choose {one.name}",
            "data-send": session.ns("choose"),
            "data-about-column": one.name,
            "checked": "" if is_chosen else None,
        },
        class_="form-check-input",
    )


def _row(session: Session, place: int, one: DescribedVariable, decisions: Decisions, is_open: bool) -> list[TagChild]:
    name, change = one.name, session.ns("change")
    kind = "-" if is_open else decisions.of_column("kinds", name) or one.kind or "-"
    kinds = {"-": "decide" if is_open else "-"} | _KINDS if kind == "-" else _KINDS
    roles = {"-": "decide"} | ROLE_CHOICES if is_open else ROLE_CHOICES
    role = "-" if is_open else role_of(decisions, name)
    return [
        tags.span(
            name,
            tags.small(one.label) if one.label else None,
            {"data-name": f"{name} {one.label}"},
            class_="variable open" if is_open else "variable",
        ),
        sending_select(change, session.ns(f"kind_{place}"), f"Kind of {name}", kinds, kind, column=name, field="kind"),
        sending_select(change, session.ns(f"role_{place}"), f"Use of {name}", roles, role, column=name, field="role"),
        _text(session, place, one, "recode", "Recode", _written(decisions.of_column("recodes", name)), _example(one)),
        _text(session, place, one, "codes", "Missing codes", written_codes(decisions.of_column("missing_codes", name))),
        f"{one.distinct:,}",
        f"{one.missing:,}" if one.missing else "-",
        tags.div(
            tags.small(one.reason if is_open else one.reason.removeprefix("to be decided: ")),
            *_hints(session, place, one, decisions),
            class_="why",
        ),
    ]


def _text(
    session: Session, place: int, one: DescribedVariable, field: str, label: str, value: str, placeholder: str = ""
) -> Tag:
    return tags.input(
        {
            "type": "text",
            "id": session.ns(f"{field}_{place}"),
            "aria-label": f"{label} of {one.name}",
            "placeholder": placeholder,
            "value": value,
            "spellcheck": "false",
            "data-send": session.ns("change"),
            "data-about-column": one.name,
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


def _hints(session: Session, place: int, one: DescribedVariable, decisions: Decisions) -> list[Tag]:
    """Return what shoal would decide but leaves to the user, each a click away."""
    hints = []
    take = session.ns("take")
    role = suggested_role(one, decisions)
    if role:
        text = f"looks like a {ROLE_CHOICES[role].partition(':')[0]}: use it"
        hints.append(
            sending_button(
                take, session.ns(f"hint_{place}"), text, "link hint", column=one.name, field="role", take=role
            )
        )
    codes = written_codes(list(one.missing_codes))
    if codes and not decisions.of_column("missing_codes", one.name):
        text = f"{codes} may mean no value: take as missing"
        hints.append(
            sending_button(
                take, session.ns(f"codes_hint_{place}"), text, "link hint", column=one.name, field="codes", take=codes
            )
        )
    return hints
