"""What a release did to the data: any variable, any two variables, any table, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from htmltools import HTML, Tag, TagChild, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.report.facts.summary import DROPPED, NEW_IDS
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.parts import data_table, empty, labelled, notice, picture, sending_select
from shoal.studio.pages.view import View
from shoal.studio.tasks.before_after import CrossTable, PairView, VariableView
from shoal.studio.workspace import Attempt

__all__ = ["PARTS", "BeforeAfter", "drawn_answer", "part_server", "part_ui", "released_names", "suggested_columns"]


@dataclass(frozen=True)
class BeforeAfter:
    """A part of the page: the columns that are chosen for it, what is asked then, and how the answer is drawn.

    Attributes
    ----------
    title
        Its heading.
    fields
        The labels of its selects, by their names; "layers" may be left empty.
    task, arguments
        The task, and what it gets for the chosen columns.
    draw
        What is shown of the answer.
    of_categories
        Whether categories are suggested first, or numbers.
    """

    title: str
    fields: Mapping[str, str]
    task: str
    arguments: Callable[[dict[str, str]], dict[str, Any]]
    draw: Callable[[Any], TagChild]
    of_categories: bool = False


def released_names(attempt: Attempt) -> list[str]:
    """Return the columns of a release that the original has too."""
    return [one.name for one in attempt.summary.variables if one.treatment != DROPPED]


def suggested_columns(attempt: Attempt, part: BeforeAfter) -> dict[str, str]:
    """Return the columns that a part begins with, ids of units last; none if the release has too few for it."""
    new_ids = {one.name for one in attempt.summary.variables if one.treatment == NEW_IDS}
    names = sorted(released_names(attempt), key=new_ids.__contains__)
    kinds = {one.name: "" if one.name in new_ids else one.kind for one in attempt.summary.variables}
    first = [name for name in names if kinds[name] and (kinds[name] != "continuous") is part.of_categories]
    listed = [*first, *(name for name in names if name not in first)]
    needed = [field for field in part.fields if field != "layers"]
    return dict(zip(needed, listed, strict=False)) | {"layers": ""} if len(listed) >= len(needed) else {}


@module.ui
def part_ui() -> TagList:
    """Return a part of the page."""
    return TagList(ui.output_ui("form"), ui.output_ui("shown"))


@module.server
def part_server(input: Inputs, output: Outputs, session: Session, view: View, part: BeforeAfter) -> None:
    """Show what is chosen, of the attempt that is looked at."""
    picked: reactive.Value[dict[str, str]] = reactive.Value({})

    @reactive.effect
    @reactive.event(input.pick)
    def _pick() -> None:
        message = input.pick()
        picked.set(picked.get() | {str(message["field"]): str(message["value"])})

    @reactive.calc
    def columns() -> dict[str, str]:
        attempt = view.attempt
        suggested = {} if attempt is None else suggested_columns(attempt, part)
        if attempt is None or not suggested:
            return {}
        possible = [*released_names(attempt), ""]
        return suggested | {field: name for field, name in picked.get().items() if name in possible}

    question = AskedTask(view, part.task)

    @render.ui
    def form() -> TagChild:
        return _form(session.ns, part, view.attempt, columns()) if view.attempt is not None and columns() else None

    @render.ui
    def shown() -> TagChild:
        attempt, chosen = view.attempt, columns()
        if attempt is None or not chosen:
            return None
        return drawn_answer(question, {"folder": str(attempt.folder)} | part.arguments(chosen), part.draw)


def drawn_answer(question: AskedTask, asked: Mapping[str, Any], draw: Callable[[Any], TagChild]) -> TagChild:
    """Return what is shown of an answer, or of its error."""
    try:
        return draw(question.answered(**asked))
    except ShoalError as error:
        return notice(str(error), "problem")


def _form(ns: Callable[[str], str], part: BeforeAfter, attempt: Attempt, columns: dict[str, str]) -> TagList:
    names = {one: one for one in released_names(attempt)}
    drawn = []
    for field, label in part.fields.items():
        choices = {"": "none"} | names if field == "layers" else names
        select = sending_select(ns("pick"), ns(f"of_{field}"), label, choices, columns[field], field=field)
        drawn.append(labelled(label, select))
    return TagList(tags.h2(part.title), tags.div(*drawn, class_="fields"))


def _drawn_variable(view: VariableView) -> TagChild:
    values = data_table("Before and after", ("", "before", "after"), view.values, numeric=(1, 2))
    drawn: TagChild = picture(view.svg) if view.svg else empty("There is nothing to draw: all values are missing.")
    return tags.div(tags.div(_legend(), drawn), values, class_="side")


def _legend() -> Tag:
    before, after = tags.span("original", class_="legend-before"), tags.span("release", class_="legend-after")
    return tags.p(before, " and ", after, class_="mb-1")


def _drawn_pair(view: PairView | CrossTable) -> TagChild:
    if isinstance(view, CrossTable):
        return _drawn_table(view)
    pairs = (("before", view.before, view.correlation_before), ("after", view.after, view.correlation_after))
    figures = [
        tags.figure(
            tags.figcaption(f"{when.capitalize()}: correlation {'none' if value is None else format(value, '.3f')}"),
            HTML(svg),
        )
        for when, svg, value in pairs
    ]
    return TagList(
        tags.div(*figures, class_="pair"),
        tags.p(
            "The more records in a square, the darker it is. The outermost hold all beyond them.", class_="form-text"
        ),
    )


def _drawn_table(table: CrossTable) -> TagChild:
    if len(table.names) < 2:
        return empty("A table needs two different columns.", "Choose another one.")
    rows, columns = table.names[:2]
    drawn = []
    for place, (before, after) in enumerate(zip(table.before, table.after, strict=True)):
        layer = f"{table.names[2]}: {table.layers[place]}" if table.layers else ""
        cells = [
            [text, *(_cell(*pair) for pair in zip(one, other, strict=True))]
            for text, one, other in zip(table.categories[0], before, after, strict=True)
        ]
        head = [f"{rows} \\ {columns}", *table.categories[1]]
        caption = f"Records by {rows} and {columns}{', ' * bool(layer)}{layer}"
        body = data_table(caption, head, cells, numeric=range(1, len(head)))
        body.add_class("cross")
        drawn.append(TagList(tags.h3(layer, class_="fs-6") if layer else None, body))
    return TagList(*drawn, tags.p("Records before, after, and the difference.", class_="form-text"))


def _cell(before: int, after: int) -> TagChild:
    change = after - before
    sign = "=" if not change else f"{change:+,}".replace("-", "\N{MINUS SIGN}")
    kind = "muted" if not change else "good" if change > 0 else "bad"
    return TagList(f"{before:,} \N{RIGHTWARDS ARROW} {after:,} ", tags.small(sign, class_=kind))


def _different(columns: dict[str, str]) -> dict[str, Any]:
    listed = [columns["rows"], columns["columns"], columns["layers"]]
    return {"columns": list(dict.fromkeys(one for one in listed if one))}


PARTS = {
    "variable": BeforeAfter(
        "A variable before and after",
        {"variable": "Variable"},
        "before_after.variable",
        lambda columns: {"column": columns["variable"]},
        _drawn_variable,
    ),
    "pair": BeforeAfter(
        "Two variables before and after",
        {"one": "First variable", "other": "Second variable"},
        "before_after.pair",
        lambda columns: {"one": columns["one"], "other": columns["other"]},
        _drawn_pair,
    ),
    "table": BeforeAfter(
        "A table before and after",
        {"rows": "Rows", "columns": "Columns", "layers": "Layers"},
        "before_after.cross_table",
        _different,
        _drawn_table,
        of_categories=True,
    ),
}
