"""What a release in parts is known by: the SHA-256 of all its files, in the order of their names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from shoal.flow.plan import Plan
from shoal.read.files import file_digest
from shoal.scale.cluster import Cluster
from shoal.scale.input.parts import parts_of

__all__ = ["folder_digest", "is_release_of"]


def folder_digest(digests: Iterable[str]) -> str:
    """Return the SHA-256 of a folder, given those of its files in the order of their names."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def is_release_of(plan: Plan, masked: str | Path, cluster: Cluster) -> bool | None:
    """Return whether a folder is what the plan says was written; None where the plan does not say.

    Parameters
    ----------
    plan, masked
        The plan, and the folder.
    cluster
        Workers that have started; they read the files.
    """
    if plan.output is None or plan.output.sha256 is None:
        return None
    paths = list(dict.fromkeys(chunk.path for chunk in parts_of(masked).chunks))
    return folder_digest(cluster.map(file_digest, paths, doing="reading the release")) == plan.output.sha256
