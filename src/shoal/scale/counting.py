"""How alike and how linkable the records of the whole release are, counted over all blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shoal.describe.weights import warn_of_lone_weights
from shoal.flow.outcome import Outcome
from shoal.measure.headline import Headline
from shoal.progress import step
from shoal.scale.blocks.local import Block, BlockResult, result_of
from shoal.scale.cluster import Cluster
from shoal.scale.input.moments import ExactMoments, joined_moments
from shoal.scale.looking import Known
from shoal.scale.random_order import Leaving
from shoal.scale.released.counted_alike import count_alike
from shoal.scale.released.linked import LinkageSpace, as_near_in, linked_share, write_sought
from shoal.scale.released.lone_units import count_lone_units
from shoal.scale.released.whole_outcome import WholeAlike, joined_counts, whole_outcome
from shoal.scale.run_folder import FINISHED, WRITING
from shoal.scale.scattered import gathered, row_numbers

__all__ = ["FinishedBlocks", "count"]


_ALIKE = 0.1  # part of the work that counting one kind of equal records is


class FinishedBlocks:
    """What the blocks of a run have left in its folder."""

    def __init__(self, folder: Path, blocks: Sequence[Block]) -> None:
        self._folder = folder
        self._numbers = [one.number for one in blocks]
        found = [result_of(number, folder) for number in self._numbers]
        self.results: list[BlockResult] = [one for one in found if one is not None]

    def files(self, what: str) -> list[Path]:
        """Return the files of one kind, block by block, where they are."""
        paths = [self._folder / FINISHED / what / f"{number:06}.arrow" for number in self._numbers]
        return [path for path in paths if path.exists()]


def count(
    cluster: Cluster, blocks: FinishedBlocks, known: Known, leaving: Leaving, *, in_pages: bool
) -> tuple[Outcome, Headline]:
    """Return what carrying out the plan did to the whole file, and its headline; warn of what it lets through.

    `in_pages` says whether blocks are pages of one method over the whole file.
    """
    plan, results = known.setting.plan, blocks.results
    by_unit = plan.unit is not None
    units = sum(one.units or 0 for one in results) if by_unit else None
    working = known.setting.folder / WRITING
    alike = _alike(cluster, blocks, "alike", leaving, plan.k, working if by_unit else None)
    unchanged = _alike(cluster, blocks, "unchanged", leaving, plan.k, None)
    weighted = _alike(cluster, blocks, "weighted", leaving, plan.k, working if by_unit else None)
    weights = _alike(cluster, blocks, "weights", leaving, plan.k, None)
    assert alike is not None
    outcomes = [one.outcome for one in results]
    outcome = whole_outcome(plan, outcomes, alike, unchanged, weighted, known.sample, leaving.records, units)
    if plan.weights is not None and weights is not None:
        warn_of_lone_weights(plan.weights, weights.uniques, None, leaving.records)
    if in_pages:  # what is to be said of the whole file was said in the first page
        outcome = outcome.model_copy(update={"notes": [*outcome.notes, *outcomes[0].notes]})
    with step(1 - 4 * _ALIKE):
        linkage = _linkage(cluster, blocks, known, leaving)
    return outcome, Headline(records=leaving.records, units=units, k=alike.k, uniques=alike.uniques, linkage=linkage)


def _alike(
    cluster: Cluster, blocks: FinishedBlocks, what: str, leaving: Leaving, k: int, working: Path | None
) -> WholeAlike | None:
    """Return how alike records are by what blocks have counted; None where they have not.

    `working` is where units are counted; None where records are.
    """
    paths = blocks.files(what)
    if not paths:
        return None
    lone = None if working is None else working / f"{what}-lone"
    if lone is not None:
        lone.mkdir(mode=0o700)
    buckets = leaving.parts
    with step(_ALIKE):
        counted = cluster.map(count_alike, range(buckets), paths, k, buckets, lone, doing="counting equal records")
    if lone is None:
        return joined_counts(counted, None)
    return joined_counts(counted, count_lone_units(cluster, buckets, buckets, 1, lone)[0])


def _linkage(cluster: Cluster, blocks: FinishedBlocks, known: Known, leaving: Leaving) -> float:
    """Return the percentage of the sought records that are linked to their own."""
    import pyarrow

    true = gathered(blocks.files("true"), 0)
    place = np.searchsorted(row_numbers(known.drawn), np.sort(row_numbers(true)))
    sought = known.drawn.take(pyarrow.array(place))
    true = true.take(pyarrow.array(np.argsort(row_numbers(true), kind="stable")))
    space = _space(blocks.results, known, true.schema.names[:-1])
    if space is None:
        return 100 / leaving.records
    path = known.setting.folder / WRITING / "sought.npz"
    write_sought(path, space, sought, true)
    found = cluster.map(as_near_in, blocks.files("masked"), space, path, doing="looking for records in the release")
    return linked_share(found)


def _space(results: Sequence[BlockResult], known: Known, released: Sequence[str]) -> LinkageSpace | None:
    """Return what distances are taken in; None where nothing tells records apart."""
    plan, setting, before = known.setting.plan, known.setting, known.again.moments
    after = joined_moments([one.after for one in results])
    counted = [name for name in released if name not in (plan.weights, plan.unit) and name in setting.schema.names]
    numbers = [
        name
        for name in counted
        if name in before and name in after and plan.kinds.get(name, "continuous") == "continuous"
    ]
    scales = {
        name: (before[name].scale, after[name].scale if _spread(before[name], after[name]) else before[name].scale)
        for name in numbers
        if before[name].varies
    }
    absent = [name for name in numbers if before[name].missing or after[name].missing]
    categories = [name for name in counted if name not in numbers]
    return LinkageSpace(scales, absent, categories) if scales or absent or categories else None


def _spread(before: ExactMoments, after: ExactMoments) -> bool:
    """Whether a released variable has any spread left that is not rounding."""
    return after.highest - after.lowest > 1e-9 * before.standard_deviation
