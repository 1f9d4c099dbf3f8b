"""Blocks whose values are drawn: each with random numbers of its own, where all would have those of the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.scale.blocks.local import Block, protect_block
from shoal.scale.input.row_hashes import hashed_numbers
from shoal.scale.random_order import Leaving
from shoal.scale.setting import RunSetting

__all__ = ["protect_drawn_block"]


def protect_drawn_block(block: Block, setting: RunSetting, leaving: Leaving) -> int:
    """Protect one block with a seed that follows from that of the plan and from the number of the block."""
    mixed = hashed_numbers(np.array([setting.plan.seed % 2**64], dtype=np.uint64), block.number + 1)
    own = setting.plan.model_copy(update={"seed": int(mixed[0] >> np.uint64(1))})
    return protect_block(block, replace(setting, plan=own), leaving)
