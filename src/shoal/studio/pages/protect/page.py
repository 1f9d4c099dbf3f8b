"""The step Protect: method and k, the plan in words, and the attempts side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.studio.decisions import Decisions
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.parts import empty, notice, sending_button, step_link
from shoal.studio.pages.protect.attempts import attempts_server, attempts_ui
from shoal.studio.pages.protect.changes import changed_decisions
from shoal.studio.pages.protect.fields import basic_fields, more_settings
from shoal.studio.pages.protect.several import several_server, several_ui
from shoal.studio.pages.protect.work import work_of
from shoal.studio.pages.view import View
from shoal.studio.tasks.protecting import PlanInWords
from shoal.studio.workspace import OpenedFile, open_questions

__all__ = ["protect_server", "protect_ui"]

_MOST_NAMED = 8


@module.ui
def protect_ui() -> TagList:
    """Return the page."""
    return TagList(
        tags.h1("Protect"),
        ui.output_ui("fields"),
        ui.output_ui("refused"),
        ui.output_ui("plan"),
        ui.output_ui("work"),
        attempts_ui("attempts"),
        several_ui("several"),
    )


@module.server
def protect_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Take over k, method, replacement and settings, and make releases."""
    _take_changes(input, session, view)
    _show_plan(session, view)
    _do_work(input, session, view)
    attempts_server("attempts", view)
    several_server("several", view)


def _take_changes(input: Inputs, session: Session, view: View) -> None:
    """Show the fields as things are decided, and take over what is changed in them."""
    workspace = view.workspace
    problem: reactive.Value[str] = reactive.Value("")

    @render.ui
    def fields() -> Tag | TagList:
        if view.file is None:
            return empty("No file is open.", "Open one in the step Data.")
        change = session.ns("change")
        return TagList(
            basic_fields(change, session.ns, view.decisions),
            more_settings(change, session.ns, view.file, view.decisions),
        )

    @render.ui
    def refused() -> Tag | None:
        return notice(problem.get(), "problem") if problem.get() else None

    @reactive.effect
    @reactive.event(input.change)
    def _change() -> None:
        try:
            # Of two quick changes the second is made to what the first came to, which the page may not show yet.
            done, decisions = changed_decisions(workspace.state.decisions, input.change())
        except ShoalError as error:
            problem.set(str(error))
        else:
            problem.set("")
            workspace.decide(done, decisions)

    @reactive.effect
    def _undone() -> None:
        _ = view.history
        problem.set("")


def _show_plan(session: Session, view: View) -> None:
    """Say what will be done, or why nothing can be done."""
    in_words = AskedTask(view, "protecting.in_words")

    @render.ui
    def plan() -> Tag | TagList | None:
        file, decisions = view.file, view.decisions
        if file is None:
            return None
        reason = _not_yet(file, decisions)
        if reason is not None:
            return reason
        try:
            words: PlanInWords = in_words.answered(k=decisions.k, options=dict(decisions.options))
        except ShoalError as error:
            return notice(f"This cannot be done: {error}", "problem")
        if words.refused:
            return _missing_question(session, words)
        return TagList(
            tags.h2("What will be done"),
            tags.ul(*(tags.li(one) for one in words.sentences), class_="plan"),
            sending_button(session.ns("start"), session.ns("start_now"), "Protect", "primary"),
        )


def _missing_question(session: Session, words: PlanInWords) -> Tag:
    """Return the question what becomes of missing values: nothing can be protected before it is answered."""
    change = session.ns("change")
    fill = sending_button(
        change, session.ns("fill"), "Fill them by the group", "primary", field="missing", value="fill"
    )
    keep = sending_button(change, session.ns("keep"), "Keep them missing", field="missing", value="keep")
    fate = "Filled, records are k alike; kept, some may be unique by what is missing. " * words.can_fill
    return notice(
        TagList(
            tags.p(f"Values are missing in {_named(words.refused)}. Say what becomes of them. {fate}"),
            tags.div(fill if words.can_fill else None, keep, class_="actions"),
        ),
        "warning",
    )


def _named(counts: Mapping[str, int]) -> str:
    named = [f"{name} ({count:,})" for name, count in counts.items()]
    return ", ".join(named[:_MOST_NAMED]) + (f" and {len(named) - _MOST_NAMED} more" * (len(named) > _MOST_NAMED))


def _do_work(input: Inputs, session: Session, view: View) -> None:
    """Make a release, show how far it is, and cancel it."""
    workspace = view.workspace

    @reactive.effect
    @reactive.event(input.start)
    def _start() -> None:
        file, decisions = workspace.state.file, workspace.state.decisions
        if file is not None and _not_yet(file, decisions) is None:
            workspace.protect()

    @reactive.effect
    @reactive.event(input.cancel)
    def _cancel() -> None:
        workspace.cancel()

    @render.ui
    def work() -> Tag | None:
        return work_of(view, session.ns("cancel"), session.ns("cancel_now"))


def _not_yet(file: OpenedFile, decisions: Decisions) -> Tag | None:
    """Return why nothing can be protected yet, what to do and where; None if it can."""
    undecided = list(open_questions(file, decisions))
    if undecided:
        more = f" and {len(undecided) - _MOST_NAMED} more" * (len(undecided) > _MOST_NAMED)
        names = ", ".join(undecided[:_MOST_NAMED]) + more
        said = f"Say first what these columns are, in the step Variables: {names}. "
        return notice(TagList(said, step_link("Variables")), "warning")
    if decisions.k is None:
        return notice("Set k. There is no default: k decides how safe the release is.", "warning")
    return None
