"""Every fact about a release as one object, for two audiences; reports draw from it and compute nothing.

The *internal* summary is for those who may see the original file. The *public* one is what a statistical office can
publish beside the release: method, parameters, utility and k, but no seed, no value or shape of the original, and no
count below k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import kind_of
from shoal.edits.checked_records import TableRecords
from shoal.errors import ParameterError
from shoal.flow.outcome import installed_versions
from shoal.flow.plan import Plan
from shoal.measure import Evaluation
from shoal.measure.catalogue import MEASURES
from shoal.parameters.choices import as_text
from shoal.parameters.limits import OneOf, check_limits
from shoal.read import Table
from shoal.report.facts.group_sizes import binned, sizes_shown
from shoal.report.facts.shapes import categories_in, shape_of_amounts, shape_of_categories
from shoal.report.facts.summary import (
    AttackFacts,
    Audience,
    Correlations,
    GroupFacts,
    MeasureFacts,
    Moments,
    RuleFacts,
    Shape,
    Summary,
    VariableFacts,
    summary_schema,
)
from shoal.report.publish.public_evaluation import NOT_PUBLIC, has_few_values, public_evaluation
from shoal.report.publish.shares import Shares

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = [
    "MOST_CORRELATED",
    "AttackFacts",
    "Audience",
    "Correlations",
    "GroupFacts",
    "MeasureFacts",
    "Moments",
    "RuleFacts",
    "Shape",
    "Summary",
    "VariableFacts",
    "summarize",
    "summarize_files",
    "summary_schema",
]

Doubles = NDArray[np.float64]

MOST_CORRELATED = 40
# Where "few" and "many" begin, in percent of records traced and of variation lost.
_TRACED = ((5.0, "hardly any record can be traced"), (20.0, "some records can be traced"))
_LOST = ((10.0, "little is lost"), (30.0, "some is lost"))


def summarize(release: Release, audience: Audience = "internal", evaluation: Evaluation | None = None) -> Summary:
    """Collect every fact about a release.

    Parameters
    ----------
    release
        What `protect` returned.
    audience
        "internal", for those who may see the original, or "public".
    evaluation
        The measures, if they were taken already; otherwise all are.
    """
    measured = release.evaluate() if evaluation is None else evaluation
    sizes = [partition.sizes for partition in release.partitions]
    return _Collector(release.original, release.masked, measured, release.plan, sizes, audience).summary()


def summarize_files(
    original: Table, masked: Table, evaluation: Evaluation, plan: Plan | None = None, audience: Audience = "internal"
) -> Summary:
    """Collect every fact about two files, and about the plan that made one of the other if there is one."""
    sizes = [] if plan is None else sizes_shown(masked, plan)
    return _Collector(original, masked, evaluation, plan, sizes, audience).summary()


class _Collector:
    """Collects the facts about one release."""

    def __init__(
        self,
        original: Table,
        masked: Table,
        evaluation: Evaluation,
        plan: Plan | None,
        sizes: Sequence[NDArray[np.int64]],
        audience: Audience,
    ) -> None:
        check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
        self._original, self._masked, self._evaluation = original, masked, evaluation
        self._plan, self._sizes = plan, sizes
        self._audience: Audience = audience
        self._internal = audience == "internal"
        if plan is None and not self._internal:
            raise ParameterError("What is published says how the file was protected: name the plan too (--plan).")
        self._few: set[str] = set()  # variables of which, in public, statistics would tell who has which value
        if plan is not None and not self._internal:
            numeric = [name for name in evaluation.columns if plan.kinds.get(name) == "continuous"]
            self._few = {name for name in numeric if has_few_values(original, name)}
            self._evaluation = public_evaluation(original, masked, evaluation, plan, self._few)
        self._fewest = 1 if plan is None or self._internal else plan.k  # a smaller count is nobody's business
        self._shares = (
            Shares(None) if self._fewest == 1 else Shares.in_public(self._fewest, evaluation.complete_records)
        )

        self._given = self._shares.figures(self._evaluation.figures)

    def summary(self) -> Summary:
        plan = self._plan
        source = "" if self._original.source is None else self._original.source.name
        rules = self._rules()
        return Summary(
            audience=self._audience,
            title=f"Protection of {source}" if self._internal and source else "Protection of a table",
            verdict=self._verdict(),
            records=len(self._masked),
            columns_released=len(self._masked.names),
            k=None if plan is None else plan.k,
            k_holds=self._k_holds,
            method=None if plan is None else as_text(plan.public()["method"]),
            replace=[] if plan is None else sorted({as_text(choice) for choice in plan.replace.values()}),
            plan=self._plan_facts(),
            variables=[self._variable(name) for name in self._names()],
            groups=self._groups(),
            rules=rules,
            measures=self._measures(),
            least_share=self._shares.least,
            left_out=self._left_out(),
            correlations=self._correlations(),
            moments=self._moments(),
            linkage_by_known=self._linkage_by_known(),
            attack=self._attack(),
            notes=[] if plan is None or plan.outcome is None or not self._internal else list(plan.outcome.notes),
            versions=installed_versions() if self._internal else {"shoal": installed_versions()["shoal"]},
        )

    def _plan_facts(self) -> dict[str, Any] | None:
        if self._plan is None:
            return None
        return self._plan.model_dump(exclude={"outcome", "versions"}) if self._internal else self._plan.public()

    def _names(self) -> list[str]:
        """The columns to speak of: all, or in public those that are released."""
        return [name for name in self._original.names if self._internal or name in self._masked.names]

    def _protected(self) -> list[str]:
        if self._plan is None:
            return [name for name in self._original.names if name in self._evaluation.columns]
        return self._plan.confidential or self._plan.columns

    def _variable(self, name: str) -> VariableFacts:
        plan = self._plan
        protected = name in self._protected()
        if name not in self._masked.names:
            treatment = "dropped"
        elif plan is None:
            treatment = "compared" if protected else "as it is"
        elif protected:
            treatment = as_text(plan.replace[name])
        else:
            treatment = "as it is"
        loss = self._evaluation.information_loss
        by_column = {} if loss is None else loss.parts.get("by_column", {})
        return VariableFacts(
            name=name,
            label=self._original.labels.variables.get(name, ""),
            kind=kind_of(self._original, name) if plan is None else plan.kinds.get(name, kind_of(self._original, name)),
            role="" if plan is None else plan.roles.get(name, ""),
            treatment=treatment,
            protected=protected,
            missing=int(self._original.missing(name).sum()) if self._internal else None,
            loss=self._shares.rounded(by_column[name]) if protected and name in by_column else None,
            shape=self._shape(name) if protected and name in self._masked.names else None,
        )

    def _shape(self, name: str) -> Shape | None:
        tables = [self._masked, self._original] if self._internal else [self._masked]
        kind = kind_of(self._original, name) if self._plan is None else self._plan.kinds[name]
        if kind == "continuous":
            return shape_of_amounts([table.numbers(name) for table in tables], self._fewest)
        labels = self._original.labels.values.get(name, {})
        return shape_of_categories([categories_in(table, name) for table in tables], labels, self._fewest)

    def _groups(self) -> list[GroupFacts]:
        if self._plan is None or self._plan.outcome is None:
            return []
        if not self._internal and any(sizes.min() < self._plan.k for sizes in self._sizes):
            return []
        found = []
        for block, sizes in zip(self._plan.blocks, self._sizes, strict=False):
            found.append(
                GroupFacts(
                    columns=block,
                    groups=len(sizes),
                    smallest=int(sizes.min()),
                    largest=int(sizes.max()),
                    sizes=binned(sizes) if self._internal else None,
                )
            )
        return found

    def _rules(self) -> list[RuleFacts]:
        if self._plan is None:
            return []
        records = TableRecords(self._masked, self._original)
        return [
            RuleFacts(rule=rule.text, kind=rule.kind, holds=not rule.broken(records).any()) for rule in self._plan.edits
        ]

    def _left_out(self) -> dict[str, str]:
        """Return which measures are not there, and why."""
        found = {**self._evaluation.not_applicable, **self._evaluation.left_out}
        return found | {name: NOT_PUBLIC for name in self._evaluation.figures if name not in self._given}

    def _measures(self) -> list[MeasureFacts]:
        found = []
        for name, value in self._given.items():
            about, figure = MEASURES[name].about, self._evaluation.figures[name]
            if about.unit == "records" and value < self._fewest:
                continue  # a count below k is nobody's business
            low, high = (end if np.isfinite(end) else None for end in about.range)
            found.append(
                MeasureFacts(
                    name=name,
                    title=about.title,
                    value=value,
                    unit=about.unit,
                    better=about.better,
                    side=about.side,  # type: ignore[arg-type]  # no partitions among them
                    definition=about.definition,
                    reference=about.reference,
                    least=low,
                    greatest=high,
                    sampled=figure.parts.get("sampled"),
                )
            )
        return found

    def _correlations(self) -> Correlations | None:
        compared = [
            name
            for name in self._evaluation.columns
            if self._original.is_numeric(name)
            and (self._plan is None or self._plan.kinds.get(name) == "continuous")
            and name not in self._few
        ][:MOST_CORRELATED]
        if len(compared) < 2:
            return None
        before, after = (
            np.column_stack([table.numbers(name) for name in compared]) for table in (self._original, self._masked)
        )
        complete = ~(np.isnan(before).any(axis=1) | np.isnan(after).any(axis=1))
        if complete.sum() < max(3, self._fewest):
            return None
        with np.errstate(all="ignore"):
            one, other = (np.asarray(np.corrcoef(file[complete].T)) for file in (before, after))
        digits = 4 if self._internal else 2
        return Correlations(
            columns=compared,
            original=_rounded(one, digits) if self._internal else None,
            masked=_rounded(other, digits),
            difference=_rounded(other - one, digits),
        )

    def _moments(self) -> list[Moments]:
        if not self._internal:
            return []
        parts = {
            name: {} if figure is None else figure.parts.get("by_column", {})
            for name, figure in (
                ("third", self._evaluation.third_moments),
                ("fourth", self._evaluation.fourth_moments),
            )
        }
        columns = [name for name in self._evaluation.columns if any(name in part for part in parts.values())]
        return [
            Moments(
                column=column,
                **{
                    which: (part[column]["original"], part[column]["masked"])
                    for which, part in parts.items()
                    if column in part
                },
            )
            for column in columns
        ]

    def _linkage_by_known(self) -> list[tuple[int, float]]:
        figure = self._evaluation.linkage_over_subsets
        return [] if figure is None or not self._shares.may_be_given else self._shares.by_number(figure)

    def _attack(self) -> AttackFacts | None:
        figure = self._evaluation.transparency_attack
        if figure is None or not self._shares.may_be_given:
            return None
        known = max(len(choice["known"]) for choice in figure.parts["by_choice"])
        left = float(figure.parts["candidates"])
        return AttackFacts(
            known=known,
            candidates=self._shares.rounded(left) if left >= self._fewest else None,
            **{name: self._shares.given(figure.parts[name]) for name in ("expected", "certain", "coverage", "linkage")},
        )

    @property
    def _k_holds(self) -> bool:
        """Whether every protected value is seen to stand for k records."""
        if self._plan is None or self._plan.is_synthetic:
            return False
        reached = self._evaluation.k_anonymity
        if self._sizes:
            return all(sizes.min() >= self._plan.k for sizes in self._sizes)
        return reached is not None and reached >= self._plan.k

    def _verdict(self) -> str:
        """Return what came of it, in one sentence."""
        said = [one for one in (self._traced(), self._lost()) if one]
        promise = ""
        if self._plan is not None and self._plan.is_synthetic:
            promise = "The confidential values are synthetic"
        elif self._plan is not None and self._k_holds:
            promise = f"Every protected value stands for at least {self._plan.k} records"
        if not said:
            return f"{promise or 'Two files were compared'}; nothing was measured."
        outcome = " and ".join(said)
        return f"{promise}; {outcome}." if promise else f"{outcome[0].upper()}{outcome[1:]}."

    def _traced(self) -> str:
        """Say how many records an intruder finds, in words that tell no more than the figures that are given."""
        figures = (self._evaluation.distance_linkage, self._evaluation.transparency_attack)
        linked = max((float(one) for one in figures if one is not None), default=None)
        if linked is None or not self._shares.may_be_given:
            return ""
        given, least = self._shares.given(linked), self._shares.least
        if least is not None and given <= least:
            return f"at most {self._fewest} records can be traced ({least:.1f} %)"
        word = next((word for most, word in _TRACED if given <= most), "many records can be traced")
        return f"{word} ({given:.1f} %)"

    def _lost(self) -> str:
        lost = self._evaluation.information_loss
        if lost is None:
            return ""
        word = next((word for most, word in _LOST if lost <= most), "much is lost")
        return f"{word} ({float(lost):.1f} % of the variation)"


def _rounded(matrix: Doubles, digits: int) -> list[list[float | None]]:
    return [[round(float(cell), digits) if np.isfinite(cell) else None for cell in row] for row in matrix]
