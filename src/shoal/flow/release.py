"""A release: the protected table, its groups, its plan and its measures."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DisclosureWarning, ParameterError, WriteError, warn
from shoal.flow.chain.whole_chain import kinds_in_chain, rules_in_chain, steps_of
from shoal.flow.drawn_by_key import in_random_order, order_digest
from shoal.flow.earlier_releases import warn_of_other_releases
from shoal.flow.outcome import Output, ProvenLoss
from shoal.flow.proven.losses import with_bounds
from shoal.flow.release_outcome import counted_anew
from shoal.flow.rules.decimals import EXTRA_DECIMALS, rounded_for_text
from shoal.measure import Evaluation, evaluate
from shoal.measure.headline import Headline, released_columns, whole_linkage
from shoal.parameters.default import DEFAULT_PLAN, is_default
from shoal.parameters.limits import OneOf, check_limits
from shoal.partition import Partition
from shoal.read import Table
from shoal.read.files import file_digest
from shoal.write import (
    refuse_targets,
    refuse_to_overwrite,
    refuse_unwritable,
    replacing,
    write_table,
    writing_table,
)
from shoal.write.files import holds_digits

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.report.writing import Audience

__all__ = ["Release", "plan_beside", "warn_of_order"]


@dataclass(frozen=True)
class _Written:
    """Files that were written, and the release as the file has it."""

    paths: tuple[Path, ...]
    release: Release


@dataclass(frozen=True)
class Release:
    """What `shoal.protect` returns.

    Attributes
    ----------
    partitions
        One per block of variables: `.labels`, `.sizes` and `.k` of the groups as they are behind released values, and
        `.behind(column)` for columns in which groups were joined that are apart in others.
    plan
        What was done; the same plan gives the same release.
    original
        The table that was protected.
    """

    original: Table
    masked: Table
    partitions: tuple[Partition, ...]
    plan: Plan
    coarser: Table | None = None
    _written: list[_Written] = field(default_factory=list, compare=False)
    _before: Release | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        outcome, columns = (
            self.shown.plan.outcome,
            len(released_columns(self.masked, self.plan.weights, self.plan.unit)),
        )
        parts = [f"{len(self.masked):,} records"]
        if outcome is not None and outcome.units is not None:
            parts[0] += f" of {outcome.units:,} units"
        if outcome is not None and outcome.k is not None and outcome.uniques is not None:
            over = f"all {columns:,} columns" if columns > 1 else "the one column"
            parts += [f"k={outcome.k} over {over}", f"{outcome.uniques:,} unique"]
        if "_headline" in vars(self.shown):  # linkage is not measured for this line
            parts.append(f"linkage {self.headline['linkage']:.2f} %")
        return f"Release({', '.join(parts)})"

    def _repr_html_(self) -> str | None:
        from shoal.report.writing import release_in_notebook

        return release_in_notebook(self)

    @cached_property
    def data(self) -> Any:
        """The protected table, in the type you passed: the same rows in the same order, with the same index."""
        return self.masked.to_native()

    @property
    def recoded(self) -> Table:
        """The original after missing codes and recodes, which the release is measured with."""
        return self.original if self.coarser is None else self.coarser

    @property
    def shown(self) -> Release:
        """The release as its file has it, once it is written: in text numbers have fewer digits; else as it is here."""
        return self._written[-1].release if self._written else self

    def in_file(self, path: str | os.PathLike[str]) -> tuple[Release, dict[str, int]]:
        """Return the release as a file at `path` has it, and to how many decimals columns are rounded for that.

        In a format that holds decimal digits (CSV, XML, Excel), new numbers have the decimals of their column in the
        original and two more, unless `decimals` says otherwise or a rule would not hold; k is counted on these.
        """
        extra = EXTRA_DECIMALS if self.plan.output is None else self.plan.output.extra_decimals
        if extra is None or not holds_digits(Path(path)):
            return self, {}
        table, decimals = rounded_for_text(
            steps_of(self.plan), rules_in_chain(self.plan), self.original, self.recoded, self.masked, extra
        )
        if not decimals:
            return self, {}
        outcome = counted_anew(self.plan, self.original, table)
        return replace(
            self, masked=table, plan=self.plan.model_copy(update={"outcome": outcome}), _written=[]
        ), decimals

    @property
    def headline(self) -> Headline:
        """What is said first of the release: records, units (None without), k, uniques, and linkage in %.

        Over everything that is released, but for sampling weights and ids of units; a missing value counts as a
        category. With a unit, k is the fewest different units behind any combination of values, and uniques counts
        units. Above 100,000 records, linkage looks for 10,000 of them. Of a release that was written all is counted on
        what the file has.
        """
        return self.shown._headline

    @cached_property
    def _headline(self) -> Headline:
        plan, outcome = self.plan, self.plan.outcome
        assert outcome is not None and outcome.k is not None and outcome.uniques is not None
        columns = released_columns(self.masked, plan.weights, plan.unit)
        linkage = float(whole_linkage(self.recoded, self.masked, columns, kinds_in_chain(plan)))
        return Headline(
            records=len(self.masked), units=outcome.units, k=outcome.k, uniques=outcome.uniques, linkage=linkage
        )

    @cached_property
    def proven(self) -> tuple[ProvenLoss, ...]:
        """How near the groups of every block are to the best possible ones.

        `squared_error`, `lower_bound`, what proved it (`method`), and `above_best`, the difference in % at most; or why
        there is no bound (`no_bound`). Bounds are computed when they are first asked for, which can take seconds.
        """
        return with_bounds(self.plan, self.recoded, self.masked)

    def evaluate(self, **options: Any) -> Evaluation:
        """Measure information loss and disclosure risk, also against an intruder who knows the method.

        A release that was written is measured as the file has it.

        Parameters
        ----------
        **options
            `measures`, `options`, `quick` and `seed` of `shoal.evaluate`.
        """
        return evaluate(self.recoded, self.shown.masked, **self.plan.facts, aligned=True, **options)

    def then(self, **options: Any) -> Release:
        """Protect the release further, as the next step of a chain: other columns, or another replacement.

        The step starts from what this release holds. `original` stays that of the first step, `plan` has all steps and
        repeats them, and k, uniques and measures are those of the final table. A rule of an earlier step that this one
        breaks is an error.

        Parameters
        ----------
        **options
            The options of `shoal.protect`, k among them, by default that of this release. The step protects the columns
            that it names and no others: in `columns`, in lists of `blocks`, in `confidential`, or as columns with a
            recode or a replacement of their own. Roles and kinds carry over unless they are given anew.

        Examples
        --------
        >>> release = shoal.protect("survey.csv", k=5, columns=["age", "region"], unit="household")
        >>> release = release.then(columns=["income", "tax"], method="vmdav")
        >>> release.undo().write("ages-alone.csv")
        """
        from shoal.flow.protect import protect_further

        return protect_further(self, options)

    def undo(self) -> Release:
        """Return the release before the last step; ParameterError where there is none."""
        if self._before is None:
            raise ParameterError("There is no step to undo: this is the release of the first, shoal.protect.")
        return self._before

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        keep_order: bool = False,
        plan: str | os.PathLike[str] | None = DEFAULT_PLAN,
    ) -> None:
        """Write the protected table, its rows in random order, and beside it the plan that repeats it.

        In text (CSV, XML, Excel) new numbers have the decimals of their column and two more, unless `decimals` says
        otherwise; `data` keeps all digits.

        Parameters
        ----------
        path
            Where to; the ending says in which format. Never the file the data came from. An index is not written.
        keep_order
            Whether to write the rows in the order of the input. It is warned of: whoever has both files can then put
            them side by side, record by record.
        plan
            Where to write the plan, which ends in .toml: by default beside the release, as ``masked.csv.plan.toml``;
            None writes none. Keep it: with it `shoal measure` and `shoal report` find the original of every row.
        """
        plan = plan_beside(path) if is_default(plan) else plan
        refuse_targets(self.original, [("release", path, None), ("plan", plan, ".toml")])
        if keep_order:
            warn_of_order(path)
        warn_of_other_releases(self.plan, plan_beside(path) if plan is None else Path(plan))
        shown, decimals = self.in_file(path)
        table = shown.masked if keep_order else in_random_order(self.plan, shown.masked)
        if plan is None:
            write_table(table, path)
        else:
            # The plan is ready when the release takes its place: no release stands there with the plan of another.
            with replacing(plan, owner_only=True) as temporary, writing_table(table, path) as written:
                digest = file_digest(written)
                order = order_digest(self.plan, len(table), keep_order)
                output = Output(
                    path=str(Path(path).resolve()),
                    keep_order=keep_order,
                    sha256=digest,
                    extra_decimals=EXTRA_DECIMALS if self.plan.output is None else self.plan.output.extra_decimals,
                    decimals=decimals,
                    order=order,
                )
                text = shown.plan.model_copy(update={"output": output}).as_toml(plan)
                temporary.write_text(text, encoding="utf-8")
        self._written.append(_Written(tuple(Path(one).resolve() for one in (path, plan) if one is not None), shown))

    def report(
        self, path: str | os.PathLike[str], audience: Audience = "internal", evaluation: Evaluation | None = None
    ) -> None:
        """Write a report on the release as one HTML file.

        Parameters
        ----------
        path
            Where to; the name ends in .html. Never the file the data came from.
        audience
            "internal", for those who may see the original: shows its distributions. "public", to publish with the
            release: no value of the original, no seed, no count below k.
        evaluation
            The measures, if they were taken already; otherwise all are.
        """
        from shoal.report.writing import write_release_report

        check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
        refuse_to_overwrite(self.original, path)
        if any(Path(path).resolve() in one.paths for one in self._written):
            raise WriteError(f"{path} is the release or its plan. Give the report another name.")
        refuse_unwritable(path, ".html")
        write_release_report(self.shown, path, audience, self.evaluate() if evaluation is None else evaluation)


def warn_of_order(path: str | os.PathLike[str]) -> None:
    """Warn of a release whose rows are written in the order of the input."""
    warn(
        f"The rows of {path} are in the order of the input: side by side, the two files are linked record by record. "
        "Leave keep_order (--keep-order) out to write them in random order.",
        DisclosureWarning,
    )


def plan_beside(path: str | os.PathLike[str]) -> Path:
    """Return where the plan of a release is written, and looked for, by default."""
    return Path(path).with_name(f"{Path(path).name}.plan.toml")
