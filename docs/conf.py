"""Sphinx settings: `make docs` builds the pages, from nothing but what is installed with the docs."""

from shoal import __version__

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
