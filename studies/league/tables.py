"""The league of one file as a table of a page, sorted by score, and the losses of all files."""

from __future__ import annotations

import pandas as pd

__all__ = ["COLUMNS", "eight_digits", "losses", "page_table", "sorted_by_score", "two_digits"]

# Column of the results and its head on the page.
COLUMNS = {
    "score": "score",
    "information_loss": "loss",
    "pil": "PIL",
    "linkage": "linkage",
    "interval_disclosure": "ID",
    "attack": "attack",
    "categories_changed": "categories changed",
    "seconds": "seconds",
}


def sorted_by_score(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the lowest score first; equal ones by name."""
    return rows.sort_values(["score", "method", "k"], kind="stable")


def page_table(rows: pd.DataFrame) -> str:
    """Return the rows as a table in Markdown, without columns that are empty."""
    columns = {name: one for name, one in COLUMNS.items() if rows[name].notna().any()}
    heads = ["", "method", "kind", "k reached", *columns.values()]
    lines = [heads, ["---"] * len(heads)]
    for place, row in enumerate(rows.to_dict("records"), start=1):
        values = ["" if pd.isna(row[name]) else _text(name, row[name]) for name in columns]
        lines.append([str(place), row["method"], row["family"], str(row["k_reached"]), *values])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def eight_digits(rows: pd.DataFrame) -> pd.DataFrame:
    """Return numbers as text, with more digits than a page shows, so that what it shows is rounded once."""
    texts = {name: rows[name].map("{:.8g}".format, na_action="ignore") for name in rows.select_dtypes("float")}
    return rows.assign(**texts)


def two_digits(seconds: float) -> str:
    """Return seconds with two significant digits."""
    exponent = int(f"{seconds:.1e}".partition("e")[2])
    return f"{seconds:.{max(0, 1 - exponent)}f}"


def _text(column: str, value: float) -> str:
    return two_digits(value) if column == "seconds" else f"{value:.2f}"


def losses(rows: pd.DataFrame, titles: dict[str, str]) -> pd.DataFrame:
    """Return the information loss of every method by file and k, the least on the first file at the top."""
    heads = rows["file"].map(titles) + ", k = " + rows["k"].astype(str)
    table = rows.assign(head=heads).pivot(index="method", columns="head", values="information_loss")
    table = table[heads.drop_duplicates()]
    return table.sort_values(list(table.columns), kind="stable").reset_index()
