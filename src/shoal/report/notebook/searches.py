"""What a notebook shows of many releases of one table: the map of risk and loss, and the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.notebook.fragment import fragment
from shoal.report.page.comparison import comparison_parts
from shoal.report.page.tuning import tuning_parts

if TYPE_CHECKING:
    from shoal.search.comparison import Comparison
    from shoal.search.tuning import Tuning

__all__ = ["comparison_fragment", "tuning_fragment"]


def comparison_fragment(comparison: Comparison) -> str:
    """Return what a notebook shows of a comparison."""
    parts = comparison_parts(comparison)
    return fragment("Methods side by side", parts.verdict, parts.cards, parts.sections, opened=("map", "methods"))


def tuning_fragment(tuning: Tuning) -> str:
    """Return what a notebook shows of a search."""
    parts = tuning_parts(tuning)
    return fragment("Settings searched", parts.verdict, parts.cards, parts.sections, opened=("map", "front"))
