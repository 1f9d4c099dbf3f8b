"""Run `shoal studio` with a small page in place of the studio's own: inputs, a data grid, a plot, and what fails."""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECRET = "a value of the data"


def make_app(folder: Path, uploads: object, downloads: Any) -> tuple[object, Callable[[], None]]:
    import pandas as pd
    from shiny import App, reactive, render, ui

    page = ui.page_navbar(
        ui.nav_panel(
            "Inputs",
            ui.layout_sidebar(
                ui.sidebar(
                    ui.input_slider("width", "Width", 1, 20, 5),
                    ui.input_select("kind", "Kind", ["a", "b"]),
                    ui.input_selectize("several", "Several", ["x", "y"], multiple=True),
                    ui.input_numeric("k", "k", 5),
                    ui.input_text_area("rules", "Rules"),
                    ui.input_switch("folded", "Folded"),
                    ui.input_date("day", "Day"),
                    ui.input_radio_buttons("way", "Way", ["one", "two"]),
                    ui.input_file("plan", "Plan"),
                    ui.input_action_button("fail", "Fail"),
                    ui.input_action_button("compute", "Compute"),
                    ui.download_button("export", "Export"),
                    ui.tooltip(ui.input_action_button("ask", "Ask"), "A tooltip"),
                ),
                ui.accordion(ui.accordion_panel("More", ui.output_text("doubled"))),
                ui.output_data_frame("grid"),
                ui.output_plot("plot"),
                ui.output_ui("drawn"),
            ),
        ),
        ui.nav_panel("Other", ui.card(ui.card_header("Card"), "Text")),
        title="stand-in",
    )

    def server(input, output, session):
        @render.text
        def doubled():
            return f"doubled: {2 * input.width()}"

        @render.data_frame
        def grid():
            return render.DataGrid(pd.DataFrame({"a": range(100), "b": "text"}), filters=True, selection_mode="row")

        @render.plot
        def plot():
            import matplotlib.pyplot as plt

            return plt.figure()

        @render.ui
        def drawn():
            drawing = f'<svg id="drawing" width="40" height="{input.width()}"><path d="M0 0L9 9" stroke="red"/></svg>'
            return ui.HTML(drawing)

        @render.download(filename="export.csv")
        def export():
            yield "a,b\n"

        @reactive.effect
        @reactive.event(input.fail)
        def _():
            raise ValueError(SECRET)

        @reactive.effect
        @reactive.event(input.compute)
        def _():
            (folder / "computing").touch()
            while True:
                time.sleep(0.1)

        @reactive.effect
        @reactive.event(input.ask)
        def _():
            ui.notification_show("Asked")
            ui.modal_show(ui.modal("A question", easy_close=True))

    def close() -> None:
        print("closed", flush=True)

    offered = downloads.new_folder() / 'Erträge "1.csv'
    offered.write_text("a,b\n" * 100_000)
    (folder / "offered").write_text(f"/download/{downloads.offer(offered)}")
    (folder / "made").touch()
    return App(page, server), close


if __name__ == "__main__":
    pages = types.ModuleType("shoal.studio.app")
    pages.make_app = make_app
    sys.modules["shoal.studio.app"] = pages
    from shoal.__main__ import main

    main()
