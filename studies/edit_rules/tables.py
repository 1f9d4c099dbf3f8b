"""The tables of the study: loss, risk and score over k, broken rules, and the lowest score under each reading."""

from __future__ import annotations

import pandas as pd

from studies.edit_rules.checks import KINDS
from studies.edit_rules.maskings import PAPER, SOME
from studies.edit_rules.readings import DEFAULT, PARTS, READINGS, SUBSETS


def best(rows: pd.DataFrame, reading: str) -> tuple[int, float]:
    """Return the k above 1 with the lowest score, and that score."""
    scores = rows[rows.k > 1].set_index("k")[f"{reading}: score"]
    return int(scores.idxmin()), float(scores.min())


def scores(measured: pd.DataFrame) -> pd.DataFrame:
    """Return PIL, DR and score of both scenarios for every k, as shoal measures and over subsets of variables."""
    by_k = {name: measured[measured.masking == name].set_index("k") for name in PAPER}
    columns = {
        f"{name} {part}{note}": rows[f"{reading}: {part}"]
        for reading, note in ((DEFAULT, ""), (SUBSETS, ", subsets"))
        for name, rows in by_k.items()
        for part in PARTS
    }
    return pd.DataFrame(columns).reset_index()


def lowest(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest scores that the paper prints, and ours under both readings."""
    rows = []
    for name, (k, score) in PAPER.items():
        ours = measured[measured.masking == name]
        row: dict[str, object] = {"scenario": name, "paper": score, "paper's k": k}
        for reading, note in ((DEFAULT, "as shoal measures"), (SUBSETS, "over subsets")):
            at = ours.set_index("k")[f"{reading}: score"]
            least = best(ours, reading)
            row |= {note: least[1], f"k, {note}": least[0], f"{note}, at the paper's k": at[k]}
        rows.append(row)
    return pd.DataFrame(rows)


def broken_rules(measured: pd.DataFrame) -> pd.DataFrame:
    """Return, for each rule, how many records break it in all files from k = 2 on together."""
    rows = []
    for name in PAPER:
        for checker in ("shoal", "Saxon"):
            if f"{KINDS[0]}, {checker}" in measured:
                some = measured[(measured.masking == name) & (measured.k > 1)].dropna(subset=f"{KINDS[0]}, {checker}")
                counts = {kind: int(some[f"{kind}, {checker}"].sum()) for kind in KINDS}
                rows.append({"scenario": name, "checked by": checker, "files": len(some)} | counts)
    return pd.DataFrame(rows)


def by_reading(measured: pd.DataFrame, at_the_papers_k: bool = False) -> pd.DataFrame:
    """Return the lowest score for some k, and its k, of each masking under each reading; or that at the paper's k."""
    rows = []
    for name in measured.masking.unique():
        some = measured[(measured.masking == name) & measured.k.isin(SOME)]
        if at_the_papers_k:
            some = some[some.k == PAPER[name[:2]][0]]
        row: dict[str, object] = {"masking": name}
        for title in READINGS:
            if some[f"{title}: score"].notna().all():
                k, score = best(some, title)
                row |= {title: score} if at_the_papers_k else {title: score, f"k, {title}": k}
        rows.append(row)
    return pd.DataFrame(rows)
