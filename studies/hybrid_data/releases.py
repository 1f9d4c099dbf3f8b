"""The files that are compared: hybrid data, plain microaggregation with the same groups, and Muralidhar-Sarathy."""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.hybrid_data.moments import differences, lemma_1, lemma_2

CONFIDENTIAL = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]
SIZES = (20, 30, 50, 75, 100, 150, 200, 300, 540, 1080)
ALPHAS = (0.1, 0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
HYBRID, PLAIN, MS = "hybrid", "plain MDAV", "Muralidhar-Sarathy"
SUBFILES, RECORDS = 20, 100
RISKS = {
    "PIL": "probabilistic_information_loss",
    "linkage": "distance_linkage",
    "intervals": "interval_disclosure",
}


def cases() -> list[tuple[str, str]]:
    """Return method and parameter of every file."""
    return [
        *((HYBRID, f"k = {k}") for k in SIZES),
        *((PLAIN, f"k = {k}") for k in SIZES),
        *((MS, f"alpha = {alpha}") for alpha in ALPHAS),
    ]


def options_of(method: str, parameter: str) -> dict[str, Any]:
    value = parameter.rpartition(" ")[2]
    if method == PLAIN:
        return {"k": int(value)}
    if method == HYBRID:
        # As the paper has it: groups in which a record stands alone are not merged.
        return {"k": int(value), "replace": "hybrid:small_groups=accept", "confidential": CONFIDENTIAL}
    return {"k": 20, "replace": f"muralidhar-sarathy:alpha={value}", "confidential": CONFIDENTIAL}


def measured_file(census: pd.DataFrame, method: str, parameter: str, seed: int) -> dict[str, Any]:
    """Make one file and measure its confidential variables, in units of the original's standard deviations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # the other variables are released as they are
        release = shoal.protect(census, seed=seed, **options_of(method, parameter))
    original, masked = census[CONFIDENTIAL], release.data[CONFIDENTIAL]
    Z, W = (((file - original.mean()) / original.std()).to_numpy() for file in (original, masked))
    kept = census.drop(columns=CONFIDENTIAL)
    others = ((kept - kept.mean()) / kept.std()).to_numpy()
    row: dict[str, Any] = {"method": method, "parameter": parameter, "seed": seed}
    row |= lemma_1(Z, W, others) | lemma_2(Z, W, release.partitions[0].labels) | differences(Z, W)
    rng = np.random.default_rng(seed)
    subfiles = [rng.choice(len(Z), RECORDS, replace=False) for _ in range(SUBFILES)]
    parts = pd.DataFrame([differences(Z[some], W[some]) for some in subfiles]).mean()
    row |= {f"{name} of sub-files": value for name, value in parts.items()}
    tenths = np.array_split(np.argsort(census.AGI.to_numpy(), kind="stable"), 10)
    parts = pd.DataFrame([differences(Z[some], W[some]) for some in tenths]).mean()
    row |= {f"{name} of tenths": value for name, value in parts.items()}
    evaluation = shoal.evaluate(original, masked, measures=list(RISKS.values()))
    return row | {name: evaluation.measured[measure] for name, measure in RISKS.items()}


def collect(census: pd.DataFrame, seeds: int, jobs: int) -> pd.DataFrame:
    """Return one row for each file; plain microaggregation draws nothing and has one."""
    tasks = [(*case, seed) for case in cases() for seed in range(1 if case[0] == PLAIN else seeds)]
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(measured_file, census, *task) for task in tasks]
        return pd.DataFrame([future.result() for future in futures])


def difference_from_ipso(census: pd.DataFrame) -> float:
    """Return the largest difference, in standard deviations, of hybrid data in one group and IPSO of the same seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        files = [
            shoal.protect(census, len(census), replace=name, confidential=CONFIDENTIAL, seed=0).data[CONFIDENTIAL]
            for name in ("hybrid", "ipso")
        ]
    return float(((files[0] - files[1]).abs() / census[CONFIDENTIAL].std()).to_numpy().max())


def unchanged_records(census: pd.DataFrame, sizes: range) -> pd.DataFrame:
    """Return how many records a file keeps as they were if groups too small for IPSO are accepted."""
    rows = []
    for k in sizes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            options = {"replace": "hybrid:small_groups=accept", "confidential": CONFIDENTIAL, "seed": 0}
            masked = shoal.protect(census, k, **options).data
        moved = np.abs(masked[CONFIDENTIAL] - census[CONFIDENTIAL]) / census[CONFIDENTIAL].std()
        rows.append({"k": k, "unchanged": int((moved.max(axis=1) < 1e-9).sum())})
    return pd.DataFrame(rows)
