"""Hybrid data with the same k and different groups: of MDAV, of mu-Approx, and of records put together at random.

The paper states that good clusters, with a small variance inside, preserve third moments better.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.hybrid_data.moments import differences, lemma_1
from studies.hybrid_data.releases import CONFIDENTIAL

SIZES = (20, 50, 100)
GROUPS = ("mdav", "mu-approx", "at random")


def by_groups(census: pd.DataFrame, seeds: int, jobs: int) -> pd.DataFrame:
    """Return the variance inside groups and what each kind of groups preserves, means over seeds."""
    tasks = [(k, groups, seed) for k in SIZES for groups in GROUPS for seed in range(seeds)]
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(_measured, census, *task) for task in tasks]
        rows = pd.DataFrame([future.result() for future in futures])
    return rows.drop(columns="seed").groupby(["k", "groups"], sort=False).mean().reset_index()


def _measured(census: pd.DataFrame, k: int, groups: str, seed: int) -> dict[str, Any]:
    file, options = census, {"method": groups}
    if groups == "at random":  # a stratum of k records is one group
        parts = np.array_split(np.random.default_rng(seed).permutation(len(census)), len(census) // k)
        labels = np.concatenate([np.full(len(part), number) for number, part in enumerate(parts)])
        file = census.assign(part=pd.Series(labels, index=np.concatenate(parts)).astype(str))
        options = {"strata": "part"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # the other variables are released as they are
        release = shoal.protect(file, k, replace="hybrid", confidential=CONFIDENTIAL, seed=seed, **options)
    original, masked = census[CONFIDENTIAL], release.data[CONFIDENTIAL]
    Z, W = (((one - original.mean()) / original.std()).to_numpy() for one in (original, masked))
    everything = (census - census.mean()) / census.std()
    inside = everything - everything.groupby(release.partitions[0].labels).transform("mean")
    others = everything.drop(columns=CONFIDENTIAL).to_numpy()
    moved = differences(Z, W)
    return {
        "k": k,
        "groups": groups,
        "seed": seed,
        "variance inside, %": 100 * float((inside**2).to_numpy().sum() / (everything**2).to_numpy().sum()),
        "largest of covariances": lemma_1(Z, W, others)["largest of covariances"],
        "third moments": moved["third moments"],
        "fourth moments": moved["fourth moments"],
    }
