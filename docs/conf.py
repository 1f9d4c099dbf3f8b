"""Sphinx settings: `make docs` builds the pages, from nothing but what is installed with the docs."""

import re
import sys
from functools import cached_property
from inspect import cleandoc
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

from shoal import __version__

sys.path.insert(0, str(Path(__file__).parent))
import make_reference

make_reference.main()

logger = logging.getLogger(__name__)
project = "shoal"
author = "the shoal authors"
copyright = "2026, the shoal authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"shoal {release}"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_favicon = "_static/icon.svg"  # the sign of the studio
myst_heading_anchors = 3
autodoc_typehints = "none"
napoleon_use_param = False  # parameters that share a description have it once
exclude_patterns = ["_build", "paper"]  # the paper has a format of its own
nitpicky = False
smartquotes = False  # options begin with two hyphens
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # not all that it stands for
PRIMED = re.compile(r"([A-Za-z])('+)")
# Where a line is not broken: 5 %, p %, 2 GB, ± 3, ≤ 5, k = 3, 2k - 1, 2k-1.
TOGETHER = re.compile(
    r"(?<=[\dp]) (?=%)|(?<=\d) (?=[kMG]i?B\b)| (?=± ?\d)|(?<=[±≤≥]) (?=\d)|\b(?:k|m[12]?|alpha) = (?=\d)"
    r"|\b\d?k [-+] (?=\d)|(?<=\dk)-(?=1\b)"
)
UNBROKEN = str.maketrans({" ": "\N{NO-BREAK SPACE}", "-": "\N{NON-BREAKING HYPHEN}"})
LONGEST_WORD, LONGEST_OF_SEVERAL = 30, 42  # characters of code that are kept on one line
PHRASE, SENTENCE, LONG = 10, 50, 110  # characters from which on the text of a cell is called so
WIDE = 3  # columns from which on a table is moved sideways on a narrow screen
# 5, -0.3, 1,080, 2.87 %, 0.909 ± 0.015, 1.5e-9: what stands in a column of numbers.
NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?(\s?%|\s?s)?(\s±\s[\d.]+)?")


def setup(app):
    """Let a bar in a docstring be a bar, as in |x - y|, and draw formulas without a script."""
    app.connect("autodoc-process-docstring", _property_as_written)
    app.connect("autodoc-process-docstring", _escape_bars)
    app.connect("autodoc-process-docstring", _initials_and_files)
    app.connect("autodoc-process-docstring", _attributes_apart, priority=600)  # after napoleon
    app.connect("autodoc-process-signature", _public_parameters)
    app.connect("doctree-read", _keep_together)
    app.connect("doctree-read", _dashes)
    app.add_html_math_renderer("mathml", inline_renderers=(_formula, None), block_renderers=(_formula, None))


def _formula(translator, node):
    """Write a formula as MathML, which browsers draw themselves: no script, nothing to fetch."""
    display = "inline" if isinstance(node, nodes.math) else "block"
    drawn = convert(PRIMED.sub(_primed, node.astext()), display=display)
    if "\\" in drawn:  # a command that the converter does not know is left as it is written
        logger.warning("a formula has a command that cannot be drawn: %s", node.astext(), location=node)
    translator.body.append(drawn)
    raise nodes.SkipNode


def _primed(letter):
    """Put primes beside their letter: raised, they would be dots where there is no font for formulas."""
    return "{" + letter[1] + r"\prime" * len(letter[2]) + "}"


def _property_as_written(app, what, name, thing, options, lines):
    """Undo what napoleon does to a property: it takes what stands before a colon for a type."""
    if isinstance(thing, property | cached_property):
        lines[:] = cleandoc(thing.__doc__ or "").splitlines()


def _initials_and_files(app, what, name, thing, options, lines):
    """Keep the initials of an author from being the letters of a list, and name the two files of a measure."""
    for number, line in enumerate(lines):
        line = re.sub(r"^(\s*[A-Z])\. (?=[A-Z])", r"\1\\. ", line)
        lines[number] = line.replace("**files**", "**original, masked**") if name.startswith("shoal.measure.") else line


def _attributes_apart(app, what, name, thing, options, lines):
    """Give attributes that share a description a line each, so that each is in the index and can be linked to."""
    directive = ".. attribute:: "
    for number, line in reversed(list(enumerate(lines))):
        if line.startswith(directive):
            first, *others = line.split(", ")
            lines[number : number + 1] = [first, *(" " * len(directive) + other for other in others)]


def _public_parameters(app, what, name, thing, options, signature, returned):
    """Leave out parameters that begin with an underscore, and the name that dataclasses have for an empty default."""
    public = re.sub(r", _\w+(=[^,)]+)?", "", (signature or "").replace("=<factory>", "=..."))
    return (public, returned) if signature else None


def _keep_together(app, doctree):
    """Keep short code and numbers with their signs on one line, and mark cells that hold a number or a sentence."""
    for literal in doctree.findall(nodes.literal):
        text = literal.astext()
        if max(map(len, text.split()), default=0) <= LONGEST_OF_SEVERAL:
            literal["classes"].append("word" if len(text) <= LONGEST_WORD else "words")
    for text in list(doctree.findall(nodes.Text)):
        together = TOGETHER.sub(lambda found: found[0].translate(UNBROKEN), text)
        if together != text and not isinstance(text.parent, nodes.literal | nodes.literal_block):
            text.parent.replace(text, nodes.Text(together))
    for cell in doctree.findall(nodes.entry):
        length, columns = len(cell.astext()), len(cell.parent)
        if length >= PHRASE:
            cell["classes"].append("sentence" if length >= SENTENCE else "phrase")
        if length >= LONG and columns >= WIDE:
            cell["classes"].append("long")
    for table in doctree.findall(nodes.tgroup):
        _mark_numbers(table)


def _mark_numbers(table):
    """Mark the columns in which every cell is a number or empty, so that their digits stand below each other."""
    body = next(table.findall(nodes.tbody))
    for place, column in enumerate(zip(*(row.children for row in body.findall(nodes.row)), strict=False)):
        texts = [cell.astext().strip() for cell in column]
        if any(texts) and all(NUMBER.fullmatch(text) for text in texts if text):
            for row in table.findall(nodes.row):
                row[place]["classes"].append("number")


def _dashes(app, doctree):
    """Put a dash between a parameter or an error and what it is, where Sphinx puts two hyphens."""
    for text in list(doctree.findall(nodes.Text)):
        if re.match(r"\)? -- ", text):
            text.parent.replace(text, nodes.Text(text.replace(" -- ", " \N{EN DASH} ", 1)))


def _escape_bars(app, what, name, thing, options, lines):
    for number, line in enumerate(lines):
        parts = re.split("(``.*?``)", line)
        lines[number] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)
