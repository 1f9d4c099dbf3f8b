"""The pages of the studio put together: the headline above, the steps of the flow beside each other below."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from htmltools import HTMLDependency, Tag, TagList, head_content, tags
from shiny import App, Inputs, Outputs, Session, reactive, ui

from shoal import __version__
from shoal.studio.downloads import Downloads
from shoal.studio.pages.data import data_server, data_ui
from shoal.studio.pages.evaluate import evaluate_server, evaluate_ui
from shoal.studio.pages.export import export_server, export_ui
from shoal.studio.pages.headline import headline_server, headline_ui
from shoal.studio.pages.keys import keys_server, keys_ui
from shoal.studio.pages.protect import protect_server, protect_ui
from shoal.studio.pages.rules import rules_server, rules_ui
from shoal.studio.pages.variables import variables_server, variables_ui
from shoal.studio.pages.view import View
from shoal.studio.uploads import Uploads
from shoal.studio.workspace import Workspace

__all__ = ["make_app"]

# The steps of the flow, in order: their page, and what runs it.
_PAGES: dict[str, tuple[Callable[[str], Any], Callable[..., Any]]] = {
    "Data": (data_ui, data_server),
    "Variables": (variables_ui, variables_server),
    "Keys": (keys_ui, keys_server),
    "Rules": (rules_ui, rules_server),
    "Protect": (protect_ui, protect_server),
    "Evaluate": (evaluate_ui, evaluate_server),
    "Export": (export_ui, export_server),
}

# Three fish, the sign of the page in the browser's tabs; in the page itself, so that nothing more is asked for.
_SIGN = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="#0a6ebd">'
    '<path d="M3 8q7-6 14 0l4-3v6l-4-3q-7 6-14 0z"/>'
    '<path d="M10 16q7-6 14 0l4-3v6l-4-3q-7 6-14 0zM3 24q7-6 14 0l4-3v6l-4-3q-7 6-14 0z"/></svg>'
)


def make_app(folder: Path, uploads: Uploads, downloads: Downloads) -> tuple[App, Callable[[], None]]:
    """Return the pages of a studio whose files are in a private folder, and what ends its work."""
    workspace = Workspace(folder, downloads)
    step = {"shown": "Data"}  # of the last page that was looked at, for when it is loaded again

    def page(request: Any) -> Tag:
        return _page(step["shown"])

    def server(input: Inputs, output: Outputs, session: Session) -> None:
        view = View(workspace)
        headline_server("headline", view)
        for name, (_, run) in _PAGES.items():
            run(name.lower(), view, uploads)

        @reactive.effect
        def _remember() -> None:
            step["shown"] = input.step()

    return App(page, server), workspace.close


def _page(shown: str) -> Tag:
    panels = [
        ui.nav_panel(f"{number} {name}", tags.div(show(name.lower()), class_="page"), value=name)
        for number, (name, (show, _)) in enumerate(_PAGES.items(), start=1)
    ]
    return ui.page_fluid(
        _assets(),
        headline_ui("headline"),
        tags.main(ui.navset_pill(*panels, id="step", selected=shown)),
        title="shoal studio",
        lang="en",
    )


def _assets() -> TagList:
    folder = Path(__file__).parent / "assets"
    return TagList(
        head_content(tags.link(rel="icon", type="image/svg+xml", href=_SIGN)),
        HTMLDependency(
            "shoal-studio",
            __version__,
            source={"subdir": str(folder)},
            script={"src": "studio.js"},
            stylesheet={"href": "studio.css"},
        ),
    )
