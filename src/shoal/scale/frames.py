"""Dask frames: what `shoal.protect` does with one, on the cluster that it lives on or on this machine."""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.scale.cluster import Cluster, refuse_without_dask
from shoal.scale.protect import protect_parts
from shoal.scale.release import ClusterRelease

__all__ = ["is_dask_frame", "protect_frame"]


def is_dask_frame(data: Any) -> bool:
    """Whether something is a Dask frame, without importing Dask."""
    dask = sys.modules.get("dask.dataframe")
    return dask is not None and isinstance(data, dask.DataFrame)


def protect_frame(data: Any, k: int, options: Mapping[str, Any]) -> ClusterRelease:
    """Protect a Dask frame, on the cluster of the present client, or on workers of this machine if there is none.

    Parameters
    ----------
    data
        The frame. Its rows and those of the release are kept as Parquet in a private folder under Dask's temporary
        directory, which all workers have to see, for as long as the release is there. Its index is not kept.
    k, options
        As in `shoal.protect`.
    """
    import dask
    import distributed

    refuse_without_dask()
    names = [str(name) for name in data.columns]
    if list(data.columns) != names:
        raise ParameterError("The columns of a Dask frame need names that are text. Rename them first.")
    try:
        client = distributed.default_client()  # type: ignore[no-untyped-call]
    except ValueError:
        client = None
    folder = Path(tempfile.mkdtemp(prefix=".shoal-", dir=dask.config.get("temporary-directory")))
    try:
        cluster = Cluster(client=client)
        with cluster:
            # Parts are read in the order of their names; by Dask's own, part.10 would come before part.2.
            data.to_parquet(str(folder / "in"), write_index=False, name_function=_name_of_part)
        release = protect_parts(folder / "in", folder / "out", cluster, k=k, options=options, keep_order=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    assert release.plan.input is not None
    unnamed = release.plan.input.model_copy(update={"path": None})  # the folder is gone before the plan is
    release = replace(release, plan=release.plan.model_copy(update={"input": unnamed, "output": None}))
    weakref.finalize(release, shutil.rmtree, folder, True)
    return release


def _name_of_part(number: int) -> str:
    return f"part-{number:08}.parquet"
