"""What a page of a report is made of: sections, figures with their numbers beside them, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from shoal.report.wording import printable, shortened

__all__ = ["Card", "Drawn", "Row", "Section", "Table", "named", "names"]

Row = Sequence[str]
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Table:
    """A table; the first column names the rows, the columns in `right` hold numbers."""

    caption: str
    head: Row
    rows: Sequence[Row]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Drawn:
    """A figure, what it is called, and its numbers."""

    title: str
    svg: Markup
    numbers: Table
    says: str = ""
    scale: Markup | None = None
    wide: bool = False


@dataclass(frozen=True)
class Card:
    """A figure that is read first."""

    value: str
    title: str
    says: str
    better: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the page; what it does not have is not there."""

    id: str
    title: str
    text: Sequence[str] = ()
    legend: Sequence[tuple[Literal["original", "masked"], str]] = ()
    figures: Sequence[Drawn] = ()
    beside: bool = False  # one figure with its text and numbers at its side, instead of many in a grid
    large: bool = False  # whether that figure is what the page is about
    table: Table | None = None
    folded: bool = False  # whether the table is long and shown on demand
    measures: Sequence[object] = ()
    facts: Sequence[tuple[str, str]] = ()
    points: Sequence[str] = field(default_factory=tuple)


def named(name: str) -> Markup:
    """Return a name of the data as text on one line, shortened if it is very long, with all of it to be pointed at."""
    full, short = printable(name), shortened(name, _LONGEST_NAME)
    return (
        Markup('<bdi class="name" title="{}">{}</bdi>').format(full, short)
        if short != full
        else Markup('<bdi class="name">{}</bdi>').format(full)
    )


def names(given: Sequence[str], most: int = 40) -> Markup:
    """Return names with commas between them, the first ones of many."""
    most = most if len(given) > most + 1 else len(given)
    more = len(given) - most
    listed = Markup(", ").join(named(one) for one in given[:most])
    return listed + f" and {more} more" if more > 0 else listed
