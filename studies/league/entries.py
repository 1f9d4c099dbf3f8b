"""What takes part: every partitioner and fuzzy method with its usual replacement, and every replacement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS
from shoal.replace.family import DRAWN
from studies.league.files import LeagueFile

__all__ = ["ENTRIES", "Entry", "K"]

K = 5
_SIZES = (3, K, 10)
# Parameters where there is no default, or the default is a number of seconds.
_METHODS = {"refine": "refine:steps=5000"}
_REPLACEMENTS = {
    "order-statistic": "order-statistic:q=0.75",
    "hybrid": "hybrid:small_groups=merge",  # with k = 5 every group is too small for so many columns
    "fuzzy-regression": "fuzzy-regression:n_clusters=5",
    "noise": "noise:alpha=0.1",
}


@dataclass(frozen=True)
class Entry:
    """A method and a replacement, and for which k it is run.

    `options` are further options of `shoal.protect`. `replacement` is its name in the catalogue, empty for the usual
    one of the method.
    """

    name: str
    method: str
    replacement: str = ""
    sizes: tuple[int, ...] = (K,)
    options: Mapping[str, Any] = field(default_factory=dict)

    def reason_against(self, file: LeagueFile) -> str:
        """Return why it makes no sense for a file that shoal itself would not refuse; empty if it does."""
        if not self.replacement:
            return ""
        kinds = REPLACEMENTS[self.replacement].kinds
        there = {"continuous": True, "nominal": bool(file.categories), "ordinal": bool(file.ordered)}
        if not any(there[kind] for kind in kinds):
            return f"It is for {' and '.join(sorted(kinds))} variables, and the file has none."
        if self.replacement == "record-swap" and not file.places:
            return (
                "No column says where a record is. With all columns exchanged at once, every record would be released "
                "as it is, in another row."
            )
        return ""

    def kinds(self, file: LeagueFile, table: pd.DataFrame) -> dict[str, str]:
        """Return the kind of every column of a file."""
        kinds = file.kinds(table)
        if self.replacement and REPLACEMENTS[self.replacement].kinds == {"ordinal"}:
            kinds |= dict.fromkeys(file.ordered, "ordinal")
        return kinds

    def protection(self, file: LeagueFile, table: pd.DataFrame) -> dict[str, Any]:
        """Return the options of `shoal.protect` for a file."""
        options: dict[str, Any] = {"method": self.method, **self.options}
        if not self.replacement:
            return options
        columns = list(table.columns)
        options["replace"] = _REPLACEMENTS.get(self.replacement, self.replacement)
        if self.replacement == "record-swap":
            similar = [name for name in ("sex", "relat") if name in columns]
            options["replace"] = {"name": "record-swap", "geography": list(file.places), "similar": similar}
        elif self.replacement == "fuzzy-regression":  # it predicts from columns that stay as they are
            options["confidential"] = columns[len(columns) // 2 :]
        elif REPLACEMENTS[self.replacement].family.rewrites:
            options["confidential"] = columns
        return options


def _entries() -> tuple[Entry, ...]:
    methods = [name for name, kind in METHODS.items() if kind.scope != "file"]
    entries = [Entry(name, _METHODS.get(name, name), sizes=_SIZES) for name in methods]
    entries.append(Entry("optimal-univariate, column by column", "optimal-univariate", options={"blocks": 1}))
    entries.append(Entry("mdav, blocks of three", "mdav", options={"blocks": 3}))
    for name, kind in REPLACEMENTS.items():
        if name == "mean":  # the usual one of all methods that make groups
            continue
        method = "at-least-k" if kind.family is DRAWN else kind.default_method
        entries.append(Entry(name if METHODS[method].scope == "file" else f"{method} + {name}", method, name))
    entries.append(Entry("mdav, Gower's distance", "mdav:distance=gower"))
    return tuple(entries)


ENTRIES = _entries()
