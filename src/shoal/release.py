"""A release: the protected table, and everything that can be said of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import WriteError
from shoal.measure import Evaluation, evaluate
from shoal.partition import Partition
from shoal.plan import Output, Plan
from shoal.read import Table, refuse_unwritable, write_table

__all__ = ["Release", "refuse_targets"]


@dataclass(frozen=True)
class Release:
    """What `shoal.protect` returns.

    Attributes
    ----------
    partitions
        One per block of variables: `.labels`, `.sizes`, `.k`.
    plan
        What was done; the same plan gives the same release.
    """

    original: Table = field(repr=False)
    masked: Table = field(repr=False)
    partitions: tuple[Partition, ...]
    plan: Plan = field(repr=False)

    @cached_property
    def data(self) -> Any:
        """The protected table: the same kind of frame as came in, the same rows in the same order, the same index."""
        return self.masked.to_native()

    def evaluate(self) -> Evaluation:
        """Measure what the protection cost and what it buys."""
        return evaluate(self.original, self.masked, self.plan.columns, blocks=self.plan.blocks)

    def write(
        self, path: str | os.PathLike[str], *, shuffle: bool = False, plan: str | os.PathLike[str] | None = None
    ) -> None:
        """Write the protected table, and the plan that repeats it if asked for.

        Parameters
        ----------
        path
            Where to; the ending says in which format. Never the file the data came from.
        shuffle
            Whether to write the rows in random order, so that they cannot be put beside the original by position.
        plan
            Where to write the plan. Keep it: it holds the seed.
        """
        refuse_targets(self.original, path, plan)
        table = self.masked
        if shuffle:
            order = np.random.default_rng([self.plan.seed, len(self.plan.blocks)]).permutation(len(table))
            table = table.rows(order)
        write_table(table, path)
        if plan is not None:
            output = Output(path=str(Path(path).resolve()), shuffle=shuffle)
            self.plan.model_copy(update={"output": output}).to_toml(plan)


def refuse_targets(original: Table, path: str | os.PathLike[str], plan: str | os.PathLike[str] | None = None) -> None:
    """Raise WriteError if a release and its plan cannot be written there, before any work is done for them."""
    original.refuse_to_overwrite(path)
    refuse_unwritable(path)
    if plan is not None:
        original.refuse_to_overwrite(plan)
        refuse_unwritable(plan, table=False)
        if Path(plan).resolve() == Path(path).resolve():
            raise WriteError(f"{path} cannot be both the release and its plan. Give the plan another name.")
