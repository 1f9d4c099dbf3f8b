"""More kinds of rules, which the paper leaves to later work: Census with each kind kept, and without."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pandas as pd

import shoal
from shoal.edits import check
from shoal.errors import ShoalWarning
from studies.edit_rules.maskings import variables

SIZES = (3, 5, 10)
KINDS = {
    "orders": ("V5 <= V12", "V12 <= V2"),
    "limit of a part": ("V5 <= 0.3 * V12",),
    "whole numbers in a sum": ("V9 + V10 == V14", "V9 is integer", "V10 is integer", "V14 is integer"),
    "definition": ("share == V9 / (V9 + V10)", "0 <= share <= 1"),
    "chain of definitions": ("V9 + V10 == V14", "taxes == V5 + V6 + V11", "rate == taxes / V14", "rate <= 3"),
}
ALL = "all of these"
# How variables are cut into blocks, without rules and with them.
BLOCKS = {"one": (None, None), "the paper's": (3, "rules")}


def with_defined_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return V1 to V14 of the paper's file, and three columns that are computed from them."""
    frame = frame[variables(*range(1, 15))]
    taxes = frame.V5 + frame.V6 + frame.V11
    return frame.assign(share=frame.V9 / (frame.V9 + frame.V10), taxes=taxes, rate=taxes / frame.V14)


def by_kind_of_rule(frame: pd.DataFrame) -> pd.DataFrame:
    """Return records that break a rule and the information lost, without rules and with those of each kind kept."""
    frame = with_defined_columns(frame)
    every = list(dict.fromkeys(rule for rules in KINDS.values() for rule in rules))
    rows = []
    for blocks, (without, kept) in BLOCKS.items():
        for k in SIZES:
            free = _masked(frame, k, None, without)
            for kind, rules in (KINDS | {ALL: every}).items():
                files = {"without": free, "kept": _masked(frame, k, rules, kept)}
                row: dict[str, object] = {"blocks": blocks, "k": k, "rules": kind}
                # Means keep sums up to rounding, which is not counted against a file that was promised nothing.
                row["broken, without"] = _records_that_break(free, rules, tolerance=1e-9)
                row["broken, kept"] = _records_that_break(files["kept"], rules, tolerance=0.0)
                for name, file in files.items():
                    row[f"loss, {name}"] = float(shoal.measure.information_loss(frame, file))
                for name, file in files.items():
                    row[f"PIL, {name}"] = float(shoal.measure.probabilistic_information_loss(frame, file))
                rows.append(row)
    return pd.DataFrame(rows)


def _masked(frame: pd.DataFrame, k: int, rules: Sequence[str] | None, blocks: int | str | None) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.protect(frame, k, columns=list(frame), edits=rules, blocks=blocks, seed=0).data


def _records_that_break(masked: pd.DataFrame, rules: Sequence[str], tolerance: float) -> int:
    """Return how many records break at least one of the rules."""
    statuses = check(masked, rules, tolerance=tolerance, first=len(masked)).rules
    return len({record for status in statuses for record in status.first})
