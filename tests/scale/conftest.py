"""One cluster for all tests of a file: starting one takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scale.running import running_cluster
from shoal.scale.cluster import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running
