"""One block of variables whose values are exchanged or perturbed record by record: no groups, and no k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import numbers_of_values
from shoal.describe.units import columns_within
from shoal.errors import ColumnError, DataError, DisclosureWarning, MethodError, warn
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.parameters.choices import as_text
from shoal.partition import Partition
from shoal.read import Table
from shoal.replace.perturb.base import Part, Perturbation
from shoal.replace.synthetic.synthetic import Tally, added_up

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["note_on_unchanged", "protect_perturbed_block", "warn_of_no_k"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


def protect_perturbed_block(work: Work, number: int, block: Sequence[str]) -> ProtectedBlock:
    """Change the values of a block in every stratum; columns that share a replacement are changed together."""
    plan, strata = work.plan, work.strata
    _refuse_divided_units(work, block)
    _refuse_strata_across_units(work, block)
    computed: dict[str, Doubles] = {}
    taken: dict[str, Whole64] = {}
    tallies: list[Tally] = []
    for place, (replacement, columns) in enumerate(_shared(work, number, block)):
        beside = _Beside(work.table, list(columns))
        for stratum in range(len(strata)):
            rows = np.flatnonzero(strata.codes == stratum)
            part = Part(
                values={name: values[rows] for name, values in columns.items()},
                kinds={name: plan.kinds[name] for name in columns},
                beside=beside.of(rows),
                k=plan.k,
                weights=None if work.weights is None else work.weights[rows],
                units=None if work.units is None else work.units[rows],
            )
            try:
                new = replacement.perturbed(part, np.random.default_rng([plan.seed, number, place, stratum]))
            except DataError as error:
                if not strata.columns:
                    raise
                raise type(error)(f"In a stratum of {', '.join(strata.columns)}: {error}") from None
            for name, values in new.computed.items():
                computed.setdefault(name, np.full(len(work.table), np.nan))[rows] = values
            for name, own in new.taken.items():
                taken.setdefault(name, np.arange(len(work.table)))[rows] = rows[own]
            tallies += new.tallies
    return ProtectedBlock(
        matrix=work.matrices[number],
        partition=Partition(strata.codes, tuple(block)),
        computed=computed,
        taken=taken,
        joined={},
        smallest_support=1,
        steps=[],
        notes=added_up(tallies),
    )


def _shared(work: Work, number: int, block: Sequence[str]) -> list[tuple[Perturbation, dict[str, Doubles]]]:
    """Return every replacement of a block with the columns that have it, as numbers."""
    values = work.values[number]
    names: dict[str, list[str]] = {}
    for name in block:
        names.setdefault(as_text(work.plan.replace[name]), []).append(name)
    shared: list[tuple[Perturbation, dict[str, Doubles]]] = []
    for columns in names.values():
        replacement = work.plan.replacements[columns[0]]
        assert isinstance(replacement, Perturbation)
        if getattr(replacement, "categories", None) is None:
            shared.append((replacement, {name: values[name] for name in columns}))
        else:
            shared += [_by_labels(replacement, work.table, name, values[name]) for name in columns]
    return shared


def _by_labels(
    replacement: Perturbation, table: Table, name: str, codes: Doubles
) -> tuple[Perturbation, dict[str, Doubles]]:
    """Return a replacement that names categories for a column in whose order they are, and the column."""
    observed = np.flatnonzero(~np.isnan(codes))
    present, first = np.unique(codes[observed], return_index=True)
    labels = table.cells(name)[observed[first]].tolist()
    own: Perturbation = replacement.for_labels(labels)  # type: ignore[attr-defined]
    return own, {name: np.where(np.isnan(codes), np.nan, np.searchsorted(present, codes))}


class _Beside(Mapping[str, Whole64]):
    """The other columns of a table, numbered when they are asked for: most replacements need none."""

    def __init__(
        self, table: Table, names: Sequence[str], rows: Whole64 | None = None, known: dict[str, Whole64] | None = None
    ) -> None:
        self._table, self._names, self._rows = table, names, rows
        self._known: dict[str, Whole64] = {} if known is None else known

    def of(self, rows: Whole64) -> _Beside:
        """Return the same for some records; what was numbered once is not numbered again."""
        return _Beside(self._table, self._names, rows, self._known)

    def __getitem__(self, name: str) -> Whole64:
        if name in self._names or name not in self._table:
            raise KeyError(name)
        if name not in self._known:
            self._known[name] = numbers_of_values(self._table, name)
        return self._known[name] if self._rows is None else self._known[name][self._rows]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._table.names if name not in self._names)

    def __len__(self) -> int:
        return len(self._table.names) - len(self._names)


def _refuse_divided_units(work: Work, block: Sequence[str]) -> None:
    """Raise MethodError for a variable with one value within every unit that would get several.

    To change others record by record does no harm to units: which records belong together stays.
    """
    plan = work.plan
    if work.levels is None or len(work.levels.first) == len(work.table):
        return
    apart = []
    for name in block:
        replacement = plan.replacements[name]
        assert isinstance(replacement, Perturbation)
        if replacement.changes(name) and not replacement.supports_units:
            apart.append(name)
    constant = [name for name in columns_within(work.table, work.levels.units, apart) if _varies(work, name)]
    if constant:
        raise MethodError(
            f'replace "{plan.replacements[constant[0]].name}" changes records one by one, and "{constant[0]}" has one '
            'value within every unit, which would fall apart. Use replace "record-swap" for it, or leave unit out.',
            method=plan.masking.method.name,
        )


def _refuse_strata_across_units(work: Work, block: Sequence[str]) -> None:
    """Raise ColumnError for a variable of units where strata divide units, whose parts would be changed apart."""
    plan, strata, levels = work.plan, work.strata, work.levels
    if levels is None:
        return
    divided = np.unique(levels.units[strata.codes[levels.first][levels.units] != strata.codes])
    if not len(divided):
        return
    moved = [name for name in block if plan.replacements[name].changes(name)]  # type: ignore[attr-defined]
    constant = [name for name in columns_within(work.table, levels.units, moved) if _varies(work, name)]
    if constant:
        raise ColumnError(
            f"Strata of {', '.join(plan.strata)} divide {len(divided):,} of {len(levels.first):,} units, whose values "
            f'of "{constant[0]}" stay together. Leave out those strata.',
            column=constant[0],
        )


def _varies(work: Work, name: str) -> bool:
    own = next(values[name] for values in work.values if name in values)
    observed = own[~np.isnan(own)]
    return bool(observed.size and observed.min() < observed.max())


def warn_of_no_k(plan: Plan, combinations: Whole64, why: str) -> None:
    """Say that no k is promised, and what holds instead; before anything else that is said of the release."""
    sizes = np.bincount(combinations)
    warn(
        f"No k is promised: {why}. Over all released columns {int((sizes == 1).sum()):,} of "
        f"{len(combinations):,} records are unique, and {int(sizes[sizes < plan.k].sum()):,} have fewer than {plan.k} "
        "like them.",
        DisclosureWarning,
    )


def note_on_unchanged(work: Work, blocks: Sequence[ProtectedBlock], masked: Table) -> str:
    """Say how many records came out as they were in every column that was to change, and warn if it is most."""
    same = np.ones(len(work.table), dtype=np.bool_)
    for block, values in zip(blocks, work.values, strict=True):
        for name, rows in block.taken.items():
            same &= (values[name][rows] == values[name]) | np.isnan(values[name])
        for name in block.computed:
            same &= (masked.numbers(name) == values[name]) | np.isnan(values[name])
    count = int(same.sum())
    if 2 * count > len(same):
        warn(
            f"{count:,} of {len(same):,} records come out as they were in all columns that were to change: most of the "
            "file is released as it is. Raise what changes values (p, alpha or rate, or 1 - pd), or change further "
            "columns in another step.",
            DisclosureWarning,
        )
    return f"{count:,} of {len(same):,} records come out as they were in all columns that were to change."
