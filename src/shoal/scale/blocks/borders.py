"""The second round: all groups are searched through again in blocks cut elsewhere, so that those at cuts change too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.carry_out import protect_blocks
from shoal.flow.plan import Plan
from shoal.scale.blocks.division import Division
from shoal.scale.blocks.local import Block, release_of, write_block
from shoal.scale.input.chunks import read_rows
from shoal.scale.input.keys import keys_of
from shoal.scale.random_order import Leaving
from shoal.scale.scattered import GROUP, row_numbers, scatter
from shoal.scale.setting import RunSetting

__all__ = ["SHIFTED", "group_block", "protect_shifted", "refuse_without_groups"]

SHIFTED = 0.38  # of the records are left of a cut, not half of them, so that no cut is where one was before


def refuse_without_groups(plan: Plan) -> None:
    """Raise ParameterError if the groups of a plan cannot be searched through again."""
    reason = ""
    if plan.family.no_k or len(plan.blocks) > 1 or plan.categories:
        reason = "one block of variables that are all grouped"
    elif plan.unit is not None:
        reason = "records that are their own units"
    elif plan.missing != "error":
        reason = "complete records"
    if reason:
        raise ParameterError(
            f"refine_borders (--refine-borders) needs {reason}. Leave it out, or make blocks larger.",
            parameter="refine_borders",
        )


def group_block(block: Block, setting: RunSetting, shifted: Division) -> NDArray[np.int64]:
    """Make groups in one block, and scatter them whole to the blocks of the second round; return what each leaf got."""
    import pyarrow

    rows = read_rows(block.rows)
    labels = release_of(rows, setting).partitions[0].labels
    points = shifted.axes.points(rows, shifted.codes)
    sizes = np.bincount(labels)
    centres = np.column_stack([np.bincount(labels, weights=column) / sizes for column in points.T])
    first = np.unique(labels, return_index=True)[1]  # what no group mixes is that of its first record
    leaf = shifted.leaf_of_points(centres, keys_of(rows.take(pyarrow.array(first)), setting))[labels]
    numbered = pyarrow.array(labels + (block.number << 40))
    path = setting.folder / "shifted" / f"{block.number:06}.arrow"
    scatter(rows.append_column(GROUP, numbered), leaf, path)
    counts = np.bincount(leaf, minlength=shifted.leaves)
    return np.column_stack([counts, counts])  # there are no units, and no missing values


def protect_shifted(block: Block, setting: RunSetting, leaving: Leaving) -> int:
    """Search on from the groups of the first round, and leave what came of it in the folder of the run."""
    rows = read_rows(block.rows)
    start = np.asarray(rows[GROUP].to_numpy(), dtype=np.int64)

    def search_on(work: Work) -> list[ProtectedBlock]:
        return protect_blocks(replace(work, start=start))

    write_block(block.number, release_of(rows, setting, search_on), row_numbers(rows), setting, leaving)
    return block.number
