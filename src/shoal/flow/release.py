"""A release: the protected table, its groups, its plan and its measures."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import WriteError
from shoal.flow.outcome import Output
from shoal.measure import Evaluation, evaluate
from shoal.measure.headline import Headline, released_columns, whole_linkage
from shoal.parameters.limits import OneOf, check_limits
from shoal.partition import Partition
from shoal.read import Table
from shoal.write import refuse_targets, refuse_to_overwrite, refuse_unwritable, replacing, write_table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.report.writing import Audience

__all__ = ["Release", "in_original_order"]


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
    _written: list[Path] = field(default_factory=list, repr=False, compare=False)

    @cached_property
    def data(self) -> Any:
        """The protected table: the same kind of frame as came in, the same rows in the same order, the same index."""
        return self.masked.to_native()

    @cached_property
    def headline(self) -> Headline:
        """What is said first of the release: records, units (None without), k, uniques, and linkage in %.

        Over everything that is released, but for sampling weights and ids of units; a missing value counts as a
        category. With a unit, k is the fewest different units behind any combination of values, and uniques counts
        units. Above 100,000 records, linkage looks for 10,000 of them.
        """
        plan, outcome = self.plan, self.plan.outcome
        assert outcome is not None and outcome.k is not None and outcome.uniques is not None
        columns = released_columns(self.masked, plan.weights, plan.unit)
        linkage = float(whole_linkage(self.original, self.masked, columns, plan.kinds))
        return Headline(
            records=len(self.masked), units=outcome.units, k=outcome.k, uniques=outcome.uniques, linkage=linkage
        )

    def evaluate(self, **options: Any) -> Evaluation:
        """Measure information loss and disclosure risk, also against an intruder who knows the method.

        Parameters
        ----------
        **options
            `measures`, `options`, `quick` and `seed` of `shoal.evaluate`.
        """
        return evaluate(self.original, self.masked, **self.plan.facts, **options)

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
        refuse_targets(self.original, [("release", path), ("plan", plan)], table="release")
        table = self.masked
        if shuffle:
            table = table.rows(_shuffled(self.plan, len(table)))
        if plan is None:
            write_table(table, path)
        else:
            output = Output(path=str(Path(path).resolve()), shuffle=shuffle)
            text = self.plan.model_copy(update={"output": output}).as_toml(plan)
            # The plan is ready when the release takes its place: no release stands there with the plan of another.
            with replacing(plan, owner_only=True) as temporary:
                temporary.write_text(text, encoding="utf-8")
                write_table(table, path)
        self._written.extend(Path(one).resolve() for one in (path, plan) if one is not None)

    def report(
        self, path: str | os.PathLike[str], audience: Audience = "internal", evaluation: Evaluation | None = None
    ) -> None:
        """Write a report on the release as one HTML file.

        Parameters
        ----------
        path
            Where to. Never the file the data came from.
        audience
            "internal", for those who may see the original: shows its distributions. "public", to publish with the
            release: no value of the original, no seed, no count below k.
        evaluation
            The measures, if they were taken already; otherwise all are.
        """
        from shoal.report.writing import write_release_report

        check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
        refuse_to_overwrite(self.original, path)
        refuse_unwritable(path, table=False)
        if Path(path).resolve() in self._written:
            raise WriteError(f"{path} is the release or its plan. Give the report another name.")
        write_release_report(self, path, audience, self.evaluate() if evaluation is None else evaluation)


def in_original_order(plan: Plan, table: Table) -> Table:
    """Return the rows of a release as they stood before they were shuffled, if they were."""
    if plan.output is None or not plan.output.shuffle:
        return table
    return table.rows(np.argsort(_shuffled(plan, len(table))))


def _shuffled(plan: Plan, records: int) -> NDArray[np.int64]:
    return np.random.default_rng([plan.seed, len(plan.blocks)]).permutation(records)
