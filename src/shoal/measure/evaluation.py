"""All measures of a release at once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal import progress
from shoal.describe.roles import as_names
from shoal.describe.variables import Kind
from shoal.errors import NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.catalogue import MEASURES
from shoal.measure.measure import About, MeasuredValue
from shoal.measure.options import MeasureOptions, checked_measure_options, full_options
from shoal.measure.pairs import Pair, pair
from shoal.measure.risk.attacks.known_masking import known_method
from shoal.parameters.choices import written_form
from shoal.replace import REPLACEMENTS

__all__ = ["NOT_ASKED_FOR", "Evaluation", "evaluate", "evaluation_schema", "names_of_measures"]

NOT_ASKED_FOR = "not asked for."
_TOO_SLOW = "takes long; left out by quick."
_REWRITTEN = "not known for synthetic values, which are drawn anew; this does not mean that they are safe."
# What the JSON document says about each measure.
_DESCRIBED = ("name", "title", "definition", "reference", "range", "better", "side", "unit")


@dataclass(frozen=True)
class Evaluation:
    """The information loss (utility) and the disclosure risk of a masked file.

    Every measure is an attribute, `evaluation.information_loss`: a number that carries its parts, or None where it
    was not computed; `not_applicable` and `left_out` say why.

    Attributes
    ----------
    columns, records, complete_records
        What was compared: columns, all records, and those without a missing value in any of the columns of either
        file.
    not_compared
        Columns that both files have and that were not compared: an intruder can use them too.
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
    _files: Pair | None = field(default=None, repr=False, compare=False)

    def __getattr__(self, name: str) -> MeasuredValue | None:
        if name in MEASURES:
            return self.measured.get(name)
        raise AttributeError(f"There is no measure {name!r}.{nearest_name_hint(name, MEASURES)}")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_files": None}  # confidential data do not go into a pickle of their measures

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
        if self._files is None:
            raise ParameterError("This evaluation no longer has the files it measured. Call shoal.evaluate again.")
        remaining = [name for name in self.columns if name not in columns]
        if not remaining or not measures:
            return {}
        with progress.share(0.0):
            original, masked = self._files.original, self._files.masked
            kinds, options = self._files.kinds, self.options
            return evaluate(original, masked, remaining, kinds=kinds, measures=measures, options=options).measured

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON, as `evaluation_schema()` says."""

        def side(which: str) -> dict[str, float | None]:
            return {
                name: _plain(self.measured.get(name), measure.about)
                for name, measure in MEASURES.items()
                if measure.about.side == which and name not in self.left_out
            }

        return {
            "schema": "shoal.evaluation/1",
            "columns": list(self.columns),
            "records": self.records,
            "complete_records": self.complete_records,
            "not_compared": list(self.not_compared),
            "utility": side("utility"),
            "risk": side("risk"),
            "score": _plain(self.measured.get("score"), MEASURES["score"].about),
            "details": {name: dict(value.parts) for name, value in self.measured.items() if value.parts},
            "not_applicable": dict(self.not_applicable),
            "left_out": dict(self.left_out),
            "options": full_options(self.options, self.measured),
            "measures": {name: _description(MEASURES[name].about) for name in self.measured},
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
    measures: Iterable[str] | None = None,
    options: MeasureOptions | None = None,
    quick: bool = False,
    seed: int = 0,
) -> Evaluation:
    """Measure a masked file against its original.

    Parameters
    ----------
    original, masked
        Frames, arrays or paths with the same records in the same order.
    columns
        The columns to compare; all that both files have by default.
    kinds
        "nominal" or "ordinal" for columns of numbers that are codes.
    method, k, blocks, replace, strata, standardize
        How the file was masked, as in `protect`. With them, an intruder who knows this too is simulated
        (`transparency_attack`), and the k reached is counted block by block. `release.evaluate()` knows them.
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

    Notes
    -----
    A statistic of a file is computed over its observed values. Cells are compared where both files have a value, and
    whole records (linkage, clustering, the attack) where neither file has a missing value. Sampling weights are not
    used.

    Examples
    --------
    >>> release = shoal.protect("census.csv", k=3)
    >>> release.evaluate().score
    >>> shoal.evaluate("census.csv", "masked.csv", quick=True).to_dict()
    >>> release.evaluate(options={"interval_disclosure": {"kind": "sd", "width": 5}}).interval_disclosure
    """
    given = checked_measure_options(options)
    if method is not None:
        known_method(method, 2 if k is None else k)  # better refused now than after an hour
    files = pair(original, masked, columns, kinds=kinds)
    names = names_of_measures(measures)
    at_defaults: dict[str, MeasuredValue] = {}
    evaluation: dict[str, Any] = {
        "method": method,
        "k": k,
        "blocks": blocks,
        "replace": replace,
        "strata": strata,
        "standardize": standardize,
        "seed": seed,
        "measured": at_defaults,
    }
    left_out = _left_out(names, evaluation, quick=quick and measures is None)
    arguments = {
        name: MEASURES[name].arguments(files, evaluation, **given.get(name, {}))
        for name in names
        if name not in left_out
    }
    measured: dict[str, MeasuredValue] = {}
    not_applicable: dict[str, str] = {}
    work = sum(MEASURES[name].about.work for name in arguments)
    for name, own in arguments.items():
        with progress.step(MEASURES[name].about.work / work):
            try:
                measured[name] = MEASURES[name].evaluated(files, own)
            except NotApplicableError as reason:
                not_applicable[name] = str(reason)
        if name in measured and name not in given:
            at_defaults[name] = measured[name]
    return Evaluation(
        columns=files.columns,
        records=len(files.original),
        complete_records=int(files.complete.sum()),
        not_compared=_not_compared(files),
        measured=measured,
        not_applicable=not_applicable,
        left_out=left_out,
        options=given,
        _files=files.only(files.columns),  # without the matrices that the measures made of them
    )


def names_of_measures(measures: Iterable[str] | None) -> list[str]:
    """Return the names of the measures asked for, in the order of the catalogue."""
    if measures is None:
        return list(MEASURES)
    names = as_names(measures, "measures")
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"measures must be names of measures; got {type(name).__name__}.")
        if name not in MEASURES:
            hint = nearest_name_hint(str(name), MEASURES) or f" Known: {', '.join(MEASURES)}."
            raise ParameterError(f'There is no measure "{name}".{hint}')
    return [name for name in MEASURES if name in names]


def _not_compared(files: Pair) -> tuple[str, ...]:
    compared = set(files.columns)
    return tuple(name for name in files.original.names if name in files.masked and name not in compared)


def _left_out(names: Collection[str], evaluation: Mapping[str, Any], *, quick: bool) -> dict[str, str]:
    """Return which measures are not computed, and why."""
    left_out = {name: NOT_ASKED_FOR for name in MEASURES if name not in names}
    if quick:
        left_out |= {name: _TOO_SLOW for name, measure in MEASURES.items() if measure.about.slow}
    for name in names:
        lacking = MEASURES[name].lacking(evaluation)
        if lacking:
            needs = f"needs {' and '.join(lacking)}: name what is missing, or the plan of the release."
            left_out.setdefault(name, _REWRITTEN if _rewrites(evaluation["replace"]) else needs)
    return left_out


def _rewrites(replace: Any) -> bool:
    """Whether a replacement, if there is one, makes synthetic values."""
    if replace is None:
        return False
    kind = REPLACEMENTS.get(str(written_form(replace, REPLACEMENTS, "replace").get("name")))
    return kind is not None and bool(kind.rewrites)


def _plain(value: MeasuredValue | None, about: About) -> float | None:
    if value is None:
        return None
    return int(value) if about.unit == "records" else float(value)


def _description(about: About) -> dict[str, Any]:
    """Return what the JSON document says about a measure: None for an end of the range that does not exist."""
    described = {name: getattr(about, name) for name in _DESCRIBED}
    return described | {"range": [end if math.isfinite(end) else None for end in about.range]}


def evaluation_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Evaluation.to_dict()`."""
    number = {"type": ["number", "null"]}

    def side(which: str) -> dict[str, Any]:
        names = [name for name, measure in MEASURES.items() if measure.about.side == which]
        properties = {name: number | {"description": MEASURES[name].about.definition} for name in names}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    texts = {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"enum": list(MEASURES)}}
    properties = {
        "schema": {"const": "shoal.evaluation/1"},
        "columns": {"type": "array", "items": {"type": "string"}, "description": "What was compared."},
        "records": {"type": "integer", "minimum": 1},
        "complete_records": {
            "type": "integer",
            "minimum": 0,
            "description": "Those without a missing value in either file.",
        },
        "not_compared": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Columns that both files have and that were not compared.",
        },
        "utility": side("utility") | {"description": "null: not applicable; absent: left out."},
        "risk": side("risk") | {"description": "null: not applicable; absent: left out."},
        "score": number | {"description": MEASURES["score"].about.definition},
        "details": {"type": "object", "description": "The parts of a measure, by its name."},
        "not_applicable": texts | {"description": "Why a measure has no meaning for these files."},
        "left_out": texts | {"description": "Why a measure was not computed."},
        "options": {
            "type": "object",
            "description": "The options that measures were computed with, by the name of the measure, defaults too.",
            "additionalProperties": {"type": "object"},
            "propertyNames": {"enum": list(MEASURES)},
        },
        "measures": {
            "type": "object",
            "description": f"What each measure is: {', '.join(_DESCRIBED)}.",
            "additionalProperties": {"type": "object", "required": list(_DESCRIBED)},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Information loss and disclosure risk of a protected table",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
