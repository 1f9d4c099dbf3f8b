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

from shoal.choices import text as choice_text
from shoal.describe.variables import kind_of
from shoal.edits import parse_rules
from shoal.edits.evaluation import TableRecords
from shoal.errors import ParameterError
from shoal.limits import OneOf, check_limits
from shoal.measure import Evaluation
from shoal.measure.catalogue import MEASURES
from shoal.plan import Plan, installed_versions
from shoal.read import Table
from shoal.report.facts import (
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

if TYPE_CHECKING:
    from shoal.release import Release

__all__ = [
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

_BINS = 40
_TAIL = 0.005  # the share of records beyond either end of a drawn distribution
_MOST_CATEGORIES = 20
_MOST_CORRELATED = 40
_MOST_SIZES = 30
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
    return _Collector(original, masked, evaluation, plan, [], audience).summary()


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
        self._fewest = 1 if plan is None or self._internal else plan.k  # a smaller count is nobody's business

    def summary(self) -> Summary:
        plan, evaluation = self._plan, self._evaluation
        source = "" if self._original.source is None else self._original.source.name
        rules = self._rules()
        return Summary(
            audience=self._audience,
            title=f"Protection of {source}" if self._internal and source else "Protection of a table",
            verdict=self._verdict(),
            records=len(self._masked),
            columns_released=len(self._masked.names),
            k=None if plan is None else plan.k,
            method=None if plan is None else choice_text(plan.public()["method"]),
            replace=[] if plan is None else sorted({choice_text(choice) for choice in plan.replace.values()}),
            plan=self._plan_facts(),
            variables=[self._variable(name) for name in self._names()],
            groups=self._groups(),
            rules=rules,
            measures=self._measures(),
            left_out={**evaluation.not_applicable, **evaluation.left_out},
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
            treatment = choice_text(plan.replace[name])
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
            missing=int(self._original.gaps(name).sum()) if self._internal else None,
            loss=by_column.get(name) if protected else None,
            shape=self._shape(name) if protected and name in self._masked.names else None,
        )

    def _shape(self, name: str) -> Shape | None:
        tables = [self._masked, self._original] if self._internal else [self._masked]
        kind = kind_of(self._original, name) if self._plan is None else self._plan.kinds[name]
        if kind == "continuous":
            columns = [table.numbers(name) for table in tables]
            columns = [column[np.isfinite(column)] for column in columns]
            if any(len(column) == 0 for column in columns):
                return None
            edges = _edges(columns)
            shares = [_shares(column, edges, self._fewest) for column in columns]
            return Shape(edges=edges.tolist(), masked=shares[0], original=shares[1] if self._internal else None)
        cells = [_texts(table, name) for table in tables]
        counts = [dict(zip(*np.unique(one, return_counts=True), strict=True)) for one in cells]
        names = sorted(set().union(*counts), key=lambda one: (-sum(count.get(one, 0) for count in counts), one))
        listed, rest = names[:_MOST_CATEGORIES], names[_MOST_CATEGORIES:]
        if not self._internal:
            rest += [one for one in listed if counts[0][one] < self._fewest]
            listed = [one for one in listed if counts[0][one] >= self._fewest]
            if listed and sum(counts[0][one] for one in rest) < self._fewest:  # too few to stand by themselves
                counts[0][listed[-1]] += sum(counts[0][one] for one in rest)
                rest = []
        found: list[list[float]] = []
        for one, count in zip(cells, counts, strict=True):
            own = [count.get(category, 0) / max(len(one), 1) for category in listed]
            found.append(own + ([max(1 - sum(own), 0.0)] if rest else []))
        return Shape(
            categories=[str(one) for one in listed] + ([f"{len(rest)} more"] if rest else []),
            masked=found[0],
            original=found[1] if self._internal else None,
        )

    def _groups(self) -> list[GroupFacts]:
        if self._plan is None or self._plan.outcome is None:
            return []
        found = []
        for block, sizes in zip(self._plan.blocks, self._sizes, strict=False):
            binned = _binned(sizes) if self._internal else None
            found.append(
                GroupFacts(
                    columns=block,
                    groups=len(sizes),
                    smallest=int(sizes.min()),
                    largest=int(sizes.max()),
                    sizes=binned,
                )
            )
        return found

    def _rules(self) -> list[RuleFacts]:
        if self._plan is None:
            return []
        records = TableRecords(self._masked, self._original)
        return [
            RuleFacts(rule=rule.text, kind=rule.kind, holds=not rule.broken(records).any())
            for rule in parse_rules(self._plan.edits)
        ]

    def _measures(self) -> list[MeasureFacts]:
        found = []
        for name, figure in self._evaluation.figures.items():
            about = MEASURES[name].about
            if about.unit == "records" and not self._internal and self._plan is not None and figure < self._plan.k:
                continue  # a count below k is nobody's business
            low, high = (end if np.isfinite(end) else None for end in about.range)
            found.append(
                MeasureFacts(
                    name=name,
                    title=about.title,
                    value=float(figure),
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
            if self._original.is_numeric(name) and (self._plan is None or self._plan.kinds.get(name) == "continuous")
        ][:_MOST_CORRELATED]
        if len(compared) < 2:
            return None
        before, after = (
            np.column_stack([table.numbers(name) for name in compared]) for table in (self._original, self._masked)
        )
        complete = ~(np.isnan(before).any(axis=1) | np.isnan(after).any(axis=1))
        if complete.sum() < 3:
            return None
        with np.errstate(all="ignore"):
            one, other = (np.asarray(np.corrcoef(file[complete].T)) for file in (before, after))
        return Correlations(
            columns=compared,
            original=_rounded(one) if self._internal else None,
            masked=_rounded(other),
            difference=_rounded(other - one),
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
        return [] if figure is None else [(int(n), float(share)) for n, share in figure.parts["by_number"].items()]

    def _attack(self) -> AttackFacts | None:
        figure = self._evaluation.transparency_attack
        if figure is None:
            return None
        known = max(len(choice["known"]) for choice in figure.parts["by_choice"])
        names = ["expected", "certain", "coverage", "linkage"]
        if self._internal or figure.parts["candidates"] >= self._fewest:
            names.append("candidates")
        return AttackFacts(known=known, **{name: float(figure.parts[name]) for name in names})

    def _verdict(self) -> str:
        """Return what came of it, in one sentence."""
        evaluation = self._evaluation
        linked = [
            float(one) for one in (evaluation.distance_linkage, evaluation.transparency_attack) if one is not None
        ]
        lost = evaluation.information_loss
        said = []
        if linked:
            word = next((word for most, word in _TRACED if max(linked) <= most), "many records can be traced")
            said.append(f"{word} ({max(linked):.1f} %)")
        if lost is not None:
            word = next((word for most, word in _LOST if lost <= most), "much is lost")
            said.append(f"{word} ({float(lost):.1f} % of the variation)")
        promise = ""
        reached = evaluation.k_anonymity
        if self._plan is not None and not self._sizes and (reached is None or reached < self._plan.k):
            promise = ""  # these two files do not show it
        elif self._plan is not None and not self._plan.is_synthetic:
            promise = f"Every protected value stands for at least {self._plan.k} records"
        elif self._plan is not None:
            promise = "The confidential values are synthetic"
        if not said:
            return f"{promise or 'Two files were compared'}; nothing was measured."
        outcome = " and ".join(said)
        return f"{promise}; {outcome}." if promise else f"{outcome[0].upper()}{outcome[1:]}."


def _edges(columns: Sequence[Doubles]) -> Doubles:
    """Return edges of bins that leave out the tails, so that one rich man does not hide all others."""
    low = min(float(np.quantile(column, _TAIL)) for column in columns)
    high = max(float(np.quantile(column, 1 - _TAIL)) for column in columns)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    distinct = len(np.unique(np.concatenate(columns)))
    return np.linspace(low, high, min(_BINS, max(distinct, 2)) + 1)


def _shares(column: Doubles, edges: Doubles, fewest: int) -> list[float]:
    counts, _ = np.histogram(np.clip(column, edges[0], edges[-1]), edges)
    return [share / len(column) for share in _no_fewer(counts.tolist(), fewest)]


def _no_fewer(counts: list[int], fewest: int) -> list[int]:
    """Add counts that are too small to the next bin, the last to the one before."""
    kept, carried = [0] * len(counts), 0
    for place, count in enumerate(counts):
        carried += count
        if count and carried >= fewest:
            kept[place], carried = carried, 0
    last = max((place for place, count in enumerate(kept) if count), default=len(kept) - 1)
    kept[last] += carried
    return kept


def _texts(table: Table, name: str) -> NDArray[Any]:
    texts = TableRecords(table).texts(name)
    return np.asarray(texts[~table.gaps(name)], dtype=str)


def _binned(sizes: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Return how many groups have from ... to ... records."""
    values, counts = np.unique(sizes, return_counts=True)
    if len(values) <= _MOST_SIZES:
        return [(int(value), int(value), int(count)) for value, count in zip(values, counts, strict=True)]
    edges = np.unique(np.linspace(values[0], values[-1] + 1, _MOST_SIZES + 1).astype(np.int64))
    found, _ = np.histogram(sizes, edges)
    return [
        (int(low), int(high) - 1, int(count)) for low, high, count in zip(edges[:-1], edges[1:], found, strict=True)
    ]


def _rounded(matrix: Doubles) -> list[list[float | None]]:
    return [[round(float(cell), 4) if np.isfinite(cell) else None for cell in row] for row in matrix]
