"""Tables and numbers on the page of a study, beside the CSV files they are linked to.

A table on a page belongs to the CSV file that was linked last before it; its columns are columns of that file, its rows
some of its rows, its numbers those of the file, rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

STUDIES = Path(__file__).resolve().parents[1] / "docs" / "studies"
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\w)")


@dataclass(frozen=True)
class PageTable:
    """A table as a page has it: the file it is linked to, its columns, and its cells as text."""

    file: str
    columns: list[str]
    rows: list[list[str]]


def linked_file(study: str, file: str) -> pd.DataFrame:
    """Read a CSV file of a study, every cell as text; the first line is about the command."""
    path = STUDIES / "results" / study / file
    return pd.read_csv(path, skiprows=1, dtype=str, keep_default_na=False)


def first_line(study: str, file: str) -> str:
    return (STUDIES / "results" / study / file).read_text(encoding="utf-8").partition("\n")[0]


def page_tables(study: str) -> list[PageTable]:
    """Return the tables of a page that follow a link to a CSV file of its study."""
    tables, linked, lines = [], "", []
    for line in [*(STUDIES / f"{study}.md").read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            lines.append(_cells(line))
            continue
        if lines and linked:
            tables.append(PageTable(linked, lines[0], lines[2:]))
        if lines:
            lines, linked = [], ""
        for file in re.findall(rf"\(results/{study}/(\w+\.csv)\)", line):
            linked = file
    return tables


def disagreements(study: str, table: PageTable) -> list[str]:
    """Return what is on the page and not, so rounded, in the file."""
    rows = linked_file(study, table.file)
    absent = [name for name in table.columns if name not in rows]
    if absent:
        return [f"{table.file} has no column {', '.join(absent)}"]
    candidates = rows[table.columns].to_numpy().tolist()
    return [
        f"{table.file}: {' | '.join(row)}"
        for row in table.rows
        if len(row) != len(table.columns) or not any(all(map(_same, row, candidate)) for candidate in candidates)
    ]


def numbers_in_prose(study: str) -> set[str]:
    """Return the numbers with decimals outside tables, links and code."""
    text = (STUDIES / f"{study}.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("|", "    ", "!["))]
    return set(NUMBER.findall(re.sub(r"`[^`]*`|\([^)]*\.(?:csv|svg|md)[^)]*\)", "", "\n".join(lines))))


def numbers_of_files(study: str) -> list[str]:
    """Return every number in any CSV file of the study, those inside texts too."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((STUDIES / "results" / study).glob("*.csv"))]
    return re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]\d+)?", "\n".join(texts))


def not_in_files(study: str) -> set[str]:
    """Return numbers of the prose that are no rounding of a number in any file."""
    values = [float(number) for number in numbers_of_files(study)]
    return {text for text in numbers_in_prose(study) if not any(_rounds_to(value, text) for value in values)}


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("*").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _rounds_to(value: float, text: str) -> bool:
    decimals = len(text.partition(".")[2])
    return f"{round(value, decimals) + 0.0:.{decimals}f}" == text  # and no minus before nothing but zeros


def _same(cell: str, written: str) -> bool:
    if cell == written:
        return True
    try:
        value, shown = float(written), cell.lstrip("+").replace(",", "")
        return float(shown) == value or _rounds_to(value, shown) or f"{value:.0e}" == shown
    except ValueError:
        return False
