"""One group of a release before and after, as text."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING

from shoal.report.terminal.table import table_text

if TYPE_CHECKING:
    from shoal.flow.release import Release
    from shoal.read import Table

__all__ = ["group_text"]


def group_text(release: Release, group: int, columns: Sequence[str]) -> str:
    """Return the records of one group, original and masked. It shows original values: use it for made-up data only."""
    rows = [row for row, label in enumerate(release.partitions[0].labels.tolist()) if label == group]

    def cells(table: Table, row: int) -> list[str]:
        values = [table.column(name)[row] for name in columns]
        return [f"{value:,.0f}" if isinstance(value, Real) else str(value) for value in values]

    head = ["", *columns]
    before = [[f"record {row + 1}", *cells(release.original, row)] for row in rows]
    after = ["all of them now", *cells(release.masked, rows[0])]
    return table_text(head, [*before, after], right=set(range(2, len(head))))
