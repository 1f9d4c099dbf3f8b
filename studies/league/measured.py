"""One entry on one file at one k: protected, measured and timed, or the reason why it is not."""

from __future__ import annotations

import time
import warnings
from typing import Any

import pandas as pd

import shoal
from shoal.errors import ShoalError, ShoalWarning
from studies.league.entries import Entry
from studies.league.files import LeagueFile

__all__ = ["MEASURES", "measured"]

MEASURES = {
    "information_loss": "information_loss",
    "pil": "probabilistic_information_loss",
    "linkage": "distance_linkage",
    "interval_disclosure": "interval_disclosure",
    "attack": "transparency_attack",
    "score": "score",
    "categories_changed": "categories_changed",
}
_ALL_COLUMNS = [name for name in MEASURES.values() if name != "transparency_attack"]
_SEED = 1


def measured(file: LeagueFile, table: pd.DataFrame, entry: Entry, k: int) -> dict[str, Any]:
    """Return the measures over all columns and the processor's seconds, or the reason why there are none."""
    row: dict[str, Any] = {"file": file.name, "method": entry.name, "k": k}
    reason = entry.reason_against(file)
    if reason:
        return {**row, "reason": reason}
    kinds, options = entry.kinds(file, table), entry.protection(file, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        try:  # loads what is compiled; with fewer records it could be other code
            shoal.protect(table, k, kinds=kinds, seed=_SEED, **options)
        except ShoalError as error:
            return {**row, "reason": str(error)}
        begin = time.process_time()
        release = shoal.protect(table, k, kinds=kinds, seed=_SEED, **options)
        seconds = time.process_time() - begin
        of_all = shoal.evaluate(table, release.data, kinds=kinds, measures=_ALL_COLUMNS, aligned=True)
        attack = None
        if release.plan.shown_as not in ("synthetic", "hybrid", "perturbation"):
            attack = release.evaluate(measures=["transparency_attack"]).transparency_attack
    values = {**of_all.measured, "transparency_attack": attack}
    return {
        **row,
        "family": release.plan.shown_as,
        "k_reached": of_all.headline["k"],
        **{name: _number(values.get(measure)) for name, measure in MEASURES.items()},
        "seconds": seconds,
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
