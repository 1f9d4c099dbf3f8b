"""Every group of k to 2k-1 records of a tiny file, with what it costs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import linprog


def groups_by_size(n: int, k: int) -> list[np.ndarray]:
    """Return all groups of k to 2k-1 of n records, one array a size, one line a group."""
    return [np.array(list(combinations(range(n), size))) for size in range(k, min(2 * k - 1, n) + 1)]


def errors_of(X: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the squared error of every group: the squared distances of its pairs, divided by its size."""
    pairs = list(combinations(range(groups.shape[1]), 2))
    return sum(((X[groups[:, a]] - X[groups[:, b]]) ** 2).sum(axis=1) for a, b in pairs) / groups.shape[1]


def penalties_of(groups: np.ndarray, triples: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Return what every group pays: the penalty of each triple of which it holds two or three records."""
    held = np.array([np.isin(groups, triple).sum(axis=1) >= 2 for triple in triples]).reshape(-1, len(groups))
    return penalties @ held


def reduced_costs(
    X: np.ndarray, groups: np.ndarray, prices: np.ndarray, triples: np.ndarray, penalties: np.ndarray
) -> np.ndarray:
    """Return what every group costs, with its penalties, beyond the prices of its records."""
    return errors_of(X, groups) + penalties_of(groups, triples, penalties) - prices[groups].sum(axis=1)


def value_of_program(X: np.ndarray, k: int) -> float:
    """Return the value of the linear program over all groups, from scipy."""
    by_size = groups_by_size(len(X), k)
    costs = np.concatenate([errors_of(X, groups) for groups in by_size])
    uses = np.hstack([(groups[:, :, np.newaxis] == np.arange(len(X))).any(axis=1).T for groups in by_size])
    return float(linprog(costs, A_eq=uses.astype(float), b_eq=np.ones(len(X)), method="highs").fun)
