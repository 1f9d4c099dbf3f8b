"""What the lemmas of the paper are about: differences of moments, and the bound on those of the third."""

from __future__ import annotations

import numpy as np

ROUNDING = 1e-12  # what is less differs by rounding alone, and from one processor to another


def floored(difference: float) -> float:
    """Return a difference, or `ROUNDING` where it is less."""
    return max(float(difference), ROUNDING)


def central_moments(Z: np.ndarray, power: int) -> np.ndarray:
    return ((Z - Z.mean(axis=0)) ** power).mean(axis=0)


def differences(Z: np.ndarray, W: np.ndarray) -> dict[str, float]:
    """Return mean differences of means, variances, covariances, and third and fourth central moments."""
    pairs = np.triu_indices(Z.shape[1], 1)
    found = {
        "means": np.abs(Z.mean(axis=0) - W.mean(axis=0)).mean(),
        "variances": np.abs(central_moments(Z, 2) - central_moments(W, 2)).mean(),
        "covariances": np.abs(np.cov(Z.T)[pairs] - np.cov(W.T)[pairs]).mean(),
    }
    for power, name in ((3, "third moments"), (4, "fourth moments")):
        found[name] = np.abs(central_moments(Z, power) - central_moments(W, power)).mean()
    return {name: floored(value) for name, value in found.items()}


def lemma_1(Z: np.ndarray, W: np.ndarray, others: np.ndarray) -> dict[str, float]:
    """Return the largest difference of a mean, of a covariance, and of a covariance with an unchanged variable."""
    count = Z.shape[1]
    before, after = (np.cov(np.column_stack([one, others]).T) for one in (Z, W))
    off = np.abs(before - after)
    return {
        "largest of means": floored(np.abs(Z.mean(axis=0) - W.mean(axis=0)).max()),
        "largest of covariances": floored(off[:count, :count].max()),
        "largest of covariances with others": floored(off[:count, count:].max()),
    }


def lemma_2(Z: np.ndarray, W: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Return bounds on the difference of third moments, as a mean over records, averaged over the variables.

    The paper's bound is 2 max(1, B^1.5), B the largest squared distance of a value from the mean of its group. The line
    of the proof before it has the sum of the distances to the power of three instead.
    """
    sizes = np.bincount(labels)
    bounds, sums = [], []
    for z, w in zip(Z.T, W.T, strict=True):
        centre = (np.bincount(labels, z) / sizes)[labels]
        distances = np.abs(np.stack([z, w]) - centre)
        bounds.append(2 * max(1.0, float(distances.max()) ** 3))
        sums.append(float((distances**3).mean(axis=1).sum()))
    return {"bound of lemma 2": float(np.mean(bounds)), "line before": float(np.mean(sums))}
