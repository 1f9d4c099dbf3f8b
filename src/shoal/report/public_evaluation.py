"""The measures that may be published: without what they would tell of variables that have few values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal import progress
from shoal.measure import Evaluation, evaluate
from shoal.measure.score import SCORE_PARTS, combined
from shoal.plan import Plan
from shoal.read import Table

__all__ = ["NOT_PUBLIC", "has_few_values", "public_evaluation"]

NOT_PUBLIC = "not published: beside other figures it could tell of fewer than k records."
_FEW = 10
# Means over the numeric variables, from which one of them can be told if the others are known.
_MEANS = (
    "sse",
    "information_loss",
    "il1s",
    "probabilistic_information_loss",
    "mean_variation",
    "mean_difference",
    "variance_difference",
    "covariance_difference",
    "correlation_difference",
    "quantile_difference",
)
_OF_PAIRS = ("covariance_difference", "correlation_difference")


def has_few_values(table: Table, name: str) -> bool:
    """Whether statistics of a variable could tell how many records have which value."""
    numbers = table.numbers(name)
    return len(np.unique(numbers[np.isfinite(numbers)])) < _FEW


def public_evaluation(original: Table, masked: Table, evaluation: Evaluation, plan: Plan) -> Evaluation:
    """Return measures in which numeric variables with few values have no part.

    Parameters
    ----------
    original, masked
        The two files.
    evaluation
        What was measured.
    plan
        How the file was masked.
    """
    numeric = [name for name in evaluation.columns if plan.kinds.get(name) == "continuous"]
    rest = [name for name in numeric if not has_few_values(original, name)]
    figures = dict(evaluation.figures)
    if len(rest) < len(numeric):
        measures = [name for name in _MEANS if name in figures]
        for name in measures:
            del figures[name]
        if rest and measures:
            with progress.share(0.0):
                figures |= evaluate(original, masked, rest, kinds=plan.kinds, measures=measures).figures
    if evaluation.complete_records < plan.k:
        for name in _OF_PAIRS:
            figures.pop(name, None)
    if "score" in figures:
        parts = {part.about.name: figures["score"].parts[part.about.name] for part in SCORE_PARTS["equal"]}
        loss = figures.get("probabilistic_information_loss")
        if loss is None and "probabilistic_information_loss" in evaluation.figures:
            del figures["score"]
        elif loss is not None:
            figures["score"] = combined(parts | {"probabilistic_information_loss": float(loss)})
    figures = {name: figures[name] for name in evaluation.figures if name in figures}  # in their order
    dropped = {name: NOT_PUBLIC for name in evaluation.figures if name not in figures}
    return replace(evaluation, figures=figures, left_out={**evaluation.left_out, **dropped})
