"""What each column of a table seems to be, as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from shoal.report.terminal.names import one_line
from shoal.report.terminal.table import table_text

if TYPE_CHECKING:
    from shoal.describe import Variable

__all__ = ["description_json", "description_text"]


def description_text(name: str, records: int, variables: Sequence[Variable]) -> str:
    """Return what each variable seems to be, one a line."""
    head = ("column", "kind", "role?", "distinct", "missing", "why")
    rows = [
        (
            one_line(variable.name),
            variable.kind or "-",
            variable.role,
            f"{variable.distinct:,}",
            f"{variable.missing:,}" if variable.missing else "",
            one_line("; ".join(text for text in (variable.label, variable.reason) if text), most=80),
        )
        for variable in variables
    ]
    return f"{name}: {records:,} records, {len(variables)} columns\n\n{table_text(head, rows, right={3, 4})}"


def description_json(variables: Sequence[Variable]) -> str:
    """Return what each variable seems to be, as JSON."""
    return json.dumps([asdict(variable) for variable in variables], indent=2, ensure_ascii=False)
