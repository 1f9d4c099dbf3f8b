"""The headline, always in view: what holds of the whole released file, or of the file as it is; undo and redo."""

from __future__ import annotations

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.report.facts.headline import LINKED
from shoal.report.facts.measured.attack import FOUND
from shoal.report.facts.summary import Summary
from shoal.report.wording import percent_text
from shoal.studio.decisions import Decisions
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.parts import step_link
from shoal.studio.pages.view import View
from shoal.studio.tasks.opening import FileFacts
from shoal.studio.workspace import Attempt, OpenedFile

__all__ = ["headline_server", "headline_ui", "of_attempt"]

_MEANINGS = {  # shown where the mouse rests
    "k, whole records": "The fewest records, or units, that are alike over everything that is released.",
    "unique": "Records that no other is like over everything that is released, or units that have such a record.",
    "linked": f"{LINKED[:1].upper()}{LINKED[1:]}.",
    "attack": f"{FOUND[:1].upper()}{FOUND[1:]}.",
    "lost": "Of the variation of the original, as in the report.",
}


@module.ui
def headline_ui() -> TagList:
    """Return the bar at the top, and what stands over the page when the connection is lost."""
    return TagList(
        tags.header(
            tags.div(
                tags.span("shoal studio", class_="brand"),
                tags.div(ui.output_ui("steps"), class_="history"),
                ui.input_dark_mode(id="mode"),
                class_="bar",
            ),
            tags.div(
                ui.output_ui("facts"),
                ui.output_ui("as_it_is"),
                {"tabindex": "0", "role": "region", "aria-label": "Headline"},  # it scrolls where there is little room
                class_="headline",
            ),
            ui.output_ui("changed"),
            class_="studio-header",
        ),
        _disconnected(),
    )


def _disconnected() -> Tag:
    """Return what is said of a lost connection: outside the bar, above the veil that Shiny then draws over the page."""
    return tags.div(
        tags.p(
            tags.strong("The connection to the studio is lost. "),
            "If it is still running, load this page again: nothing is lost. If it was ended, its files are gone; "
            "start it again with ",
            tags.code("shoal studio"),
            " and open the address that it prints.",
        ),
        tags.button("Load again", id="reload", type="button", class_="btn btn-sm btn-primary"),
        id="disconnected",
        role="alert",
        hidden="",
        class_="disconnected",
    )


@module.server
def headline_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Show the headline, and take steps back and forward."""
    workspace = view.workspace

    _run_facts(view)

    @render.ui
    def steps() -> TagList:
        history = view.history
        listed = [
            tags.option(
                text if place <= history.place else f"undone: {text}",
                value=str(place),
                selected="" if place == history.place else None,
            )
            for place, (text, _) in enumerate(history.steps)
            if view.file is not None
        ] or [tags.option("No step yet", value="0")]
        return TagList(
            _button("undo", "Undo", history.to_undo, "Ctrl+Z"),
            _button("redo", "Redo", history.to_redo, "Ctrl+Shift+Z"),
            tags.select(
                *listed,
                {"data-send": session.ns("place"), "id": session.ns("places"), "aria-label": "Steps so far"},
                class_="form-select form-select-sm",
            ),
        )

    def _button(name: str, text: str, what: str, keys: str) -> Tag:
        return tags.button(
            text,
            {
                "data-send": session.ns(name),
                "id": session.ns(f"{name}_button"),
                "type": "button",
                "title": f"{text}: {what} ({keys})" if what else f"Nothing to {text.lower()}",
                "disabled": None if what else "",
            },
            class_="btn btn-sm btn-outline-secondary",
        )

    @reactive.effect
    @reactive.event(input.undo)
    def _undo() -> None:
        workspace.undo()

    @reactive.effect
    @reactive.event(input.redo)
    def _redo() -> None:
        workspace.redo()

    @reactive.effect
    @reactive.event(input.place)
    def _place() -> None:
        workspace.go_to(int(input.place()["value"]))


def _run_facts(view: View) -> None:
    """Show what holds of the release that is looked at, or of the file while there is none."""

    @render.ui
    def facts() -> Tag | TagList:
        if view.file is None:
            return tags.p("No file is open. Nothing leaves this machine.", class_="muted")
        return _list(_of_file(view.file) if view.attempt is None else of_attempt(view.attempt))

    known = AskedTask(view, "opening.as_it_is")

    @render.ui
    def as_it_is() -> Tag | None:
        if view.file is None or view.attempt is not None:
            return None
        options = {name: view.decisions.get(name) for name in ("roles", "unit", "weights", "edits")}
        try:
            return _list(_of_known(known.answered(options=options)))
        except ShoalError:  # pages say what is wrong
            return None

    @render.ui
    def changed() -> Tag | None:
        attempt = view.attempt
        if attempt is None or _mean_the_same(attempt.decisions, view.decisions):
            return None
        return tags.p(
            f"Decisions have changed since attempt {attempt.number}. ",
            step_link("Protect", "Protect again"),
            " to see what they do.",
            class_="changed",
            role="status",
        )


def _mean_the_same(one: Decisions, other: Decisions) -> bool:
    """Whether two decisions lead to the same release: an option at its default is as good as none."""
    options = {*one.options, *other.options}
    return one.k == other.k and all(one.get(name) == other.get(name) for name in options)


def _list(pairs: list[tuple[str, str, str]]) -> Tag:
    return tags.dl(
        *(
            tags.div(tags.dt(name), tags.dd(value, class_=kind), title=_MEANINGS.get(name))
            for name, value, kind in pairs
        )
    )


def _of_file(file: OpenedFile) -> list[tuple[str, str, str]]:
    return [
        ("file, as it is", file.name, ""),
        ("records", f"{file.records:,}", ""),
    ]


def _uniques(count: int | None, units: int | None) -> str:
    """Return how many are unique, and that units are counted where there are any."""
    return "-" if count is None else f"{count:,}" + " units" * (units is not None)


def _of_known(known: FileFacts) -> list[tuple[str, str, str]]:
    """Return what is known of a file that nothing was released of."""
    pairs = [] if known.units is None else [("units", f"{known.units:,}", "")]
    pairs += [
        ("k, whole records", "-" if known.k is None else f"{known.k:,}", ""),
        ("unique", _uniques(known.uniques, known.units), ""),
    ]
    rules = "cannot be checked" if known.holding is None else f"{known.holding} of {known.rules} hold"
    bad = known.holding is None or known.holding < known.rules
    pairs.append(("rules", rules, "bad" if bad else "good") if known.rules else ("rules", "none", "muted"))
    return [*pairs, ("release", "none yet", "muted")]


def of_attempt(attempt: Attempt) -> list[tuple[str, str, str]]:
    """Return the headline of a release: the report's own values, as the report writes them."""
    summary = attempt.summary
    headline = summary.headline
    pairs = [("attempt", f"{attempt.number}: {attempt.title}", ""), ("records", f"{headline.records:,}", "")]
    if headline.units is not None:
        pairs.append(("units", f"{headline.units:,}", ""))
    safe = "good" if headline.are_k_alike else "bad"
    pairs.append(("k, whole records", "-" if headline.k is None else f"{headline.k:,}", safe))
    pairs.append(("unique", _uniques(headline.uniques, headline.units), safe))
    found = None if summary.attack is None else summary.attack.found
    shares = {"linked": headline.linkage, "attack": found, "lost": summary.value("information_loss")}
    pairs += [(name, percent_text(share), "") for name, share in shares.items() if share is not None]
    return [*pairs, ("rules", _rules(summary), _kind_of_rules(summary))]


def _rules(summary: Summary) -> str:
    if not summary.rules:
        return "none"
    kept = sum(one.holds for one in summary.rules)
    return f"{kept} of {len(summary.rules)} hold"


def _kind_of_rules(summary: Summary) -> str:
    return "bad" if any(not one.holds for one in summary.rules) else "good" if summary.rules else "muted"
