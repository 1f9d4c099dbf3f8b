"""The page of the step Keys: its parts below each other, and which columns are keys."""

from __future__ import annotations

from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.studio.decisions import Decisions
from shoal.studio.pages.column_roles import role_of, with_role
from shoal.studio.pages.keys.looked_at import K_TO_LOOK_AT, can_be_key
from shoal.studio.pages.keys.recoding import recoding_server, recoding_ui
from shoal.studio.pages.keys.risk import risk_server, risk_ui
from shoal.studio.pages.keys.suppression import suppression_server, suppression_ui
from shoal.studio.pages.parts import empty, notice
from shoal.studio.pages.view import View
from shoal.studio.workspace import OpenedFile

__all__ = ["keys_server", "keys_ui"]


@module.ui
def keys_ui() -> TagList:
    """Return the page."""
    return TagList(
        tags.h1("Keys"),
        ui.output_ui("chosen"),
        risk_ui("risk"),
        recoding_ui("recoding"),
        suppression_ui("suppression"),
    )


@module.server
def keys_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Take over which columns are keys and the k that is wanted, and run the parts of the page."""
    workspace = view.workspace
    refused: reactive.Value[str] = reactive.Value("")
    risk_server("risk", view)
    recoding_server("recoding", view)
    suppression_server("suppression", view)

    @render.ui
    def chosen() -> Tag | TagList:
        file, decisions = view.file, view.decisions
        if file is None:
            return empty("No file is open.", "Open one in the step Data.")
        names = [name for name in file.names if can_be_key(decisions, name)]
        likely = [name for name in names if _is_likely(file, decisions, name)]
        others = [name for name in names if name not in likely]
        return TagList(
            tags.p(
                "Key variables are those that somebody may know of a person or firm from elsewhere: age, sex, region, "
                "occupation. Choose them; the risk is measured over all of them together.",
                class_="muted",
            ),
            tags.fieldset(
                tags.legend("Key variables", class_="visually-hidden"),
                tags.div(*(_chip(file, decisions, name) for name in likely), class_="chips"),
                tags.details(
                    tags.summary(f"Other columns ({len(others)})"),
                    tags.div(*(_chip(file, decisions, name) for name in others), class_="chips"),
                    id=session.ns("others"),
                )
                if others
                else None,
            ),
            _k(decisions),
            notice(refused.get(), "problem") if refused.get() else None,
        )

    def _chip(file: OpenedFile, decisions: Decisions, name: str) -> Tag:
        one = file.variable(name)
        role = role_of(decisions, name)
        return tags.label(
            tags.input(
                {
                    "type": "checkbox",
                    "id": session.ns(f"key_{file.names.index(name)}"),
                    "data-send": session.ns("choose"),
                    "data-about-column": name,
                    "checked": "" if role == "key" else None,
                }
            ),
            tags.span(name),
            tags.small(f"{one.distinct:,} values" + (f", {role}" if role not in ("", "key") else "")),
            class_="chip",
        )

    def _k(decisions: Decisions) -> Tag:
        hint = (
            f"k is not decided yet; the page looks at {K_TO_LOOK_AT}. To enter one is to decide it."
            if decisions.k is None
            else "The k of the release, as in the step Protect."
        )
        return tags.div(
            tags.label("k", {"for": session.ns("k_box")}, class_="form-label"),
            tags.input(
                {
                    "type": "number",
                    "id": session.ns("k_box"),
                    "min": "2",
                    "step": "1",
                    "value": "" if decisions.k is None else str(decisions.k),
                    "placeholder": str(K_TO_LOOK_AT),
                    "data-send": session.ns("k"),
                },
                class_="form-control form-control-sm",
            ),
            tags.span(hint, class_="form-text"),
            class_="labelled",
        )

    @reactive.effect
    @reactive.event(input.choose)
    def _choose() -> None:
        file, message = view.file, input.choose()
        name = message["column"]
        if file is None or name not in file.names:
            return
        made = with_role(file, view.decisions, [name], "key" if message["value"] else "")
        workspace.decide(f"{name}: {'key variable' if message['value'] else 'no key variable'}", made)

    @reactive.effect
    @reactive.event(input.k)
    def _decide_k() -> None:
        text = str(input.k()["value"]).strip()
        if text and (not text.isdecimal() or int(text) < 2):
            refused.set("k must be a whole number, 2 or more.")
            return
        refused.set("")
        k = int(text) if text else None
        if k != view.decisions.k:
            workspace.decide("k is open again" if k is None else f"k = {k}", view.decisions.with_k(k))


def _is_likely(file: OpenedFile, decisions: Decisions, name: str) -> bool:
    """Whether a column is shown first: keys, and categories that are nothing else."""
    role = role_of(decisions, name)
    kind = decisions.of_column("kinds", name) or file.variable(name).kind
    return role == "key" or (role in ("", "stratum", "as is") and kind in ("nominal", "ordinal"))
