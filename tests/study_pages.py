"""Results of studies, and the pages that quote them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

STUDIES = Path(__file__).resolve().parents[1] / "docs" / "studies"


def results(study: str, table: str) -> pd.DataFrame:
    """Read a table of a study, every cell as it is written; the first line has the command."""
    return pd.read_csv(STUDIES / "results" / study / f"{table}.csv", comment="#", dtype=str, keep_default_na=False)


def command_of(study: str, table: str) -> str:
    """Return the first line of a table: the command and version that made it."""
    return (STUDIES / "results" / study / f"{table}.csv").read_text(encoding="utf-8").splitlines()[0]


def page_rows(study: str) -> set[tuple[str, ...]]:
    """Return the rows of all tables of a page, as cells without emphasis."""
    lines = (STUDIES / f"{study}.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip().strip("|").split("|") for line in lines if line.startswith("|")]
    return {tuple(cell.strip().strip("*") for cell in row) for row in rows}


def rounded(table: pd.DataFrame, columns: dict[str, int | None]) -> list[tuple[str, ...]]:
    """Return the rows of a table with some columns, numbers rounded to so many decimals; None: as written."""
    rows = []
    for _, row in table.iterrows():
        cells = (
            row[name] if decimals is None or row[name] == "" else f"{float(row[name]):.{decimals}f}"
            for name, decimals in columns.items()
        )
        rows.append(tuple(cells))
    return rows
