"""What an intruder learns who guesses a variable from the others, with the release and without it."""

from __future__ import annotations

import pandas as pd

from shoal.measure import attribute_attack
from studies.intruders_and_analysts.releases import confidential, released

__all__ = ["right_guesses"]

_ORIGINAL = "the original itself"
_MERGED = "hybrid:small_groups=merge"
_OF_ALL = {
    "MDAV, k = 3": (3, {}),
    "MDAV, k = 10": (10, {}),
}
_OF_SOME = {
    "hybrid, k = 5": (5, {"replace": _MERGED}),
    "hybrid, k = 200": (200, {"replace": _MERGED}),
    "IPSO": (5, {"replace": "ipso"}),
    "Muralidhar-Sarathy": (5, {"replace": "muralidhar-sarathy"}),
}


def right_guesses(census: pd.DataFrame) -> pd.DataFrame:
    """Return the percentage of right guesses, with the release and from the other original records."""
    rows = [_row(_ORIGINAL, census, census, None)]
    for name, (k, how) in _OF_ALL.items():
        rows.append(_row(name, census, released(census, k, **how).data, None))
    some = confidential(census)
    for name, (k, how) in _OF_SOME.items():
        rows.append(_row(name, census, released(census, k, confidential=some, **how).data, some))
    return pd.DataFrame(rows)


def _row(name: str, original: pd.DataFrame, masked: pd.DataFrame, columns: list[str] | None) -> dict[str, object]:
    attack = attribute_attack(original, masked, columns=columns)
    guessed = "all variables" if columns is None else f"{len(columns)} variables"
    return {
        "release": name,
        "guessed": guessed,
        "right guesses": attack.success,
        "without the release": attack.baseline,
        "gain": float(attack),
    }
