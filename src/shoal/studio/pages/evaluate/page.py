"""The step Evaluate: the attempts on the map, the report of the one that is looked at, and what it did to the data."""

from __future__ import annotations

from typing import Any

from htmltools import HTML, Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.studio.pages.asked_task import Answer, AskedTask
from shoal.studio.pages.evaluate.before_after import PARTS, part_server, part_ui
from shoal.studio.pages.evaluate.intruder import intruder_server, intruder_ui
from shoal.studio.pages.parts import empty, notice, picture, sending_button, sending_select, step_link
from shoal.studio.pages.protect.work import work_of
from shoal.studio.pages.view import View
from shoal.studio.tasks.evaluating import PlacedAttempt
from shoal.studio.workspace import Attempt

__all__ = ["evaluate_server", "evaluate_ui"]


@module.ui
def evaluate_ui() -> TagList:
    """Return the page."""
    return TagList(
        tags.h1("Evaluate"),
        ui.output_ui("nothing"),
        tags.div(ui.output_ui("map"), ui.output_ui("looked_at"), class_="side"),
        ui.output_ui("work"),
        ui.output_ui("report"),
        *(part_ui(name) for name in PARTS),
        intruder_ui("intruder"),
    )


@module.server
def evaluate_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Show what the attempts come to."""

    @render.ui
    def nothing() -> Tag | TagList | None:
        if view.file is None:
            return empty("No file is open.", "Open one in the step Data.")
        if view.attempt is None:
            return TagList(empty("There is no release yet.", "Make one in the step Protect."), step_link("Protect"))
        return None

    _choose(input, session, view)
    _show_map(session, view)
    _show_report(view)
    for name, part in PARTS.items():
        part_server(name, view, part)
    intruder_server("intruder", view)


def _choose(input: Inputs, session: Session, view: View) -> None:
    """Choose the attempt that is looked at, and measure more of it."""
    workspace = view.workspace

    @render.ui
    def looked_at() -> Tag | None:
        attempt = view.attempt
        return None if attempt is None else _looked_at(session, attempt, view.attempts)

    @render.ui
    def work() -> Tag | None:
        return None if view.attempt is None else work_of(view, session.ns("cancel"), session.ns("cancel_now"))

    @reactive.effect
    @reactive.event(input.show)
    def _show() -> None:
        message = input.show()
        workspace.show(int(message.get("number") or message["value"]))

    @reactive.effect
    @reactive.event(input.more)
    def _more() -> None:
        workspace.measure_all(int(input.more()["number"]))

    @reactive.effect
    @reactive.event(input.cancel)
    def _cancel() -> None:
        workspace.cancel()


def _looked_at(session: Session, attempt: Attempt, attempts: tuple[Attempt, ...]) -> Tag:
    choices = {str(one.number): f"{one.number}: {one.title}" for one in attempts}
    number = str(attempt.number)
    return tags.div(
        tags.label("The release that is looked at", {"for": session.ns("shown")}, class_="form-label"),
        sending_select(session.ns("show"), session.ns("shown"), "The release that is looked at", choices, number),
        tags.p(attempt.what if attempt.what != attempt.title else "", class_="form-text"),
        tags.p(
            "Every attempt with a risk and a loss is a point of the map; the further down and to the left the better. "
            "Press a point to look at its release.",
            class_="form-text",
        ),
        *(notice(one, "warning") for one in attempt.warnings),
        None if attempt.is_full else _offer(session, attempt),
    )


def _offer(session: Session, attempt: Attempt) -> Tag:
    """Return what measures the rest, with what that is."""
    return tags.div(
        sending_button(
            session.ns("more"), session.ns("measure_more"), "Measure what takes longer too", number=str(attempt.number)
        ),
        tags.p(
            "Attacks on large files, how near the groups are to the best possible, and other ways with categories.",
            class_="form-text",
        ),
    )


def _show_map(session: Session, view: View) -> None:
    """Draw the attempts on the map of risk and loss."""
    drawn = AskedTask(view, "evaluating.risk_map")

    @render.ui
    def map() -> Tag | None:
        attempt = view.attempt
        if attempt is None:
            return None
        placed = [
            PlacedAttempt(one.number, one.title, one.risk, one.loss, one.family)
            for one in view.attempts
            if one.risk is not None and one.loss is not None
        ]
        if not placed:
            return empty("No attempt has both a risk and a loss.", "The report below says which measures there are.")
        try:
            box = picture(drawn.answered(attempts=placed, shown=attempt.number, to=session.ns("show")))
        except ShoalError as error:
            return notice(str(error), "problem")
        box.add_class("map")
        return box


def _show_report(view: View) -> None:
    """Show the parts of the report of the release that is looked at."""
    drawn = AskedTask(view, "evaluating.report")

    @render.ui
    def report() -> Tag | TagList | None:
        if view.attempt is None:
            return None
        asked = {"summary": view.attempt.summary}
        if drawn(**asked) == Answer():
            return tags.p("The report is being drawn.", class_="muted", role="status")
        try:
            return TagList(tags.h2("Report"), HTML(drawn.answered(**asked)))
        except ShoalError as error:
            return notice(str(error), "problem")
