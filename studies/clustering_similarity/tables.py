"""Tables of the study: a row for each file and release, a column for each number of models or of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from studies.clustering_similarity.repetitions import ALL_SCALED, FIXED, READINGS, REFERENCE
from studies.clustering_similarity.similarities import AGAINST_PIL, FCM, FUZZY_RAND, MEASURED
from studies.clustering_similarity.synthetic_files import COUNTS, FILES, IPSO, ORDERS, REGRESSION

__all__ = ["NAMES", "against_pil", "curve", "differences", "loss", "other_readings", "rank_correlations", "similarity"]

NAMES = (*REFERENCE, *IPSO, *REGRESSION)


def curve(rows: pd.DataFrame, release: str, clustering: str, what: str, k: int | None = None) -> pd.Series:
    """Return mean values over c with k fixed, or over k; those of fuzzy regression then with c = k models."""
    rows = rows[(rows.release == release) & (rows.clustering == clustering) & (rows.measure == what)]
    if k is not None:
        return rows[rows.k == k].groupby("c").value.mean()
    return rows[(rows.c == 0) | (rows.c == rows.k)].groupby("k").value.mean()


def loss(rows: pd.DataFrame, what: str, orders: Iterable[str] = ORDERS) -> pd.DataFrame:
    """Return PIL or linkage over the number of models; a release of IPSO has none and the same value throughout."""
    table = []
    for order in orders:
        for file in FILES:
            of_file = rows[(rows.order == order) & (rows.file == file) & (rows.measure == what)]
            for release in IPSO + REGRESSION:
                by_count = of_file[of_file.release == release].groupby("c").value
                means = by_count.mean()
                values = {f"c = {c}": means.get(c, means.iloc[0]) for c in COUNTS}
                row = {"order": order, "file": file, "release": release, **values}
                table.append(row | {"largest sd": by_count.std(ddof=0).max()})
    return pd.DataFrame(table)


def similarity(rows: pd.DataFrame, measured: Sequence[tuple[str, str]], files: Iterable[str] = FILES) -> pd.DataFrame:
    """Return these measures after these clusterings over the number of clusters; distances for each alpha."""
    rows = rows[rows.reading == ALL_SCALED]
    table = []
    for file in files:
        for clustering, what in measured:
            some = rows[(rows.file == file) & (rows.clustering == clustering) & (rows.measure == what)]
            for alpha in sorted(some.alpha.unique()):
                for release in NAMES:
                    values = curve(some[some.alpha == alpha], release, clustering, what)
                    row = {"file": file, "clustering": clustering, "measure": what, "alpha": alpha, "release": release}
                    table.append(row | {f"k = {k}": value for k, value in values.items()})
    frame = pd.DataFrame(table)
    return frame if (frame.alpha > 0).all() else frame.drop(columns="alpha")


def differences(rows: pd.DataFrame) -> pd.DataFrame:
    """Return fuzzy regression minus IPSO-C, repetition by repetition, with its standard error; c = k."""
    rows = rows[(rows.reading == ALL_SCALED) & ((rows.c == 0) | (rows.c == rows.k))]
    each = rows.groupby(["file", "clustering", "measure", "release", "k", "repetition"]).value.mean()
    table = []
    for file in FILES:
        for clustering, what in ((name, what) for name, measures in MEASURED.items() for what in measures):
            for release in REGRESSION:
                for k in (3, 6, 9, 30):
                    of_file = each[file, clustering, what]
                    difference = of_file[release, k] - of_file["IPSO-C", k]
                    row = {"file": file, "clustering": clustering, "measure": what, "release": release, "k": k}
                    error = difference.std() / np.sqrt(len(difference))
                    table.append(row | {"difference": difference.mean(), "standard error": error})
    return pd.DataFrame(table)


def against_pil(rows: pd.DataFrame) -> pd.DataFrame:
    """Return PIL and similarity of every synthetic file, for fixed numbers of clusters and for as many as models."""
    rows = rows[~rows.release.isin(REFERENCE) & ~rows.reading.isin(READINGS)]
    means = rows.groupby(["file", "clustering", "measure", "release", "c", "k"]).value.mean()
    table = []
    for file in FILES:
        for clustering, (what,) in AGAINST_PIL.items():
            for release in IPSO + REGRESSION:
                for (c, k), value in means[file, clustering, what, release].items():
                    if k in FIXED or k == c:
                        row = {"file": file, "clustering": clustering, "measure": what, "release": release}
                        pil = means[file, "", "PIL", release, c, 0]
                        table.append(row | {"c": c, "k": k, "PIL": pil, "value": value})
    return pd.DataFrame(table)


def rank_correlations(points: pd.DataFrame) -> pd.DataFrame:
    """Return the rank correlation of PIL and each similarity over the files of fuzzy regression with each m."""
    table = []
    keys = ["file", "clustering", "measure", "release"]
    for names, some in points[points.release.isin(REGRESSION)].groupby(keys, sort=False):
        row = dict(zip(keys, names, strict=True))
        choices = {"k = c": some[some.k == some.c], **{f"k = {k}": some[some.k == k] for k in FIXED}}
        table.append(row | {name: one.PIL.rank().corr(one.value.rank()) for name, one in choices.items()})
    return pd.DataFrame(table)


def other_readings(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the fuzzy Rand index after fuzzy c-means if other variables or other units are clustered; c = k."""
    table = []
    for reading in (ALL_SCALED, *READINGS):
        for file in FILES:
            some = rows[(rows.reading == reading) & (rows.file == file)]
            releases = {name: curve(some, name, FCM, FUZZY_RAND) for name in (*REFERENCE, "IPSO-C", REGRESSION[0])}
            for k in (3, 30):
                values = {name: one[k] for name, one in releases.items()}
                table.append({"clustered": reading, "file": file, "k": k, **values})
    return pd.DataFrame(table)
