"""The page of the step Rules: those in use, a box to write one, a file to load, and how they will be kept."""

from __future__ import annotations

from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, ui

from shoal.errors import ShoalError
from shoal.studio.decisions import Decisions
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.background import Background
from shoal.studio.pages.page_part import PagePart
from shoal.studio.pages.parts import data_table, empty, notice, sending_button
from shoal.studio.pages.rules.suggestions import suggestions_server, suggestions_ui
from shoal.studio.pages.view import View
from shoal.studio.tasks.rules import CheckedRule, CheckedRules, LoadedRules
from shoal.studio.workspace import open_questions

__all__ = ["rules_in_use", "rules_server", "rules_ui", "with_rules"]

_EXAMPLES = (
    ("net + tax == gross", "an exact sum"),
    ("0 <= age <= 120", "bounds"),
    ("part <= whole", "an order"),
    ("rooms is integer", "whole numbers"),
    ("vehicle in {car, truck}", "possible values"),
    ("price * amount == value", "a product"),
    ("if age < 15 then wage == 0", "a condition"),
    ("`net income` >= 0", "a name with a space goes in backquotes"),
)
# The kinds of rules, in the words of the page.
_KINDS = {
    "linear": "sum",
    "governs": "order or condition",
    "value domain": "values of the file",
    "checked only": "checked, not kept by itself",
}


@module.ui
def rules_ui() -> TagList:
    """Return the page."""
    examples = [(tags.code(text), meaning) for text, meaning in _EXAMPLES]
    return TagList(
        tags.h1("Rules"),
        tags.p(
            "A rule is what holds in every record, such as net + tax == gross. The rules that are in use here hold in "
            "the release too.",
            class_="muted",
        ),
        ui.output_ui("in_use"),
        tags.div(
            tags.h2("Write a rule"),
            tags.label("Rule", {"for": "rules-rule_box"}, class_="form-label"),
            tags.input(
                {
                    "type": "text",
                    "id": "rules-rule_box",
                    "placeholder": "net + tax == gross",
                    "autocomplete": "off",
                    "spellcheck": "false",
                    "data-send": "rules-written",
                    "data-live": "",
                    "data-enter": "rules-add_written",
                    "aria-describedby": "rules-trial",
                },
                class_="form-control code-box",
            ),
            ui.output_ui("trial"),
            tags.details(
                tags.summary("How rules are written"),
                data_table("How rules are written", ("rule", "what it is"), examples),
            ),
        ),
        suggestions_ui("suggestions"),
        tags.h2("Load a file of rules"),
        tags.div(
            tags.label(
                "Schematron (.sch), or text with one rule a line (.txt)", {"for": "rules-file"}, class_="form-label"
            ),
            tags.input(
                {"type": "file", "id": "rules-file", "data-status": "rules-status", "accept": ".sch,.txt,.xml"},
                {"data-upload": "rules-uploaded"},
                class_="form-control",
            ),
            tags.p("", id="rules-status", role="status", class_="status"),
            class_="drop",
        ),
        ui.output_ui("loading"),
        ui.output_ui("kept"),
    )


@module.server
def rules_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Check rules, and take them over."""
    _Rules(input, session, view, uploads).run()


class _Rules(PagePart):
    """Check rules, and take them over."""

    def __init__(self, input: Inputs, session: Session, view: View, uploads: Any) -> None:
        super().__init__(input, session, view)
        self._uploads = uploads
        self._checked = AskedTask(view, "rules.checked")
        self._tried = AskedTask(view, "rules.checked")
        self._explained = AskedTask(view, "rules.how_kept", apart=True)
        self._written: reactive.Value[str] = reactive.Value("")
        self._told: reactive.Value[tuple[str, str]] = reactive.Value(("", ""))  # of the last file, and how it is shown
        self._background = Background()
        self._wanted: reactive.Value[Any] = reactive.Value(None)  # the decisions that are explained

    def run(self) -> None:
        """Draw, and do what the page asks for."""
        suggestions_server("suggestions", self._view, self._add)
        self._draw(self.in_use, self.trial, self.loading, self.kept)
        self._on("repair", self._decide_repair)
        self._on("written", self._take_written)
        self._on("add", self._add_written)
        self._on("remove", self._remove)
        self._on("uploaded", self._uploaded)
        self._on("explain", self._explain)
        reactive.effect(reactive.event(lambda: self._view.file)(self._forget_loaded))

    def in_use(self) -> Tag | TagList | None:
        if self._view.file is None:
            return empty("No file is open.", "Open one in the step Data.")
        rules = rules_in_use(self._view.decisions)
        if not rules:
            return empty(
                "No rule is in use.", "Write one, add one that was found in the data, or load a file of rules."
            )
        answer = self._checked(options=_recoding(self._view.decisions), rules=rules)
        if answer.problem:
            return notice(answer.problem, "problem")
        if answer.value is None:
            return tags.p("Checking the rules.", class_="muted", role="status")
        found: CheckedRules = answer.value
        head = ("rule", "kind", "records that break it", "with a missing value", "")
        rows = [self._row(place, one) for place, one in enumerate(found.rules)]
        return tags.div(
            tags.h2(f"{len(rules)} rule{'s' * (len(rules) > 1)} in use"),
            data_table("Rules in use", head, rows, numeric=(3,)),
            notice(found.problem, "problem") if found.problem else None,
            self._repair(self._view.decisions, found),
            class_="waiting" if answer.is_waiting else "",
        )

    def _row(self, place: int, one: CheckedRule) -> list[Any]:
        state = (
            tags.span(one.problem, class_="bad said")
            if one.problem
            else tags.span("none", class_="good")
            if not one.broken
            else tags.span(self._counted(one), class_="bad said")
        )
        button = sending_button(self._ns("remove"), self._ns(f"remove_{place}"), "Remove", rule=one.text)
        button.attrs["aria-label"] = f"Remove the rule {one.text}"
        return [tags.code(one.text), _KINDS.get(one.kind, one.kind), state, f"{one.missing:,}", button]

    def _repair(self, decisions: Decisions, found: CheckedRules) -> TagList | None:
        """Return the switch that lets a file that breaks rules be protected, where some does."""
        broken = [one for one in found.rules if one.broken]
        is_on = bool(decisions.get("repair"))
        if not broken and not is_on:
            return None
        linear = all(one.is_linear for one in broken)
        return TagList(
            tags.div(
                tags.input(
                    {
                        "type": "checkbox",
                        "role": "switch",
                        "id": self._ns("repair_switch"),
                        "data-send": self._ns("repair"),
                        "checked": "" if is_on else None,
                    },
                    class_="form-check-input",
                ),
                tags.label(
                    "Repair: released values are moved to the nearest ones that keep all sums and bounds",
                    {"for": self._ns("repair_switch")},
                    class_="form-check-label",
                ),
                class_="form-check form-switch",
            ),
            None
            if linear
            else notice(
                "Only sums and bounds can be repaired. Correct the file, or remove the other rules.", "warning"
            ),
        )

    def _decide_repair(self) -> None:
        on = bool(self._input.repair()["value"])
        done = "records that break rules are repaired" if on else "nothing is repaired"
        self._view.workspace.decide(done, self._view.decisions.with_option("repair", on or None))

    def _take_written(self) -> None:
        text = str(self._input.written()["value"]).strip()
        if text != self._written.get():
            self._written.set(text)

    def trial(self) -> Tag | None:
        text = self._written.get()
        if self._view.file is None or not text:
            return tags.p("It is checked while you type.", class_="form-text")
        answer = self._tried(options=_recoding(self._view.decisions), rules=[text])
        if answer.problem:
            return tags.div(notice(answer.problem, "problem"))
        if answer.value is None or answer.value.rules[0].text != text:
            return tags.p("Checking.", class_="form-text")
        one: CheckedRule = answer.value.rules[0]
        if one.problem:
            return tags.div(notice(one.problem, "warning"))
        if text in rules_in_use(self._view.decisions):
            return tags.div(notice("This rule is in use."))
        missing = f" {one.missing:,} have a missing value in it and do not count." if one.missing else ""
        keeping = f"All {answer.value.records:,} records keep it."
        said = keeping if not one.broken else f"Records that break it: {self._counted(one)}."
        return tags.div(
            notice(said + missing, "warning" if one.broken else "good"),
            sending_button(self._ns("add"), "rules-add_written", "Add the rule", "primary", value=text),
        )

    def _counted(self, one: CheckedRule) -> str:
        """Return how many records break a rule, and the numbers of the first."""
        file = self._view.file
        share = "" if file is None else f" ({100 * one.broken / file.records:.3g} %)"
        numbers = ", ".join(f"{number:,}" for number in one.first)
        what = "number" if one.broken == 1 else "numbers"
        return f"{one.broken:,}{share}, {what} {numbers}{' and more' if one.broken > len(one.first) else ''}"

    async def _add_written(self) -> None:
        self._add([str(self._input.add()["value"])])
        self._written.set("")
        await self._session.send_custom_message("studio-value", {"id": "rules-rule_box", "value": ""})

    def _add(self, texts: list[str]) -> None:
        decisions = self._view.workspace.state.decisions
        rules = rules_in_use(decisions)
        new = [text for text in texts if text not in rules]
        if new:
            done = f"rule added: {new[0]}" if len(new) == 1 else f"{len(new)} rules added"
            self._view.workspace.decide(done, with_rules(decisions, [*rules, *new]))

    def _remove(self) -> None:
        text = str(self._input.remove()["rule"])
        kept = [one for one in rules_in_use(self._view.decisions) if one != text]
        self._view.workspace.decide(f"rule removed: {text}", with_rules(self._view.decisions, kept))

    def _uploaded(self) -> None:
        self._background.begin(self._load(self._input.uploaded()["upload"]))

    async def _load(self, upload: str) -> None:
        """Take over the rules of a file, and say how many there are; not if another table was opened meanwhile."""
        workspace = self._view.workspace
        table = workspace.state.file
        name, path = self._uploads.name_of(upload), str(self._uploads.path_of(upload))
        texts: tuple[str, ...] = ()
        try:
            rules: LoadedRules = await workspace.ask("rules.loaded", path=path, name=name)
        except ShoalError as error:
            told = (str(error), "problem")
        else:
            texts = tuple(rules.texts)
            left = f" {rules.left_out} cannot be written as a line of text and were left out." if rules.left_out else ""
            told = (f"{name}: {len(texts)} rules are in use.{left}", "warning" if left else "good")
        self._uploads.forget(upload)
        await self._session.send_custom_message("studio-status", {"id": "rules-status", "text": ""})
        async with reactive.lock():
            if workspace.state.file is table:
                self._add(list(texts))
                self._told.set(told)
            await reactive.flush()

    def _forget_loaded(self) -> None:
        self._told.set(("", ""))

    def loading(self) -> Tag | None:
        text, kind = self._told.get()
        return notice(text, kind) if text else None

    def _explain(self) -> None:
        self._wanted.set(self._view.decisions)

    def kept(self) -> Tag | TagList | None:
        file, decisions = self._view.file, self._view.decisions
        if file is None or not rules_in_use(decisions):
            return None
        title = tags.h2("How they will be kept")
        if decisions.k is None:
            return TagList(title, notice("Set k first, in the step Keys or Protect.", "warning"))
        if open_questions(file, decisions):
            return TagList(title, notice("Decide all columns in the step Variables first.", "warning"))
        if self._wanted.get() != decisions:
            return TagList(
                title,
                tags.p(
                    "A release is rehearsed for it, which takes as long as one. Nothing of it is kept.", class_="muted"
                ),
                sending_button(self._ns("explain"), self._ns("explain_it"), "Show how"),
            )
        answer = self._explained(k=decisions.k, options=dict(decisions.options), name=file.name)
        if answer.is_waiting:
            return TagList(title, tags.p("Rehearsing the release.", class_="muted", role="status"))
        if answer.problem:
            return TagList(title, notice(answer.problem, "problem"))
        return TagList(title, tags.pre(answer.value, class_="explanation", tabindex="0"))


def rules_in_use(decisions: Decisions) -> list[str]:
    """Return the rules of the decisions, as texts."""
    edits = decisions.get("edits") or []
    return [edits] if isinstance(edits, str) else list(edits)


def with_rules(decisions: Decisions, rules: list[str]) -> Decisions:
    """Return the decisions with other rules; without any, nothing is to be repaired."""
    made = decisions.with_option("edits", rules)
    return made if rules else made.with_option("repair", None)


def _recoding(decisions: Decisions) -> dict[str, Any]:
    return {name: decisions.get(name) for name in ("recodes", "missing_codes") if decisions.get(name)}
