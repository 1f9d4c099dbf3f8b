"""What holds for the page of every study: whole tables, results that say what made them, a place in the contents."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import shoal

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "studies").glob("*.md"))
RESULTS = sorted((ROOT / "docs" / "studies" / "results").glob("*/*"))
PICTURES = [path for path in RESULTS if path.suffix == ".svg"]
STUDIES = sorted(path.parent.name for path in (ROOT / "studies").glob("*/__main__.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_row_of_a_table_has_the_cells_of_its_head(page):
    cells = 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        here = len(re.split(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert 0 in (cells, here) or here == cells, f"{page.name}, line {number}"
        cells = here


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_result_says_the_command_and_version_that_made_it(result):
    option = " --long" if result.name.startswith("long_") else ""
    made_by = f"python -m studies.{result.parent.name}{option}, shoal {shoal.__version__}"
    assert made_by in result.read_text(encoding="utf-8")[:2000]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_picture_is_well_formed(picture):
    """A browser shows nothing of an SVG file with, say, two hyphens in a comment."""
    assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_has_a_page_results_a_test_and_a_row(study):
    page = (ROOT / "docs" / "studies" / f"{study}.md").read_text(encoding="utf-8")
    assert f"\n    python -m studies.{study}\n" in page
    assert any(path.parent.name == study for path in RESULTS)
    assert (ROOT / "tests" / "studies" / f"test_{study}.py").exists()
    assert f"\n{study}\n" in (ROOT / "docs" / "studies" / "index.md").read_text(encoding="utf-8")
    assert (ROOT / "studies" / "README.md").read_text(encoding="utf-8").count(f"| [{study}]({study}) |") == 1


def test_a_picture_on_a_page_exists_and_every_picture_is_on_a_page():
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert all(path.exists() for path in shown)
    assert {path.resolve() for path in PICTURES} <= shown
