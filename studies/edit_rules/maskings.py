"""The file of the paper, its rules, and how it is masked: scenarios S1 and S2, and other readings of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import shoal

RULES = Path(__file__).resolve().parents[2] / "tests" / "edits" / "seed_rules.sch"
PAPER = {"S1": (10, 37.223), "S2": (6, 34.531)}  # the lowest scores it prints, and their k
LARGEST = 99
SOME = (*range(2, 16), 20, 30)  # where readings are compared


def variables(*numbers: int) -> list[str]:
    return [f"V{number}" for number in numbers]


@dataclass(frozen=True)
class Masking:
    """A reading of how the paper masked its file: how many of the rules are kept, and other options of `protect`."""

    rules: int
    options: dict[str, Any]


JOINED = [variables(5, 15, 16), variables(8, 12, 13), variables(9, 10, 14)]
NAMED = (3, 5, 8, 9, 10, 12, 13, 14, 15, 16)  # by the rules that the paper has results for: all but the value domain
MASKINGS = {
    "S1": Masking(5, {"blocks": "rules"}),
    "S2": Masking(0, {"blocks": 3}),
    "S1, without value domain": Masking(4, {"blocks": "rules"}),
    "S1, without, V3 by itself": Masking(
        4, {"blocks": [*JOINED, variables(3), variables(1, 2, 4), variables(6, 7, 11)]}
    ),
    "S1, V1 and V3 by themselves": Masking(
        5, {"blocks": [*JOINED, variables(1), variables(3), variables(2, 4, 6), variables(7, 11)]}
    ),
    "S1, without, rules in one block": Masking(
        4, {"blocks": [variables(*NAMED), variables(1, 2, 4), variables(6, 7, 11)]}
    ),
    "S2, V1 to V13 alone": Masking(0, {"blocks": 3, "columns": variables(*range(1, 14))}),
    "S2, all in one block": Masking(0, {}),
}


def with_added_columns(census: pd.DataFrame) -> pd.DataFrame:
    """Return Census as the paper has it: V1 to V13, and three columns that follow from them."""
    frame = census[sorted(census)].set_axis(variables(*range(1, 14)), axis=1)
    income, inverse = frame.V9.astype(float) + frame.V10, 1 / frame.V11
    return frame.assign(V14=income, V15=inverse, V16=frame.V5 * inverse)


def masked_file(frame: pd.DataFrame, masking: Masking, k: int) -> pd.DataFrame:
    """Return the masked file; k = 1 is the file as it is."""
    if k == 1:
        return frame
    rules = shoal.read_edits(RULES)[: masking.rules] or None
    options = {"columns": list(frame), **masking.options}
    return shoal.protect(frame, k, edits=rules, seed=0, **options).data[options["columns"]]
