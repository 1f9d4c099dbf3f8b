"""The step Data: open a file, look at its records and its variables."""

from __future__ import annotations

from typing import Any

from htmltools import Tag, TagChild, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.opening import opening_box, run_opening
from shoal.studio.pages.parts import (
    data_table,
    empty,
    filter_field,
    labelled,
    notice,
    picture,
    sending_button,
    sending_field,
)
from shoal.studio.pages.resume import resume_server, resume_ui
from shoal.studio.pages.view import View
from shoal.studio.tasks.opening import DescribedVariable
from shoal.studio.tasks.records import Distribution, Preview
from shoal.studio.workspace import OpenedFile

__all__ = ["data_server", "data_ui"]

_ROWS = 15


@module.ui
def data_ui() -> TagList:
    """Return the page."""
    return TagList(tags.h1("Data"), opening_box(), resume_ui("resume"), ui.output_ui("contents"))


@module.server
def data_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Open files, and show what is in them."""
    run_opening(input, session, view, uploads)
    resume_server("resume", view, uploads)
    _run_records(input, session, view)
    _run_variables(input, session, view)

    @render.ui
    def contents() -> Tag | TagList:
        file = view.file
        if file is None:
            return empty("No file is open.", "Open one above, or try the built-in survey.")
        return TagList(
            tags.h2("Records"),
            tags.div(
                labelled(
                    "Only records that satisfy a condition",
                    sending_field(
                        session.ns("asked"),
                        session.ns("condition"),
                        "Only records that satisfy a condition",
                        "",
                        hint=f"for example {file.example}" if file.example else "",
                    ),
                ),
                labelled(
                    "Search all values",
                    sending_field(
                        session.ns("sought"), session.ns("search"), "Search all values", "", hint="a text or a number"
                    ),
                ),
                class_="filters",
            ),
            ui.output_ui("records"),
            tags.h2("Variables"),
            tags.div(
                tags.div(
                    filter_field(session.ns("list"), session.ns("names"), "Find a variable by its name")
                    if len(file.variables) > _ROWS
                    else None,
                    tags.div(ui.output_ui("variables"), id=session.ns("list"), class_="variable-list"),
                ),
                tags.div(ui.output_ui("distribution"), class_="chart"),
                class_="beside",
            ),
        )


def _run_records(input: Inputs, session: Session, view: View) -> None:
    """Show the records that satisfy the condition, some at a time."""
    condition: reactive.Value[str] = reactive.Value("")
    search: reactive.Value[str] = reactive.Value("")
    start: reactive.Value[int] = reactive.Value(0)

    @reactive.effect
    @reactive.event(lambda: view.file)
    def _another_file() -> None:
        for text in (condition, search):
            text.set("")
        start.set(0)

    @reactive.effect
    @reactive.event(input.asked)
    def _asked() -> None:
        condition.set(input.asked()["value"])
        start.set(0)

    @reactive.effect
    @reactive.event(input.sought)
    def _sought() -> None:
        search.set(input.sought()["value"])
        start.set(0)

    @reactive.effect
    @reactive.event(input.page)
    def _page() -> None:
        start.set(int(input.page()["start"]))

    preview = AskedTask(view, "records.preview")

    @render.ui
    def records() -> Tag | TagList | None:
        if view.file is None:
            return None
        asked = {"condition": condition.get(), "search": search.get(), "start": start.get(), "most": _ROWS}
        try:
            return _records(session, view.file, preview.answered(**asked))
        except ShoalError as error:
            return notice(str(error), "problem")


def _records(session: Session, file: OpenedFile | None, shown: Preview) -> Tag | TagList:
    """Return a table of records, and what shows those before and after them."""
    if not shown.rows:
        return empty("No record is like that.", "Change the condition or the search, or empty both to see all records.")
    rows: list[list[TagChild]] = [
        [f"{number:,}", *(_cell(text) for text in row)] for number, row in zip(shown.numbers, shown.rows, strict=True)
    ]
    labels = {} if file is None else {one.name: one.label for one in file.variables}
    head: list[TagChild] = ["record", *(tags.span(name, title=labels.get(name) or None) for name in shown.columns)]
    start, last = shown.start, shown.start + len(shown.rows)
    in_all = f" that match, of {shown.records:,}" if shown.matching < shown.records else ""
    return TagList(
        data_table("Records of the file", head, rows, numeric=(0, *(place + 1 for place in shown.numeric))),
        tags.div(
            _turn(session, "first", "First", 0, start > 0),
            _turn(session, "back", "Back", max(start - _ROWS, 0), start > 0),
            tags.span(f"{start + 1:,} to {last:,} of {shown.matching:,}{in_all}", class_="muted"),
            _turn(session, "on", "Next", last, last < shown.matching),
            _turn(session, "last", "Last", (shown.matching - 1) // _ROWS * _ROWS, last < shown.matching),
            class_="pager",
        ),
    )


def _cell(text: str | None) -> TagChild:
    return tags.span("missing", class_="missing") if text is None else tags.span(text, class_="cell")


def _turn(session: Session, name: str, text: str, to: int, possible: bool) -> Tag:
    button = sending_button(session.ns("page"), session.ns(f"page_{name}"), text, start=str(to))
    if not possible:
        button.attrs["disabled"] = ""
    return button


def _run_variables(input: Inputs, session: Session, view: View) -> None:
    """List the variables, and show how the chosen one is distributed."""
    name: reactive.Value[str] = reactive.Value("")

    @reactive.effect
    @reactive.event(input.variable)
    def _choose() -> None:
        name.set(input.variable()["column"])

    def chosen() -> DescribedVariable | None:
        file = view.file
        if file is None:
            return None
        with_shape = (one.name for one in file.variables if 0 < one.distinct < file.records - one.missing)
        one: DescribedVariable = file.variable(
            name.get() if name.get() in file.names else next(with_shape, file.names[0])
        )
        return one

    @render.ui
    def variables() -> Tag | None:
        file, decisions = view.file, view.decisions
        if file is None:
            return None
        with reactive.isolate():
            first = chosen()
        rows = [
            [
                _choice(session, place, one, first is not None and one.name == first.name),
                decisions.of_column("kinds", one.name) or one.kind or "to be decided",
                f"{one.distinct:,}",
                _share(one.missing, file.records),
            ]
            for place, one in enumerate(file.variables)
        ]
        return data_table("Variables", ("variable", "kind", "different", "missing"), rows, numeric=(2, 3))

    drawing = AskedTask(view, "records.distribution")

    @render.ui
    def distribution() -> Tag | TagList | None:
        file, one = view.file, chosen()
        if file is None or one is None:
            return None
        kind = view.decisions.of_column("kinds", one.name) or one.kind
        try:
            drawn: Distribution = drawing.answered(column=one.name, kind=kind)
        except ShoalError as error:
            return notice(str(error), "problem")
        return TagList(
            tags.h3(one.name),
            tags.p(one.label) if one.label else None,
            tags.p(f"{one.distinct:,} different values, {one.missing:,} missing. {_sentence(one.reason)}"),
            picture(drawn.svg) if drawn.svg else empty("There is nothing to draw.", _why_nothing(one, file.records)),
        )


def _choice(session: Session, place: int, one: DescribedVariable, is_chosen: bool) -> Tag:
    return tags.label(
        tags.input(
            {
                "type": "radio",
                "name": session.ns("chosen"),
                "id": session.ns(f"variable_{place}"),
                "data-send": session.ns("variable"),
                "data-about-column": one.name,
                "checked": "" if is_chosen else None,
            },
        ),
        f" {one.name}",
        {"data-name": f"{one.name} {one.label}"},
    )


def _share(missing: int, records: int) -> str:
    return f"{missing:,} ({100 * missing / records:.2g} %)" if missing else "-"


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}." if reason else ""


def _why_nothing(one: DescribedVariable, records: int) -> str:
    return "All values are missing." if one.missing == records else "Every value is different."
