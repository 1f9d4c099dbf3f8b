"""Ways to treat categories, and recodes, in persons of testdata: risk and loss of each."""

from __future__ import annotations

import pandas as pd

import shoal
from shoal.errors import ShoalError

__all__ = ["ways_of_categories"]

_CATEGORIES = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "hhcivil")
_NUMBERS = ("age", "expend", "income", "savings")
_RECODES = {
    "": None,
    "hhcivil=merge:rare=50": {"hhcivil": "merge:rare=50"},
    "age=bands:width=10": {"age": "bands:width=10"},
}
_CASES = [(k, way, "") for k in (3, 5) for way in ("group", "suppress", "within")]
_CASES += [(5, "group", recode) for recode in _RECODES if recode]


def ways_of_categories(persons: pd.DataFrame) -> pd.DataFrame:
    """Return risk, loss of all columns and their mean for every way; without them where it is refused."""
    columns = [*_CATEGORIES, *_NUMBERS]
    table = persons[columns].astype(dict.fromkeys(_CATEGORIES, str))
    rows = []
    for k, way, recode in _CASES:
        row: dict[str, object] = {"k": k, "categories": way, "recode": recode}
        try:
            release = shoal.protect(
                table, k, columns=columns, categories=way, recodes=_RECODES[recode], method="mdav", seed=0
            )
        except ShoalError as error:
            rows.append(row | {"refused": type(error).__name__})
            continue
        found = release.evaluate(measures=["score", "mixed_information_loss"])
        risk, loss = found.score.risk, float(found.mixed_information_loss)
        rows.append(row | {"risk": risk, "loss": loss, "score": (risk + loss) / 2})
    return pd.DataFrame(rows)
