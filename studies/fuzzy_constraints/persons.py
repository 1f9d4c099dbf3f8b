"""Persons among the centres: Census, released by the algorithm as published, and by shoal's rule for centres."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from shoal.replace import MembershipDraw

SETTINGS = ((3, 1.1), (3, 1.2), (5, 1.2), (10, 1.3))
UNCHANGED = 1e-3  # standard deviations, in all variables


def table(census: pd.DataFrame) -> pd.DataFrame:
    """Return how many records come out unchanged, and how many centres fewer than k records get."""
    warnings.simplefilter("ignore", ShoalWarning)
    rows = []
    for k, m in SETTINGS:
        for title, at_least in (("as published", None), ("shoal", "k")):
            draw = MembershipDraw(at_least=at_least)
            released = shoal.protect(census, k, method=f"fuzzy:m={m}", replace=draw, seed=0).data
            rows.append({"k": k, "m1 = m2": m, "algorithm": title} | counts(census, released, k))
    return pd.DataFrame(rows)


def counts(census: pd.DataFrame, released: pd.DataFrame, k: int) -> dict[str, Any]:
    apart = ((released - census) / census.std()).abs().max(axis=1)
    carried = released.groupby(list(released)).size()
    return {
        "records unchanged": int((apart <= UNCHANGED).sum()),
        "centres released": len(carried),
        "centres with fewer than k records": int((carried < k).sum()),
    }
