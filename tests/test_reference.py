"""The reference has every public name and every option of every command, the page of methods all of them.

`python docs/make_reference.py` writes these pages.
"""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import typer

import shoal
from book.pages import PAGES, examples_of
from shoal.cli.app import app
from shoal.measure import MEASURES
from shoal.partition import METHODS
from shoal.recode.catalogue import RECODES
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


def names_of_the_reference() -> set[str]:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
    named = re.findall(r"^\.\. \S+:: ([\w.]+)|^\| `([\w.]+)` \|", pages, re.MULTILINE)
    return {name for either in named for name in either}


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_names_every_public_name(module):
    named = names_of_the_reference()
    assert not [name for name in import_module(module).__all__ if f"{module}.{name}" not in named]


def test_no_public_module_is_left_out():
    public = {f"shoal.{name}" for name in shoal.__all__ if isinstance(getattr(shoal, name), ModuleType)}
    assert public <= set(MODULES)


def test_what_pages_take_from_shoal_is_in_the_reference():
    used = {
        (name, example.place)
        for page in PAGES
        for example in examples_of(page)
        if example.language == "python"
        for name in names_taken(example.text)
    }
    named = names_of_the_reference()
    assert len({name for name, _ in used}) > 30
    assert not sorted(f"{place}: {name}" for name, place in used if name not in named)


def names_taken(code: str) -> set[str]:
    """Return what Python code imports from shoal, and what it names behind a dot, as shoal.recode.Bands."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shoal"):
            names |= {f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Attribute) and re.fullmatch(r"shoal[.\w]+", ast.unparse(node)):
            names.add(dotted(ast.unparse(node)))
    return {name for name in names if name not in sys.modules}


def dotted(names: str) -> str:
    """Return the first of some names with dots that is not a module, with those before it."""
    thing, path = shoal, "shoal"
    for name in names.split(".")[1:]:
        if not isinstance(thing, ModuleType):
            break
        thing, path = getattr(thing, name), f"{path}.{name}"
    return path


@pytest.mark.parametrize("catalogue", [METHODS, REPLACEMENTS, MEASURES], ids=["methods", "replacements", "measures"])
def test_the_page_of_methods_names_all_of_them(catalogue):
    page = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    assert not [name for name in catalogue if f"| `{name}` |" not in page]


def test_the_pages_are_those_that_the_code_gives(monkeypatch):
    """Where this fails: python docs/make_reference.py."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    pages = import_module("make_reference").pages()
    assert not [path for path, text in pages.items() if (DOCS / path).read_text(encoding="utf-8") != text]


def commands_page() -> dict[str, str]:
    """Return what the page of commands has under each heading."""
    page = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", typer.main.get_command(app).commands)
def test_the_page_of_commands_has_every_argument_and_option(name):
    visible = [one for one in typer.main.get_command(app).commands[name].params if not getattr(one, "hidden", False)]
    named = {
        *(option for one in visible if one.param_type_name == "option" for option in (*one.opts, *one.secondary_opts)),
        *(one.name.upper() for one in visible if one.param_type_name == "argument"),
    }
    rows = [row.split(" | ")[0] for row in commands_page()[f"shoal {name}"].splitlines() if row.startswith("| `")]
    assert {word for row in rows for word in re.findall("`(.+?)`", row)} == named


def test_every_option_says_what_it_does():
    commands = [text for heading, text in commands_page().items() if heading.startswith("shoal ")]
    rows = [row for text in commands for row in text.splitlines() if row.startswith("| `")]
    assert not [row for row in rows if not row.split(" | ")[1].strip()]


def test_the_page_of_commands_has_every_option_of_every_measure_and_every_recode():
    page = commands_page()
    wanted = {f"| `{name}` | `{option}` |" for name, measure in MEASURES.items() for option in measure.options}
    assert not [row for row in wanted if row not in page["Options of measures"]]
    assert not [name for name in RECODES if f"`{name}`" not in page["Recodes"]]
