"""All measures of a release at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Any

from shoal import progress
from shoal.describe.roles import as_names
from shoal.describe.variables import Kind
from shoal.errors import NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.catalogue import MEASURES
from shoal.measure.measure import About, Figure
from shoal.measure.pairs import Pair, pair
from shoal.measure.risk.k_anonymity import k_anonymity
from shoal.measure.risk.transparency_attack import known_method
from shoal.measure.score import SCORE_PARTS, combined
from shoal.parameters.choices import written_form
from shoal.replace import REPLACEMENTS

__all__ = ["Evaluation", "evaluate", "evaluation_schema"]

# What grows faster than sorting, or draws a sample to stay bearable; `quick` leaves these out.
SLOW = ("propensity", "clustering_similarity", "linkage_over_subsets", "probabilistic_linkage", "transparency_attack")
# How long each takes beside the others, roughly, for the progress bar.
_WORK = {"propensity": 5, "distance_linkage": 10, "linkage_over_subsets": 20, "probabilistic_linkage": 10}
NOT_ASKED_FOR = "not asked for."
_ATTACK_NEEDS = "needs the method and k; give them, or the plan of the release."
_NO_ATTACK = "none is known for synthetic values, which are drawn anew; that is not to say that they are safe."


@dataclass(frozen=True)
class Evaluation:
    """What the protection cost (utility) and what it buys (risk).

    Every measure is an attribute, `evaluation.information_loss`: a number that carries its parts, or None where it
    was not computed; `not_applicable` and `left_out` say why.

    Attributes
    ----------
    columns, records, complete_records
        What was compared: columns, all records, and those without a gap in any of the columns in either file.
    not_compared
        Columns that both files have and that were not compared: an intruder sees them too.
    figures
        The measures by name.
    not_applicable
        Measures that have no meaning for these files, and why.
    left_out
        Measures that were not asked for or lack what they need, and why.
    """

    columns: tuple[str, ...]
    records: int
    complete_records: int
    not_compared: tuple[str, ...]
    figures: Mapping[str, Figure]
    not_applicable: Mapping[str, str]
    left_out: Mapping[str, str]

    def __getattr__(self, name: str) -> Figure | None:
        if name in MEASURES:
            return self.figures.get(name)
        raise AttributeError(f"There is no measure {name!r}.{nearest_name_hint(name, MEASURES)}")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON, as `evaluation_schema()` says."""

        def side(which: str) -> dict[str, float | None]:
            return {
                name: _plain(self.figures.get(name), measure.about)
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
            "score": _plain(self.figures.get("score"), MEASURES["score"].about),
            "details": {name: dict(figure.parts) for name, figure in self.figures.items() if figure.parts},
            "not_applicable": dict(self.not_applicable),
            "left_out": dict(self.left_out),
            "measures": {name: about_measure(MEASURES[name].about) for name in self.figures},
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
        How the file was masked, as in `protect`; with them, an intruder who knows it too is tried
        (`transparency_attack`), and the k reached is counted block by block. `release.evaluate()` knows them.
    measures
        Names of the measures to compute; all by default.
    quick
        Leave out what takes long, unless it is named; `.left_out` says what.
    seed
        Where the sampling begins that a few measures do in files of more than 20,000 records.

    Notes
    -----
    A statistic of a file is taken over the values that file has; cells and records are compared where both files
    have a value; whole records (linkage, clustering, the attack) where neither file has a gap. Sampling weights play
    no part.

    Examples
    --------
    >>> release = shoal.protect("census.csv", k=3)
    >>> release.evaluate().score
    >>> shoal.evaluate("census.csv", "masked.csv", quick=True).to_dict()
    """
    if method is not None:
        known_method(method, 2 if k is None else k)  # better refused now than after an hour
    files = pair(original, masked, columns, kinds=kinds)
    names = _wanted(measures)
    figures: dict[str, Figure] = {}
    not_applicable: dict[str, str] = {}
    left_out: dict[str, str] = {name: NOT_ASKED_FOR for name in MEASURES if name not in names}
    if quick and measures is None:
        left_out |= dict.fromkeys(SLOW, "takes long; left out by quick.")
    if "transparency_attack" in names and (method is None or k is None):
        kind = (
            None
            if replace is None
            else REPLACEMENTS.get(str(written_form(replace, REPLACEMENTS, "replace").get("name")))
        )
        synthetic = kind is not None and kind.rewrites
        left_out.setdefault("transparency_attack", _NO_ATTACK if synthetic else _ATTACK_NEEDS)
    todo = [name for name in names if name not in left_out]
    given = {"method": method, "k": k, "blocks": blocks, "replace": replace, "strata": strata}
    given |= {"standardize": standardize, "seed": seed}
    work = {name: _WORK.get(name, 1) for name in todo}
    for name in todo:
        with progress.step(work[name] / sum(work.values())):
            try:
                figures[name] = _figure(name, files, figures, given)
            except NotApplicableError as reason:
                not_applicable[name] = str(reason)
    return Evaluation(
        columns=files.columns,
        records=len(files.original),
        complete_records=int(files.complete.sum()),
        not_compared=tuple(
            name for name in files.original.names if name in files.masked.names and name not in files.columns
        ),
        figures=figures,
        not_applicable=not_applicable,
        left_out=left_out,
    )


def _wanted(measures: Iterable[str] | None) -> list[str]:
    if measures is None:
        return list(MEASURES)
    wanted = as_names(measures, "measures")
    for name in wanted:
        if not isinstance(name, str):
            raise ParameterError(f"measures must be names of measures; got {type(name).__name__}.")
        if name not in MEASURES:
            hint = nearest_name_hint(str(name), MEASURES) or f" Known: {', '.join(MEASURES)}."
            raise ParameterError(f'There is no measure "{name}".{hint}')
    return [name for name in MEASURES if name in wanted]


def _figure(name: str, files: Pair, figures: Mapping[str, Figure], given: Mapping[str, Any]) -> Figure:
    """Compute one measure, with those of the options it takes."""
    measure = MEASURES[name]
    if name == "score" and all(part.about.name in figures for part in SCORE_PARTS["equal"]):
        return combined(figures)
    if name == "k_anonymity":
        return _k_by_block(files, given["blocks"], given["k"])
    if name == "transparency_attack":
        return measure.of(files, **given)
    return measure.of(files, **({"seed": given["seed"]} if "seed" in signature(measure).parameters else {}))


def _k_by_block(files: Pair, blocks: Any, k: int | None) -> Figure:
    """Return the smallest k of all blocks: across blocks records differ, because each is grouped for itself."""
    found = [k_anonymity.of(files.only(block), k=k) for block in files.in_blocks(blocks)]
    short = {row for one in found for row in one.short}
    return Figure(min(found), by_block=[int(one) for one in found], records_short=len(short))


def _plain(figure: Figure | None, about: About) -> float | None:
    if figure is None:
        return None
    return int(figure) if about.unit == "records" else float(figure)


def about_measure(about: About) -> dict[str, Any]:
    """Return the facts about a measure, ready for JSON: an end of the range that does not exist is None."""
    return asdict(about) | {"range": [end if math.isfinite(end) else None for end in about.range]}


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
        "complete_records": {"type": "integer", "minimum": 0, "description": "Those without a gap in either file."},
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
        "measures": {
            "type": "object",
            "description": "What each measure is: title, definition, reference, range, better, side, unit.",
            "additionalProperties": {
                "type": "object",
                "required": ["name", "title", "definition", "reference", "range", "better", "side", "unit"],
            },
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What a protected table costs and buys",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
