"""Sphinx settings: `make docs` builds the pages, from nothing but what is installed with the docs."""

import re
import sys
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
myst_heading_anchors = 3
autodoc_typehints = "none"
exclude_patterns = ["_build", "paper"]  # the paper has a format of its own
nitpicky = False


def setup(app):
    """Let a bar in a docstring be a bar, as in |x - y|, and draw formulas without a script."""
    app.connect("autodoc-process-docstring", _escape_bars)
    app.add_html_math_renderer("mathml", inline_renderers=(_formula, None), block_renderers=(_formula, None))


def _formula(translator, node):
    """Write a formula as MathML, which browsers draw themselves: no script, nothing to fetch."""
    display = "inline" if isinstance(node, nodes.math) else "block"
    drawn = convert(node.astext(), display=display)
    if "\\" in drawn:  # a command that the converter does not know is left as it is written
        logger.warning("a formula has a command that cannot be drawn: %s", node.astext(), location=node)
    translator.body.append(drawn)
    raise nodes.SkipNode


def _escape_bars(app, what, name, thing, options, lines):
    for number, line in enumerate(lines):
        parts = re.split("(``.*?``)", line)
        lines[number] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)
