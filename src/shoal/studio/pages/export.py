"""The step Export: the files of a release, who may get them, and what makes the same release again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from shoal.errors import ShoalError
from shoal.studio.pages.background import Background
from shoal.studio.pages.parts import empty, notice, sending_button, sending_select
from shoal.studio.pages.view import View
from shoal.studio.tasks.exporting import ExportNames, command_of, default_ending, formats, names_of, script_of
from shoal.studio.workspace import Attempt, OpenedFile, Workspace

__all__ = ["export_server", "export_ui"]

# The parts of an export, and what they are.
_FOR_EVERYBODY = {
    "masked": "The protected file.",
    "public": "The report to publish with it: no value of the original, no seed, no count below k.",
}
_TO_KEEP = {
    "plan": "The plan: it repeats the release, byte for byte, and says which row is whose.",
    "internal": "The report for those who may see the original: it shows distributions of it.",
    "job": "The decisions of this attempt, with its seed: for shoal protect --job, or to go on from here.",
    "script": "The Python script that makes the release again. It needs the plan.",
}
_SLOW = ("public", "internal", "everything")  # reports compare the release with other ways to make it
_PARTS = (*_FOR_EVERYBODY, *_TO_KEEP, "everything")


@module.ui
def export_ui() -> TagList:
    """Return the page."""
    return TagList(
        tags.h1("Export"),
        ui.output_ui("choices"),
        tags.p("", id=module.resolve_id("status"), role="status", class_="status"),
        ui.output_ui("files"),
        ui.output_ui("again"),
        ui.output_ui("saving"),
    )


@module.server
def export_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Any) -> None:
    """Write what is asked for, and send it."""
    sender = _Sender(session, view.workspace)

    @reactive.calc
    def names() -> ExportNames:
        file, ending = view.file, input.ending()
        req(file is not None and ending in formats())
        assert file is not None
        return names_of(file.name, ending)

    @render.ui
    def choices() -> Tag | TagList:
        return _choices(session, view.file, view.attempt, view.attempts)

    @reactive.effect
    @reactive.event(input.attempt)
    def _look() -> None:
        view.workspace.show(int(input.attempt()["value"]))

    @render.ui
    def files() -> Tag | TagList | None:
        return None if view.attempt is None else _files(session, names(), input.keep_order())

    @render.ui
    def again() -> Tag | TagList | None:
        return None if view.attempt is None else _again(session, names(), input.keep_order())

    @render.ui
    def saving() -> Tag | TagList | None:
        return None if view.file is None else _saving(session, view.file)

    @reactive.effect
    @reactive.event(input.wanted)
    def _wanted() -> None:
        part = input.wanted()["part"]
        if part == "saved" and view.file is not None:
            sender.send_job(view.file)
        elif part in _PARTS and view.file is not None and view.attempt is not None:
            sender.send_part(view.attempt, input.ending(), input.keep_order(), part, getattr(names(), part))


def _choices(session: Session, file: OpenedFile | None, shown: Attempt | None, attempts: Sequence[Attempt]) -> Tag:
    """Return which attempt is exported, and how."""
    if file is None:
        return empty("No file is open.", "Open one in the step Data.")
    if shown is None:
        return empty("There is no release yet.", "Make one in the step Protect. What you decided can be saved below.")
    listed = {str(one.number): f"{one.number}: {one.title}" for one in attempts}
    return tags.div(
        tags.div(
            tags.label("Attempt", {"for": session.ns("attempts")}, class_="control-label"),
            sending_select(session.ns("attempt"), session.ns("attempts"), "Attempt", listed, str(shown.number)),
            class_="form-group shiny-input-container",
        ),
        ui.input_select("ending", "Format of the protected file", formats(), selected=default_ending(file.name)),
        ui.input_checkbox("keep_order", "Keep the rows in the order of the original", width="auto"),
        class_="fields",
    )


def _files(session: Session, names: ExportNames, keep_order: bool) -> TagList:
    warning = (
        f"{names.masked} will have its rows in the order of the original: side by side, the two files are linked "
        "record by record. Leave this off to write the rows in random order."
    )
    return TagList(
        notice(warning, "warning") if keep_order else None,
        tags.h2("For everybody, once you have decided to release it"),
        _listed(session, names, _FOR_EVERYBODY),
        tags.h2("Keep these as safe as the original"),
        _listed(session, names, _TO_KEEP),
        tags.h2("Everything"),
        tags.p("All of these in one archive, with a note on who may get which. Keep it as safe as the original."),
        _button(session, names.everything, "everything", "Download everything as one ZIP", "primary"),
    )


def _listed(session: Session, names: ExportNames, parts: dict[str, str]) -> Tag:
    return tags.ul(
        *(
            tags.li(
                tags.div(tags.strong(getattr(names, part)), tags.p(text, class_="muted")),
                _button(session, getattr(names, part), part, "Download"),
            )
            for part, text in parts.items()
        ),
        class_="export-files",
    )


def _button(session: Session, name: str, part: str, text: str, kind: str = "outline-secondary") -> Tag:
    said = TagList(text, tags.span(f" {name}", class_="visually-hidden"))
    return sending_button(session.ns("wanted"), session.ns(f"get_{part}"), said, kind, part=part)


def _again(session: Session, names: ExportNames, keep_order: bool) -> TagList:
    return TagList(
        tags.h2("The same release again"),
        tags.p(
            "Put the plan into a folder with ",
            tags.strong(names.file),
            ". There, this command makes the same protected file, byte for byte:",
        ),
        _copyable(session.ns("command"), "the command", command_of(names)),
        tags.p("And so does this Python script, if it lies beside them:"),
        _copyable(session.ns("script"), "the script", script_of(names, keep_order)),
    )


def _copyable(id: str, what: str, text: str) -> Tag:
    """Return a text with a button that copies it; see studio.js."""
    copy = tags.button(
        "Copy",
        tags.span(f" {what}", class_="visually-hidden"),
        {"type": "button", "data-copy": id, "id": f"{id}_copy"},
        class_="btn btn-sm btn-outline-secondary",
    )
    return tags.div(
        tags.pre(tags.code(text), id=id, tabindex="0", role="region", aria_label=what.capitalize()),
        copy,
        class_="copyable",
    )


def _saving(session: Session, file: OpenedFile) -> TagList:
    return TagList(
        tags.h2("Go on tomorrow"),
        tags.p(
            "The job has what is decided now, released or not, and nothing of the data but names of columns and what "
            f"you wrote yourself. In the step Data, open it again together with {file.name}."
        ),
        _button(session, _job_name(file), "saved", "Save the job"),
    )


def _job_name(file: OpenedFile) -> str:
    return names_of(file.name, ".csv").saved


class _Sender:
    """Writes files in the background, so that the page stays live, and has the browser fetch them."""

    def __init__(self, session: Session, workspace: Workspace) -> None:
        self._session, self._workspace = session, workspace
        self._background = Background()

    def send_part(self, attempt: Attempt, ending: str, keep_order: bool, part: str, name: str) -> None:
        """Write a part of an attempt, and send it."""
        self._background.begin(
            self._write_and_send(name, attempt, ending=ending, keep_order=bool(keep_order), part=part)
        )

    def send_job(self, file: OpenedFile) -> None:
        """Send the decisions as they are now."""
        path = self._workspace.downloads.new_folder() / _job_name(file)
        text = self._workspace.state.decisions.as_job(path.name, file.name, file.reading)
        path.write_text(text, encoding="utf-8", newline="\n")
        self._background.begin(self._send(path))

    async def _write_and_send(self, name: str, attempt: Attempt, **arguments: Any) -> None:
        folder = self._workspace.downloads.new_folder()
        slow = arguments["part"] in _SLOW
        await self._say(f"Writing {name}." + " It can take minutes; you can go on meanwhile." * slow)
        try:
            path = await self._workspace.export(folder, attempt, **arguments)
        except ShoalError as error:
            shutil.rmtree(folder, ignore_errors=True)
            await self._say(str(error), bad=True)
        else:
            await self._send(path)

    async def _send(self, path: Path) -> None:
        address = f"download/{self._workspace.downloads.offer(path)}"
        await self._session.send_custom_message("studio-download", {"address": address})
        await self._say(f"{path.name} was handed to your browser.")

    async def _say(self, text: str, bad: bool = False) -> None:
        message = {"id": self._session.ns("status"), "text": text, "bad": bad}
        await self._session.send_custom_message("studio-status", message)
