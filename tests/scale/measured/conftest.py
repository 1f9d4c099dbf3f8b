"""Workers that the tests of one run share."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def workers():
    """Return the address of two workers; every use connects to them anew."""
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", memory_limit="1GB"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def cluster(workers):
    """Return a cluster to work on."""
    from shoal.scale.cluster import Cluster

    return Cluster(workers)
