"""The JSON document of an evaluation: its schema, and what it says about each measure."""

from __future__ import annotations

import math
from typing import Any

from shoal.measure.catalogue import MEASURES
from shoal.measure.headline import Headline, ScenarioRisk
from shoal.measure.measure import About, MeasuredValue

__all__ = ["SCHEMA", "described", "evaluation_schema", "plain"]

SCHEMA = "shoal.evaluation/2"
# What the JSON document says about each measure.
_DESCRIBED = ("name", "title", "definition", "reference", "range", "better", "side", "unit")


def evaluation_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Evaluation.to_dict()`."""
    number = {"type": ["number", "null"]}
    count, percent = {"type": "integer", "minimum": 0}, {"type": "number", "minimum": 0, "maximum": 100}

    def side(which: str) -> dict[str, Any]:
        names = [name for name, measure in MEASURES.items() if measure.about.side == which]
        properties = {name: number | {"description": MEASURES[name].about.definition} for name in names}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    texts = {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"enum": list(MEASURES)}}
    properties = {
        "schema": {"const": SCHEMA},
        "headline": {
            "type": "object",
            "properties": {
                "records": {"type": "integer", "minimum": 1},
                "units": {"type": ["integer", "null"], "description": "null without a unit."},
                "k": count | {"description": "The fewest records alike, or units behind a combination of values."},
                "uniques": count | {"description": "Records, or units, that no other is like."},
                "linkage": percent,
            },
            "required": list(Headline.__annotations__),
            "additionalProperties": False,
            "description": "Over everything that is released, a missing value as a category.",
        },
        "released": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What the headline is over: all released columns but sampling weights and ids of units.",
        },
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
        "risk": side("risk") | {"description": "Over everything released. null: not applicable; absent: left out."},
        "risk_protected": side("risk")
        | {"type": ["object", "null"], "description": "Over the compared columns alone; null: they are everything."},
        "scenarios": {
            "type": "object",
            "description": "What an intruder finds who knows these columns, by the name of the scenario.",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "columns": {"type": "array", "items": {"type": "string"}},
                    "k": count,
                    "uniques": count,
                    "linkage": percent,
                },
                "required": list(ScenarioRisk.__annotations__),
                "additionalProperties": False,
            },
        },
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


def described(about: About) -> dict[str, Any]:
    """Return what the JSON document says about a measure: None for an end of the range that does not exist."""
    return {name: getattr(about, name) for name in _DESCRIBED} | {
        "range": [end if math.isfinite(end) else None for end in about.range]
    }


def plain(value: MeasuredValue | None, about: About) -> float | None:
    """Return the value of a measure as a plain number, a count as a whole one; None stays None."""
    if value is None:
        return None
    return int(value) if about.unit == "records" else float(value)
