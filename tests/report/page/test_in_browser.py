"""Pages in a real browser: nothing leaves them, nothing is clipped or covered, everybody can read them.

Screenshots go into the folder of the test run, `reports-in-browser*` under pytest's temporary folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.report.facts.collect import summarize
from shoal.report.page.html import write_report

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python (the dev extra)")

GALLERY = Path(__file__).parents[3] / "docs" / "gallery"
SHOWN = [f"{data}-{page}" for data in ("census", "households") for page in ("internal", "public", "map")]
REPORTS = ["census-internal", "census-public", "survey-internal", "survey-public", "ruled-internal", "odd-internal"]
REPORTS += ["keyed-internal", "keyed-public"]
OF_SEARCHES = ["tuned-map", "compared-map"]
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
ODD_NAMES = [
    "<script>alert(1)</script>",
    """a"b'c&d""",
    "😀👩‍👩‍👧 income 🏠",
    "الدخل السنوي للأسرة",
    "x" * 300,
    "$y^2$",
]

# For every figure: the texts that reach beyond it, and the pairs of texts that cover each other.
FAULTS = """
() => {
  const faults = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width < 50 || frame.height < 20) faults.push(["empty", svg.getAttribute("aria-label")]);
    if (!svg.querySelector("path")) faults.push(["nothing drawn", svg.getAttribute("aria-label")]);
    const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([said, box], place) => {
      const beyond = Math.max(
        frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom
      );
      if (beyond > 3) faults.push(["beyond its figure", said]);
      for (const [other, next] of texts.slice(place + 1)) {
        const wide = Math.min(box.right, next.right) - Math.max(box.left, next.left);
        const high = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
        if (wide > 1.5 && high > 3.5) faults.push(["covers", said, other]);
      }
    });
  }
  for (const element of document.querySelectorAll("h1, h2, p, dt, dd, li, th, td, summary, figcaption, .card")) {
    if (element.closest("details:not([open])") || element.closest(".measures thead")) continue;
    if (element.scrollWidth > element.clientWidth + 2 && getComputedStyle(element).display !== "inline")
      faults.push(["too wide for its box", element.textContent.slice(0, 60)]);
  }
  return faults;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports-in-browser")


@pytest.fixture(scope="module")
def page_of(folder: Path, request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Write a report once and return where it is."""

    def find(name: str) -> Path:
        target = folder / f"{name}.html"
        which, audience = name.split("-")
        if which == "gallery":
            return GALLERY / f"{audience.replace('_', '-')}.html"
        if which in ("tuned", "compared") and not target.exists():
            searched(which).report(target, title=f"Releases of {ODD_NAMES[0]} {ODD_NAMES[3]} {ODD_NAMES[4]}")
        elif not target.exists():
            made = odd() if which == "odd" else request.getfixturevalue(which).release
            known = None if which == "odd" else request.getfixturevalue(which).evaluation
            write_report(summarize(made, audience, known or made.evaluate(quick=True)), target)
        return target

    return find


def odd() -> shoal.Release:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=90) * 10**place for place, name in enumerate(ODD_NAMES)})
    frame["<b>kind"] = rng.choice(["<img src=x onerror=alert(1)>", "y" * 200, "שלום", '"', "😀"], size=90)
    return shoal.protect(frame, 3, columns=list(frame.columns), seed=0)


def searched(how: str) -> shoal.Tuning | shoal.Comparison:
    table = shoal.datasets.households(150, seed=1)[["age", "wage_income", "tax", "housing_cost", "savings"]]
    if how == "tuned":
        return shoal.tune(table, methods=["mdav", "vmdav", "fuzzy", "entropy", "hybrid"], trials=40, max_risk=30)
    return shoal.compare(table, [3, 5, 10], ["mdav", "fuzzy", "entropy", "mdav+hybrid", "ipso"])


def test_the_gallery_is_all_of_it():
    assert sorted(one.stem for one in GALLERY.glob("*.html")) == sorted(SHOWN)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("report", "light"),
    [(name, light) for name in (*REPORTS, *OF_SEARCHES) for light in ("light", "dark")]
    + [(f"gallery-{name.replace('-', '_')}", "light") for name in SHOWN],
)
def test_a_report_looks_as_it_should(chromium, folder, page_of, report, size, light):
    file = page_of(report)
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=light)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.screenshot(path=folder / f"{report}-{size}-{light}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    assert page.evaluate(FAULTS) == []
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways once opened"
    if size == "desktop":  # it takes long, and the width is nothing to it
        found = axe.Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []
    assert said == []
    assert asked == [file.as_uri()], "something was fetched"
    context.close()


def test_the_policy_of_the_page_stops_what_it_should(chromium, folder, page_of):
    """What a name might smuggle in would not run and fetch nothing: the browser itself refuses."""
    file = folder / "smuggled.html"
    text = page_of("survey-public").read_text(encoding="utf-8")
    file.write_text(
        text.replace("</body>", "<script>document.title = 'ran'</script><img src='https://example.org/x.png'></body>"),
        encoding="utf-8",
    )
    page = chromium.new_page()
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.failure))
    page.goto(file.as_uri())
    assert page.title() == "Protection of a table"
    assert failed == ["csp"]
    page.close()


def test_it_reads_the_same_without_scripts_and_prints_in_light_colours(chromium, folder, page_of):
    file = page_of("census-internal")
    plain = chromium.new_context(java_script_enabled=False, color_scheme="dark").new_page()
    plain.goto(file.as_uri())
    assert plain.locator("section").count() >= 15
    assert plain.locator("figure svg").first.is_visible()
    plain.locator("summary").first.click()
    assert plain.locator("details table").first.is_visible()
    plain.close()
    page = chromium.new_context(color_scheme="dark").new_page()
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    ink = "getComputedStyle(document.body).color"
    assert page.evaluate(ink) == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    printed = page.pdf(
        path=folder / "census-internal.pdf", format="A4", margin=dict.fromkeys(("top", "bottom"), "15mm")
    )
    assert 5 <= printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page/") + printed.count(b"/Type /Page ") <= 25
    page.close()
