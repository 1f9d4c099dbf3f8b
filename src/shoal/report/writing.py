"""The reports of releases, comparisons and searches, as texts and as files.

The one module of report/ that earlier folders import: the methods `report` and `map` of Release, Comparison and Tuning
import it when they are called, so that a release knows nothing of pages until somebody asks for one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from shoal.measure import Evaluation
from shoal.report.facts.collect import Audience, summarize
from shoal.report.page.comparison import comparison_page
from shoal.report.page.html import report_html, write_page
from shoal.report.page.risk_loss_map import standalone, tuning_map
from shoal.report.page.tuning import tuning_page

if TYPE_CHECKING:
    from shoal.flow.release import Release
    from shoal.search.comparison import Comparison
    from shoal.search.tuning import Tuning

__all__ = [
    "Audience",
    "comparison_html",
    "release_html",
    "tuning_html",
    "write_comparison_report",
    "write_release_report",
    "write_tuning_map",
    "write_tuning_report",
]


def release_html(release: Release, audience: Audience, evaluation: Evaluation) -> str:
    """Return the report of a release as one HTML page; `evaluation` holds its measures."""
    return report_html(summarize(release, audience, evaluation))


def write_release_report(
    release: Release, path: str | os.PathLike[str], audience: Audience, evaluation: Evaluation
) -> None:
    """Write the report of a release, whole or not at all; `evaluation` holds its measures."""
    write_page(release_html(release, audience, evaluation), path, public=audience == "public")


def comparison_html(comparison: Comparison, title: str) -> str:
    """Return the report of a comparison as one HTML page."""
    return comparison_page(comparison, title)


def write_comparison_report(comparison: Comparison, path: str | os.PathLike[str], title: str) -> None:
    """Write the report of a comparison, whole or not at all."""
    write_page(comparison_html(comparison, title), path)


def tuning_html(tuning: Tuning, title: str) -> str:
    """Return the report of a search as one HTML page."""
    return tuning_page(tuning, title)


def write_tuning_report(tuning: Tuning, path: str | os.PathLike[str], title: str) -> None:
    """Write the report of a search, whole or not at all."""
    write_page(tuning_html(tuning, title), path)


def write_tuning_map(tuning: Tuning, path: str | os.PathLike[str]) -> None:
    """Write the map of risk and loss of a search as an SVG file, whole or not at all."""
    write_page(standalone(tuning_map(tuning)), path)
