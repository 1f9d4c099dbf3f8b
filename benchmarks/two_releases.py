"""What two or three releases of one file give away together: single values that follow from sums over groups.

    python benchmarks/two_releases.py [--records 600]

The intruder has the releases, and can tell which of their rows belong together (by columns that are released as they
are, or by the order of the rows). A record's values follow where they are a combination of sums over groups.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.linalg import qr

import shoal


def exactly_known(partitions: list[np.ndarray]) -> int:
    """Count the records whose values follow from the sums over all groups of all partitions."""
    sums = np.vstack([labels == group for labels in partitions for group in range(labels.max() + 1)]).astype(float)
    basis, triangle, _ = qr(sums.T, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(triangle)) > 1e-9).sum())
    inside = (basis[:, :rank] ** 2).sum(axis=1)  # of each record's own axis, the part that sums reach
    return int((inside > 1 - 1e-9).sum())


def main() -> None:
    """Print what pairs and triples of releases give away, and what a release without one record does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=600)
    n = parser.parse_args().records
    rng = np.random.default_rng(1)
    survey = shoal.datasets.households(n, seed=1)
    files = {
        "survey, 10 amounts": survey.loc[:, "wage_income":"savings"].to_numpy(float),
        "normal, 5 columns": rng.normal(size=(n, 5)),
        "normal, 2 columns": rng.normal(size=(n, 2)),
    }
    for name, X in files.items():
        labels = {k: shoal.partition.MDAV(k=k).fit(X).labels_ for k in (3, 4, 5, 10)}
        print(f"{name}: of {n} records, exactly known from")
        for ks in ((3, 5), (3, 4), (5, 10), (3, 4, 5), (3, 5, 10), (3, 4, 5, 10)):
            print(f"  k = {', '.join(map(str, ks)):<12} {exactly_known([labels[k] for k in ks])}")
        known = 0
        for left_out in rng.choice(n, 60, replace=False):
            fewer = np.delete(X, left_out, axis=0)
            whole, part = (shoal.protect(data, 5, kinds=None).data for data in (X, fewer))
            known += np.allclose(whole.sum(axis=0) - part.sum(axis=0), X[left_out], rtol=1e-6, atol=1e-6)
        print(f"  k = 5, and once more without one record: its values follow {known} of 60 times")


if __name__ == "__main__":
    main()
