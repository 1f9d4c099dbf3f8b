"""The attempts side by side: the better values marked, and what can be done with each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from htmltools import Tag, TagChild, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.studio.pages.page_words import in_page_words
from shoal.studio.pages.parts import data_table, notice, sending_button, sending_field, step_link
from shoal.studio.pages.view import View
from shoal.studio.workspace import Attempt

__all__ = ["COMPARED", "Compared", "attempts_server", "attempts_ui", "sorted_attempts"]


@dataclass(frozen=True)
class Compared:
    """A value that attempts are compared by: its name, where it is, and which way is better."""

    name: str
    value: Callable[[Attempt], float | None]
    higher_is_better: bool = False
    digits: str = ",.4g"

    def best(self, attempts: Sequence[Attempt]) -> float | None:
        """Return the best value of all; None where nothing differs."""
        values = [value for one in attempts if (value := self.value(one)) is not None]
        if len(set(values)) < 2:
            return None
        return max(values) if self.higher_is_better else min(values)


COMPARED = (
    Compared("k of records", lambda one: one.summary.headline.k, higher_is_better=True, digits=",d"),
    Compared("unique", lambda one: one.summary.headline.uniques, digits=",d"),
    Compared("linked %", lambda one: one.summary.headline.linkage, digits=".3g"),
    Compared("risk %", lambda one: one.risk, digits=".3g"),
    Compared("loss %", lambda one: one.loss, digits=".3g"),
    Compared("seconds", lambda one: one.seconds, digits=".1f"),
)
_BY_NAME = {one.name: one for one in COMPARED}


def sorted_attempts(attempts: Sequence[Attempt], by: str) -> list[Attempt]:
    """Return attempts in an order: the best by a value first, or as they were made; those without it last."""
    compared = _BY_NAME.get(by)
    if compared is None:
        return sorted(attempts, key=lambda one: one.number)
    sign = -1 if compared.higher_is_better else 1

    def place(one: Attempt) -> tuple[bool, float, int]:
        value = compared.value(one)
        return value is None, 0.0 if value is None else sign * value, one.number

    return sorted(attempts, key=place)


@module.ui
def attempts_ui() -> Tag:
    """Return the part of the page."""
    return ui.output_ui("table")


@module.server
def attempts_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Show the attempts; look at one, go on from it, name it or remove it."""
    workspace = view.workspace
    order: reactive.Value[str] = reactive.Value("")

    @render.ui
    def table() -> Tag | TagList | None:
        return _table(session.ns, view.attempts, view.attempt, order.get()) if view.attempts else None

    def when(message: Callable[[], Any], do: Callable[[int, dict[str, Any]], None]) -> None:
        @reactive.effect
        @reactive.event(message)
        def _() -> None:
            content = message()
            do(int(content["number"]), content)

    when(input.show, lambda number, _: workspace.show(number))
    when(input.take, lambda number, _: workspace.take_up(number))
    when(input.drop, lambda number, _: workspace.forget(number))
    when(input.name, lambda number, content: workspace.rename(number, str(content["value"])))

    @reactive.effect
    @reactive.event(input.sort)
    def _sort() -> None:
        order.set(str(input.sort()["by"]))


def _table(ns: Callable[[str], str], attempts: Sequence[Attempt], shown: Attempt | None, order: str) -> TagList:
    listed = sorted_attempts(attempts, order)
    head: list[TagChild] = [
        _head(ns, "attempt", "", order),
        *(_head(ns, one.name, one.name, order) for one in COMPARED),
        "what to do",
    ]
    best = {one.name: one.best(attempts) for one in COMPARED}
    rows = [
        [
            _name(ns, one, one == shown),
            *(_cell(compared, one, best[compared.name]) for compared in COMPARED),
            _actions(ns, one.number),
        ]
        for one in listed
    ]
    return TagList(
        tags.h2("Attempts"),
        _warnings(shown),
        data_table("Attempts", head, rows, numeric=range(1, 1 + len(COMPARED))),
        tags.p(
            "The best value of each column is marked. Press the name of a column to sort by it. Risk and loss are the "
            "halves of the score, as on the map. ",
            step_link("Evaluate", "Evaluate the release that is looked at"),
            class_="form-text",
        ),
    )


def _head(ns: Callable[[str], str], text: str, by: str, order: str) -> Tag:
    arrow = " \N{DOWNWARDS ARROW}" if order == by and by else ""
    name = f"sort_{''.join(filter(str.isalnum, text))}"
    return sending_button(ns("sort"), ns(name), f"{text}{arrow}", "link p-0", by=by)


def _name(ns: Callable[[str], str], one: Attempt, is_shown: bool) -> Tag:
    label = f"Name of attempt {one.number}"
    field = sending_field(ns("name"), ns(f"name_{one.number}"), label, one.title, number=str(one.number))
    field.attrs.update({"title": one.title})
    seen = tags.span(f"{one.number}", tags.span(" looked at", class_="good") if is_shown else None, class_="muted")
    return tags.div(seen, field, class_="attempt-name")


def _actions(ns: Callable[[str], str], number: int) -> Tag:
    buttons = (("show", "Look at it"), ("take", "Go on from it"), ("drop", "Remove"))
    return tags.div(
        *(sending_button(ns(what), ns(f"{what}_{number}"), text, number=str(number)) for what, text in buttons),
        class_="actions",
    )


def _cell(compared: Compared, one: Attempt, best: float | None) -> TagChild:
    value = compared.value(one)
    if value is None:
        return tags.span("-", title="not measured")
    text = format(value, compared.digits)
    if value != best:
        return text
    return tags.span(text, tags.span(" (best)", class_="visually-hidden"), class_="best")


def _warnings(shown: Attempt | None) -> Tag | None:
    """Return what is to be known of the release that is looked at."""
    if shown is None or not shown.warnings:
        return None
    first, *more = said = [in_page_words(one) for one in shown.warnings]
    listed: TagChild = first if not more else tags.ul(*map(tags.li, said), class_="mb-0")
    return notice(TagList(tags.strong(f"Attempt {shown.number}: "), listed), "warning")
