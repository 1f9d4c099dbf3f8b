"""Rules with synthetic and hybrid data, which the paper does not have: records that break one, and moments kept."""

from __future__ import annotations

import warnings

import pandas as pd

import shoal
from shoal.edits import check
from shoal.errors import ShoalWarning

K = 10
REWRITTEN = ["FEDTAX", "TAXINC", "PTOTVAL", "POTHVAL", "PEARNVAL"]
RULES = ["PTOTVAL == POTHVAL + PEARNVAL", "FEDTAX <= TAXINC", *(f"{name} >= 0" for name in REWRITTEN)]
REPLACEMENTS = ("hybrid:small_groups=merge", "muralidhar-sarathy", "ipso", "fuzzy-regression:n_clusters=5")


def with_synthetic(census: pd.DataFrame) -> pd.DataFrame:
    """Return broken rules and the largest differences of means and covariances, without the rules and with them."""
    rows = []
    for replace in REPLACEMENTS:
        drawn, kept = _released(census, replace, None), _released(census, replace, RULES)
        off_as_drawn, off_kept = _off(census, drawn), _off(census, kept)
        rows.append(
            {
                "replacement": replace,
                "broken, as drawn": _records_that_break(drawn),
                "broken, kept": _records_that_break(kept),
                "means, as drawn": off_as_drawn[0],
                "means, kept": off_kept[0],
                "covariances, as drawn": off_as_drawn[1],
                "covariances, kept": off_kept[1],
            }
        )
    return pd.DataFrame(rows)


def _released(census: pd.DataFrame, replace: str, rules: list[str] | None) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.protect(census, K, replace=replace, confidential=REWRITTEN, edits=rules, seed=1).data


def _records_that_break(masked: pd.DataFrame) -> int:
    statuses = check(masked, RULES, first=len(masked)).rules
    return len({record for status in statuses for record in status.first})


def _off(census: pd.DataFrame, masked: pd.DataFrame) -> tuple[float, float]:
    """Return the largest difference of a mean, in standard deviations, and of a covariance, in products of two."""
    scale = census.std()
    original, new = census / scale, masked[census.columns] / scale
    means = (original.mean() - new.mean())[REWRITTEN].abs().max()
    covariances = (original.cov() - new.cov()).loc[REWRITTEN].abs().to_numpy().max()
    return _unless_rounding(means), _unless_rounding(covariances)


def _unless_rounding(value: float) -> float:
    return 0.0 if value < 1e-9 else value
