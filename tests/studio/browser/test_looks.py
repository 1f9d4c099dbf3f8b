"""How every page looks and reads, empty, in use and where something is wrong, in light and dark, wide and narrow.

One visitor goes through all states; in each the page is measured, read by axe and photographed. The pictures are in
the folder that SHOAL_PICTURES names, or in `studio-pictures*` under pytest's temporary folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from studio.browser.states import STATES, enter_state
from studio.browser.visitor import Visitor
from studio.running import REAL, running_studio

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python (the dev extra)")

WIDTHS = {"wide": (1440, 900), "narrow": (390, 844)}
COLOURS = ("light", "dark")
GRAVE = ("serious", "critical")
# Every element that reaches beyond the page and is neither clipped nor scrolled by something around it.
TOO_WIDE = """() => {
  const wide = document.documentElement.clientWidth;
  const clipped = (one) => {
    for (let outer = one.parentElement; outer && outer !== document.body; outer = outer.parentElement)
      if (getComputedStyle(outer).overflowX !== "visible") return true;
    return false;
  };
  return [...document.querySelectorAll("body *")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && (box.right > wide + 1 || box.left < -1) && !clipped(one)
      && !one.closest(".visually-hidden, svg");
  }).map((one) => `${one.tagName} ${one.id} ${one.className} ${Math.round(one.getBoundingClientRect().right)}`);
}"""

# What of the headline cannot be read without scrolling.
OUT_OF_VIEW = """() => [...document.querySelectorAll(".headline dt")].filter((one) => {
  const box = one.parentElement.getBoundingClientRect();
  return box.left < 0 || box.right > document.documentElement.clientWidth || box.top < 0 || box.bottom > innerHeight;
}).map((one) => one.textContent)"""

AT_REST = """() => Promise.all(document.getAnimations()
  .filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished.catch(() => 0)))"""


@dataclass
class Looked:
    """What was found in one state: faults by colours, and what is too wide or out of view by width."""

    faults: dict[str, list[str]] = field(default_factory=dict)
    too_wide: dict[str, list[str]] = field(default_factory=dict)
    scrolled: dict[str, int] = field(default_factory=dict)
    out_of_view: dict[str, list[str]] = field(default_factory=dict)


def look_at(visitor: Visitor, state: str, folder: Path) -> Looked:
    page, found = visitor.page, Looked()
    for colours in COLOURS:
        page.evaluate("colours => document.documentElement.setAttribute('data-bs-theme', colours)", colours)
        for name, (width, height) in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("window.scrollTo(0, 0)")
            page.evaluate(AT_REST)
            page.screenshot(path=folder / f"{state}-{name}-{colours}.png", full_page=True, animations="disabled")
            found.too_wide[name] = page.evaluate(TOO_WIDE)
            found.out_of_view[name] = page.evaluate(OUT_OF_VIEW)
            found.scrolled[name] = page.evaluate("document.documentElement.scrollWidth") - width
        result = axe.Axe().run(page)
        found.faults[colours] = [
            f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
            for one in result.response["violations"]
            if one["impact"] in GRAVE
            for node in one["nodes"]
        ]
    page.set_viewport_size(dict(zip(("width", "height"), WIDTHS["wide"], strict=True)))
    return found


@pytest.fixture(scope="module")
def looked(chromium: object, survey: Path, pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict]:
    """Go through all states, and say of each what was found."""
    folder = tmp_path_factory.mktemp("looked")
    with (
        running_studio(folder, "--max-upload", 1, program=REAL) as studio,
        chromium.new_context(reduced_motion="reduce") as context,
    ):
        visitor = Visitor(context.new_page(), studio)
        visitor.enter()
        found = {}
        for state in STATES:
            enter_state(visitor, survey, state)
            found[state] = look_at(visitor, state, pictures)
        yield found


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_grave(looked, state, colours):
    assert looked[state].faults[colours] == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("state", STATES)
def test_the_page_is_not_wider_than_the_screen(looked, state, width):
    assert looked[state].too_wide[width] == []
    assert looked[state].scrolled[width] == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("state", STATES)
def test_the_whole_headline_is_in_view(looked, state, width):
    assert looked[state].out_of_view[width] == []
