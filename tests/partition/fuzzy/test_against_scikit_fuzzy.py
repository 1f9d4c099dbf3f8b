"""Centres and memberships agree with scikit-fuzzy from the same start."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.partition.fuzzy import FuzzyCMeans

skfuzzy = pytest.importorskip("skfuzzy", reason="needs scikit-fuzzy: pip install shoal[dev]")


@pytest.mark.parametrize("m", [1.2, 1.5, 1.9, 2.0, 3.0])
@pytest.mark.parametrize(("n", "d", "c"), [(300, 2, 3), (500, 5, 4)])
def test_from_the_same_memberships_both_arrive_at_the_same_clusters(n, d, c, m):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) + 4 * rng.integers(0, 3, size=(n, 1))
    u = rng.random((c, n))
    u /= u.sum(axis=0)
    centres, theirs, *_ = skfuzzy.cmeans(X.T, c, m, error=1e-12, maxiter=20_000, init=u)
    start = u**m @ X / (u**m).sum(axis=1, keepdims=True)  # the first of their steps
    ours = FuzzyCMeans(c, m=m, init=start, tol=1e-12, max_iter=20_000).fit(X)
    assert np.abs(ours.cluster_centers_ - centres).max() < 1e-6
    assert np.abs(ours.memberships_.T - theirs).max() < 1e-6
