"""Names of the data as text: each on one line, and only the first of many."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import visible

__all__ = ["first_names", "one_line"]


def first_names(names: Sequence[str], most: int = 4) -> str:
    """Return the first names with commas between them, and how many more there are."""
    more = len(names) - most
    return ", ".join(one_line(name) for name in names[:most]) + (f" and {more} more" if more > 0 else "")


def one_line(text: str, most: int = 40) -> str:
    """Return a text as one short line: what cannot be printed is escaped, what is too long is cut."""
    plain = visible(text)
    return plain if len(plain) <= most else f"{plain[: most - 3]}..."
