"""Numbers of tables in pages, beside those of the files of results that they are taken from."""

from __future__ import annotations

import re
from itertools import takewhile

import pandas as pd

__all__ = ["numbers_agree", "numbers_in", "result", "tables_of"]


def tables_of(page: str) -> list[list[str]]:
    """Return the rows of every table of a page in Markdown, heads left out."""
    lines = page.splitlines()
    starts = [number + 1 for number, line in enumerate(lines) if re.fullmatch(r"\|(-+\|)+|(\| --- )+\|", line)]
    return [list(takewhile(lambda line: line.startswith("|"), lines[start:])) for start in starts]


def result(path) -> pd.DataFrame:
    """Return a table of results as it is written, without the line on what made it."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# python -m studies."), f"{path.name} does not say what made it"
    return pd.read_csv(path, skiprows=1, dtype=str, keep_default_na=False)


def numbers_in(text: str) -> list[str]:
    return re.findall(r"-?\d+(?:\.\d+)?", text)


def numbers_agree(shown: list[str], made: list[str]) -> bool:
    """Whether the numbers of a page are those of the results, rounded to the decimals that the page has."""

    def agree(one, other):
        decimals = len(one.partition(".")[2])
        return abs(float(one) - float(other)) <= 0.5 * 10**-decimals + 1e-9

    return len(shown) == len(made) and all(map(agree, shown, made))
