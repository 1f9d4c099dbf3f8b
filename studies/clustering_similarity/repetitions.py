"""All measured values: every synthetic file of every repetition, clustered and compared with its original.

A repetition has its own draw for IPSO, its own start for fuzzy regression, and two starts of k-means++: one for the
original, one for every other file. `same file` is the original clustered from both starts: no synthetic file can be
expected to be more similar. `at random` is the second of these clusterings with its records shuffled: similarity by
chance.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd

from shoal import measure
from shoal.errors import ShoalWarning
from studies.clustering_similarity.similarities import (
    AGAINST_PIL,
    FCM,
    FUZZY_RAND,
    MEASURED,
    Clusterings,
    clusterings,
    similarities,
)
from studies.clustering_similarity.synthetic_files import (
    COUNTS,
    FILES,
    LIKELY,
    ORDERS,
    REGRESSION,
    OriginalFile,
    original_file,
    releases,
)

__all__ = ["ALL_SCALED", "FIXED", "READINGS", "REFERENCE", "collect"]

FIXED = (3, 9, 30)  # numbers of clusters that do not grow with the number of models
REFERENCE = ("same file", "at random")
ALL_SCALED = "all variables, scaled"
READINGS = ("rewritten variables alone", "all variables, not scaled")
_READ_AT = (3, 30)  # numbers of clusters of the other readings
_KEYS = ["order", "file", "reading", "release", "c", "k", "clustering", "measure", "alpha"]


class _Comparisons:
    """The clusterings of one original under one reading, and the rows of what is compared with them."""

    def __init__(self, original: OriginalFile, reading: str, counts: tuple[int, ...], repetition: int) -> None:
        self.original, self.reading = original, reading
        self.measured = MEASURED if reading == ALL_SCALED else {FCM: (FUZZY_RAND,)}
        self.rows: list[tuple] = []
        first, self._second = 2 * repetition, 2 * repetition + 1
        shuffled = np.random.default_rng(repetition).permutation(len(original.records))
        self._before: dict[int, Clusterings] = {}
        X = self._matrix(original.records)
        for k in counts:
            self._before[k] = clusterings(X, k, first, self.measured)
            again = clusterings(X, k, self._second, self.measured)
            self._add("same file", 0, k, again, self.measured)
            self._add("at random", 0, k, {name: one[shuffled] for name, one in again.items()}, self.measured)

    def compare(self, release: str, c: int, k: int, masked: pd.DataFrame) -> None:
        """Cluster a synthetic file and compare; where k is not c, only by what is compared with PIL."""
        measured = self.measured if c in (0, k) else AGAINST_PIL
        self._add(release, c, k, clusterings(self._matrix(masked), k, self._second, measured), measured)

    def _add(self, release: str, c: int, k: int, second: Clusterings, measured: dict[str, tuple[str, ...]]) -> None:
        found = similarities(self._before[k], second, measured)
        self.rows.extend((self.reading, release, c, k, *one) for one in found)

    def _matrix(self, table: pd.DataFrame) -> np.ndarray:
        records = self.original.records
        spread = 1.0 if self.reading == "all variables, not scaled" else records.std()
        columns = self.original.dependent if self.reading == "rewritten variables alone" else list(records)
        return ((table - records.mean()) / spread)[columns].to_numpy()


def _repetition(census: pd.DataFrame, order: str, file: str, number: int) -> list[tuple]:
    """Return one row for each measured value of one repetition; in order A what the figures of the paper have."""
    warnings.simplefilter("ignore", ShoalWarning)  # thirty iterations are seldom enough
    original = original_file(census, order, file)
    before, after = original.records, original.dependent
    rows: list[tuple] = []
    comparisons = [_Comparisons(original, ALL_SCALED, COUNTS, number)]
    if order == LIKELY:
        comparisons += [_Comparisons(original, reading, _READ_AT, number) for reading in READINGS]
    for release, c, replace in releases():
        masked = original.synthetic(replace, number)
        for what, function in (("PIL", measure.probabilistic_information_loss), ("linkage", measure.distance_linkage)):
            rows.append(("", release, c, 0, "", what, 0.0, float(function(before[after], masked[after]))))
        for one in comparisons:
            for k in _compared_counts(order, one.reading, release, c):
                one.compare(release, c, k, masked)
    rows += [row for one in comparisons for row in one.rows]
    return [(order, file, *row, number) for row in rows]


def _compared_counts(order: str, reading: str, release: str, c: int) -> list[int]:
    """Return the numbers of clusters into which a synthetic file is put."""
    if reading == ALL_SCALED and not c:
        return list(COUNTS)
    if reading == ALL_SCALED:
        return sorted({c, *FIXED}) if order == LIKELY else [c]
    if release == REGRESSION[0]:
        return [k for k in _READ_AT if k == c]
    return list(_READ_AT) if release == "IPSO-C" else []


def collect(census: pd.DataFrame, repetitions: int, jobs: int) -> pd.DataFrame:
    """Return every measured value of every repetition, one a row."""
    with ProcessPoolExecutor(jobs) as pool:
        tasks = [
            pool.submit(_repetition, census, order, file, number)
            for order in ORDERS
            for file in FILES
            for number in range(repetitions)
        ]
        rows = [row for task in tasks for row in task.result()]
    return pd.DataFrame(rows, columns=[*_KEYS, "value", "repetition"])
