"""The table of the opened file, kept by the process that works on it."""

from __future__ import annotations

import json
from typing import Any

from shoal.read import Table, as_table
from shoal.recode.catalogue import written_recodes
from shoal.recode.missing_codes import written_missing_codes
from shoal.recode.recoded_table import RecodedTable, recoded_table

__all__ = ["recoded_of", "table_of"]

_kept: dict[str, Table] = {}


def table_of(source: dict[str, Any]) -> Table:
    """Return the table at a path, read as it says; the last one is kept."""
    key = json.dumps(source, sort_keys=True)
    if key not in _kept:
        table = as_table(source["path"], **source["reading"])
        _kept.clear()
        _kept[key] = table
    return _kept[key]


def recoded_of(source: dict[str, Any], options: dict[str, Any], k: int = 2) -> RecodedTable:
    """Return the table after the missing codes and recodes of these options."""
    recodes, codes = written_recodes(options.get("recodes")), written_missing_codes(options.get("missing_codes"))
    return recoded_table(table_of(source), recodes, codes, k=k)
