"""One block of variables protected by crisp groups: partition, then a representative for every group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata
from shoal.describe.tied_columns import tied_columns
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.kept_representatives import kept_representatives
from shoal.errors import DisclosureWarning, MethodError, TooFewRecordsError, warn
from shoal.flow.blocks.diversity import confidential_codes, with_diversity
from shoal.flow.blocks.grouping import Grouping, group_records
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.rules.kept_rules import split_by_rules
from shoal.partition import Partition
from shoal.partition.geometry.safe_scale import safely_scaled
from shoal.replace import Aggregate, Medoid, Members, TooFewObservedError
from shoal.replace.members import joined_to_at_least_k, members
from shoal.replace.same_records import Behind, over_the_same_records
from shoal.replace.signed_geometric_means import signed_geometric_means

__all__ = ["protect_crisp_block"]

Doubles = NDArray[np.float64]


def protect_crisp_block(work: Work, number: int, block: Sequence[str]) -> ProtectedBlock:
    """Group every stratum and give every group its representatives, variable by variable, so that rules hold."""
    plan, strata = work.plan, work.strata
    edits = work.edits[number] if work.edits else None
    values, matrix = work.values[number], work.matrices[number]
    cells = None
    if edits is not None and edits.demands:
        cells = split_by_rules(plan, work.table, edits, matrix, strata)
        strata = Strata(cells.codes, len(cells.parts), strata.columns)
    grouping = group_records(work, number, block, matrix, strata)
    everyone = members(grouping.labels, grouping.labels >= 0)
    if plan.diversity is not None:
        confidential = confidential_codes(work, block)
        grouping = with_diversity(grouping, _centres(matrix, everyone), confidential, plan.diversity)
        everyone = members(grouping.labels, grouping.labels >= 0)
    replacement = plan.replacements[block[0]]
    if replacement.scope == "block":
        assert isinstance(replacement, Medoid)
        return _block_of_medoids(replacement, block, matrix, grouping, everyone)
    representatives = _Representatives(work, number, block, values, matrix, strata, grouping, everyone, edits)
    representatives.compute()
    computed = representatives.computed
    if edits is not None and cells is not None:
        computed |= _keeping_rules(work, edits, cells, computed, representatives.taken, grouping.labels)
    return ProtectedBlock(
        matrix=matrix,
        partition=Partition(grouping.labels, tuple(block)),
        computed=computed,
        taken=representatives.taken,
        joined=representatives.joined,
        held_by_one=representatives.held_by_one,
        smallest_support=min(representatives.supports, default=len(work.table)),
        steps=grouping.steps,
        notes=grouping.notes,
    )


@dataclass
class _Representatives:
    """The representatives of the groups of one block, variable by variable."""

    work: Work
    number: int
    block: Sequence[str]
    values: Mapping[str, Doubles]
    matrix: Matrix
    strata: Strata
    grouping: Grouping
    everyone: Members
    edits: BlockEdits | None
    computed: dict[str, Doubles] = field(default_factory=dict)
    taken: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)
    held_by_one: dict[str, int] = field(default_factory=dict)
    supports: list[int] = field(default_factory=list)

    def compute(self) -> None:
        """Fill in the new values of every column."""
        seed, places = self.work.plan.seed, range(len(self.block))
        rngs = [np.random.default_rng([seed, self.number, place]) for place in places]
        powers = self._of_products(rngs[0])
        behind = self._behind()
        for name, rng in zip(self.block, rngs, strict=True):
            self._replace(name, behind[name], rng, powers)

    def _replace(self, name: str, behind: Behind, rng: np.random.Generator, powers: Mapping[str, Doubles]) -> None:
        table, values = self.work.table, self.values[name]
        observed = ~np.isnan(values)
        averaged = self.everyone
        if behind.labels is not self.grouping.labels or not behind.counted.all():
            averaged = members(behind.labels, behind.counted)
        replacement = self.work.plan.replacements[name]
        assert isinstance(replacement, Aggregate)
        if name in powers and averaged is self.everyone:
            representatives = powers[name]
        else:
            representatives = replacement.representatives(
                values, averaged, rng=rng, weights=self.work.weights, column=name
            )
        released = representatives[np.searchsorted(averaged.groups, behind.labels[observed])]
        if replacement.keeps_values:
            self.taken[name] = np.arange(len(table))
            self.taken[name][observed] = released
            alike = values[averaged.records] == np.repeat(values[representatives], averaged.sizes)
            alone = int((np.add.reduceat(alike, averaged.starts[:-1], dtype=np.int64) == 1).sum()) if len(alike) else 0
            self.held_by_one |= {name: alone} if alone else {}
        else:
            self.computed[name] = np.full(len(table), np.nan)
            self.computed[name][observed] = released
        self.supports.extend(averaged.sizes.tolist())
        if behind.labels is not self.grouping.labels and name not in self.matrix.constant:
            fewer = len(self.everyone.groups) - len(np.unique(behind.labels[self.grouping.labels >= 0]))
            self.joined |= {name: fewer} if fewer else {}

    def _behind(self) -> dict[str, Behind]:
        """Return which records are behind the representatives of each variable."""
        observed = {name: ~np.isnan(self.values[name]) for name in self.block}
        if self.matrix.complete:
            return {name: Behind(self._own_labels(name, observed[name], None), observed[name]) for name in self.block}
        centres = _centres(self.matrix, self.everyone)
        behind = {name: Behind(self._own_labels(name, observed[name], centres), observed[name]) for name in self.block}
        for tied in self._tied():
            own = {name: behind[name] for name in tied}
            with self._naming(" together with ".join(f'"{name}"' for name in tied), self.strata):
                behind |= over_the_same_records(
                    own, self.grouping.labels, centres, self.work.plan.k, self.grouping.stratum_of_group
                )
        return behind

    def _tied(self) -> list[tuple[str, ...]]:
        """Return the sets of columns whose representatives are means, of numbers that linear relations tie."""
        averaged: dict[type, dict[str, Doubles]] = {}
        for name in self.block:
            replacement = self.work.plan.replacements[name]
            numbers = replacement.averaged(self.values[name]) if isinstance(replacement, Aggregate) else None
            if numbers is not None and name not in self.matrix.constant:
                averaged.setdefault(type(replacement), {})[name] = numbers
        return self._with_rules([set(tied) for columns in averaged.values() for tied in tied_columns(columns)])

    def _with_rules(self, tied: Sequence[set[str]]) -> list[tuple[str, ...]]:
        """Return the tied sets with the variables that rules join to them: the same records keep a rule."""
        demands = () if self.edits is None else self.edits.demands
        joined: list[set[str]] = []
        for one in [*tied, *(set(demand.rule.variables).intersection(self.block) for demand in demands)]:
            touched = [other for other in joined if other & one]
            joined = [other for other in joined if not other & one] + [one.union(*touched)]
        return [tuple(name for name in self.block if name in one) for one in joined if any(one >= own for own in tied)]

    def _own_labels(self, name: str, observed: NDArray[np.bool_], centres: Doubles | None) -> NDArray[np.int64]:
        """Return the groups for one variable, joined where fewer than k of its values are observed."""
        labels, k = self.grouping.labels, self.work.plan.k
        if name in self.matrix.constant:
            # All its values are the same, so all records are one group; those without any other value among them.
            with self._naming(f'"{name}"', None):
                return joined_to_at_least_k(np.zeros_like(labels), observed, np.zeros((1, 1)), k, np.zeros(1, np.int64))
        if centres is None:
            return labels
        with self._naming(f'"{name}"', self.strata):
            return joined_to_at_least_k(labels, observed, centres, k, self.grouping.stratum_of_group)

    @contextmanager
    def _naming(self, what: str, strata: Strata | None) -> Iterator[None]:
        """Name the variables and the stratum in which fewer than k values are observed."""
        k = self.work.plan.k
        try:
            yield
        except TooFewObservedError as error:
            where = strata.where if strata else ""
            raise TooFewRecordsError(
                f"k={k} needs at least {k} observed values of {what}{where}; there are {error.observed}. "
                "Leave the variable out, or lower k.",
                k=k,
                records=error.observed,
                column=what.split('"')[1],
            ) from None

    def _of_products(self, rng: np.random.Generator) -> dict[str, Doubles]:
        """Return the geometric means of variables in products, which may have any sign."""
        if self.edits is None:
            return {}
        operators = self.edits.operators
        powers = {name: self.values[name] for name in self.edits.movable if operators[name] == "geometric-mean"}
        if all((column > 0).all() for column in powers.values()) or any(map(_has_gaps, powers.values())):
            return {}
        return signed_geometric_means(powers, self.everyone, self.work.weights, rng)


def _keeping_rules(
    work: Work,
    edits: BlockEdits,
    cells: Cells,
    computed: Mapping[str, Doubles],
    taken: Mapping[str, NDArray[np.int64]],
    labels: NDArray[np.int64],
) -> dict[str, Doubles]:
    """Return the computed columns that rules name, with the rules kept.

    A variable with missing values is in no rule with others; only whole numbers are then to be kept.
    """
    numbers = {name: work.table.numbers(name) for name in edits.columns if work.table.is_numeric(name)}
    complete = {name: column for name, column in numbers.items() if not _has_gaps(column)}
    whole = {name: np.rint(computed[name]) for name in edits.whole if name not in complete}
    if (labels < 0).any():  # a record has no values but those of constant columns: no others are complete
        return whole
    averaged = {name: computed[name] for name in complete if name in computed}
    selected = {name: complete[name][rows] for name, rows in taken.items() if name in complete}
    return whole | kept_representatives(
        edits.among(complete), cells, averaged, labels, complete, selected=selected, repair=work.plan.repair
    )


def _has_gaps(values: Doubles) -> bool:
    return bool(np.isnan(values).any())


def _block_of_medoids(
    medoid: Medoid, block: Sequence[str], matrix: Matrix, grouping: Grouping, everyone: Members
) -> ProtectedBlock:
    """Release one of its records for every group."""
    if not matrix.complete:
        raise MethodError(
            "A medoid is a complete record; some here have missing values. Fill them, or use another replacement."
        )
    warn("A medoid is one of the records: for every group an original record is released as it is.", DisclosureWarning)
    rows = medoid.records(matrix.values, matrix.nominal, everyone, matrix.mismatch)[grouping.labels]
    return ProtectedBlock(
        matrix=matrix,
        partition=Partition(grouping.labels, tuple(block)),
        computed={},
        taken=dict.fromkeys(block, rows),
        joined={},
        smallest_support=int(everyone.sizes.min()),
        steps=grouping.steps,
        notes=("For every group one of its records is released as it is (medoid).", *grouping.notes),
    )


def _centres(matrix: Matrix, everyone: Members) -> Doubles:
    """Return the mean of every group over its observed values; nominal columns, which have no mean, stay out."""
    ordered = [place for place in range(matrix.values.shape[1]) if place not in matrix.nominal]
    values = np.zeros((len(everyone.records), 1))
    if ordered:
        values = safely_scaled(matrix.values[:, ordered])[everyone.records]
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), everyone.starts[:-1])
    counts = np.add.reduceat(known, everyone.starts[:-1], dtype=np.float64)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
