"""One measurement on a cluster: what is counted, compared and measured, one step after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import NotApplicableError
from shoal.measure.catalogue import MEASURES
from shoal.measure.headline import EVERYTHING, Alike, Headline, ScenarioRisk
from shoal.measure.measure import MeasuredValue
from shoal.measure.measuring import NOT_ASKED_FOR
from shoal.measure.options import MeasureOptions
from shoal.measure.score import combined
from shoal.progress import share
from shoal.scale.cluster import Cluster
from shoal.scale.measured.cluster_evaluation import ClusterEvaluation, WholeFile
from shoal.scale.measured.keys.wildcard_k import wildcard_k
from shoal.scale.measured.linkage import Sought, linkage_by, sought_of
from shoal.scale.measured.passes.counted_rows import AlikeRows, count_alike_rows, count_tables, joined_alike, tables_of
from shoal.scale.measured.passes.first_pass import FirstAsked, FirstPass, compare_first, first_pass
from shoal.scale.measured.passes.intervals import IntervalOptions
from shoal.scale.measured.passes.numbers_compared import ComparedNumbers, compare_numbers
from shoal.scale.measured.passes.opened_files import OpenedFiles
from shoal.scale.measured.risk_from_counts import (
    alike_of,
    interval_disclosure_of,
    k_of,
    unchanged_of,
)
from shoal.scale.measured.utility_from_sums import Sums, utility_measures
from shoal.scale.released.lone_units import count_lone_units

__all__ = ["Measurement"]

_NOT_ON_A_CLUSTER = "is not measured on a cluster; measure a sample of the rows on one machine."
_RISKS = ("k_anonymity", "unchanged", "interval_disclosure", "distance_linkage")
_BUCKET = 250_000  # rows whose combinations are counted at once


class Measurement:
    """One measurement, step by step; each step needs those before it."""

    def __init__(
        self,
        cluster: Cluster,
        files: OpenedFiles,
        facts: Mapping[str, Any],
        options: IntervalOptions,
        seed: int,
        boundaries: int,
        folder: Path,
    ) -> None:
        self._cluster, self._files, self._facts, self._folder = cluster, files, facts, folder
        self._options, self._seed, self._boundaries = options, seed, boundaries
        self._first: FirstPass
        self._numbers: ComparedNumbers
        self._alike: dict[frozenset[str], AlikeRows] = {}
        self._units: int | None = None
        self._wildcards: dict[frozenset[str], int | None] = {}
        self._tables: dict[tuple[str, ...], int] = {}

    # Counting --------------------------------------------------------------------------------------------------------

    def count(self, names: Sequence[str]) -> None:
        """Go through both files once: moments, cells and rows that are alike."""
        files, records = self._files, self._files.records
        sets = self._sets()
        tables = list(files.compared.category_names) if "frequency_difference" in names else []
        buckets = max(1, round(records / _BUCKET))
        for name in ("alike", "tables", "lone"):
            (self._folder / name).mkdir()
        asked = FirstAsked(
            {"compared": files.compared.columns, "everything": files.everything.columns},
            sets,
            tables,
            self._facts.get("unit"),
            max(1, records // self._boundaries),
            buckets,
            self._folder,
        )
        with share(0.6):
            passes = self._cluster.map(compare_first, files.chunks, files.sides, asked, doing="comparing both files")
        self._first = replace(
            first_pass(passes), samples={name: _joined_samples(passes, name) for name in files.sides.ranked}
        )
        files.refuse_infinite(self._first)
        with share(0.2):
            lone = None if self._facts.get("unit") is None else self._folder / "lone"
            how = self._facts.get("k"), len(sets), buckets, lone
            counted = self._cluster.map(
                count_alike_rows, range(buckets), self._written("alike"), *how, doing="counting equal records"
            )
            lone_units = [0] * len(sets)
            if lone is not None:
                lone_units = count_lone_units(self._cluster, buckets, buckets, len(sets), lone)
        self._alike = {
            frozenset(own): joined_alike(counted, place, lone_units[place]) for place, own in enumerate(sets)
        }
        if self._facts.get("unit") is not None:
            self._units = joined_alike(counted, len(sets), 0).combinations
        wanted = tables_of(tables)
        with share(0.2):
            if wanted:
                changes = self._cluster.map(
                    count_tables, range(buckets), self._written("tables"), len(wanted), doing="counting frequencies"
                )
                self._tables = dict(zip(wanted, np.sum(changes, axis=0).tolist(), strict=True))

    def _written(self, what: str) -> list[Path]:
        return [self._folder / what / f"{number:06}.arrow" for number, _ in self._files.chunks]

    def _sets(self) -> list[tuple[str, ...]]:
        """Return all sets of released columns in which rows are compared, each once."""
        files = self._files
        sets = [files.released, files.everything.columns, files.compared.columns]
        weights = self._facts.get("weights")
        if weights is not None and weights in files.names:
            sets.append((*files.released, weights))
        sets += [tuple(own) for own in self._scenario_columns().values()]
        sets += self._blocks()
        return list({frozenset(own): own for own in sets if own}.values())

    def _scenario_columns(self) -> dict[str, list[str]]:
        files = self._files
        found = {}
        for scenario, named in (self._facts.get("scenarios") or {}).items():
            wanted = {*named, *(files.released if EVERYTHING in named else ())}
            found[scenario] = [name for name in files.names if name in wanted]
        return found

    def _blocks(self) -> Sequence[tuple[str, ...]]:
        """Return the columns of every block."""
        return self._files.compared.in_blocks(self._facts.get("blocks"))

    # Comparing -------------------------------------------------------------------------------------------------------

    def compare(self, names: Sequence[str]) -> None:
        """Go through both files again for errors, moments about the means, quantiles and ranks."""
        self._numbers = compare_numbers(
            self._cluster,
            self._files.sides,
            self._files.chunks,
            self._first,
            self._files.compared.numeric_names,
            self._options if {"interval_disclosure", "score"} & {*names} else None,
            self._boundaries,
            self._folder,
        )

    # Measuring -------------------------------------------------------------------------------------------------------

    def evaluation(self, names: Sequence[str], options: MeasureOptions) -> ClusterEvaluation:
        """Return everything that was asked for, and why the rest was left out."""
        files = self._files
        left_out = {name: NOT_ASKED_FOR for name in MEASURES if name not in names}
        possible = {*utility_measures(), *_RISKS, "score"}
        left_out |= {name: _NOT_ON_A_CLUSTER for name in names if name not in possible}
        measured: dict[str, MeasuredValue] = {}
        reasons: dict[str, str] = {}
        sought = sought_of(files.drawn_before, files.drawn_after, files.records, self._seed)
        sums = self._sums()
        for name, measure in utility_measures().items():
            if name in names:
                _attempt(name, lambda measure=measure: measure(sums), measured, reasons)  # type: ignore[misc]
        risks, not_applicable = self._risks(names, "everything", sought)
        linkage = risks.get("distance_linkage") or self._linkage(files.everything.columns, sought)
        measured |= risks
        reasons |= not_applicable
        if "score" in names:
            _attempt("score", lambda: self._score(measured, sums, sought), measured, reasons)
        same = set(files.compared.columns) == set(files.everything.columns)
        whole = WholeFile(
            files.names,
            files.released,
            {own: alike_of(rows, self._units) for own, rows in self._alike.items()},
            linkage,
            self._protected(sought),
            self._scenarios(sought, linkage),
            None if same else self._risks(names, "compared", sought)[0],
            self._wildcard(files.released) if self._units is None else None,
            {name: files.records - own.before for name, own in self._first.cells.items()},
            sums,
        )
        return ClusterEvaluation(
            columns=files.compared.columns,
            records=files.records,
            complete_records=self._first.complete,
            not_compared=files.not_compared,
            measured={name: measured[name] for name in MEASURES if name in measured},
            not_applicable=reasons,
            left_out=left_out,
            options=options,
            weights=self._facts.get("weights"),
            unit=self._facts.get("unit"),
            named_scenarios=dict(self._facts.get("scenarios") or {}),
            whole=whole,
        )

    def _sums(self) -> Sums:
        files, numbers = self._files, self._numbers
        return Sums(
            replace(self._first, samples={}),
            numbers.errors,
            numbers.names,
            files.compared.category_names,
            files.compared.columns,
            numbers.scales,
            numbers.central,
            numbers.moments,
            numbers.quantiles,
            self._tables,
            self._facts.get("lost_by_recoding") or {},
        )

    def _risks(
        self, names: Sequence[str], which: str, sought: Sought
    ) -> tuple[dict[str, MeasuredValue], dict[str, str]]:
        """Return the measures of risk over everything that both files have, or over the compared columns alone."""
        files, first = self._files, self._first
        own = files.everything if which == "everything" else files.compared
        ranked = [*own.numeric_names, *(own.ordered_names if self._options.kind == "rank" else ())]
        steps: dict[str, Callable[[], MeasuredValue]] = {
            "k_anonymity": lambda: self._k(own.columns),
            "unchanged": lambda: unchanged_of(first, own.columns, which),
            "interval_disclosure": lambda: interval_disclosure_of(
                self._numbers.within, self._numbers.intervals, self._numbers.counted, ranked, self._options
            ),
            "distance_linkage": lambda: linkage_by(
                self._cluster, own.columns, own.numeric_names, first, sought, files.sides.paths, self._folder
            ),
        }
        measured: dict[str, MeasuredValue] = {}
        reasons: dict[str, str] = {}
        for name, step in steps.items():
            if name in names:
                _attempt(name, step, measured, reasons)
        return measured, reasons

    def _k(self, columns: Sequence[str]) -> MeasuredValue:
        blocks = [self._alike[frozenset(block)] for block in self._blocks()]
        return k_of(self._alike[frozenset(columns)], blocks, self._facts.get("k"), self._wildcard(columns))

    def _wildcard(self, columns: Sequence[str]) -> int | None:
        """Return the k if missing values agree with all; None where that was not counted."""
        cells, own = self._first.cells, frozenset(columns)
        if all(name in cells and cells[name].after == self._first.records for name in columns):
            return self._alike[own].fewest
        if own not in self._wildcards:
            folder = self._folder / f"wildcards-{len(self._wildcards)}"
            buckets = max(1, round(self._files.records / _BUCKET))
            paths = self._files.sides.paths
            self._wildcards[own] = wildcard_k(self._cluster, columns, paths, buckets, folder)
        return self._wildcards[own]

    def _linkage(self, columns: Sequence[str], sought: Sought) -> MeasuredValue:
        """Return the linkage by some columns; where nothing tells records apart, one is drawn of all."""
        files = self._files
        shared = [name for name in columns if name in files.sides.before.names]
        try:
            numbers, paths = files.linked_numbers, files.sides.paths
            return linkage_by(self._cluster, shared, numbers, self._first, sought, paths, self._folder)
        except NotApplicableError:
            return MeasuredValue(100 / files.records, records=files.records, sampled=None)

    def _headline(self, columns: Sequence[str], linkage: float) -> Headline:
        alike: Alike = alike_of(self._alike[frozenset(columns)], self._units)
        return Headline(
            records=self._files.records, units=alike.units, k=alike.k, uniques=alike.uniques, linkage=linkage
        )

    def _protected(self, sought: Sought) -> Headline | None:
        columns = self._files.compared.columns
        if set(columns) == set(self._files.released):
            return None
        return self._headline(columns, float(self._linkage(columns, sought)))

    def _scenarios(self, sought: Sought, linkage: MeasuredValue) -> dict[str, ScenarioRisk]:
        found: dict[str, ScenarioRisk] = {}
        for scenario, columns in self._scenario_columns().items():
            is_all = set(columns) == set(self._files.released)
            linked = float(linkage if is_all else self._linkage(columns, sought))
            head = self._headline(columns, linked)
            found[scenario] = {"columns": columns, "k": head["k"], "uniques": head["uniques"], "linkage": linked}
        return found

    def _score(self, measured: Mapping[str, MeasuredValue], sums: Sums, sought: Sought) -> MeasuredValue:
        """Return the score; what it needs and was not asked for is measured for it."""
        parts: dict[str, MeasuredValue] = {}
        wanted = ("probabilistic_information_loss", "interval_disclosure", "distance_linkage")
        missing = [name for name in wanted if name not in measured]
        if self._options != IntervalOptions():
            raise NotApplicableError("The score needs interval disclosure with its default options.")
        if wanted[0] in missing:
            parts[wanted[0]] = utility_measures()[wanted[0]](sums)
        parts |= self._risks([name for name in missing if name != wanted[0]], "everything", sought)[0]
        return combined({**measured, **parts})


def _attempt(
    name: str,
    step: Callable[[], MeasuredValue],
    measured: dict[str, MeasuredValue],
    reasons: dict[str, str],
) -> None:
    try:
        measured[name] = step()
    except NotApplicableError as reason:
        reasons[name] = str(reason)


def _joined_samples(passes: Sequence[FirstPass], name: str) -> tuple[Any, Any]:
    one, other = (np.concatenate([each.samples[name][side] for each in passes]) for side in (0, 1))
    return one, other
