"""The nineteen points of the thesis: Table 5.2, Figures 5.1, 5.2, 6.1 and 6.2, and the value that no division gives."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.datasets import nineteen_points
from shoal.partition import HAC, MDAV
from studies.hierarchical_clustering.errors import squared_error, standard_scores
from studies.hierarchical_clustering.printed import SDCMICRO

__all__ = ["AS_IN_FIGURE_6_2", "divisions_of_the_rest", "partitions", "sdcmicro_table", "tree"]

AS_IN_FIGURE_6_2 = "Figure 6.2: HAC of the thesis"
_K = 4
# Title, estimator, and what the thesis prints: the squared error and the sizes of the groups.
_PARTITIONS = (
    ("Figure 5.1: MDAV of the thesis", MDAV(_K, variant="thesis"), 7.93, "4 5 5 5"),
    ("Figure 5.2: MDAV of sdcMicro", MDAV(_K, variant="classic"), 8.20, "4 4 4 7"),
    (AS_IN_FIGURE_6_2, HAC(_K, cap="2k-1", linkage="single", completion="thesis"), 20.56, "6 6 7"),
    ("HAC as shoal has it", HAC(_K), None, None),
)


def partitions() -> tuple[pd.DataFrame, dict[str, NDArray[np.int64]]]:
    """Return the squared error and the sizes of the groups of every partition, and the groups themselves by title."""
    X = standard_scores(nineteen_points())
    labels = {title: estimator.fit(X).labels_ for title, estimator, _, _ in _PARTITIONS}
    rows = [
        {
            "partition": title,
            "printed": printed,
            "ours": round(squared_error(X, labels[title]), 4),
            "printed_sizes": printed_sizes,
            "sizes": " ".join(map(str, sorted(np.bincount(labels[title])))),
        }
        for title, _, printed, printed_sizes in _PARTITIONS
    ]
    return pd.DataFrame(rows), labels


def sdcmicro_table() -> pd.DataFrame:
    """Return Table 5.2: what sdcMicro releases for every record, printed and ours."""
    points = nineteen_points()
    labels = MDAV(_K, variant="classic").fit(standard_scores(points)).labels_
    means = points.groupby(labels).transform("mean")
    centres, groups = SDCMICRO
    printed = np.array(centres)[list(groups)]
    frame = points.assign(
        Var1_printed=printed[:, 0], Var2_printed=printed[:, 1], Var1_ours=means["Var1"], Var2_ours=means["Var2"]
    )
    as_printed = frame[frame.columns[2:]].map("{:.6f}".format)  # with the decimals of the thesis
    equal = np.isclose(printed, means.to_numpy(), rtol=0, atol=5e-7).all(axis=1)
    note = np.where(equal, "equal", "differs")
    return frame.assign(**as_printed, note=note).rename_axis("record").rename(lambda row: row + 1).reset_index()


def divisions_of_the_rest() -> pd.DataFrame:
    """Return every way to give the three records that MDAV leaves over to its four groups, the least error first."""
    X = standard_scores(nineteen_points())
    rest, groups = _before_the_rest(X)
    rows = []
    for places in product(range(groups.max() + 1), repeat=len(rest)):
        labels = groups.copy()
        labels[rest] = places
        sizes = " ".join(map(str, sorted(np.bincount(labels))))
        rows.append(
            {"groups_of_the_rest": " ".join(map(str, places)), "sizes": sizes, "error": squared_error(X, labels)}
        )
    return pd.DataFrame(rows).sort_values(["error", "groups_of_the_rest"]).round(4)


def _before_the_rest(X: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the records that the loop of MDAV leaves over, and the group of every other one, -1 for them."""
    groups, left = np.full(len(X), -1), np.arange(len(X))
    number = 0
    while len(left) >= 2 * _K:
        first = left[np.square(X[left] - X[left].mean(axis=0)).sum(axis=1).argmax()]
        second = left[np.square(X[left] - X[first]).sum(axis=1).argmax()]
        for centre in (first, second):
            near = left[np.square(X[left] - X[centre]).sum(axis=1).argsort(kind="stable")[:_K]]
            groups[near], left = number, np.setdiff1d(left, near)
            number += 1
    return left, groups


def tree() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the tree of all merges (Figure 6.1) as SciPy's `linkage` writes it, and the groups it can be cut into."""
    X = standard_scores(nineteen_points())
    merged = HAC(_K, cap="none", linkage="single").fit(X)
    sizes = [1] * len(X)
    for a, b in merged.children_:
        sizes.append(sizes[a] + sizes[b])
    return np.column_stack([merged.children_, merged.distances_, sizes[len(X) :]]), merged.labels_
