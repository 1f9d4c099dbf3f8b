"""Sphinx settings: `make docs` builds the pages, from nothing but what is installed with the docs."""

import re
import sys
from pathlib import Path

from shoal import __version__

sys.path.insert(0, str(Path(__file__).parent))
import make_reference

make_reference.main()

project = "shoal"
author = "the shoal authors"
copyright = "2026, the shoal authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"shoal {release}"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "none"
exclude_patterns = ["_build"]
nitpicky = False


def setup(app):
    """Let a bar in a docstring be a bar, as in |x - y|: shoal has no substitutions."""
    app.connect("autodoc-process-docstring", _escape_bars)


def _escape_bars(app, what, name, thing, options, lines):
    for number, line in enumerate(lines):
        parts = re.split("(``.*?``)", line)
        lines[number] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)
