"""What a page of a report is made of: sections, figures with their numbers beside them, tables, cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from shoal.report.wording import printable, shortened

__all__ = [
    "PageCard",
    "PageFigure",
    "PageMeasure",
    "PageRow",
    "PageSection",
    "PageTable",
    "name_markup",
    "names_markup",
]

PageRow = Sequence[str]
_LONGEST_NAME = 60


@dataclass(frozen=True)
class PageTable:
    """A table; the first column names the rows, the columns whose places are in `numeric` hold numbers."""

    caption: str
    head: PageRow
    rows: Sequence[PageRow]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class PageFigure:
    """A picture, what it is called, and the numbers it shows."""

    title: str
    svg: Markup
    numbers: PageTable
    note: str = ""
    scale: Markup | None = None
    wide: bool = False


@dataclass(frozen=True)
class PageCard:
    """A value at the top of the page, which is read first."""

    value: str
    title: str
    meaning: str
    better: str = ""


@dataclass(frozen=True)
class PageMeasure:
    """A measure with its definition; `place` is where its value lies within its range, in percent."""

    title: str
    value: str
    better: Literal["lower", "higher"]
    place: float | None
    definition: str
    sample: str
    options: str
    beside: str
    reference: str


@dataclass(frozen=True)
class PageSection:
    """One part of the page; what it does not have is not drawn."""

    id: str
    title: str
    text: Sequence[str] = ()
    legend: Sequence[tuple[Literal["original", "masked"], str]] = ()
    figures: Sequence[PageFigure] = ()
    beside: bool = False  # one figure with its text and numbers at its side, instead of many in a grid
    large: bool = False  # whether that figure is what the page is about
    table: PageTable | None = None
    folded: bool = False  # whether the table is long and shown on demand
    measures: Sequence[PageMeasure] = ()
    facts: Sequence[tuple[str, str]] = ()
    bullets: Sequence[str] = ()


def name_markup(name: str) -> Markup:
    """Return a name of the data as text on one line; one that is very long is shortened, with all of it as tooltip."""
    full, short = printable(name), shortened(name, _LONGEST_NAME)
    return (
        Markup('<bdi class="name" title="{}">{}</bdi>').format(full, short)
        if short != full
        else Markup('<bdi class="name">{}</bdi>').format(full)
    )


def names_markup(names: Sequence[str], most: int = 40) -> Markup:
    """Return names with commas between them; of many, the first and how many more there are."""
    most = most if len(names) > most + 1 else len(names)
    more = len(names) - most
    listed = Markup(", ").join(name_markup(one) for one in names[:most])
    return listed + f" and {more} more" if more > 0 else listed
