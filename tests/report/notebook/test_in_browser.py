"""Results in the page of a notebook, in a real browser: readable in its colours, and nothing around them changes.

Screenshots go into the folder of the test run, `notebooks-in-browser*` under pytest's temporary folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python (the dev extra)")

# What JupyterLab 4 says of the outputs of cells, as far as it touches what results are made of.
JUPYTER = """
.jp-RenderedHTMLCommon { color: var(--ink); font: 14px/1.6 sans-serif; padding: 12px; }
.jp-RenderedHTMLCommon table { border-collapse: collapse; border: none; font-size: 12px; table-layout: fixed;
  margin-left: auto; margin-bottom: 1em; margin-right: auto; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr { vertical-align: middle;
  padding: 0.5em; line-height: normal; white-space: normal; max-width: none; border: none; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td, :not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th,
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon tr { text-align: right; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: var(--odd); }
.jp-RenderedHTMLCommon p { text-align: left; margin: 0 0 1em; }
.jp-RenderedHTMLCommon code { background: var(--odd); }
"""
COLOURS = {
    "light": ("--ink: rgb(33, 33, 33); --odd: #f5f5f5; background: #fff", 'data-jp-theme-light="true"'),
    "dark": ("--ink: rgb(224, 224, 224); --odd: #212121; background: #111", 'data-jp-theme-light="false"'),
    "vscode-dark": ("--ink: rgb(204, 204, 204); --odd: #252526; background: #1e1e1e", 'class="vscode-dark"'),
}
OWN = """<p>Text of the notebook</p><table><tbody><tr><th>a</th><td>1</td></tr></tbody></table>
<details><summary>More</summary><code>b</code></details>"""
LOOKS = """() => [...document.querySelectorAll(".own, .own *")].map(
  one => [...getComputedStyle(one)].map(name => [name, getComputedStyle(one)[name]].join()).join(";"))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebooks-in-browser")


@pytest.fixture(scope="module")
def results(keyed, ruled) -> dict[str, object]:
    table = shoal.datasets.households(120, seed=1)[["age", "wage_income", "tax", "housing_cost", "savings"]]
    return {
        "releases": [keyed.release, ruled.release, keyed.release],
        "evaluation": [keyed.evaluation, ruled.evaluation],
        "searches": [
            shoal.compare(table, [3, 5], ["mdav", "fuzzy", "ipso"]),
            shoal.tune(table, methods=["mdav", "hybrid"], trials=10, max_risk=40),
        ],
    }


def notebook(folder: Path, colours: str, fragments: list[str]) -> Path:
    style, theme = COLOURS[colours]
    own = f'<div class="own jp-RenderedHTMLCommon">{OWN}</div>'
    cells = own.join(f'<div class="jp-RenderedHTMLCommon">{one}</div>' for one in fragments)
    file = folder / "notebook.html"
    head = f"<meta charset=utf-8><title>Notebook</title><style>body {{ margin: 0; {style} }} {JUPYTER}</style>"
    file.write_text(f'<!doctype html><html lang="en"><head>{head}</head><body {theme}><main>{own}{cells}</main></body>')
    return file


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("which", ["releases", "evaluation", "searches"])
def test_results_stand_in_one_notebook(chromium, folder, results, which, colours):
    other = "light" if "dark" in colours else "dark"  # the notebook's theme counts, not that of the system
    context = chromium.new_context(viewport={"width": 1000, "height": 800}, color_scheme=other)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    file = notebook(folder, colours, [one._repr_html_() for one in results[which]])
    page.goto(file.as_uri())
    page.screenshot(path=folder / f"{which}-{colours}.png", full_page=True)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.screenshot(path=folder / f"{which}-{colours}-open.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000, "the notebook scrolls sideways"
    if colours in ("light", "dark"):  # it takes long
        found = axe.Axe().run(page).response["violations"]
        faults = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
        assert faults == []
    names = page.evaluate("[...document.querySelectorAll('.shoal-shown [id]')].map(one => one.id)")
    assert len(names) == len(set(names))
    ink = COLOURS[colours][0].partition(";")[0].removeprefix("--ink: ")
    assert page.evaluate("getComputedStyle(document.querySelector('.shoal-shown .verdict')).color") == ink
    left = page.evaluate("getComputedStyle(document.querySelector('.shoal-shown tbody th')).textAlign")
    assert left == "left", "the notebook's style of tables wins"
    assert (said, asked) == ([], [file.as_uri()])
    context.close()


def test_the_colours_of_plots_are_those_of_the_theme(chromium, folder, results):
    used = {}
    for colours in COLOURS:
        page = chromium.new_page()
        page.goto(notebook(folder, colours, [results["releases"][0]._repr_html_()]).as_uri())
        used[colours] = page.evaluate(
            "getComputedStyle(document.querySelector('.shoal-shown')).getPropertyValue('--masked')"
        )
        page.close()
    assert used["light"] != used["dark"] == used["vscode-dark"]


def test_nothing_around_a_result_changes(chromium, folder, results):
    looks = []
    for fragments in ([], [results["releases"][0]._repr_html_()]):
        page = chromium.new_page(viewport={"width": 1000, "height": 800})
        page.goto(notebook(folder, "light", fragments).as_uri())
        looks.append(page.evaluate(LOOKS))
        page.close()
    assert len(looks[0]) > 8 and looks[0] == looks[1]
