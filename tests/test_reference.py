"""The reference names every public name, and the page of methods every method, replacement and measure.

`python docs/make_reference.py` writes both.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from shoal.measure import MEASURES
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS

DOCS = Path(__file__).parents[1] / "docs"
MODULES = [
    "shoal",
    "shoal.read",
    "shoal.write",
    "shoal.describe",
    "shoal.recode",
    "shoal.edits",
    "shoal.partition",
    "shoal.partition.fuzzy",
    "shoal.replace",
    "shoal.measure",
    "shoal.datasets",
    "shoal.errors",
]


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_names_every_public_name(module):
    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
    named = set(re.findall(r"^\.\. \S+:: ([\w.]+)|^\| `([\w.]+)` \|", pages, re.MULTILINE))
    named = {name for either in named for name in either}
    assert not [name for name in import_module(module).__all__ if f"{module}.{name}" not in named]


@pytest.mark.parametrize("catalogue", [METHODS, REPLACEMENTS, MEASURES], ids=["methods", "replacements", "measures"])
def test_the_page_of_methods_names_all_of_them(catalogue):
    page = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    assert not [name for name in catalogue if f"| `{name}` |" not in page]
