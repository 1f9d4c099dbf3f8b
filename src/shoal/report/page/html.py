"""The report as one HTML file: it fetches nothing and runs nothing, and names of the data are text in it."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from shoal.report.facts.summary import Summary
from shoal.report.page.sections import cards_of, sections_of
from shoal.report.wording import printable
from shoal.write import refuse_unwritable, replacing

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "report_html", "write_page", "write_report"]

_AUDIENCE = {
    "internal": "Internal report: it shows how the original is distributed. Not for publication.",
    "public": "Transparency statement: it contains no value of the original that is not in the release.",
}


def report_html(summary: Summary) -> str:
    """Return the page that shows a summary.

    Examples
    --------
    >>> page = report_html(summarize(release, "public", release.evaluate()))
    """
    return (
        environment()
        .get_template("report.html")
        .render(
            title=printable(summary.title),
            audience=_AUDIENCE[summary.audience],
            internal=summary.audience == "internal",
            verdict=printable(summary.verdict),
            cards=cards_of(summary),
            sections=sections_of(summary),
        )
    )


def write_report(summary: Summary, path: str | os.PathLike[str]) -> None:
    """Write the page that shows a summary, whole or not at all."""
    write_page(report_html(summary), path, public=summary.audience == "public")


def write_page(page: str, path: str | os.PathLike[str], *, ending: str = ".html", public: bool = False) -> None:
    """Write a page or a picture of a report, whole or not at all; one that is not public only its owner can read."""
    refuse_unwritable(path, ending)
    with replacing(path, owner_only=not public) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


@cache
def environment() -> Environment:
    """Return the environment of the templates; whatever is put into one is escaped unless it is markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, to keep start-up quick

    return Environment(
        loader=PackageLoader("shoal.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
