"""Geometric means of variables that may be negative or zero, as products in edit rules need them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.replace.aggregate import GeometricMean, Mean
from shoal.replace.members import Members

__all__ = ["signed_geometric_means"]

Doubles = NDArray[np.float64]


def signed_geometric_means(
    columns: Mapping[str, Doubles], members: Members, weights: Doubles | None, rng: np.random.Generator
) -> dict[str, Doubles]:
    """Return the geometric mean of every group and column, with the sign that all records of the group have.

    A group in which the values of one column differ in sign has no geometric mean there; it gets plain means in all
    columns alike.

    Parameters
    ----------
    columns
        The variables, n numbers each.
    members
        The records of every group.
    weights
        How many records each record stands for; None: each for itself.
    rng
        Passed on to the replacements, which do not draw from it.
    """
    starts = members.starts[:-1]
    signs = {name: np.sign(column[members.records]) for name, column in columns.items()}
    same_sign = np.ones(len(starts), dtype=bool)
    for sign in signs.values():
        same_sign &= np.minimum.reduceat(sign, starts) == np.maximum.reduceat(sign, starts)
    means = {}
    for name, column in columns.items():
        plain = Mean().representatives(column, members, rng=rng, weights=weights, column=name)
        sizes = np.where(column == 0, 1.0, np.abs(column))
        geometric = GeometricMean().representatives(sizes, members, rng=rng, weights=weights, column=name)
        means[name] = np.where(same_sign, signs[name][starts] * geometric, plain)
    return means
