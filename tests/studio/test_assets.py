"""The style sheet of the studio: what a forgotten brace would hide on wide screens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("shiny")

from shoal import studio

STYLES = (Path(studio.__file__).parent / "assets" / "studio.css").read_text()


def test_rules_for_small_screens_end_before_the_next_rules_begin() -> None:
    """Browsers forgive a brace that is missing, and take all that follows as being for small screens only."""
    depth = 0
    for found in re.finditer(r"[{}]|@media", re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", STYLES, flags=re.DOTALL)):
        if found[0] == "@media":
            assert depth == 0, "rules for a size of screens begin inside others"
        else:
            depth += 1 if found[0] == "{" else -1
        assert depth in (0, 1, 2)
    assert depth == 0, "a brace is missing"
