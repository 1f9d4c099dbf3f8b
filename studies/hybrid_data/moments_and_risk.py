"""Hybrid data of Census at several k: which statistics approach those of the original, and the disclosure risk.

    python studies/hybrid_data/moments_and_risk.py census.csv [--seeds 20]

For the paper of J. Domingo-Ferrer (2009), Microaggregation-based numerical hybrid data. There are four confidential
variables (FEDTAX, TAXINC, WSALVAL, ERNVAL); the nine others are unchanged. Differences are means over the confidential
variables (and pairs), in units of the original's standard deviations, averaged over seeds, with the standard deviation
over seeds in brackets. Sub-files have 100 random records, twenty for every seed. The bound is that of Lemma 2 of the
paper, on the mean instead of the sum, with the smallest B that satisfies its condition, averaged over variables.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import shoal

CONFIDENTIAL = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]
SIZES = (20, 50, 100, 200, 1080)
SUBFILES, RECORDS = 20, 100
HEAD = ("third", "bound", "fourth", "mean", "variance", "covariance", "third", "fourth", "PIL", "linkage", "interval")


def moments(Z: np.ndarray, power: int) -> np.ndarray:
    return ((Z - Z.mean(axis=0)) ** power).mean(axis=0)


def differences(Z: np.ndarray, W: np.ndarray) -> list[float]:
    """Return the differences of means, variances, covariances, and third and fourth central moments."""
    pairs = np.triu_indices(Z.shape[1], 1)
    first_and_second = [np.abs(Z.mean(axis=0) - W.mean(axis=0)).mean(), np.abs(moments(Z, 2) - moments(W, 2)).mean()]
    first_and_second.append(np.abs(np.cov(Z.T)[pairs] - np.cov(W.T)[pairs]).mean())
    return [*first_and_second, *(np.abs(moments(Z, power) - moments(W, power)).mean() for power in (3, 4))]


def lemma_bound(Z: np.ndarray, W: np.ndarray, labels: np.ndarray) -> float:
    """Return 2 max(1, B^1.5), B the largest squared distance of a value from the mean of its group, per variable."""
    sizes = np.bincount(labels)
    bounds = []
    for z, w in zip(Z.T, W.T, strict=True):
        centre = (np.bincount(labels, z) / sizes)[labels]
        most = max(np.square(z - centre).max(), np.square(w - centre).max())
        bounds.append(2 * max(1.0, most**1.5))
    return float(np.mean(bounds))


def row(frame, k: int, seed: int, options: dict) -> list[float]:
    release = shoal.protect(frame, k, seed=seed, **options)
    original, masked = frame[CONFIDENTIAL], release.data[CONFIDENTIAL]
    Z, W = (((file - original.mean()) / original.std()).to_numpy() for file in (original, masked))
    whole = differences(Z, W)
    rng = np.random.default_rng(seed)
    rows = [rng.choice(len(Z), RECORDS, replace=False) for _ in range(SUBFILES)]
    parts = np.mean([differences(Z[some], W[some]) for some in rows], axis=0)
    measures = ("probabilistic_information_loss", "distance_linkage", "interval_disclosure")
    evaluation = shoal.evaluate(original, masked, measures=measures)
    loss_and_risk = [evaluation.measured[name] for name in measures]
    return [whole[3], lemma_bound(Z, W, release.partitions[0].labels), whole[4], *parts, *loss_and_risk]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("census", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    frame = shoal.read_table(arguments.census)
    cases = [(f"hybrid, k = {k}", k, {"replace": "hybrid", "confidential": CONFIDENTIAL}) for k in SIZES]
    cases += [(f"plain MDAV, k = {k}", k, {}) for k in SIZES]
    for alpha in (0.25, 0.5, 0.75):
        options = {"replace": f"muralidhar-sarathy:alpha={alpha}", "confidential": CONFIDENTIAL}
        cases.append((f"Muralidhar-Sarathy, alpha = {alpha}", 20, options))
    print(f"{'':<34}{'whole file':^48}{'sub-files of 100':^80}{'loss and risk':^44}")
    print(f"{'':<34}" + "".join(f"{one:>16}" for one in HEAD))
    for name, k, options in cases:
        seeds = arguments.seeds if options else 1
        try:
            rows = np.array([row(frame, k, seed, options) for seed in range(seeds)])
        except shoal.errors.ShoalError as error:
            print(f"{name:<34}  refused: {error}")
            continue
        cells = zip(rows.mean(axis=0), rows.std(axis=0), strict=True)
        print(f"{name:<34}" + "".join(f"{f'{mean:.3g} ({spread:.1g})':>16}" for mean, spread in cells), flush=True)


if __name__ == "__main__":
    main()
