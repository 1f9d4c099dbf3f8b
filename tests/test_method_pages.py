"""Every method and every replacement has a page: its idea in a picture, the formula, when to use it, what it costs.

`python docs/methods/draw_methods.py` draws the pictures.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS

PAGES = Path(__file__).parents[1] / "docs" / "methods"
TOGETHER = "representatives"  # the values that stand for a group have one page
CATALOGUE = {**METHODS, **REPLACEMENTS}
RECODING = "suppression"  # cells made missing: `shoal.recode.suppress`, which is in no catalogue


def page_of(name: str) -> str:
    file = PAGES / f"{name}.md"
    return (file if file.exists() else PAGES / f"{TOGETHER}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_page_has_the_name_of_its_method(name):
    assert f"`{name}`" in page_of(name)


@pytest.mark.parametrize("name", [*CATALOGUE, RECODING])
def test_a_page_is_complete(name):
    page = page_of(name)
    headings = re.findall("^## (.*)$", page, re.MULTILINE)
    assert headings[0] == "The formula"
    assert {"When to use it", "What it costs"} <= set(headings)
    pictures = re.findall(r"!\[.+\]\((.+)\)", page)
    assert pictures and all((PAGES / picture).exists() for picture in pictures)


@pytest.mark.parametrize("name", ["one-group", RECODING])
def test_pages_without_a_declared_reference_say_where_the_idea_is_from(name):
    assert re.search(r"^## Reference\n\n\S", page_of(name), re.MULTILINE)


@pytest.mark.parametrize("name", [name for name, one in CATALOGUE.items() if one.reference])
def test_a_page_has_the_reference_of_its_method(name):
    assert " ".join(CATALOGUE[name].reference.split()).rstrip(".") in " ".join(page_of(name).split())


def test_every_picture_is_on_a_page():
    shown = {picture for page in PAGES.glob("*.md") for picture in re.findall(r"\(images/(\S+)\)", page.read_text())}
    assert {picture.name for picture in (PAGES / "images").iterdir()} == shown
