"""The transparency attack, record by record: METHODS 14 as it is written, with loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Chance = Callable[[int, int], float]
"""How likely a masked record, by its row, is that of a target, by its row."""


def rates(counts: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return all rates from the chance of every masked record for every target, 0 for those that are ruled out."""
    found = dict.fromkeys(("expected", "best_guess", "certain", "coverage", "false_unique"), 0.0)
    for target, chances in enumerate(counts):
        true, left = chances[target], [chance for chance in chances if chance > 0]
        if not left:
            continue
        likely = [chance for chance in left if chance >= max(left) * (1 - 1e-9)]
        found["expected"] += true / sum(left)
        found["best_guess"] += (true in likely) / len(likely)
        found["certain"] += len(left) == 1 and true > 0
        found["coverage"] += true > 0
        found["false_unique"] += len(left) == 1 and true == 0
    return {name: 100 * count / len(counts) for name, count in found.items()}


def by_distance(
    X: np.ndarray, Y: np.ndarray, blocks: Sequence[Sequence[int]], *, nearest: int | None = None, nominal: Any = ()
) -> list[list[float]]:
    """Return 1 for the records left for every target in the fewest nearest groups of each block that leave one."""
    deviations = [np.nanstd(column, ddof=1) for column in X.T]
    records = range(len(X))
    ranks = []
    for block in blocks:
        centres = {tuple(masked_row(Y, record, block)) for record in records}
        known = [
            {centre: distance(X, Y, target, centre, block, deviations, nominal) for centre in centres}
            for target in records
        ]
        ranks.append(
            [[rank_of(known[target], tuple(masked_row(Y, record, block))) for record in records] for target in records]
        )
    counts = []
    for target in records:
        last = [max(own[target][record] for own in ranks) for record in records]
        reach = min(last) if nearest is None else nearest
        counts.append([float(rank <= reach) for rank in last])
    return counts


def masked_row(Y: np.ndarray, record: int, block: Sequence[int]) -> list[float | None]:
    return [None if math.isnan(Y[record, column]) else float(Y[record, column]) for column in block]


def distance(
    X: np.ndarray,
    Y: np.ndarray,
    target: int,
    centre: Sequence[float | None],
    block: Sequence[int],
    deviations: Sequence[float],
    nominal: Any,
) -> float:
    """Return the distance over what both have, scaled up; infinite where missing values rule the group out."""
    total, seen, observed = 0.0, 0, 0
    for column, value in zip(block, centre, strict=True):
        own = X[target, column]
        if math.isnan(own):
            keeps = all(math.isnan(y) for x, y in zip(X[:, column], Y[:, column], strict=True) if math.isnan(x))
            if keeps and value is not None:
                return math.inf
            continue
        observed += 1
        if value is None:
            suppresses = any(
                math.isnan(y) for x, y in zip(X[:, column], Y[:, column], strict=True) if not math.isnan(x)
            )
            if not suppresses:
                return math.inf
            continue
        seen += 1
        total += 2.0 * (own != value) if column in nominal else ((own - value) / deviations[column]) ** 2
    if observed and not seen:
        return math.sqrt(2.0 * observed)
    return math.sqrt(total * observed / seen) if seen else 0.0


def rank_of(distances: dict[Any, float], centre: Any) -> float:
    own = distances[centre]
    if math.isinf(own):
        return math.inf
    return 1 + sum(other < own * (1 - 1e-8) - 1e-8 for other in distances.values())


def by_membership(X: np.ndarray, Y: np.ndarray, m: float, blocks: Sequence[Sequence[int]]) -> list[list[float]]:
    """Return the product over blocks of the fuzzy memberships of every target in the centre of every record."""
    deviations = X.std(axis=0, ddof=1)
    counts = [[1.0] * len(X) for _ in X]
    for block in blocks:
        centres = sorted({tuple(row) for row in Y[:, block]})
        for target, own in enumerate(X[:, block]):
            apart = [sum(((own - centre) / deviations[block]) ** 2) for centre in centres]
            if min(apart) == 0:
                shares = [float(one == 0) / apart.count(0) for one in apart]
            else:
                shares = [sum((one / other) ** (1 / (m - 1)) for other in apart) ** -1 for one in apart]
            chance = dict(zip(centres, shares, strict=True))
            for record, row in enumerate(Y[:, block]):
                own_chance = chance[tuple(row)]
                kept = own_chance >= min(0.001, max(shares))
                counts[target][record] *= own_chance if kept else 0.0
    return counts
