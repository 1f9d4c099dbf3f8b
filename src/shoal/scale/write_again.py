"""A release that is there, in the order of its input, written again: in random order, or as it is."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from shoal.flow.plan import Plan
from shoal.flow.release import plan_beside, warn_of_order
from shoal.parameters.default import is_default
from shoal.read.arrow_files import labels_in_schema
from shoal.scale.cluster import Cluster
from shoal.scale.input.category_orders import orders_in
from shoal.scale.input.parts import Chunk, parts_of, read_chunk
from shoal.scale.random_order import Leaving, order_of
from shoal.scale.released.writing import Shown, write_release
from shoal.scale.run_folder import RELEASE, WRITING, opened, refuse_output, refuse_plan
from shoal.scale.scattered import scatter, with_row_numbers
from shoal.write import replacing

__all__ = ["write_again"]


def write_again(
    source: Path,
    target: Path,
    plan: Plan,
    cluster: Cluster,
    *,
    keep_order: bool,
    plan_path: str | os.PathLike[str] | None,
) -> None:
    """Write the release at `source`, whose rows are in the order of the input, to `target` as well."""
    parts = parts_of(source)
    refuse_output(target, source)
    beside = None if plan_path is None else plan_beside(target) if is_default(plan_path) else Path(plan_path)
    if beside is not None:
        refuse_plan(beside, target, source)
    if keep_order:
        warn_of_order(target)
    assert plan.divided is not None
    leaving = Leaving(
        "" if keep_order else order_of(plan), plan.divided.parts(parts.records), parts.records, np.zeros(0, np.int64)
    )
    orders = orders_in(read_chunk(parts.chunks[0]))
    shown = Shown(schema=parts.schema, orders=orders, labels=labels_in_schema(parts.schema).only(parts.names))
    with cluster, opened(target) as folder:
        folder.make("masked")
        folder.make(WRITING)
        folder.make(RELEASE)
        sources = list(enumerate(parts.chunks))
        masked = cluster.map(scatter_in_order, sources, leaving, folder.path / "masked", doing="sorting the release")
        output = write_release(cluster, masked, shown, leaving, folder.path, target)
        if beside is None:
            folder.commit(target)
            return
        with replacing(beside, owner_only=True) as temporary:
            temporary.write_text(plan.model_copy(update={"output": output}).as_toml(beside), encoding="utf-8")
            folder.commit(target)


def scatter_in_order(chunk: tuple[int, Chunk], leaving: Leaving, folder: Path) -> Path:
    """Scatter the rows of a chunk to the parts they are written to; return the file."""
    number, source = chunk
    rows = np.arange(source.first, source.first + source.rows)
    path = folder / f"{number:06}.arrow"
    scatter(with_row_numbers(read_chunk(source), rows), leaving.part(rows), path)
    return path
