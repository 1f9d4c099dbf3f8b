"""Opening a file: the box for it, how it is to be read, and what is said where it cannot be."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Session, reactive, render, ui

from shoal import datasets
from shoal.errors import ShoalError
from shoal.read.files import FORMATS, format_of
from shoal.studio.pages.background import Background
from shoal.studio.pages.parts import notice, step_link
from shoal.studio.pages.view import View
from shoal.studio.worker import CancelledWorkError
from shoal.studio.workspace import OpenedFile

__all__ = ["opening_box", "run_opening"]

_SURVEY = "households.csv"
_DELIMITERS = {"": "found in the header", ",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_DECIMALS = {"": "found in the file", ".": "point", ",": "comma"}
_SETTINGS = ("delimiter", "decimal", "encoding", "sheet")


def opening_box() -> TagList:
    """Return the box, which folds when a file is open, and what is said of the file."""
    return TagList(
        ui.output_ui("opened_file"),
        ui.output_ui("refused"),
        tags.details(
            tags.summary(
                tags.span("Open a file", class_="when-open"), tags.span("Open another file", class_="when-folded")
            ),
            tags.label("File", {"for": "data-file"}, class_="form-label"),
            tags.input(
                {"type": "file", "id": "data-file", "data-status": "data-status", "accept": ",".join(FORMATS)},
                {"data-upload": "data-uploaded"},
                class_="form-control",
            ),
            tags.p(
                "CSV, Excel, Stata, SPSS, SAS, Parquet, Arrow or XML; or drop it here. It stays on this machine.",
                class_="form-text",
            ),
            ui.output_ui("leaving"),
            _settings(),
            ui.input_action_button("survey", "Try the built-in survey", class_="btn-outline-secondary btn-sm"),
            id="data-opening",
            open="",
            class_="drop",
        ),
        tags.p("", id="data-status", role="status", class_="status"),
    )


def _settings() -> Tag:
    return tags.details(
        tags.summary("How it is read: delimiter, decimal mark, encoding, sheet"),
        tags.div(
            ui.input_select("delimiter", "Delimiter (CSV)", _DELIMITERS),
            ui.input_select("decimal", "Decimal mark (CSV)", _DECIMALS),
            ui.input_text("encoding", "Encoding (CSV, Stata, SPSS, SAS)", placeholder="utf-8"),
            ui.input_text("sheet", "Sheet (Excel)", placeholder="the first"),
            class_="fields",
        ),
        tags.p("This is used for the next file that is opened.", class_="form-text"),
        class_="settings",
    )


def run_opening(input: Inputs, session: Session, view: View, uploads: Any) -> None:
    """Open files that are uploaded, and the built-in survey; one that cannot be read leaves the file before open."""
    problem: reactive.Value[str] = reactive.Value("")
    background = Background()

    async def open_path(path: Path, name: str, reading: dict[str, Any]) -> None:
        await session.send_custom_message("studio-status", {"id": "data-status", "text": f"Reading {name}"})
        refusal = await _refusal(view, path, name, reading)
        await session.send_custom_message("studio-status", {"id": "data-status", "text": ""})
        if not refusal:
            await session.send_custom_message("studio-fold", {"id": "data-opening", "open": False})
        async with reactive.lock():
            problem.set(refusal)
            await reactive.flush()

    async def open_survey(path: Path) -> None:
        await asyncio.to_thread(_write_survey, path)
        await open_path(path, _SURVEY, {})

    @reactive.effect
    @reactive.event(input.uploaded_begun)
    def _begun() -> None:
        problem.set("")  # of a file before; what is too large never gets here

    @reactive.effect
    @reactive.event(input.uploaded)
    def _uploaded() -> None:
        upload = input.uploaded()["upload"]
        path = uploads.path_of(upload)
        background.begin(open_path(path, uploads.name_of(upload), _reading(input, path)))

    @reactive.effect
    @reactive.event(input.survey)
    def _survey() -> None:
        background.begin(open_survey(uploads.new_path(_SURVEY)))

    @reactive.effect
    async def _fold() -> None:
        is_open = view.file is None
        await session.send_custom_message("studio-fold", {"id": "data-opening", "open": is_open})

    _show_file(view, problem)


def _show_file(view: View, problem: reactive.Value[str]) -> None:
    """Show what is open, and why another file is not."""

    @render.ui
    def refused() -> Tag | None:
        if not problem.get():
            return None
        file = view.workspace.state.file
        kept = "" if file is None else f" {file.name} is still open."
        return notice(f"{problem.get()}{kept}", "problem")

    @render.ui
    def leaving() -> Tag | None:
        if view.file is None or not view.attempts:
            return None
        kept = "its attempt" if len(view.attempts) == 1 else f"its {len(view.attempts)} attempts"
        said = f"Another file takes the place of {view.file.name} and {kept}. Save what you need in the step "
        return notice(TagList(said, step_link("Export", "Export"), " first."), "warning")

    @render.ui
    def opened_file() -> Tag | TagList | None:
        return None if view.file is None else _about(view.file)


def _write_survey(path: Path) -> None:
    datasets.households().to_csv(path, index=False)


async def _refusal(view: View, path: Path, name: str, reading: dict[str, Any]) -> str:
    """Open a file; return why it cannot be opened, "" if it is open."""
    try:
        await view.workspace.open(path, name, reading)
    except CancelledWorkError:
        reason = f"{name} could not be read: the process that read it was ended. It may need more memory than there is."
    except ShoalError as error:
        reason = str(error)
    else:
        return ""
    path.unlink(missing_ok=True)
    return reason


def _reading(input: Inputs, path: Path) -> dict[str, Any]:
    """Return how a file is to be read: of the settings those that its format has."""
    file_format = format_of(path)
    known = () if file_format is None else file_format.options
    chosen = {name: input[name]() for name in _SETTINGS if name in known}
    return {name: text if name == "delimiter" else text.strip() for name, text in chosen.items() if text.strip(" ")}


def _about(file: OpenedFile) -> TagList:
    incomplete = sum(one.missing > 0 for one in file.variables)
    variables = f"{len(file.variables):,} variable{'s' * (len(file.variables) != 1)}"
    missing = f"{incomplete:,} of them with missing values" if incomplete else "no missing values"
    only = file.names[0]
    looks_cut = len(file.variables) == 1 and any(sign in only for sign in ",;\t|")
    return TagList(
        tags.p(
            tags.strong(file.name),
            f" is open. It has {file.records:,} record{'s' * (file.records != 1)} and {variables}, {missing}.",
        ),
        notice("Everything is in one column: choose another delimiter below and open the file again.", "warning")
        if looks_cut
        else None,
    )
