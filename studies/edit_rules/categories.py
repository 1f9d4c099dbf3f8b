"""Rules about categories, which the paper leaves to later work: persons of testdata.csv, with the rules and without."""

from __future__ import annotations

import warnings

import pandas as pd

import shoal
from shoal.edits import check
from shoal.errors import ShoalWarning

CATEGORIES = ["urbrur", "water", "electcon", "relat", "sex", "hhcivil"]
NUMBERS = ["age", "expend", "income", "savings"]
# A spouse is married, a head is at least fifteen, a grandchild is single; nobody below ten is anything else.
RULES = [
    'if relat == "2" then hhcivil == "2"',
    'if relat == "1" then age >= 15',
    'if relat == "5" then hhcivil == "1"',
    'if age < 10 then hhcivil == "1"',
]
SIZES = (3, 5, 10)


def with_categories(persons: pd.DataFrame) -> pd.DataFrame:
    """Return broken rules, changed categories and lost variation, with the rules kept and without."""
    frame = persons[[*CATEGORIES, *NUMBERS]].astype(dict.fromkeys(CATEGORIES, str))
    rows = []
    for k in SIZES:
        for name, rules in (("without rules", None), ("rules kept", RULES)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ShoalWarning)
                masked = shoal.protect(frame, k, columns=list(frame), edits=rules, seed=0).data
            broken = [status.broken for status in check(masked, RULES, original=frame).rules]
            changed = (frame[CATEGORIES] != masked[CATEGORIES]).to_numpy().mean()
            row: dict[str, object] = {"k": k, "masking": name}
            row |= {f"rule {number}": count for number, count in enumerate(broken, 1)}
            row["categories changed, %"] = 100 * float(changed)
            row["loss of numbers, %"] = float(shoal.measure.information_loss(frame[NUMBERS], masked[NUMBERS]))
            rows.append(row)
    return pd.DataFrame(rows)
