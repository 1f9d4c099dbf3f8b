"""Rules that hold in the data: offered with their reason, added one by one, never assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.edits import SuggestedRule, parse_rule
from shoal.studio.decisions import Decisions
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.column_roles import role_of
from shoal.studio.pages.parts import data_table, notice, sending_button
from shoal.studio.pages.view import View

__all__ = ["offered_rules", "suggestions_server", "suggestions_ui"]

_AT_ONCE = 20_000  # records: larger files are searched when the user asks for it


def offered_rules(found: Iterable[SuggestedRule], decisions: Decisions) -> list[SuggestedRule]:
    """Return the rules that are not in use, and not about columns that are dropped or get new ids."""
    edits = decisions.get("edits") or []
    return [
        one
        for one in found
        if one.text not in edits
        and not any(role_of(decisions, name) in ("identifier", "unit") for name in parse_rule(one.text).variables)
    ]


@module.ui
def suggestions_ui() -> Tag:
    """Return the part of the page."""
    return tags.section(ui.output_ui("found"))


@module.server
def suggestions_server(
    input: Inputs, output: Outputs, session: Session, view: View, add: Callable[[list[str]], None]
) -> None:
    """Offer the rules that every record keeps; `add` takes those over that are chosen."""
    question = AskedTask(view, "rules.suggested")
    searched: reactive.Value[Any] = reactive.Value(None)  # the large file that is to be searched

    @render.ui
    def found() -> Tag | TagList | None:
        file, decisions = view.file, view.decisions
        if file is None:
            return None
        title = tags.h2("Found in the data")
        if file.records > _AT_ONCE and searched.get() != file.path:
            return TagList(
                title,
                tags.p("Exact sums, ratios, orders and bounds that hold in every record.", class_="muted"),
                sending_button(session.ns("search"), session.ns("search_it"), "Look for rules"),
            )
        options = {name: decisions.get(name) for name in ("recodes", "missing_codes") if decisions.get(name)}
        answer = question(options=options)
        if answer.problem:
            return TagList(title, notice(answer.problem, "problem"))
        if answer.value is None:
            return TagList(title, tags.p("Looking for rules.", class_="muted", role="status"))
        offered = offered_rules(answer.value, decisions)
        if not offered:
            return TagList(title, tags.p("No other rule was found that every record keeps.", class_="muted"))
        rows = [_row(place, one) for place, one in enumerate(offered)]
        return TagList(
            title,
            tags.p(
                "These hold in every record of the file. Whether they are meant, only you can say: none is in use "
                "before you add it.",
                class_="muted",
            ),
            data_table("Rules found in the data", ("rule", "kind", "why", ""), rows),
        )

    def _row(place: int, one: SuggestedRule) -> list[Any]:
        button = sending_button(session.ns("add"), session.ns(f"add_{place}"), "Add", rule=one.text)
        button.attrs["aria-label"] = f"Add the rule {one.text}"
        return [tags.code(one.text), one.kind, one.why, button]

    @reactive.effect
    @reactive.event(input.search)
    def _search() -> None:
        searched.set(None if view.file is None else view.file.path)

    @reactive.effect
    @reactive.event(input.add)
    def _add() -> None:
        add([str(input.add()["rule"])])
