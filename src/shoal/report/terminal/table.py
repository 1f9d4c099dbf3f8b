"""A table as text, a row a line."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["table_text"]


def table_text(head: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> str:
    """Return a table, a row a line; the columns in `right` hold numbers."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)])
