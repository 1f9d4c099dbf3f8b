"""Fuzzy microaggregation of Census: disclosure risk at equal information loss, and loss against m1, m2 and c.

    python studies/fuzzy_constraints/risk_and_loss.py census.csv [--seeds 5]

For the paper of V. Torra, Fuzzy microaggregation for data with constraints. The first table compares fuzzy releases
with MDAV and optimal univariate microaggregation of about the same information loss, and with MDAV of the same k. The
intruder knows the method, its parameters, and all variables of the target. The second table has the information loss of
the published algorithm (centres are released regardless of how many records support them) over m1, m2 and c.
Proposition 8 of the paper: the larger m1 or m2, and the smaller the number of clusters c, the larger the loss.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

import shoal
from shoal.errors import ShoalWarning

FUZZY = [(3, 1.1, 1.1), (3, 1.2, 1.2), (3, 1.2, 1.3), (5, 1.1, 1.1), (5, 1.2, 1.2), (10, 1.1, 1.1), (10, 1.2, 1.3)]
MEASURES = ("information_loss", "distance_linkage", "transparency_attack")
M1, M2, CLUSTERS = (1.1, 1.2, 1.5, 2.0), (1.1, 1.5, 2.0, 10.0), (108, 216, 360)


def mean_measures(frame, k: int, seeds: int, **options) -> np.ndarray:
    """Return loss, linkage, and expected and certain rate of the attack, averaged over seeds."""
    rows = []
    for seed in range(seeds):
        evaluation = shoal.protect(frame, k, seed=seed, **options).evaluate(measures=MEASURES)
        attack = evaluation.transparency_attack
        rows.append([evaluation.information_loss, evaluation.distance_linkage, attack.expected, attack.certain])
    return np.mean(rows, axis=0)


def with_loss(frame, loss: float, **options) -> tuple[int, np.ndarray]:
    """Return the k and the measures of the release whose loss is nearest to `loss`, by bisection."""
    low, high = 2, len(frame) // 2
    while high - low > 1:
        middle = (low + high) // 2
        release = shoal.protect(frame, middle, seed=0, **options).evaluate(measures=["information_loss"])
        low, high = (middle, high) if release.information_loss < loss else (low, middle)
    both = [(k, mean_measures(frame, k, 1, **options)) for k in (low, high)]
    return min(both, key=lambda one: abs(one[1][0] - loss))


def attack_table(frame, seeds: int) -> None:
    head = ("release", "loss, %", "linkage", "attack", "certain")
    print(f"{head[0]:<42}" + "".join(f"{one:>10}" for one in head[1:]))

    def line(name: str, row: np.ndarray) -> None:
        print(f"{name:<42}" + "".join(f"{one:10.1f}" for one in row))

    for k, m1, m2 in FUZZY:
        row = mean_measures(frame, k, seeds, method=f"fuzzy:m={m1}", replace=f"membership-draw:m2={m2}")
        line(f"fuzzy, k = {k}, m1 = {m1}, m2 = {m2}", row)
        line(f"  MDAV, the same k = {k}", mean_measures(frame, k, 1))
        for name, options in (("MDAV", {}), ("optimal univariate", {"method": "optimal-univariate", "blocks": 1})):
            near, other = with_loss(frame, float(row[0]), **options)
            line(f"  {name}, about the same loss: k = {near}", other)


def loss_table(frame, seeds: int) -> None:
    print(f"\n{'c':>4}{'m1':>6}" + "".join(f"{f'm2 = {m2:g}':>12}" for m2 in M2))
    for clusters in CLUSTERS:
        for m1 in M1:
            losses = []
            for m2 in M2:
                draw = shoal.replace.MembershipDraw(m2=m2, at_least=None)
                method = f"fuzzy:m={m1},n_clusters={clusters}"
                releases = [shoal.protect(frame, 2, method=method, replace=draw, seed=seed) for seed in range(seeds)]
                evaluations = [release.evaluate(measures=["information_loss"]) for release in releases]
                losses.append(np.mean([one.information_loss for one in evaluations]))
            print(f"{clusters:>4}{m1:>6}" + "".join(f"{loss:12.1f}" for loss in losses))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("census", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    frame = shoal.read_table(options.census)
    warnings.simplefilter("ignore", ShoalWarning)
    attack_table(frame, options.seeds)
    loss_table(frame, options.seeds)


if __name__ == "__main__":
    main()
