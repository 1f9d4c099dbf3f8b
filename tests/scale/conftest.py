"""Clusters for tests: tasks carried out in this process, and the one real cluster of a test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scale.running import InThisProcess, running_cluster
from shoal.scale.cluster import Cluster


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    """Return a cluster without processes: what it computes is what any other does."""
    return InThisProcess()


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Cluster]:
    """Start two workers of Dask, once for a test run: starting them takes seconds."""
    with running_cluster() as running:
        yield running
