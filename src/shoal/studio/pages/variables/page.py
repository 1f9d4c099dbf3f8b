"""The step Variables: what every column is, what it is for, and how it is made coarser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.studio.pages.column_roles import ROLE_CHOICES, ROLE_MEANINGS, decided
from shoal.studio.pages.parts import (
    data_table,
    empty,
    filter_field,
    notice,
    sending_select,
    step_link,
    table_row,
)
from shoal.studio.pages.variables.rows import KIND_CHOICES, ShownVariable, cells_of, row_id, shown_variables
from shoal.studio.pages.view import View
from shoal.studio.workspace import OpenedFile, open_questions

__all__ = ["variables_server", "variables_ui"]

_MOST_NAMED = 6
_HEAD = ("variable", "kind", "use", "coarser by", "missing codes", "different", "missing", "why shoal thinks so")
_NUMERIC = (6, 7)  # the places of columns with numbers, after that of the boxes


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
    async def _several() -> None:
        message, file = input.several(), view.file
        names = [name for name in (file.names if file else []) if name in chosen.get()]
        if not names:
            problem.set("Choose some columns first: the boxes at the left of their names.")
        else:
            decide(names, message["field"], message["value"])
        # It says "kind" or "use" again, also where nothing was decided.
        await session.send_custom_message("studio-value", {"id": session.ns(f"all_{message['field']}"), "value": "-"})

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
    kinds, roles = {"-": "kind"} | KIND_CHOICES, {"-": "use"} | ROLE_CHOICES
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
    drawn = _DrawnRows()

    @render.ui
    def questions() -> Tag | TagList:
        file = view.file
        if file is None:
            return empty("No file is open.", "Open one in the step Data.")
        refused = notice(problem.get(), "problem") if problem.get() else None
        return TagList(refused, _questions(open_questions(file, view.decisions)))

    @render.ui
    def table() -> Tag | None:
        file = view.file
        with reactive.isolate():
            drawn.file, drawn.rows = file, [] if file is None else shown_variables(file, view.decisions)
            are_chosen = chosen.get()
        return None if file is None else _table(session, drawn.rows, are_chosen)

    @reactive.effect
    async def _draw_changed_rows() -> None:
        """Draw what a decision changed: with hundreds of columns, the whole table would take a second."""
        file, decisions = view.file, view.decisions
        if file is None or file is not drawn.file:
            return
        rows = shown_variables(file, decisions)
        changed = [place for place, one in enumerate(rows) if one != drawn.rows[place]]
        drawn.rows = rows
        if changed:
            with reactive.isolate():
                are_chosen = chosen.get()
            html: dict[str, object] = {
                row_id(session.ns, place): str(_row(session, place, rows[place], are_chosen)) for place in changed
            }
            await session.send_custom_message("studio-rows", html)


@dataclass
class _DrawnRows:
    """What the browser shows: the file, and its rows."""

    file: OpenedFile | None = None
    rows: list[ShownVariable] = field(default_factory=list)


def _table(session: Session, rows: list[ShownVariable], chosen: frozenset[str]) -> Tag:
    head = (tags.span("chosen", class_="visually-hidden"), *_HEAD)
    drawn = [_row(session, place, one, chosen) for place, one in enumerate(rows)]
    return tags.div(
        data_table("Variables of the file", head, drawn, numeric=_NUMERIC),
        tags.p(
            "Coarser by: a recode such as bands:width=5 or top-bottom:top=85; try them with their effect on k in the "
            "step ",
            step_link("Keys", "Keys"),
            ". Missing codes: values such as -9 or unknown that mean no value, with commas between.",
            class_="muted",
        ),
        _uses(session),
        id=session.ns("rows"),
    )


def _uses(session: Session) -> Tag:
    """Return what the uses mean, folded."""
    listed = [tags.li(tags.strong(text), f": {ROLE_MEANINGS[role]}.") for role, text in ROLE_CHOICES.items()]
    return tags.details(tags.summary("What the uses mean"), tags.ul(*listed), {"id": session.ns("uses")}, class_="more")


def _row(session: Session, place: int, one: ShownVariable, chosen: frozenset[str]) -> Tag:
    cells = cells_of(session.ns, place, one, one.variable.name in chosen)
    return table_row(cells, _NUMERIC, id=row_id(session.ns, place))


def _questions(undecided: Mapping[str, str]) -> Tag:
    if not undecided:
        return notice("Every column is decided.", "good")
    named = [f"{name} ({why})" for name, why in list(undecided.items())[:_MOST_NAMED]]
    more = f" and {len(undecided) - _MOST_NAMED:,} more" if len(undecided) > _MOST_NAMED else ""
    return notice(
        f"To be decided before anything can be protected: {', '.join(named)}{more}. Give each a kind or a use.",
        "warning",
    )
