"""One step against edit-then-mask: Census with errors in three variables, so that their sum no longer holds.

Errors are normal, with a tenth of each variable's standard deviation. The file without them is what an analyst wants,
so the loss is measured against that one. In one step, centres are made to satisfy the rule while they are found
("alternate"), or moved there once afterwards ("project"). Edit-then-mask corrects every record first: by the nearest
values that satisfy the rule, in standard scores, or by computing the total anew. Mask-then-edit corrects every released
record. MDAV stands beside them: in one step its means are moved (`repair=True`). So do synthetic data that keep rules,
for other methods that mask under edit rules: IPSO in one group and hybrid data, with all variables drawn anew. They
refuse a file that breaks its rules, and therefore get the edited one.
"""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import shoal
from shoal.errors import ShoalWarning

RULE = "PTOTVAL == POTHVAL + PEARNVAL"
TOTAL, PARTS = "PTOTVAL", ["POTHVAL", "PEARNVAL"]
SIZES, SEEDS, ERROR = (5, 10, 20), range(12), 0.1
WAYS = (
    "one step, alternate",
    "one step, project",
    "edit (nearest), then mask",
    "edit (total anew), then mask",
    "mask, then edit",
    "MDAV, one step",
    "MDAV, edit (nearest), then mask",
    "IPSO, edit (nearest), then draw",
    "hybrid, edit (nearest), then draw",
)
SYNTHETIC = {"IPSO": "ipso", "hybrid": "hybrid:small_groups=merge"}


def with_errors(census: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the file with errors in the variables of the rule."""
    rng, columns = np.random.default_rng(seed), [TOTAL, *PARTS]
    errors = rng.normal(0, ERROR * census[columns].std().to_numpy(), (len(census), 3))
    return census.astype(float).assign(**{name: census[name] + errors[:, j] for j, name in enumerate(columns)})


def nearest(table: pd.DataFrame, scale: NDArray[np.float64]) -> pd.DataFrame:
    """Return the file with every record moved to the nearest values, in standard scores, that satisfy the rule."""
    columns = [TOTAL, *PARTS]
    slope = np.array([1.0, -1.0, -1.0]) * scale
    off = (table[TOTAL] - table[PARTS].sum(axis=1)).to_numpy()
    moved = table[columns].to_numpy() - np.outer(off / (slope @ slope), slope * scale)
    result = table.assign(**{name: moved[:, j] for j, name in enumerate(columns)})
    return result.assign(**{TOTAL: result[PARTS].sum(axis=1)})  # exactly


def released(file: pd.DataFrame, way: str, k: int, seed: int) -> pd.DataFrame:
    """Return the release of a file with errors."""
    scale = file[[TOTAL, *PARTS]].std().to_numpy()
    fuzzy: dict[str, Any] = {"method": "fuzzy", "seed": seed}
    if way.startswith("one step"):
        mode = way.split(", ")[1]
        return shoal.protect(file, k, method=f"fuzzy:mode={mode}", seed=seed, edits=[RULE]).data
    if way == "mask, then edit":
        return nearest(shoal.protect(file, k, **fuzzy).data, scale)
    if way == "MDAV, one step":
        return shoal.protect(file, k, edits=[RULE], repair=True, seed=seed).data
    anew = file.assign(**{TOTAL: file[PARTS].sum(axis=1)})
    edited = anew if "anew" in way else nearest(file, scale)
    if way.split(", ")[0] in SYNTHETIC:
        replace = SYNTHETIC[way.split(", ")[0]]
        return shoal.protect(edited, k, replace=replace, confidential=list(file), seed=seed, edits=[RULE]).data
    return shoal.protect(edited, k, seed=seed, edits=[RULE], **({} if "MDAV" in way else {"method": "fuzzy"})).data


def measured(census: pd.DataFrame, case: tuple[int, str, int]) -> dict[str, Any]:
    """Make one release, and measure it against the files without and with errors."""
    warnings.simplefilter("ignore", ShoalWarning)
    k, way, seed = case
    file = with_errors(census, seed)
    data = released(file, way, k, seed)
    columns = [TOTAL, *PARTS]
    truth, errors = census.astype(float), file

    def loss(original: pd.DataFrame, names: list[str]) -> float:
        return 100 * float((((data[names] - original[names]) / truth[names].std()) ** 2).to_numpy().mean())

    score = shoal.evaluate(truth, data, measures=["score"], aligned=True).score
    broken = float((data[TOTAL] - data[PARTS].sum(axis=1)).abs().max()) > 1e-6 * float(data[TOTAL].abs().max())
    return {
        "k": k,
        "way": way,
        "seed": seed,
        "loss": loss(truth, list(census)),
        "loss in the rule": loss(truth, columns),
        "loss, with errors": loss(errors, list(census)),
        "score": float(score),
        "risk": score.risk,
        "PIL": score.loss,
        "rule holds": not broken,
    }


def table(pool: Executor, census: pd.DataFrame) -> pd.DataFrame:
    """Return the means over files with different errors."""
    cases = [(k, way, seed) for k in SIZES for way in WAYS for seed in SEEDS]
    rows = pd.DataFrame(pool.map(partial(measured, census), cases))
    one_step = rows["way"].map(lambda way: WAYS[5] if "MDAV" in way else WAYS[0])
    keys = ["k", "way", "seed"]
    in_one_step = rows.set_index(keys)["loss"].loc[list(zip(rows["k"], one_step, rows["seed"], strict=True))]
    rows["more than in one step"] = rows["loss"].to_numpy() - in_one_step.to_numpy()
    groups = rows.drop(columns="seed").groupby(["k", "way"], sort=False)
    means = groups.mean().reset_index()
    error = groups["more than in one step"].sem().to_numpy()
    return means.assign(**{"standard error": error, "rule holds": means["rule holds"] == 1})
