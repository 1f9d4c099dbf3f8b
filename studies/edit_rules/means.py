"""Arithmetic against geometric means for possible values and governed variables, where the paper takes the first."""

from __future__ import annotations

import warnings

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.edit_rules.checks import broken_by_shoal
from studies.edit_rules.maskings import RULES, SOME, variables

SIZES = (*SOME, 50, 99)
OF_THE_RULES = variables(3, 8, 12, 13)  # those of EC-PV and EC-GV
MEANS = {"arithmetic": "mean", "geometric": "geometric-mean"}


def arithmetic_and_geometric(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the information that S1 loses with either mean in the variables of these rules, and broken rules."""
    rules = shoal.read_edits(RULES)
    rows = []
    for k in SIZES:
        files = {}
        for name, replacement in MEANS.items():
            replace = dict.fromkeys(OF_THE_RULES, replacement)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ShoalWarning)
                files[name] = shoal.protect(
                    frame, k, columns=list(frame), edits=rules, blocks="rules", replace=replace, seed=0
                ).data
        row: dict[str, object] = {"k": k}
        for name, masked in files.items():
            row[f"loss, {name}"] = float(shoal.measure.information_loss(frame[OF_THE_RULES], masked[OF_THE_RULES]))
        for note, names in (("", OF_THE_RULES), (" of all", list(frame))):
            for name, masked in files.items():
                loss = shoal.measure.probabilistic_information_loss(frame[names], masked[names])
                row[f"PIL{note}, {name}"] = float(loss)
        row["broken"] = sum(sum(broken_by_shoal(frame, masked).values()) for masked in files.values())
        rows.append(row)
    return pd.DataFrame(rows)
