"""Every fact about a release as one object, for one of two audiences; pages and the command line draw from it.

The *internal* summary is for those who may see the original file. The *public* one is what a statistical office can
publish beside the release: method, parameters, utility and k, but no seed, no value or shape of the original, and no
count below k.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import Kind, kind_of
from shoal.edits.checked_records import TableRecords
from shoal.errors import ParameterError
from shoal.flow.chain import whole_chain
from shoal.flow.outcome import installed_versions
from shoal.flow.plan import Plan
from shoal.flow.rules.kept_ranges import outside_range
from shoal.measure import Evaluation
from shoal.parameters.choices import as_text
from shoal.parameters.limits import OneOf, check_limits
from shoal.partition import METHODS
from shoal.read import Table
from shoal.replace import REPLACEMENTS
from shoal.report.facts.category_ways import way_facts
from shoal.report.facts.correlations import correlations_of
from shoal.report.facts.counted_records import count_facts
from shoal.report.facts.group_sizes import group_facts, sizes_shown
from shoal.report.facts.headline import alike_text, headline_facts, protected_facts, scenario_facts
from shoal.report.facts.keys.all_key_facts import key_facts
from shoal.report.facts.measured.attack import attack_facts
from shoal.report.facts.measured.measures import measure_facts
from shoal.report.facts.measured.verdict import verdict_on
from shoal.report.facts.proven import proven_of_files, proven_of_release
from shoal.report.facts.recoded_columns import recode_lines
from shoal.report.facts.shapes import categories_in, shape_of_amounts, shape_of_categories
from shoal.report.facts.steps import step_facts, treatment_of
from shoal.report.facts.summary import (
    AS_IT_IS,
    DROPPED,
    NEW_IDS,
    Audience,
    Correlations,
    HeadlineFacts,
    Moments,
    OutcomeFacts,
    RuleFacts,
    Shape,
    Summary,
    VariableFacts,
    summary_schema,
)
from shoal.report.facts.units import unit_facts
from shoal.report.publish.public_evaluation import NOT_PUBLIC, has_few_values, public_evaluation
from shoal.report.publish.shares import Shares

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = ["Audience", "Collector", "Summary", "refuse_without_plan", "summarize", "summarize_files", "summary_schema"]


def summarize(
    release: Release,
    audience: Audience,
    evaluation: Evaluation,
    *,
    distributions: bool = True,
    alternatives: bool = True,
    linkage: bool = True,
) -> Summary:
    """Collect every fact about a release.

    Parameters
    ----------
    release
        What `shoal.protect` returned.
    audience
        "internal", for those who may see the original, or "public".
    evaluation
        The measures, as `release.evaluate()` returns them.
    distributions, alternatives
        Whether to collect how variables are distributed and correlated, and with that what the best groups and other
        ways with categories would lose, which takes longest.
    linkage
        Whether to measure linkage over everything released, if it is not known.

    Examples
    --------
    >>> facts = summarize(release, "public", release.evaluate()).to_dict()
    """
    release = release.shown
    collector = Collector(release.recoded, release.masked, evaluation, release.plan, audience)
    sizes = [partition.sizes for partition in release.partitions]
    summary = collector.summary(sizes, distributions, just_made=True, linkage=linkage)
    computed = distributions and alternatives
    ways = way_facts(release) if computed and audience == "internal" else []
    proven = proven_of_release(release, audience, computed=computed)
    return summary.model_copy(update={"category_ways": ways, "proven": proven})


def summarize_files(
    original: Table,
    masked: Table,
    evaluation: Evaluation,
    plan: Plan | None = None,
    audience: Audience = "internal",
    *,
    are_of_plan: bool = False,
) -> Summary:
    """Collect every fact about an original and a masked file, and about the plan that made the one of the other.

    Parameters
    ----------
    original, masked
        The two files, their records in the same order.
    evaluation
        The measures, as `shoal.evaluate` returns them.
    plan
        How the file was masked, if that is known. A public summary needs it.
    audience
        "internal", for those who may see the original, or "public".
    are_of_plan
        Whether these are the very files of the plan, so that what is proven with it is about them.
    """
    collector = Collector(original, masked, evaluation, plan, audience)
    sizes = [] if plan is None else sizes_shown(masked, plan)
    summary = collector.summary(sizes, distributions=True, just_made=False)
    proven = None if plan is None or not are_of_plan else proven_of_files(plan, original, masked, audience)
    return summary.model_copy(update={"proven": proven})


def refuse_without_plan(plan: Plan | None, audience: Audience) -> None:
    """Raise ParameterError if a report for the public has no plan."""
    if plan is None and audience == "public":
        raise ParameterError("A public report says how the file was protected: name the plan too (--plan).")


class Collector:
    """Collects the facts about one release for one audience."""

    def __init__(
        self, original: Table, masked: Table, evaluation: Evaluation, plan: Plan | None, audience: Audience
    ) -> None:
        check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
        self._original, self._masked, self._evaluation = original, masked, evaluation
        self._plan = plan
        self._kinds = {} if plan is None else whole_chain.kinds_in_chain(plan)
        self._no_k = "" if plan is None else whole_chain.no_k_in_chain(plan)
        self._audience: Audience = audience
        self._internal = audience == "internal"
        refuse_without_plan(plan, audience)
        self._few: set[str] = set()  # variables of which, in public, statistics would tell who has which value
        if plan is not None and not self._internal:
            numeric = [name for name in evaluation.columns if self._kinds.get(name) == "continuous"]
            self._few = {name for name in numeric if has_few_values(original, name)}
            self._evaluation = public_evaluation(evaluation, plan, self._few)
        self._fewest = 1 if plan is None or self._internal else whole_chain.largest_k(plan)  # no smaller count is seen
        self._shares = (
            Shares(None) if self._fewest == 1 else Shares.in_public(self._fewest, evaluation.complete_records)
        )
        self._values = self._shares.values(self._evaluation.measured)

    def summary(
        self,
        sizes: Sequence[NDArray[np.int64]],
        distributions: bool,
        just_made: bool,
        linkage: bool = True,
        of_sample: bool = False,
    ) -> Summary:
        """Return all facts, given the sizes of the groups in every block as far as they are known."""
        plan = self._plan
        source = "" if self._original.source is None else self._original.source.name
        k_holds = self._k_holds(sizes)
        promised = None if plan is None or self._no_k else plan.k
        arguments = (self._evaluation, promised, self._shares, self._fewest)
        headline = headline_facts(*arguments, linkage=linkage)
        choices, facts = self._choices(), self._plan_facts()
        return Summary(
            audience=self._audience,
            title=f"Protection of {source}" if self._internal and source else "Protection of a table",
            verdict=verdict_on(self._evaluation, self._promise(k_holds, headline), self._shares, self._fewest),
            headline=headline,
            headline_protected=protected_facts(*arguments) if linkage else None,
            no_k=self._no_k,
            scenarios=scenario_facts(self._evaluation, self._shares, self._fewest) if distributions else [],
            records=len(self._masked),
            columns_released=len(self._masked.names),
            k=None if plan is None else plan.k,
            k_holds=k_holds,
            method=None if plan is None else as_text(plan.public()["method"]),
            in_groups=plan is None or not plan.masking.is_whole_file,
            replace=[] if facts is None else sorted({as_text(choice) for choice in facts["replace"].values()}),
            is_synthetic=plan is not None and plan.family.rewrites,
            perturbs=plan is not None and not plan.family.makes_groups,
            descriptions={name: choice.summary for name, choice in choices.items()},
            references=list(dict.fromkeys(choice.reference for choice in choices.values() if choice.reference)),
            steps=step_facts(plan, internal=self._internal),
            plan=facts,
            protected=list(self._protected),
            variables=[self._variable(name, distributions) for name in self._names()],
            groups=group_facts(plan, sizes, internal=self._internal),
            units=unit_facts(self._evaluation, headline.units, self._fewest),
            outcome=self._outcome() if just_made else None,
            outside=self._outside(),
            **count_facts(plan, self._audience),
            recoded=recode_lines(plan, self._audience),
            **key_facts(plan, self._original, self._masked, self._audience, of_both=distributions and not of_sample),
            rules=self._rules(),
            measures=measure_facts(self._evaluation, self._shares, self._fewest),
            least_share=self._shares.least,
            left_out=self._left_out(),
            correlations=self._correlations() if distributions else None,
            moments=self._moments(),
            linkage_by_known=self._linkage_by_known(),
            attack=attack_facts(self._evaluation, self._shares, self._fewest),
            notes=[] if plan is None or plan.outcome is None or not self._internal else list(plan.outcome.notes),
            versions=installed_versions() if self._internal else {"shoal": installed_versions()["shoal"]},
        )

    def _k_holds(self, sizes: Sequence[NDArray[np.int64]]) -> bool:
        """Whether every protected value is seen to stand for k records."""
        plan = self._plan
        if plan is None or not plan.family.shows_groups or not whole_chain.all_promise(plan):
            return False
        reached = self._evaluation.k_anonymity
        if sizes:
            return all(block.min() >= plan.k for block in sizes)
        return reached is not None and reached >= plan.k

    def _promise(self, k_holds: bool, headline: HeadlineFacts) -> str:
        """Return what holds of whole records, over everything that is released, and of every protected value."""
        alike = alike_text(headline)
        if self._plan is not None and self._plan.family.rewrites:
            return f"The confidential values are synthetic, no k is promised, and {alike}"
        if self._plan is not None and not self._plan.family.makes_groups:
            return f"No k is promised, as {self._plan.family.no_k}, and {alike}"
        if self._plan is not None and k_holds and not headline.are_k_alike:
            alike += f", though every protected value stands for at least {self._plan.k} records"
        return alike[:1].upper() + alike[1:]

    def _choices(self) -> dict[str, type[Any]]:
        """Return the classes of the method and of the replacements by their names."""
        if self._plan is None:
            return {}
        steps = whole_chain.steps_of(self._plan)
        replacements = [choice["name"] for step in steps for choice in step.replace.values()]
        methods = {step.method["name"]: METHODS[step.method["name"]] for step in steps}
        return methods | {name: REPLACEMENTS[name] for name in replacements}

    def _plan_facts(self) -> dict[str, Any] | None:
        if self._plan is None:
            return None
        if not self._internal:
            return self._plan.public()
        secret: dict[str, Any] = {"outcome": True, "versions": True, "key": True, "asked": True}
        left_out = {**secret, "before": {"__all__": secret} if self._plan.before else True}
        return self._plan.model_dump(exclude=left_out)

    def _names(self) -> list[str]:
        """Return the columns to speak of: all, or in public those that are released."""
        return [name for name in self._original.names if self._internal or name in self._masked]

    @cached_property
    def _protected(self) -> dict[str, None]:
        """The columns that were changed, in their order; without a plan those that were compared."""
        if self._plan is None:
            compared = set(self._evaluation.columns)
            return {name: None for name in self._original.names if name in compared}
        return dict.fromkeys(whole_chain.protected_in_chain(self._plan))

    def _kind(self, name: str) -> Kind | None:
        return self._kinds.get(name) or kind_of(self._original, name)

    def _variable(self, name: str, distributions: bool) -> VariableFacts:
        plan = self._plan
        protected = name in self._protected
        released = name in self._masked
        if not released:
            treatment = DROPPED
        elif not protected:
            treatment = AS_IT_IS if plan is None or name != plan.unit else NEW_IDS
        else:
            treatment = "compared" if plan is None else treatment_of(plan, name, internal=self._internal)
        loss = self._evaluation.information_loss
        by_column = {} if loss is None else loss.parts.get("by_column", {})
        return VariableFacts(
            name=name,
            label=self._original.labels.variables.get(name, ""),
            kind=self._kind(name),
            role="" if plan is None else plan.roles.get(name, ""),
            treatment=treatment,
            protected=protected,
            missing=int(self._original.missing(name).sum()) if self._internal else None,
            loss=self._shares.rounded(by_column[name]) if protected and name in by_column else None,
            shape=self._shape(name) if distributions and protected and released else None,
        )

    def _shape(self, name: str) -> Shape | None:
        tables = [self._masked, self._original] if self._internal else [self._masked]
        if self._kind(name) == "continuous":
            return shape_of_amounts([table.numbers(name) for table in tables], self._fewest)
        labels = self._original.labels.values.get(name, {})
        return shape_of_categories([categories_in(table, name) for table in tables], labels, self._fewest)

    def _outcome(self) -> OutcomeFacts | None:
        outcome = None if self._plan is None or not self._internal else self._plan.outcome
        if outcome is None:
            return None
        return OutcomeFacts(
            smallest_support=outcome.smallest_support,
            became_float=list(outcome.became_float),
            joined=list(outcome.joined),
            outside=dict(outcome.outside),
            closeness=outcome.closeness,
            empty_records=outcome.empty_records,
        )

    def _outside(self) -> dict[str, float]:
        if self._plan is None or not self._shares.can_be_given:
            return {}
        counts = outside_range(self._plan, self._original, self._masked)
        return {name: self._shares.bounded(100 * count / len(self._masked)) for name, count in counts.items()}

    def _rules(self) -> list[RuleFacts]:
        if self._plan is None:
            return []
        records = TableRecords(self._masked, self._original)
        return [
            RuleFacts(rule=rule.text, kind=rule.kind, holds=not rule.broken(records).any())
            for rule in whole_chain.rules_in_chain(self._plan)
        ]

    def _left_out(self) -> dict[str, str]:
        """Return which measures are not there, and why."""
        reasons = {**self._evaluation.not_applicable, **self._evaluation.left_out}
        needs = reasons.get("transparency_attack", "").startswith("needs ")
        if needs and self._plan is not None and whole_chain.hides_groups(self._plan):
            reasons["transparency_attack"] = "several steps make groups, or change those of another."
        return reasons | {name: NOT_PUBLIC for name in self._evaluation.measured if name not in self._values}

    def _correlations(self) -> Correlations | None:
        columns = [
            name
            for name in self._evaluation.columns
            if self._original.is_numeric(name)
            and (self._plan is None or self._kinds.get(name) == "continuous")
            and name not in self._few
        ]
        return correlations_of(self._original, self._masked, columns, fewest=self._fewest, internal=self._internal)

    def _moments(self) -> list[Moments]:
        if not self._internal:
            return []
        measured = {"third": self._evaluation.third_moments, "fourth": self._evaluation.fourth_moments}
        parts = {which: {} if value is None else value.parts.get("by_column", {}) for which, value in measured.items()}
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
        linkage = self._evaluation.linkage_over_subsets
        return [] if linkage is None or not self._shares.can_be_given else self._shares.by_number(linkage)
