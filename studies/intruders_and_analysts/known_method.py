"""What an intruder finds who knows the method, k and the blocks, and some variables of everybody."""

from __future__ import annotations

from typing import Any

import pandas as pd

from shoal.measure import transparency_attack
from studies.intruders_and_analysts.releases import released

__all__ = ["found_by_method"]

_K = 3
_COLUMN_BY_COLUMN = "optimal univariate, each variable by itself"
_IN_THREES = "MDAV in blocks of three"
_WHOLE = "MDAV, all variables together"
# How the file is masked, how many blocks are known (None: all of them), and in words.
_CASES: tuple[tuple[str, str, int | None, int | None, str], ...] = (
    (_COLUMN_BY_COLUMN, "optimal-univariate", 1, 1, "one variable"),
    (_COLUMN_BY_COLUMN, "optimal-univariate", 1, 2, "two variables, all pairs"),
    (_IN_THREES, "mdav", 3, 1, "one block"),
    (_IN_THREES, "mdav", 3, 2, "two blocks"),
    (_IN_THREES, "mdav", 3, None, "all blocks"),
    (_WHOLE, "mdav", None, None, "all variables"),
)


def found_by_method(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rates of the attack on tables of numbers, a row for each file, masking and knowledge."""
    rows = []
    for file, table in tables.items():
        numbers = dict.fromkeys(table, "continuous")
        for masked_by, method, blocks, known, words in _CASES:
            release = released(table, _K, method=method, blocks=blocks, kinds=numbers)
            attack: Any = transparency_attack(table, release.data, method=method, k=_K, blocks=blocks, known=known)
            rows.append(
                {
                    "file": file,
                    "masked by": masked_by,
                    "known": words,
                    "expected": attack.expected,
                    "certain": attack.certain,
                    "coverage": attack.coverage,
                    "false unique": attack.false_unique,
                    "plain linkage": attack.linkage,
                }
            )
    return pd.DataFrame(rows)
