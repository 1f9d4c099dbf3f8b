"""What an intruder is assumed to know, and what they find then: the usual scenarios, and one that can be changed."""

from __future__ import annotations

from htmltools import Tag, TagChild, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.report.facts.summary import ScenarioFacts, Summary
from shoal.report.page.measure_sections import ABOUT_SCENARIOS, scenario_texts
from shoal.report.publish.shares import Shares
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.evaluate.before_after import drawn_answer, released_names
from shoal.studio.pages.parts import data_table, sending_check
from shoal.studio.pages.view import View
from shoal.studio.tasks.evaluating import IntruderRisk
from shoal.studio.workspace import Attempt

__all__ = ["intruder_server", "intruder_table", "intruder_ui"]

_SHOWN = ("columns", "k", "uniques", "linkage")
_HEAD = ("the intruder knows", "k", "unique", "linked", "k in the original", "unique in the original")


@module.ui
def intruder_ui() -> TagList:
    """Return the part of the page."""
    return TagList(ui.output_ui("form"), ui.output_ui("found"))


@module.server
def intruder_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Show the scenarios, and take over what the intruder knows in one of the user's own."""
    workspace = view.workspace

    @reactive.calc
    def known() -> list[str]:
        attempt = view.attempt
        return [] if attempt is None else [name for name in released_names(attempt) if name in view.known]

    @render.ui
    def form() -> TagChild:
        attempt = view.attempt
        return None if attempt is None else _form(session, attempt, known())

    @reactive.effect
    @reactive.event(input.choose)
    def _choose() -> None:
        message = input.choose()
        others = [name for name in workspace.state.known if name != message["column"]]
        workspace.assume([*others, message["column"]] if message["value"] else others)

    question = AskedTask(view, "evaluating.intruder")

    @render.ui
    def found() -> TagChild:
        attempt = view.attempt
        if attempt is None:
            return None
        if not known():
            return _found(attempt.summary, None)
        asked = {"folder": str(attempt.folder), "columns": known()}
        return drawn_answer(question, asked, lambda own: _found(attempt.summary, own))


def _form(session: Session, attempt: Attempt, known: list[str]) -> TagList:
    boxes = [
        sending_check(session.ns("choose"), session.ns(f"knows_{place}"), name, name in known, column=name)
        for place, name in enumerate(released_names(attempt))
    ]
    return TagList(
        tags.h2("What an intruder finds"),
        tags.fieldset(
            tags.legend("If an intruder knows these columns"),
            tags.div(*boxes, class_="boxes", tabindex="0", role="group", aria_label="Columns that an intruder knows"),
        ),
    )


def intruder_table(summary: Summary, own: IntruderRisk | None) -> Tag:
    """Return the scenarios as the report has them, with the one that was chosen."""
    shown = [(one, ("", "")) for one in summary.scenarios]
    if own is not None:
        chosen = ScenarioFacts(name="chosen", **{name: getattr(own, name) for name in _SHOWN})
        shown.append((chosen, (f"{own.k_before:,}", f"{own.uniques_before:,}")))
    rows: list[list[TagChild]] = [
        [f"{one.name}: {_listed(one.columns)}", *scenario_texts(one, summary.k, Shares(summary.least_share)), *before]
        for one, before in shown
    ]
    return data_table("What an intruder finds", _HEAD, rows, numeric=(1, 2, 3, 4, 5))


def _found(summary: Summary, own: IntruderRisk | None) -> TagList:
    units = " Units are counted, not records." if summary.headline.units is not None else ""
    text = f"{ABOUT_SCENARIOS}{units} Choose columns above to add a scenario of your own."
    return TagList(intruder_table(summary, own), tags.p(text, class_="form-text"))


def _listed(columns: list[str]) -> str:
    return ", ".join(columns[:6]) + (f" and {len(columns) - 6} more" if len(columns) > 6 else "")
