"""Random files with outliers in what stays and in what is rewritten, and what a release lets through of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalError, ShoalWarning

__all__ = ["METHODS", "LetThrough", "PlantedFile", "let_through", "planted_file"]

METHODS = (
    *("ipso", "ipso:variant=A", "ipso:variant=B", "ipso:orthogonal=true"),
    *("hybrid", "hybrid:small_groups=merge", "hybrid:small_groups=drop-others", "hybrid:orthogonal=true"),
    *("muralidhar-sarathy:alpha=0", "muralidhar-sarathy", "muralidhar-sarathy:alpha=0.9"),
    *("fuzzy-regression:n_clusters=1", "fuzzy-regression:n_clusters=3", "fuzzy-regression:n_clusters=6,m=1.3"),
)
_NEAR = 0.01  # of an outlier's own value
_CLOSE = 1e-3  # standard deviations of the other records
_OUT_OF_PROPORTION = 20  # standard deviations of the other records


@dataclass(frozen=True)
class PlantedFile:
    """A file, its outliers, and how it is protected.

    Attributes
    ----------
    frame
        The columns: y0, y1, ... and c stay, x0, x1, ... are rewritten, s may be a stratum.
    outliers
        The rows in which values of columns that stay are out of all proportion, in x0, x1, ... sometimes too.
    replace
        The method.
    k, options
        The rest of what `shoal.protect` is asked for.
    """

    frame: pd.DataFrame
    outliers: list[int]
    replace: str
    k: int
    options: dict[str, Any]

    @property
    def rewritten(self) -> list[str]:
        """The numbers that are rewritten."""
        return [name for name in self.frame if name.startswith("x")]


@dataclass(frozen=True)
class LetThrough:
    """What a release lets through.

    Attributes
    ----------
    extreme
        The values of outliers that are out of all proportion themselves.
    near
        How many of these come out within 1 % of what they were.
    ordinary
        The other values of outliers.
    ordinary_near
        How many of these come out within 1 % of what they were.
    by_chance
        How many of the released ones are within 1 % of what another record of the same group had, on the average.
    others
        The values of other records.
    close
        How many of these come out within a thousandth of a standard deviation of what they were.
    close_to_another
        How many come out as close to what another release has, of the same file with another seed.
    close_without
        How many come out as close in a release of the file without its outliers.
    """

    extreme: int
    near: int
    ordinary: int
    ordinary_near: int
    by_chance: float
    others: int
    close: int
    close_to_another: int
    close_without: int


def planted_file(seed: int) -> PlantedFile:
    """Return the file of a seed, always the same; the methods take turns."""
    pick, rng = Random(seed), np.random.default_rng(seed)
    n, L, M = pick.choice((50, 80, 150, 300, 600, 1000)), pick.choice((1, 1, 2, 3)), pick.choice((1, 2, 3, 5))
    base = rng.normal(size=(n, L + M)) @ (np.eye(L + M) + pick.choice((0.0, 0.4)) * rng.normal(size=(L + M, L + M)))
    if pick.random() < 0.5:
        base = np.exp(base)
    base = 1e4 * base + pick.choice((0.0, 5e4))
    X, Y = base[:, :L], base[:, L:]
    outliers = pick.sample(range(n), pick.choice((1, 1, 2, 3)))
    scale = 10 ** pick.uniform(3, 12)
    together = pick.random() < 0.4  # in one column, one like the other
    column = pick.randrange(M)
    share = pick.choice((0.0, 0.047, 0.3))
    for row in outliers:
        place = column if together else pick.randrange(M)
        if pick.random() < 0.9:  # the others are far only in what is rewritten
            Y[row, place] = scale * Y[:, place].std() * pick.uniform(1, 1.01 if together else 3)
        if not together and pick.random() < 0.3:
            scale = 10 ** pick.uniform(3, 12)
        for target in range(L):
            kind = pick.choice(("ordinary", "share", "share", "own"))
            if kind == "share" and share:
                X[row, target] = share * Y[row, place] * (1 if together else pick.uniform(0.5, 1.5))
            elif kind == "own":
                X[row, target] = 10 ** pick.uniform(3, 12) * X[:, target].std()
    frame = pd.DataFrame({f"y{j}": Y[:, j] for j in range(M)} | {f"x{j}": X[:, j] for j in range(L)})
    columns = [*frame]
    replace, k = METHODS[seed % len(METHODS)], pick.choice((3, 5, 10))
    if replace.startswith("hybrid") and "small" not in replace:
        k = 2 * L + M + 8
    if pick.random() < 0.4:
        frame["c"] = rng.choice(["a", "b", "c", "d"], size=n, p=[0.5, 0.3, 0.15, 0.05])
        columns.append("c")
        k += 3 * ("hybrid" in replace)
    options: dict[str, Any] = {"columns": columns, "confidential": [f"x{j}" for j in range(L)]}
    if n >= 300 and pick.random() < 0.2:
        frame["s"] = rng.choice(["north", "south"], size=n)
        options["strata"] = "s"
    if not replace.startswith("hybrid") and n >= 300 and pick.random() < 0.2:
        options["method"], k = "mdav", max(k, 40)
    return PlantedFile(frame, outliers, replace, k, options)


def let_through(planted: PlantedFile) -> LetThrough | str:
    """Return what a release of a file lets through, or the error that refuses it."""
    rest = planted.frame.drop(index=planted.outliers).reset_index(drop=True)
    options = planted.options | {"replace": planted.replace}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            release = shoal.protect(planted.frame, planted.k, seed=1, **options)
            again = shoal.protect(planted.frame, planted.k, seed=2, **options)
            without = shoal.protect(rest, planted.k, seed=1, **options)
    except ShoalError as error:
        return f"{type(error).__name__}: {error}"
    frames = planted.frame, release.data, again.data, without.data
    before, one, other, one_without = (frame[planted.rewritten].to_numpy() for frame in frames)
    labels = release.partitions[0].labels
    is_outlier = np.isin(np.arange(len(before)), planted.outliers)
    center, spread = before[~is_outlier].mean(axis=0), before[~is_outlier].std(axis=0)
    is_extreme = np.abs(before - center) > _OUT_OF_PROPORTION * spread
    near = np.abs(one - before) <= _NEAR * np.abs(before)
    by_chance = 0.0
    for row in planted.outliers:
        mates = before[(labels == labels[row]) & ~is_outlier]
        if len(mates):
            same = np.abs(one[row] - mates) <= _NEAR * np.abs(mates)
            by_chance += float(same.mean(axis=0)[~is_extreme[row]].sum())
    close, to_another = (np.abs(one - values)[~is_outlier] <= _CLOSE * spread for values in (before, other))
    return LetThrough(
        int(is_extreme[is_outlier].sum()),
        int((near & is_extreme)[is_outlier].sum()),
        int((~is_extreme)[is_outlier].sum()),
        int((near & ~is_extreme)[is_outlier].sum()),
        by_chance,
        close.size,
        int(close.sum()),
        int(to_another.sum()),
        int((np.abs(one_without - before[~is_outlier]) <= _CLOSE * spread).sum()),
    )
