"""The reports of releases, comparisons and searches, as texts and as files, and what notebooks show of them.

The one module of report/ that earlier folders import: the methods `report`, `map` and `_repr_html_` of Release,
Evaluation, Comparison and Tuning import it when they are called, so that a release knows nothing of pages until
somebody asks for one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from shoal.errors import ShoalWarning, warn
from shoal.measure import Evaluation
from shoal.report.facts.collect import Audience, summarize
from shoal.report.notebook.evaluation import evaluation_fragment
from shoal.report.notebook.release import release_fragment
from shoal.report.notebook.searches import comparison_fragment, tuning_fragment
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
    "comparison_in_notebook",
    "evaluation_in_notebook",
    "release_html",
    "release_in_notebook",
    "tuning_html",
    "tuning_in_notebook",
    "write_comparison_report",
    "write_release_report",
    "write_tuning_map",
    "write_tuning_report",
]


Result = TypeVar("Result")


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
    write_page(standalone(tuning_map(tuning)), path, ending=".svg")


def release_in_notebook(release: Release) -> str | None:
    """Return what a notebook shows of a release as HTML; None where it cannot be drawn."""
    return _drawn(release_fragment, release)


def evaluation_in_notebook(evaluation: Evaluation) -> str | None:
    """Return what a notebook shows of an evaluation as HTML; None where it cannot be drawn."""
    return _drawn(evaluation_fragment, evaluation)


def comparison_in_notebook(comparison: Comparison) -> str | None:
    """Return what a notebook shows of a comparison as HTML; None where it cannot be drawn."""
    return _drawn(comparison_fragment, comparison)


def tuning_in_notebook(tuning: Tuning) -> str | None:
    """Return what a notebook shows of a search as HTML; None where it cannot be drawn."""
    return _drawn(tuning_fragment, tuning)


def _drawn(draw: Callable[[Result], str], result: Result) -> str | None:
    """Return what is drawn. If that fails, a notebook shows the line of `repr`: its cell has not failed."""
    try:
        return draw(result)
    except Exception as error:  # whatever it is; its message may have values of the data in it
        warn(
            f"{type(result).__name__} is shown as one line, because it could not be drawn ({type(error).__name__}). "
            "The result itself is whole.",
            ShoalWarning,
        )
        return None
