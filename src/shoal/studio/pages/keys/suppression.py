"""Local suppression: which columns, what it would cost, and the decision."""

from __future__ import annotations

from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, ui

from shoal.studio.decisions import Decisions
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.keys.looked_at import LookedAt, can_be_key, looked_at
from shoal.studio.pages.page_part import PagePart
from shoal.studio.pages.parts import data_table, notice, sending_button
from shoal.studio.pages.view import View
from shoal.studio.workspace import OpenedFile

__all__ = ["suppression_server", "suppression_ui"]


@module.ui
def suppression_ui() -> Tag:
    """Return the part of the page."""
    return tags.section(ui.output_ui("columns"), ui.output_ui("cost"))


@module.server
def suppression_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Show what local suppression would cost, and take it over."""
    _Suppression(input, session, view).run()


class _Suppression(PagePart):
    """Show what local suppression would cost, and take it over."""

    def __init__(self, input: Inputs, session: Session, view: View) -> None:
        super().__init__(input, session, view)
        self._columns_question = AskedTask(view, "recoding.category_columns")
        self._cost_question = AskedTask(view, "recoding.cost_of_suppression", apart=True)
        self._chosen: reactive.Value[tuple[Any, tuple[str, ...]]] = reactive.Value((None, ()))  # for which decisions
        self._counted: reactive.Value[Any] = reactive.Value(None)  # what the cost was asked for

    def run(self) -> None:
        """Draw, and do what the page asks for."""
        self._draw(self.columns, self.cost)
        self._on("tick", self._tick)
        self._on("all", self._all)
        self._on("count", self._count)
        self._on("leave", self._leave)
        self._on("use", self._use)
        self._on("stop", self._stop)

    def _look(self) -> LookedAt | None:
        file = self._view.file
        return None if file is None else looked_at(file, self._view.decisions)

    def _possible(self) -> list[str] | None:
        """Return the columns of categories that are protected; None while they are not known."""
        file, looked = self._view.file, self._look()
        if file is None or looked is None:
            return None
        kinds = _kinds(file, self._view.decisions)
        answer = self._columns_question(options=looked.recoding, kinds=kinds)
        return None if answer.value is None or answer.is_waiting else list(answer.value)

    def _names(self, known: list[str]) -> list[str]:
        """Return the columns that are ticked: those that were, those that are decided, or the keys."""
        decided = suppressed(self._view.decisions, known)
        of, ticked = self._chosen.get()
        if of == (known, decided):
            return [name for name in known if name in ticked]
        looked = self._look()
        return decided or [name for name in known if looked is not None and name in looked.keys]

    def columns(self) -> Tag | TagList | None:
        looked, known = self._look(), self._possible()
        if looked is None or not looked.keys or known is None:
            return None
        decided = suppressed(self._view.decisions, known)
        return TagList(
            tags.h2("Suppress single values"),
            tags.p(
                "Columns of categories can keep their true values: single cells are then made missing until at least k "
                "records share every combination. The other columns are grouped inside the combinations.",
                class_="muted",
            ),
            notice(f"Decided: cells are suppressed in {', '.join(decided)}.", "good") if decided else None,
            tags.fieldset(
                tags.legend("Columns whose cells may be suppressed", class_="form-label"),
                tags.div(*(self._chip(known, name) for name in known), class_="chips"),
            )
            if known
            else notice("No column that is protected holds categories. Put a key into bands first."),
            tags.div(
                sending_button(self._ns("all"), self._ns("take_all"), "All") if known else None,
                sending_button(self._ns("count"), self._ns("count_cells"), "What would it cost?") if known else None,
                sending_button(self._ns("stop"), self._ns("stop_it"), "Do not suppress") if decided else None,
                class_="work",
            ),
        )

    def _chip(self, known: list[str], name: str) -> Tag:
        return tags.label(
            tags.input(
                {
                    "type": "checkbox",
                    "id": self._ns(f"column_{known.index(name)}"),
                    "data-send": self._ns("tick"),
                    "data-about-column": name,
                    "checked": "" if name in self._names(known) else None,
                }
            ),
            tags.span(name),
            class_="chip",
        )

    def _tick(self) -> None:
        known, message = self._possible(), self._input.tick()
        if known is None:
            return
        ticked = [name for name in self._names(known) if name != message["column"]]
        ticked += [message["column"]] if message["value"] else []
        self._chosen.set(((known, suppressed(self._view.decisions, known)), tuple(ticked)))

    def _all(self) -> None:
        known = self._possible()
        if known is not None:
            self._chosen.set(((known, suppressed(self._view.decisions, known)), tuple(known)))

    def _count(self) -> None:
        self._counted.set(self._what_is_asked())

    def _what_is_asked(self) -> Any:
        looked, known = self._look(), self._possible()
        return None if looked is None or known is None else (self._names(known), looked.k, repr(looked.recoding))

    def cost(self) -> Tag | TagList | None:
        asked, looked, known = self._what_is_asked(), self._look(), self._possible()
        if asked is None or looked is None or known is None or self._counted.get() != asked:
            return None
        if not asked[0]:
            return notice("Tick a column first.", "warning")
        answer = self._cost_question(options=looked.recoding, columns=asked[0], k=looked.k)
        if answer.is_waiting:
            return tags.div(
                tags.span("Counting the cells. With many keys it can take minutes.", class_="muted", role="status"),
                sending_button(self._ns("leave"), self._ns("leave_it"), "Stop"),
                class_="work",
            )
        if answer.problem:
            return notice(answer.problem, "problem")
        found = answer.value
        rows = [
            [name, f"{cells:,}", f"{100 * cells / max(1, found['observed'][name]):.3g} %"]
            for name, cells in found["cells"].items()
        ]
        total = sum(found["cells"].values())
        is_new = asked[0] != suppressed(self._view.decisions, known)
        return TagList(
            tags.p(
                f"For k = {looked.k}, {total:,} cells would be made missing, in {found['records']:,} of "
                f"{found['of']:,} records.",
                " Records are counted here; a release counts units." if looked.unit is not None else "",
            ),
            tags.div(
                data_table(
                    "Cells that would be suppressed", ["column", "cells", "of its values"], rows, numeric=(1, 2)
                ),
                class_="narrow",
            ),
            sending_button(self._ns("use"), self._ns("use_it"), "Suppress these cells", "primary") if is_new else None,
        )

    def _leave(self) -> None:
        self._counted.set(None)
        self._cost_question.stop()

    def _use(self) -> None:
        known = self._possible()
        if known is None:
            return
        ticked = self._names(known)
        choice: Any = "suppress" if ticked == known else dict.fromkeys(ticked, "suppress")
        self._view.workspace.decide(
            f"cells are suppressed in {', '.join(ticked)}", self._view.decisions.with_option("categories", choice)
        )

    def _stop(self) -> None:
        self._view.workspace.decide("no cells are suppressed", self._view.decisions.with_option("categories", None))


def suppressed(decisions: Decisions, known: list[str]) -> list[str]:
    """Return the columns whose cells are suppressed by the decisions, of those that hold categories."""
    choice = decisions.get("categories")
    if isinstance(choice, str):
        return list(known) if choice == "suppress" else []
    return [name for name in known if choice.get(name) == "suppress"]


def _kinds(file: OpenedFile, decisions: Decisions) -> dict[str, Any]:
    """Return the kinds of the columns that are protected."""
    as_is = decisions.get("as_is") or []
    return {
        name: decisions.of_column("kinds", name) or file.variable(name).kind
        for name in file.names
        if can_be_key(decisions, name) and name not in as_is and decisions.of_column("roles", name) != "stratum"
    }
