"""Clusterings of two files, and how similar they are by each measure of the paper."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from shoal import measure
from shoal.partition.fuzzy import CMeans, FuzzyCMeans, FuzzyPossibilisticCMeans, NoiseClustering

__all__ = [
    "AGAINST_PIL",
    "ALPHAS",
    "CRISP",
    "CUTS",
    "FCM",
    "FCM2",
    "FUZZY_RAND",
    "JACCARD",
    "MEASURED",
    "NOISE",
    "POSSIBILISTIC",
    "RAND",
    "Clusterings",
    "clusterings",
    "similarities",
]

ALPHAS = (0.2, 0.4, 0.6, 0.8)
RAND, JACCARD, FUZZY_RAND, CUTS = "Rand index", "Jaccard index", "fuzzy Rand index", "alpha-cut distance"
CRISP, FCM, FCM2 = "c-means", "fuzzy c-means, m = 1.5", "fuzzy c-means, m = 2"
NOISE, POSSIBILISTIC = "noise clustering", "possibilistic c-means"
# What is measured after each, as in the paper.
MEASURED = {
    CRISP: (RAND, JACCARD),
    FCM: (FUZZY_RAND,),
    FCM2: (CUTS,),
    NOISE: (FUZZY_RAND, CUTS),
    POSSIBILISTIC: (FUZZY_RAND,),
}
# What is compared with PIL, for a fixed number of clusters.
AGAINST_PIL = {FCM: (FUZZY_RAND,), FCM2: (CUTS,), NOISE: (CUTS,)}
_ESTIMATORS = {
    CRISP: (CMeans, {}),
    FCM: (FuzzyCMeans, {"m": 1.5}),
    FCM2: (FuzzyCMeans, {"m": 2}),
    NOISE: (NoiseClustering, {"m": 1.5}),
    # The paper's eta is 0.5, with which the farthest record is the most typical; it has to be above 1.
    POSSIBILISTIC: (FuzzyPossibilisticCMeans, {"m": 1.5, "eta": 2}),
}
_INDICES = {RAND: measure.rand_index, JACCARD: measure.jaccard_index, FUZZY_RAND: measure.fuzzy_rand_index}
Clusterings = dict[str, np.ndarray]


def clusterings(X: np.ndarray, k: int, seed: int, names: Collection[str] = MEASURED) -> Clusterings:
    """Return the labels of c-means, and the memberships of the fuzzy clusterings."""
    found = {}
    for name in names:
        estimator, parameters = _ESTIMATORS[name]
        fitted = estimator(k, max_iter=30, tol=1e-5, random_state=seed, **parameters).fit(X)
        found[name] = fitted.labels_ if name == CRISP else fitted.memberships_
    return found


def similarities(
    first: Clusterings, second: Clusterings, measured: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, float, float]]:
    """Yield clustering, measure, alpha (0 where there is none) and value."""
    for name, measures in measured.items():
        P, Q = first[name], second[name]
        for what in measures:
            if what == CUTS:
                cuts = measure.alpha_cut_distance(P, Q, alpha=ALPHAS, noise=name == NOISE).by_alpha
                yield from ((name, what, alpha, cuts[str(alpha)]) for alpha in ALPHAS)
            else:
                yield name, what, 0.0, float(_INDICES[what](P, Q))
