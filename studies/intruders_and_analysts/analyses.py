"""What analysts lose: models, predictions, cross-tables and totals, beside PIL and the squared error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

import shoal
from studies.intruders_and_analysts.releases import released

__all__ = ["lost_for_analyses"]

_MERGED = "hybrid:small_groups=merge"
_RELEASES: dict[str, tuple[int, Mapping[str, Any]]] = {
    "MDAV, k = 3": (3, {}),
    "MDAV, k = 5": (5, {}),
    "MDAV, k = 10": (10, {}),
    "MDAV, k = 50": (50, {}),
    "MDAV, k = 200": (200, {}),
    "hybrid, k = 5": (5, {"replace": _MERGED}),
    "hybrid, k = 200": (200, {"replace": _MERGED}),
    "IPSO": (5, {"replace": "ipso"}),
    "shuffle": (5, {"replace": "shuffle"}),
    "rank swapping, p = 15": (5, {"replace": "rank-swap:p=15"}),
}


def lost_for_analyses(census: pd.DataFrame) -> pd.DataFrame:
    """Return the loss for analyses and its four parts, where all variables are protected or rewritten."""
    rows = []
    for name, (k, how) in _RELEASES.items():
        everything = {"confidential": list(census)} if "hybrid" in name or name == "IPSO" else {}
        release = released(census, k, **everything, **how)
        found = shoal.measure.analytical_loss(census, release.data)
        rows.append(
            {
                "release": name,
                "analyses": float(found),
                "models": found.models,
                "predictions": found.predictions,
                "tables": found.tables,
                "totals": found.totals,
                "PIL": float(shoal.measure.probabilistic_information_loss(census, release.data)),
                "loss": float(shoal.measure.information_loss(census, release.data)),
            }
        )
    return pd.DataFrame(rows)
