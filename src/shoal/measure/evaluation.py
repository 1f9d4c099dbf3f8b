"""All measures of a release at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shoal import progress
from shoal.describe.combinations import same_combinations
from shoal.describe.variables import Kind
from shoal.errors import ParameterError, nearest_name_hint
from shoal.measure.catalogue import MEASURES
from shoal.measure.correspondence import refuse_unrelated_rows
from shoal.measure.evaluation_schema import SCHEMA, described, plain
from shoal.measure.headline import (
    Alike,
    Headline,
    ScenarioRisk,
    alike_records,
    released_columns,
    risk_of_scenarios,
    unique_units,
    unit_numbers,
    whole_linkage,
)
from shoal.measure.measure import MeasuredValue
from shoal.measure.measuring import (
    columns_apart,
    columns_in_both,
    measured_values,
    names_of_measures,
    reasons_to_leave_out,
)
from shoal.measure.options import MeasureOptions, checked_measure_options, full_options
from shoal.measure.pairs import Pair, pair, pair_of_everything
from shoal.measure.risk.k_anonymity import k_anonymity

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """The information loss (utility) and the disclosure risk of a masked file.

    Every measure is an attribute, `evaluation.information_loss`: a number that carries its parts, or None where it
    was not computed; `not_applicable` and `left_out` say why. Measures of utility, and of the loss in the score, are
    those of the columns that were compared. Those of risk are over all columns that both files have, but for sampling
    weights and ids of units; `risk_protected` has them over the compared columns alone.

    Attributes
    ----------
    columns, records, complete_records
        What was compared: columns, all records, and those without a missing value in any of the columns of either
        file.
    not_compared
        Columns that both files have and that were not compared: an intruder can use them too, so that risks are
        measured on them.
    weights, unit
        The columns of sampling weights and of units, if there are any.
    named_scenarios
        The columns that an intruder knows, by the name of the scenario.
    measured
        The values of the measures, by name.
    not_applicable
        Measures that have no meaning for these files, and why.
    left_out
        Measures that were not asked for or lack what they need, and why.
    options
        The options that are not the default ones, by the name of the measure.
    """

    columns: tuple[str, ...]
    records: int
    complete_records: int
    not_compared: tuple[str, ...]
    measured: Mapping[str, MeasuredValue]
    not_applicable: Mapping[str, str]
    left_out: Mapping[str, str]
    options: MeasureOptions = field(default_factory=dict)
    weights: str | None = None
    unit: str | None = None
    named_scenarios: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _files: Pair | None = field(default=None, compare=False)
    _known: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __getattr__(self, name: str) -> MeasuredValue | None:
        if name in MEASURES:
            return self.measured.get(name)
        raise AttributeError(f"There is no measure {name!r}.{nearest_name_hint(name, MEASURES)}")

    def __repr__(self) -> str:
        counts = {"record": self.records, "column": len(self.columns), "measure": len(self.measured)}
        parts = [f"{count:,} {word}{'s' * (count != 1)}" for word, count in counts.items()]
        for word, name in (("loss", "information_loss"), ("linkage", "distance_linkage"), ("score", "score")):
            if name in self.measured and name not in self.options:
                parts.append(f"{word} {float(self.measured[name]):.2f}{' %' * (name != 'score')}")
        return f"Evaluation({', '.join(parts)})"

    def _repr_html_(self) -> str | None:
        from shoal.report.writing import evaluation_in_notebook

        return evaluation_in_notebook(self)

    def __getstate__(self) -> dict[str, Any]:
        if self._files is not None:
            _ = self.headline, self.protected, self.scenarios  # which can only be measured with the files
        # Confidential data do not go into a pickle of their measures.
        return {**self.__dict__, "_files": None, "_known": {}}

    @property
    def _two_files(self) -> Pair:
        if self._files is None:
            raise ParameterError("This evaluation no longer has the files it measured. Call shoal.evaluate again.")
        return self._files

    @cached_property
    def released(self) -> tuple[str, ...]:
        """The columns of the masked file that count in the headline: all but sampling weights and ids of units."""
        return tuple(released_columns(self._two_files.masked, self.weights, self.unit))

    @property
    def masked_names(self) -> list[str]:
        """All columns of the masked file."""
        return self._two_files.masked.names

    @cached_property
    def unique_units(self) -> int | None:
        """The units that no other is like in the set of their records; None where the release does not show units."""
        masked = self._two_files.masked
        unit = unit_numbers(masked, masked, self.unit) if self.unit in masked else None
        return None if unit is None else unique_units(same_combinations(masked, self.released), unit)

    @cached_property
    def wildcard_k(self) -> int | None:
        """The fewest released records that agree if a missing value agrees with every value; None if not counted."""
        measured = self.measured.get("k_anonymity")
        if measured is not None and set(self._in_both) == set(self.released):
            return None if self.unit is not None else measured.parts["wildcard"]
        files = self._two_files
        return None if self.unit is not None else k_anonymity.of(files.only(self.released)).wildcard

    @property
    def _in_both(self) -> list[str]:
        return columns_in_both(self._two_files, self.weights, self.unit)

    @cached_property
    def headline(self) -> Headline:
        """What is said first: records, units (None without), k, uniques and linkage, over everything released.

        With a unit, k is the fewest different units behind any combination of values, and uniques counts units. A
        missing value counts as a category.
        """
        alike = self.alike(self.released)
        linkage = float(self.linkage)
        return Headline(records=self.records, units=alike.units, k=alike.k, uniques=alike.uniques, linkage=linkage)

    @cached_property
    def linkage(self) -> MeasuredValue:
        """The distance linkage by everything released, with the default options and the seed 0."""
        measured = self.measured.get("distance_linkage")
        is_default = "distance_linkage" not in self.options
        if measured is not None and is_default and (not self._known["seed"] or measured.parts["sampled"] is None):
            return measured
        files = self._two_files
        return whole_linkage(files.original, files.masked, self.released, files.kinds)

    def alike(self, columns: Sequence[str]) -> Alike:
        """Count how alike released records, or units, are in some columns."""
        files = self._two_files
        units = unit_numbers(files.original, files.masked, self.unit)
        return alike_records(same_combinations(files.masked, columns), units)

    @cached_property
    def protected(self) -> Headline | None:
        """The same over the compared columns alone, labelled so; None where they are everything that is released."""
        if set(self.columns) == set(self.released):
            return None
        alike, files, risks = self.alike(self.columns), self._two_files, self.risk_protected or {}
        if "distance_linkage" in risks and "distance_linkage" not in self.options:
            linkage = float(risks["distance_linkage"])
        else:
            linkage = float(whole_linkage(files.original, files.masked, self.columns, files.kinds))
        return Headline(records=self.records, units=alike.units, k=alike.k, uniques=alike.uniques, linkage=linkage)

    @cached_property
    def scenarios(self) -> Mapping[str, ScenarioRisk]:
        """k, uniques and linkage by the columns of every scenario."""
        files = self._two_files
        return risk_of_scenarios(
            files.original,
            files.masked,
            self.named_scenarios,
            kinds=files.kinds,
            weights=self.weights,
            unit=self.unit,
            known={frozenset(self.released): float(self.linkage)} if self.named_scenarios else None,
        )

    @cached_property
    def risk_protected(self) -> Mapping[str, MeasuredValue] | None:
        """The measures of risk over the compared columns alone; None where they are everything that is released."""
        files = self._two_files
        if set(files.columns) == set(self._in_both):
            return None
        names = [name for name in self.measured if MEASURES[name].about.side == "risk"]
        known = {**self._known, "everything": files, "measured": {}}
        with progress.share(0.0):
            return measured_values(dict.fromkeys(names, files), known, self.options)[0]

    def without(self, columns: Collection[str], measures: Sequence[str]) -> Mapping[str, MeasuredValue]:
        """Measure the same two files again without some of the columns, with the same options.

        Parameters
        ----------
        columns
            The columns to leave out.
        measures
            Names of the measures to compute. Those that have no meaning for the remaining columns are not in the
            result.
        """
        files = self._two_files
        remaining = [name for name in self.columns if name not in columns]
        if not remaining or not measures:
            return {}
        with progress.share(0.0):
            both = [table.replaced({}, {}, drop=set(columns)) for table in (files.original, files.masked)]
            return evaluate(
                both[0],
                both[1],
                remaining,
                kinds={name: kind for name, kind in files.kinds.items() if name not in columns},
                weights=self.weights,
                unit=self.unit,
                measures=measures,
                options=self.options,
                aligned=True,
            ).measured

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON, as `evaluation_schema()` says."""

        def side(which: str, measured: Mapping[str, MeasuredValue] = self.measured) -> dict[str, float | None]:
            return {
                name: plain(measured.get(name), measure.about)
                for name, measure in MEASURES.items()
                if measure.about.side == which and name not in self.left_out
            }

        return {
            "schema": SCHEMA,
            "headline": dict(self.headline),
            "released": list(self.released),
            "columns": list(self.columns),
            "records": self.records,
            "complete_records": self.complete_records,
            "not_compared": list(self.not_compared),
            "utility": side("utility"),
            "risk": side("risk"),
            "risk_protected": None if self.risk_protected is None else side("risk", self.risk_protected),
            "scenarios": {name: dict(risk) for name, risk in self.scenarios.items()},
            "score": plain(self.measured.get("score"), MEASURES["score"].about),
            "details": {name: dict(value.parts) for name, value in self.measured.items() if value.parts},
            "not_applicable": dict(self.not_applicable),
            "left_out": dict(self.left_out),
            "options": full_options(self.options, self.measured),
            "measures": {name: described(MEASURES[name].about) for name in self.measured},
        }


def evaluate(
    original: Any,
    masked: Any,
    columns: Iterable[Any] | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    method: Any = None,
    k: int | None = None,
    blocks: int | Iterable[Iterable[str]] | None = None,
    replace: Any = None,
    strata: Any = None,
    standardize: bool = True,
    weights: str | None = None,
    unit: str | None = None,
    lost_by_recoding: Mapping[str, float] | None = None,
    scenarios: Mapping[str, Sequence[str]] | None = None,
    measures: Iterable[str] | None = None,
    options: MeasureOptions | None = None,
    quick: bool = False,
    seed: int = 0,
    aligned: bool = False,
) -> Evaluation:
    """Measure a masked file against its original, and return the `Evaluation`.

    Parameters
    ----------
    original, masked
        Frames, arrays or paths with the same records in the same order.
    columns
        The columns to compare; all that both files have by default, but for `weights` and `unit`. Risks are measured on
        all of these, whatever is compared.
    kinds
        "nominal" or "ordinal" for columns of numbers that are codes.
    method, k, blocks, replace, strata, standardize
        How the file was masked, as in `protect`. With them, an intruder who knows this too is simulated
        (`transparency_attack`), and the k reached is counted block by block. `release.evaluate()` knows them.
    weights, unit
        The columns of sampling weights and of units (households, firms), which do not count in risks. Cross-tables,
        totals and models are weighted (`analytical_loss`). With a unit, the headline counts units.
    lost_by_recoding
        What recodes took from columns before, by column, in percent: `mixed_information_loss` counts it. Plans have it.
    scenarios
        Columns that an intruder knows, by the name of the scenario: k, uniques and linkage are given for each. "*" is
        everything that is released, but for `weights` and `unit`.
    measures
        Names of the measures to compute; all by default.
    options
        Options of measures by their names, ``{"distance_linkage": {"direction": "masked-to-original"}}``: those that
        the function of the measure has, but for what is an argument here. They do not change which measures are
        computed. The score takes its own option, `weights`, and its parts with their default options, whatever
        options these have as measures of their own.
    quick
        Leave out what takes long, unless it is named; `.left_out` says what.
    seed
        The seed of the samples that a few measures draw in large files, and of the other start of clusters.
    aligned
        Say that the rows of both files belong together. Otherwise it is tested whether rows are nearer to their own
        counterparts than to others, and files where they are not are refused: risk would be measured against the
        wrong records. `release.evaluate()` knows.

    Notes
    -----
    A statistic of a file is computed over its observed values. Cells are compared where both files have a value, and
    whole records (clustering) where neither file has a missing value. What an intruder finds is a share of all records:
    in k and linkage a missing value is a category. A value that masking suppressed is a loss: see `information_loss`.

    Examples
    --------
    >>> release = shoal.protect("census.csv", k=3)
    >>> release.evaluate().score
    >>> shoal.evaluate("census.csv", "masked.csv", quick=True).to_dict()
    >>> release.evaluate(options={"interval_disclosure": {"kind": "sd", "width": 5}}).interval_disclosure
    """
    given = checked_measure_options(options)
    if method is not None:
        from shoal.measure.risk.attacks.known_masking import known_method  # quick start-up

        known_method(method, 2 if k is None else k)  # better refused now than after an hour
    files = pair(original, masked, columns, kinds=kinds)
    if not aligned:
        refuse_unrelated_rows(files)
    apart = columns_apart(files, weights=weights, unit=unit)
    if columns is None and apart:
        files = pair(files.original, files.masked, columns_in_both(files, weights, unit), kinds=kinds)
    everything = files
    if set(files.columns) != set(in_both := columns_in_both(files, weights, unit)):
        everything = pair_of_everything(files.original, files.masked, in_both, kinds)
        blocks = files.in_blocks(blocks)
    names = names_of_measures(measures)
    known: dict[str, Any] = {
        "method": method,
        "k": k,
        "blocks": blocks,
        "replace": replace,
        "strata": strata,
        "standardize": standardize,
        "weight": weights,  # the score has an option weights
        "seed": seed,
        "lost_by_recoding": lost_by_recoding,
    }
    left_out = reasons_to_leave_out(
        names, known | {"measured": {}, "everything": everything}, quick=quick and measures is None
    )
    pairs = {
        name: everything if MEASURES[name].about.side == "risk" else files for name in names if name not in left_out
    }
    measured, not_applicable = measured_values(pairs, known | {"measured": {}, "everything": everything}, given)
    return Evaluation(
        columns=files.columns,
        records=len(files.original),
        complete_records=int(files.complete.sum()),
        not_compared=_not_compared(files),
        measured=measured,
        not_applicable=not_applicable,
        left_out=left_out,
        options=given,
        weights=weights,
        unit=unit,
        named_scenarios={} if scenarios is None else dict(scenarios),
        _files=files.only(files.columns),  # without the matrices that the measures made of them
        _known=known,
    )


def _not_compared(files: Pair) -> tuple[str, ...]:
    compared = set(files.columns)
    return tuple(name for name in files.original.names if name in files.masked and name not in compared)
