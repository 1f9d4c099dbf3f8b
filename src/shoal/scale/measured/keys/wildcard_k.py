"""The k of a release if a missing value agrees with every value, counted on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shoal.scale.cluster import Cluster
from shoal.scale.measured.keys.key_combinations import scatter_keys
from shoal.scale.measured.keys.key_risk import agreeing_frequencies
from shoal.scale.scattered import gathered, targets_in

__all__ = ["wildcard_k"]


def wildcard_k(
    cluster: Cluster, columns: Sequence[str], paths: Sequence[Path], buckets: int, folder: Path
) -> int | None:
    """Return the fewest records that agree in some columns; None where there are too many combinations to compare.

    Parameters
    ----------
    cluster
        The workers.
    columns, paths
        The columns, and files with the rows of the release.
    buckets, folder
        In how many buckets combinations are counted, and a new folder for them.
    """
    for name in ("keys", "risks"):
        (folder / name).mkdir(parents=True)
    cluster.map(
        _scatter_released, enumerate(paths), tuple(columns), buckets, folder / "keys", doing="counting combinations"
    )
    written = [folder / "keys" / f"{number:06}.arrow" for number in range(len(paths))]
    agreeing = agreeing_frequencies(cluster, buckets, written, folder / "risks")
    return None if agreeing is None else int(agreeing.min())


def _scatter_released(numbered: tuple[int, Path], columns: Sequence[str], buckets: int, folder: Path) -> None:
    import pyarrow

    number, path = numbered
    rows = pyarrow.concat_tables([gathered([path], target).select(list(columns)) for target in targets_in(path)])
    units = np.zeros(len(rows), dtype=np.uint64)
    scatter_keys(rows, columns, np.ones(len(rows)), units, buckets, folder / f"{number:06}.arrow")
