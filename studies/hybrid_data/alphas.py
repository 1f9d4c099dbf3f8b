"""Which alphas of Muralidhar and Sarathy are possible: those whose noise has covariances that noise can have.

alpha is one number for all confidential variables, a number for each, or a matrix. The noise has the covariances
S - alpha S alpha', S those of the residuals; that is positive semidefinite if and only if S^(-1/2) alpha S^(1/2) has no
singular value above 1.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.hybrid_data.releases import CONFIDENTIAL

__all__ = ["KINDS", "ONE_FOR_EACH", "largest_singular_value", "possible_alphas"]

Doubles = NDArray[np.float64]
DRAWS = 2000
CENTRES, DISTANCES = (0.25, 0.5, 0.75), (0.05, 0.1, 0.2, 0.25)
KINDS = ("one number for all", "a number for each", "a matrix")
ONE_FOR_EACH = (0.9, 0.5, 0.9, 0.9)  # one of the impossible ones


def possible_alphas(census: pd.DataFrame) -> pd.DataFrame:
    """Return for how many alphas around a number the noise exists, in percent of those drawn.

    Of a number for each variable all are drawn between the centre less and plus the distance, of a matrix the entries
    beside the diagonal between minus and plus the distance; its diagonal has the centre.
    """
    root = _root_of_residual_covariances(census)
    count = len(CONFIDENTIAL)
    beside = ~np.eye(count, dtype=bool)
    rng = np.random.default_rng(0)
    rows = []
    for centre in CENTRES:
        for distance in DISTANCES:
            apart = rng.uniform(-distance, distance, (DRAWS, count, count))
            equal = centre * np.eye(count)
            alphas = {
                KINDS[0]: equal[None],
                KINDS[1]: equal + np.eye(count) * apart,
                KINDS[2]: equal + beside * apart,
            }
            largest = {kind: _largest_singular_values(some, root) for kind, some in alphas.items()}
            shares = {kind: 100 * (some <= 1).mean() for kind, some in largest.items()}
            rows.append({"around": centre, "by at most": distance, **shares})
    return pd.DataFrame(rows)


def largest_singular_value(census: pd.DataFrame, numbers: tuple[float, ...]) -> float:
    """Return it for a number for each variable; alpha divided by it is possible."""
    return float(_largest_singular_values(np.diag(numbers)[None], _root_of_residual_covariances(census))[0])


def _largest_singular_values(alphas: Doubles, root: Doubles) -> Doubles:
    return np.linalg.norm(np.linalg.inv(root) @ alphas @ root, 2, axis=(1, 2))


def _root_of_residual_covariances(census: pd.DataFrame) -> Doubles:
    """Return the square root of the correlations of the residuals; a diagonal alpha is the same in these units."""
    X = census[CONFIDENTIAL].to_numpy(float)
    Y = np.column_stack([np.ones(len(X)), census.drop(columns=CONFIDENTIAL)])
    residuals = X - Y @ np.linalg.lstsq(Y, X, rcond=None)[0]
    values, vectors = np.linalg.eigh(np.corrcoef(residuals.T))
    return vectors * np.sqrt(values) @ vectors.T
