"""The league of one file as a table of a page, sorted by score, and the losses of all files."""

from __future__ import annotations

import pandas as pd

__all__ = ["COLUMNS", "losses", "page_table", "sorted_by_score"]

# Column of the results, its head on the page, and its number of decimals.
COLUMNS = {
    "information_loss": ("loss", 2),
    "pil": ("PIL", 2),
    "linkage": ("linkage", 2),
    "interval_disclosure": ("ID", 2),
    "attack": ("attack", 2),
    "score": ("score", 2),
    "categories_changed": ("categories changed", 2),
    "seconds": ("seconds", 1),
}


def sorted_by_score(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the lowest score first; equal ones by name."""
    return rows.sort_values(["score", "method", "k"], kind="stable")


def page_table(rows: pd.DataFrame) -> str:
    """Return the rows as a table in Markdown, without columns that are empty."""
    columns = {name: one for name, one in COLUMNS.items() if rows[name].notna().any()}
    heads = ["", "method", "kind", "k reached", *(head for head, _ in columns.values())]
    lines = [heads, ["---"] * len(heads)]
    for place, row in enumerate(rows.to_dict("records"), start=1):
        values = ["" if pd.isna(row[name]) else f"{row[name]:.{decimals}f}" for name, (_, decimals) in columns.items()]
        lines.append([str(place), row["method"], row["family"], str(row["k_reached"]), *values])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def losses(rows: pd.DataFrame, titles: dict[str, str]) -> pd.DataFrame:
    """Return the information loss of every method by file and k, the least on the first file at the top."""
    heads = rows["file"].map(titles) + ", k = " + rows["k"].astype(str)
    table = rows.assign(head=heads).pivot(index="method", columns="head", values="information_loss")
    table = table[heads.drop_duplicates()]
    return table.sort_values(list(table.columns), kind="stable").reset_index()
