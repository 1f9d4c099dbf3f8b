"""Going on with saved work, a part of the step Data: a job or a plan, opened together with the user's own file."""

from __future__ import annotations

import asyncio
from typing import Any

from htmltools import Tag, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ShoalError
from shoal.read.files import FORMATS
from shoal.studio.pages.background import Background
from shoal.studio.pages.parts import sending_button
from shoal.studio.pages.view import View
from shoal.studio.uploads import Uploads
from shoal.studio.workspace import OpenedFile, Workspace

__all__ = ["resume_server", "resume_ui"]


@module.ui
def resume_ui() -> Tag:
    """Return the part of the page."""
    return tags.details(
        tags.summary("Go on with saved work"),
        tags.p(
            "Open what you saved, a job or a plan, together with the file it is for. A job brings your decisions back; "
            "a plan also makes its release again, byte for byte."
        ),
        tags.div(
            _file_input("saved", "Saved job or plan (.toml)", ".toml"),
            _file_input("table", "The file it is for", ",".join(FORMATS)),
            ui.output_ui("with_open_file"),
            class_="fields",
        ),
        tags.p("", id=module.resolve_id("status"), role="status", class_="status"),
        id=module.resolve_id("details"),
        class_="resume",
    )


def _file_input(name: str, label: str, endings: str) -> Tag:
    id = module.resolve_id(f"{name}_file")
    given: dict[str, Any] = {"type": "file", "id": id, "accept": endings, "data-status": module.resolve_id("status")}
    return tags.div(
        tags.label(label, {"for": id}, class_="form-label"),
        tags.input(given, {"data-upload": module.resolve_id(name)}, class_="form-control"),
    )


@module.server
def resume_server(input: Inputs, output: Outputs, session: Session, view: View, uploads: Uploads) -> None:
    """Take a job or a plan and a file, in either order, and open both when both are there."""
    resuming = _Resuming(session, view.workspace, uploads)
    background = Background()
    has_saved: reactive.Value[bool] = reactive.Value(False)

    async def go_on(what: str = "", upload: str = "", use_open: bool = False) -> None:
        await resuming.go_on(what, upload, use_open)
        async with reactive.lock():
            has_saved.set(resuming.has_saved)
            await reactive.flush()

    @reactive.effect
    @reactive.event(input.saved)
    def _saved() -> None:
        background.begin(go_on("saved", input.saved()["upload"]))

    @reactive.effect
    @reactive.event(input.table)
    def _table() -> None:
        background.begin(go_on("table", input.table()["upload"]))

    @reactive.effect
    @reactive.event(input.use_open)
    def _use_open() -> None:
        background.begin(go_on(use_open=True))

    @reactive.effect
    @reactive.event(lambda: view.file)
    async def _another_file() -> None:
        await resuming.forget_note(view.file)

    @render.ui
    def with_open_file() -> Tag | None:
        if view.file is None or not has_saved.get():
            return None
        return sending_button(session.ns("use_open"), session.ns("use"), f"Use {view.file.name}, which is open")


class _Resuming:
    """What was uploaded so far; nothing is opened until both are there and fit together."""

    def __init__(self, session: Session, workspace: Workspace, uploads: Uploads) -> None:
        self._session, self._workspace, self._uploads = session, workspace, uploads
        self._kept: dict[str, str] = {}
        self._turn = asyncio.Lock()  # one after the other, in the order of the uploads
        self._opened: OpenedFile | None = None  # the file that the last note is about

    @property
    def has_saved(self) -> bool:
        """Whether there is a job or a plan that waits for its file."""
        return "saved" in self._kept

    async def go_on(self, what: str, upload: str, use_open: bool) -> None:
        """Keep an upload in the place of the one before, and open what was saved with its file if both are there."""
        async with self._turn:
            if upload:
                self._forget(what)
                self._kept[what] = upload
            file = self._workspace.state.file if use_open else None
            if not self._kept:  # of two clicks the first has opened it
                return
            if "saved" not in self._kept:
                await self._say(f"{self._name('table')} is here. Now choose the job or plan that you saved.")
            elif file is None and "table" not in self._kept:
                await self._say(f"{self._name('saved')} is here. Now choose the file it is for.")
            else:
                await self._open(file)

    async def _open(self, file: OpenedFile | None) -> None:
        saved_name = self._name("saved")
        table = self._kept.get("table", "")
        path, name = (file.path, file.name) if file else (self._uploads.path_of(table), self._name("table"))
        await self._say(f"Opening {name}")
        try:
            note = await self._workspace.resume(self._uploads.path_of(self._kept["saved"]), saved_name, path, name)
        except ShoalError as error:
            await self._say(str(error), bad=True)
            return
        self._forget("saved")
        if file is None:
            self._kept.pop("table")  # it is the workspace's now
        self._opened = self._workspace.state.file
        await self._say(f"{name} is open with the decisions of {saved_name}. {note}".strip())

    async def forget_note(self, file: OpenedFile | None) -> None:
        """Say no longer what was opened, once another file is."""
        if self._opened is not None and file is not self._opened:
            self._opened = None
            await self._say("")

    def _name(self, what: str) -> str:
        return self._uploads.name_of(self._kept[what])

    def _forget(self, what: str) -> None:
        if what in self._kept:
            self._uploads.forget(self._kept.pop(what))

    async def _say(self, text: str, bad: bool = False) -> None:
        message: dict[str, Any] = {"id": self._session.ns("status"), "text": text, "bad": bad}
        await self._session.send_custom_message("studio-status", message)
