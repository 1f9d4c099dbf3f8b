"""The four files of the league: which columns of each are protected, and of which kind they are."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

__all__ = ["FILES", "LeagueFile"]

_CATEGORIES = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "hhcivil")
_AMOUNTS = ("age", "expend", "income", "savings")
_EIA = (
    "utilityid",
    *(f"{sector}{what}" for sector in ("res", "com", "ind") for what in ("revenue", "sales")),
    *("othrevenue", "othrsales", "totrevenue", "totsales"),
)


@dataclass(frozen=True)
class LeagueFile:
    """A file, its columns (all where none are named) and those that are categories.

    `places` are columns that records can exchange; without them there is no record swapping. `ordered` are numbers that
    can be taken for ordered categories, by replacements that are for these alone.
    """

    name: str
    title: str
    columns: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns that are protected."""
        return table[list(self.columns or table.columns)]

    def kinds(self, table: pd.DataFrame) -> dict[str, str]:
        """Return the kind of every column."""
        return {name: "nominal" if name in self.categories else "continuous" for name in table.columns}


FILES = (
    LeagueFile("census", "Census"),
    LeagueFile("tarragona", "Tarragona"),
    LeagueFile("eia", "EIA", _EIA),
    LeagueFile("testdata", "testdata", _CATEGORIES + _AMOUNTS, _CATEGORIES, ("urbrur",), ("age",)),
)
