"""The league of one file as a table of a page, sorted by score."""

from __future__ import annotations

import pandas as pd

__all__ = ["COLUMNS", "page_table", "sorted_by_score"]

# Column of the results, its head on the page, and its number of decimals.
COLUMNS = {
    "information_loss": ("loss", 2),
    "pil": ("PIL", 2),
    "linkage": ("linkage", 2),
    "interval_disclosure": ("ID", 2),
    "attack": ("attack", 2),
    "score": ("score", 2),
    "seconds": ("seconds", 1),
}


def sorted_by_score(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the lowest score first; equal ones by name."""
    return rows.sort_values(["score", "method", "k"], kind="stable")


def page_table(rows: pd.DataFrame) -> str:
    """Return the rows as a table in Markdown."""
    heads = ["", "method", "kind", "k reached", *(head for head, _ in COLUMNS.values())]
    lines = [heads, ["---"] * len(heads)]
    for place, row in enumerate(rows.to_dict("records"), start=1):
        values = ["" if pd.isna(row[name]) else f"{row[name]:.{decimals}f}" for name, (_, decimals) in COLUMNS.items()]
        lines.append([str(place), row["method"], row["family"], str(row["k_reached"]), *values])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
