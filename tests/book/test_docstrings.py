"""Examples in docstrings, which the reference shows, give what stands below them."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
MODULES = [
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


def examples_with_results(module: str) -> list[doctest.DocTest]:
    """Return the examples that show a result; the others need files of the reader's."""
    found = doctest.DocTestFinder().find(import_module(module))
    return [one for one in found if any(example.want for example in one.examples)]


@pytest.mark.parametrize("module", MODULES)
def test_an_example_gives_what_stands_below_it(module):
    for one in examples_with_results(module):
        printed: list[str] = []
        assert not doctest.DocTestRunner().run(one, out=printed.append).failed, "".join(printed)


def test_most_examples_show_a_result():
    assert sum(bool(examples_with_results(module)) for module in MODULES) >= 15
