"""A whole file protected on a cluster: looked at, divided, protected block by block, counted and written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.flow.earlier_releases import warn_of_other_releases
from shoal.flow.outcome import Divided, installed_versions
from shoal.flow.plan import Plan
from shoal.flow.release import plan_beside
from shoal.measure.headline import Headline
from shoal.parameters.limits import Whole, check_limits
from shoal.progress import step
from shoal.read import Labels
from shoal.scale.blocks.borders import SHIFTED, group_block, protect_shifted
from shoal.scale.blocks.division import Division, blocks_of_leaves, divide, scatter_chunk
from shoal.scale.blocks.local import Block, BlockResult, protect_block, result_of
from shoal.scale.cluster import Cluster
from shoal.scale.counting import FinishedBlocks, count
from shoal.scale.input.chunks import Gathered
from shoal.scale.input.moments import ExactMoments
from shoal.scale.input.parts import parts_of
from shoal.scale.input.row_hashes import hashed_numbers
from shoal.scale.iterated.drawn_blocks import protect_drawn_block
from shoal.scale.iterated.pages import pages_of
from shoal.scale.iterated.passes import Page
from shoal.scale.iterated.whole_file import iterates, protect_whole_file
from shoal.scale.looking import Asked, Known, look_twice
from shoal.scale.random_order import Leaving, order_of
from shoal.scale.release import ClusterRelease
from shoal.scale.released.writing import Shown, write_release
from shoal.scale.run_folder import RunFolder, opened, refuse_output, refuse_plan
from shoal.scale.scattered import row_numbers
from shoal.scale.setting import RunSetting
from shoal.write import replacing

__all__ = ["BLOCK_RECORDS", "protect_parts"]

BLOCK_RECORDS = 500_000
_SOUGHT = 10_000  # records that an intruder looks for
# Parts of the work, as far as they can be known beforehand.
_LOOKING, _SCATTERING, _PROTECTING, _COUNTING, _WRITING = 0.2, 0.15, 0.45, 0.1, 0.1


def protect_parts(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    cluster: Cluster,
    *,
    k: int | None = None,
    options: Mapping[str, Any] | None = None,
    plan: Plan | None = None,
    block_records: int = BLOCK_RECORDS,
    refine_borders: bool = False,
    keep_order: bool = False,
    save_plan: str | os.PathLike[str] | None = None,
) -> ClusterRelease:
    """Protect a folder of Parquet files on a cluster, and write the release as another.

    Parameters
    ----------
    source, output
        The folders. The output is written whole or not at all.
    cluster
        The workers.
    k, options
        As in `shoal.protect`; not with a plan.
    plan
        A plan that is carried out again.
    block_records
        How many records a block should have: as many as fit a worker.
    refine_borders
        Whether all groups are searched through once more, in blocks that are cut elsewhere.
    keep_order
        Whether rows leave in the order of the input.
    save_plan
        Where to write the plan; by default beside the output.
    """
    check_limits({"block_records": Whole(4)}, {"block_records": block_records})
    target, parts = Path(output), parts_of(source)
    refuse_output(target, parts.source)
    beside = plan_beside(target) if save_plan is None else Path(save_plan)
    refuse_plan(beside, target, parts.source)
    divided = Divided(block_records=block_records, refine_borders=refine_borders)
    if plan is not None and plan.divided is not None:
        divided = plan.divided
    asked = Asked(k, options or {}, plan, divided, keep_order)
    with cluster, opened(target) as folder:
        with step(_LOOKING):
            known = look_twice(cluster, folder, parts, asked)
        run = _Run(cluster, folder, known, asked, parts.records)
        run.divide()
        run.protect()
        finished = FinishedBlocks(folder.path, run.blocks)
        with step(_COUNTING):
            outcome, headline = count(cluster, finished, known, run.leaving, in_pages=bool(run.pages))
        with step(_WRITING):
            written = write_release(
                cluster, finished.files("masked"), _shown(finished, known, headline), run.leaving, folder.path, target
            )
        made = known.setting.plan.model_copy(
            update={
                "outcome": outcome,
                "output": written,
                "versions": installed_versions(),
            }
        )
        warn_of_other_releases(made, beside)
        # The plan is ready when the release takes its place: no release stands there with the plan of another.
        with replacing(beside, owner_only=True) as temporary:
            temporary.write_text(made.as_toml(beside), encoding="utf-8")
            folder.commit(target)
    losses = _losses(made, known.again.moments, finished.results)
    return ClusterRelease(parts.source, target, made, headline, losses, len(run.blocks))


class _Run:
    """The steps in which a file that was looked at becomes protected blocks; each needs those before it.

    Attributes
    ----------
    blocks
        The blocks.
    pages
        The same as pages of one method over the whole file, where it is one.
    leaving
        How the rows of the release leave.
    """

    def __init__(self, cluster: Cluster, folder: RunFolder, known: Known, asked: Asked, records: int) -> None:
        self._cluster, self._folder, self._known, self._divided = cluster, folder, known, asked.divided
        self.blocks: list[Block] = []
        self.pages: list[Page] = []
        rows = row_numbers(known.drawn)
        order = np.lexsort((rows, hashed_numbers(rows, 11)))
        self.leaving = Leaving(
            "" if asked.keep_order else order_of(self._plan),
            asked.divided.parts(records),
            records,
            np.sort(rows[order[:_SOUGHT]]),
        )

    @property
    def _plan(self) -> Plan:
        return self._known.setting.plan

    def divide(self) -> None:
        """Divide the file into blocks, and scatter its rows to them."""
        known, most = self._known, self._divided.block_records
        with step(_SCATTERING):
            if iterates(self._plan):
                self.pages = pages_of(self._cluster, known.sources, known.setting, known.again.keys, most)
                self.blocks = [Block(page.number, page.rows) for page in self.pages]
                return
            division = divide(known.drawn, known.setting, known.again, most)
            counts = self._cluster.map(scatter_chunk, known.sources, known.setting, division, doing="dividing the file")
        self.blocks = self._blocks_of(division, counts, "scattered")
        self._folder.remove("units")

    def protect(self) -> None:
        """Protect every block that is not finished yet."""
        known, rounds = self._known, 2 if self._divided.refine_borders else 1
        if self._divided.refine_borders:
            with step(_PROTECTING / rounds):
                self._shift()
        waiting = [one for one in self.blocks if result_of(one.number, self._folder.path) is None]
        with step(_PROTECTING / rounds):
            if self.pages:
                protect_whole_file(self._cluster, self.pages, known.setting, known.again.moments, self.leaving)
            else:
                self._cluster.map(self._local_step, waiting, known.setting, self.leaving, doing="protecting a block")
        self._folder.remove("scattered")
        self._folder.remove("shifted")

    @property
    def _local_step(self) -> Callable[[Block, RunSetting, Leaving], int]:
        """What protects one block."""
        if self._divided.refine_borders:
            return protect_shifted
        return protect_drawn_block if self._plan.family.no_k else protect_block

    def _shift(self) -> None:
        """Make groups in every block, and scatter them to blocks that are cut elsewhere."""
        known = self._known
        shifted = divide(known.drawn, known.setting, known.again, self._divided.block_records, at=SHIFTED)
        counts = self._cluster.map(group_block, self.blocks, known.setting, shifted, doing="making groups")
        self.blocks = self._blocks_of(shifted, counts, "shifted")

    def _blocks_of(self, division: Division, counts: Sequence[NDArray[np.int64]], folder: str) -> list[Block]:
        """Return the blocks of a division: leaves that have not enough are merged with their neighbours."""
        files = range(len(counts))  # one of every task
        leaves = blocks_of_leaves(division, np.sum(counts, axis=0), self._plan)
        return [Block(number, Gathered(self._folder.path / folder, files, own)) for number, own in enumerate(leaves)]


def _shown(blocks: FinishedBlocks, known: Known, headline: Headline) -> Shown:
    """Return how the release looks once it is written."""
    plan, results = known.setting.plan, blocks.results
    released = _released_schema(blocks.files("masked"))
    return Shown(
        schema=released,
        orders=_present_orders(known.setting, results, released.names),
        labels=_joined_labels([one.labels for one in results]),
        unit=plan.unit if plan.unit in released.names else None,
        first_unit=np.cumsum([0, *(one.units or 0 for one in results)])[:-1].tolist(),
        units=headline["units"] or 0,
        key=f"{plan.key} {known.fingerprint}",
    )


def _losses(plan: Plan, before: Mapping[str, ExactMoments], results: Sequence[BlockResult]) -> dict[str, float]:
    """Return the squared error of every protected column of numbers, in % of its variation."""
    losses = {}
    for name in plan.rewritten:
        errors = [one.squared_errors[name] for one in results if name in one.squared_errors]
        if plan.kinds.get(name) == "continuous" and errors and name in before and before[name].varies:
            total = sum(errors[1:], errors[0]).total
            losses[name] = float(100 * total / before[name].squared_deviations)
    return losses


def _released_schema(masked: Sequence[Path]) -> Any:
    import pyarrow
    import pyarrow.ipc

    schemas = []
    for path in masked:
        with pyarrow.memory_map(str(path)) as source:
            schema = pyarrow.ipc.open_file(source).schema.remove_metadata()
        schemas.append(pyarrow.schema(list(schema)[:-1]))
    return pyarrow.unify_schemas(schemas, promote_options="permissive")


def _present_orders(
    setting: RunSetting, results: Sequence[BlockResult], names: Sequence[str]
) -> dict[str, tuple[list[Any], bool]]:
    """Return the categories that the release shows, in their order: it knows of no others."""
    orders = {}
    for name, (categories, ordered) in setting.recoded_orders.items():
        if name in names:
            present = {category for one in results for category in one.categories.get(name, ())}
            orders[name] = ([category for category in categories if category in present], ordered)
    return orders


def _joined_labels(labels: Sequence[Labels]) -> Labels:
    """Return the labels of all blocks: a value that some block shows keeps its label."""
    values: dict[str, dict[Any, str]] = {}
    for one in labels:
        for name, codes in one.values.items():
            values.setdefault(name, {}).update(codes)
    return replace(labels[0], values={name: dict(sorted(codes.items(), key=str)) for name, codes in values.items()})
