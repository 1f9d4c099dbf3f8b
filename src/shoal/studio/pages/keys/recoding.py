"""Make a key coarser: what it does for k is shown while a slider moves, and nothing is decided before "Use it"."""

from __future__ import annotations

from typing import Any

from htmltools import Tag, TagChild, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, ui

from shoal.errors import ShoalError
from shoal.parameters.choices import as_text
from shoal.recode.catalogue import build_recode
from shoal.recode.effect import KeyCounts, RecodeEffect
from shoal.studio.decisions import Decisions
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.keys.drafts import WAY_NAMES, RecodeDraft, draft_of, is_one_of_the_forms, recode_of
from shoal.studio.pages.keys.looked_at import LookedAt, looked_at
from shoal.studio.pages.keys.recode_form import recode_form
from shoal.studio.pages.page_part import PagePart
from shoal.studio.pages.parts import data_table, notice, sending_button, sending_select
from shoal.studio.pages.view import View
from shoal.studio.tasks.recoding import Ways

__all__ = ["recoding_server", "recoding_ui"]


@module.ui
def recoding_ui() -> Tag:
    """Return the part of the page."""
    return tags.section(ui.output_ui("which"), ui.output_ui("form"), ui.output_ui("effect"))


@module.server
def recoding_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Show what a recode would do, and take it over."""
    _Recoding(input, session, view).run()


class _Recoding(PagePart):
    """Show what a recode would do, and take it over."""

    def __init__(self, input: Inputs, session: Session, view: View) -> None:
        super().__init__(input, session, view)
        self._ways_question = AskedTask(view, "recoding.ways_for")
        self._effect_question = AskedTask(view, "recoding.effect_on_k")
        self._picked: reactive.Value[str] = reactive.Value("")
        self._picked_way: reactive.Value[tuple[Any, str]] = reactive.Value((None, ""))  # instead of what is decided
        self._drafted: reactive.Value[tuple[Any, RecodeDraft | None]] = reactive.Value((None, None))  # of which form

    def run(self) -> None:
        """Draw, and do what the page asks for."""
        self._draw(self.which, self.form, self.effect)
        self._on("pick", self._pick)
        self._on("way", self._take_way)
        self._on("draft", self._take_draft)
        self._on("use", self._use)
        self._on("remove", self._remove)

    def _look(self) -> LookedAt | None:
        file = self._view.file
        return None if file is None else looked_at(file, self._view.decisions)

    def _column(self) -> str:
        """Return the key that was picked, or the one with the most values; "" if there is none."""
        file, looked = self._view.file, self._look()
        if file is None or looked is None or not looked.keys:
            return ""
        most = max(looked.keys, key=lambda name: file.variable(name).distinct)
        return self._picked.get() if self._picked.get() in looked.keys else most

    def _ways(self) -> Ways | None:
        """Return how the column can be made coarser; None while it is not known."""
        looked = self._look()
        name = self._column()
        if looked is None or not name:
            return None
        codes = {"missing_codes": looked.recoding.get("missing_codes")}
        answer = self._ways_question(options=codes, column=name)
        return None if answer.is_waiting else answer.value

    def _way(self, possible: Ways) -> str:
        """Return the way that was picked, or the one that is decided, or one that suits the column."""
        recode = self._view.decisions.of_column("recodes", self._column())
        of, chosen = self._picked_way.get()
        if of == (self._column(), repr(recode)) and chosen in possible.ways:
            return chosen
        if recode is not None and is_one_of_the_forms(recode):
            name = str(build_recode(recode[0] if isinstance(recode, list) else recode).name)
            if name in possible.ways:
                return name
        kind = self._view.decisions.of_column("kinds", self._column())
        return "merge" if kind in ("nominal", "ordinal") and "merge" in possible.ways else possible.ways[0]

    def _form_shown(self, possible: Ways) -> tuple[Any, RecodeDraft]:
        """Return which form is shown, and what it begins with."""
        file, name, chosen = self._view.file, self._column(), self._way(possible)
        recode = self._view.decisions.of_column("recodes", name)
        begins = draft_of(recode if recode is None or is_one_of_the_forms(recode) else None, chosen, possible)
        return (None if file is None else file.path, name, chosen, repr(recode)), begins

    def _draft(self, possible: Ways) -> RecodeDraft:
        shown, begins = self._form_shown(possible)
        of, changed = self._drafted.get()
        return changed if changed is not None and of == shown else begins

    def which(self) -> Tag | TagList | None:
        looked = self._look()
        if looked is None or not looked.keys:
            return None
        decided = {name: self._view.decisions.of_column("recodes", name) for name in looked.keys}
        choices = {name: name if one is None else f"{name} (recoded)" for name, one in decided.items()}
        return TagList(
            tags.h2("Make a key coarser"),
            tags.div(
                tags.label("Key", {"for": self._ns("columns")}, class_="form-label"),
                sending_select(self._ns("pick"), self._ns("columns"), "Key to make coarser", choices, self._column()),
                self._decided(decided[self._column()]),
                class_="labelled",
            ),
        )

    def _decided(self, recode: Any) -> TagChild:
        if recode is None:
            return tags.span("It is released with all its values.", class_="form-text")
        return TagList(
            tags.span("Decided: ", tags.code(recode_text(recode)), class_="form-text"),
            sending_button(self._ns("remove"), self._ns("remove_recode"), "Remove the recode", column=self._column()),
        )

    def form(self) -> Tag | TagList | None:
        if not self._column():
            return None
        possible = self._ways()
        if possible is None:
            return tags.p("Looking at its values.", class_="muted", role="status")
        if not possible.ways:
            return notice("Nothing makes this column coarser: it has neither numbers, nor dates, nor categories.")
        shown, begins = self._form_shown(possible)
        names = {name: WAY_NAMES[name] for name in possible.ways}
        return tags.div(
            tags.div(
                tags.label("How", {"for": self._ns("ways")}, class_="form-label"),
                sending_select(
                    self._ns("way"), self._ns("ways"), "How it is made coarser", names, shown[2], column=shown[1]
                ),
                class_="labelled",
            ),
            recode_form(begins, possible, shown[1], self._session.ns),
            class_="recode-form",
        )

    def effect(self) -> Tag | TagList | None:
        looked = self._look()
        possible = self._ways()
        if looked is None or possible is None or not possible.ways:
            return None
        name = self._column()
        decided = self._view.decisions.of_column("recodes", name)
        try:
            recode = recode_of(self._draft(possible))
        except ShoalError as error:
            return notice(str(error), "problem")
        others = {one: own for one, own in (looked.recoding.get("recodes") or {}).items() if one != name}
        recodes = {**others, **({} if recode is None else {name: recode})}
        options = {**looked.recoding, "recodes": recodes}
        answer = self._effect_question(options=options, keys=list(looked.keys), k=looked.k, unit=looked.unit)
        if answer.problem:
            return notice(answer.problem, "problem")
        if answer.value is None or name not in answer.value.before.values:
            return tags.p("Counting.", class_="muted", role="status")
        is_new = recode is not None and (decided is None or recode_text(recode) != recode_text(decided))
        return tags.div(
            _effect_table(answer.value, name, looked.unit),
            tags.div(
                self._use_button(is_new),
                tags.span(
                    tags.code(recode_text(recode)) if recode is not None else "Nothing is chosen yet.",
                    " not decided yet" if is_new else " as decided" if recode is not None else "",
                    class_="muted",
                ),
                class_="work",
            ),
            class_="waiting" if answer.is_waiting else "",
        )

    def _use_button(self, is_new: bool) -> Tag:
        """Return the button; it stays where there is nothing new, so that the focus is not lost."""
        button = sending_button(
            self._ns("use"), self._ns("use_it"), "Use it", "primary" if is_new else "outline-secondary"
        )
        button.attrs["aria-disabled"] = "false" if is_new else "true"
        return button

    def _pick(self) -> None:
        self._picked.set(str(self._input.pick()["value"]))

    def _take_way(self) -> None:
        message = self._input.way()
        name = str(message["column"])
        decided = repr(self._view.decisions.of_column("recodes", name))
        self._picked_way.set(((name, decided), str(message["value"])))

    def _take_draft(self) -> None:
        possible, message = self._ways(), self._input.draft()
        if possible is None or not possible.ways or message.get("column") != self._column():
            return
        now = self._draft(possible)
        if message["field"] == "category":
            made = now.with_chosen(str(message["category"]), bool(message["value"]))
        else:
            made = now.with_field(str(message["field"]), str(message["value"]))
        if made != now:
            self._drafted.set((self._form_shown(possible)[0], made))

    def _use(self) -> None:
        possible = self._ways()
        if possible is None:
            return
        try:
            recode = recode_of(self._draft(possible))
        except ShoalError:
            return  # the page says what is wrong
        if recode is not None:
            self._decide(self._column(), recode)

    def _remove(self) -> None:
        self._decide(str(self._input.remove()["column"]), None)

    def _decide(self, name: str, recode: Any) -> None:
        decisions: Decisions = self._view.decisions
        text = "not made coarser" if recode is None else recode_text(recode)
        self._view.workspace.decide(f"{name}: {text}", decisions.with_columns("recodes", [name], recode))


def recode_text(recode: Any) -> str:
    """Return a recode, or several, in a line."""
    several = recode if isinstance(recode, list) else [recode]
    return ", then ".join(one if isinstance(one, str) else as_text(build_recode(one).written()) for one in several)


def _effect_table(effect: RecodeEffect, name: str, unit: str | None) -> Tag:
    def cells(counts: KeyCounts) -> list[str]:
        share = 100 * counts.below_k / effect.records
        return [
            f"{counts.values[name]:,}",
            f"{counts.k:,}",
            f"{counts.uniques:,}",
            f"{counts.below_k:,} ({share:.3g} %)",
        ]

    rows = [["as the file is", *cells(effect.before)]]
    if name in effect.alone:
        rows.append([f"with this recode of {name}", *cells(effect.alone[name])])
    if len(effect.alone) > (name in effect.alone):
        rows.append(["with all recodes", *cells(effect.together)])
    of_units = "" if unit is None else " (units)"  # the risk above counts records
    head = ["", f"values of {name}", f"k over the keys{of_units}", "unique", f"below k = {effect.k}"]
    return tags.div(data_table("What it does for k", head, rows, numeric=range(1, 5)), class_="narrow")
