"""The measures that may be published: without what they would tell of variables that have few values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from shoal import progress
from shoal.flow.plan import Plan
from shoal.measure import Evaluation, Figure, evaluate
from shoal.measure.score import combined
from shoal.read import Table

__all__ = ["NOT_PUBLIC", "has_few_values", "public_evaluation"]

NOT_PUBLIC = "not published: beside other figures it could tell of fewer than k records."
_FEW = 10
_LOSS = "probabilistic_information_loss"
# Means over the numeric variables, from which one of them can be told if the others are known.
_MEANS = (
    "sse",
    "information_loss",
    "il1s",
    _LOSS,
    "mean_variation",
    "mean_difference",
    "variance_difference",
    "covariance_difference",
    "correlation_difference",
    "quantile_difference",
)
_OF_PAIRS = ("covariance_difference", "correlation_difference")
# Of few values that vary, moments beside the loss would tell every one.
_MOMENTS = ("third_moments", "fourth_moments")


def has_few_values(table: Table, name: str) -> bool:
    """Whether statistics of a variable could tell how many records have which value."""
    numbers = table.numbers(name)
    return len(np.unique(numbers[np.isfinite(numbers)])) < _FEW


def public_evaluation(
    original: Table, masked: Table, evaluation: Evaluation, plan: Plan, few: Collection[str]
) -> Evaluation:
    """Return the measures that may be published, those over numeric variables without the ones that have few values.

    Parameters
    ----------
    original, masked
        The two files.
    evaluation
        What was measured.
    plan
        How the file was masked.
    few
        The numeric variables with few values.
    """
    dropped = set(_MOMENTS)
    if "categories_changed" in evaluation.figures:
        dropped.add("unchanged")  # the one less the other would be a count in the other columns
    if evaluation.complete_records < plan.k:
        dropped |= set(_OF_PAIRS)
    figures = dict(evaluation.figures)
    if few:
        measures = [name for name in _MEANS if name in figures]
        rest = [name for name in evaluation.columns if plan.kinds.get(name) == "continuous" and name not in few]
        taken: Mapping[str, Figure] = {}
        if rest and measures:
            with progress.share(0.0):
                taken = evaluate(original, masked, rest, kinds=plan.kinds, measures=measures).figures
        figures |= taken
        dropped |= {name for name in measures if name not in taken}
        if "score" in figures and _LOSS in taken:
            figures["score"] = combined({**figures["score"].parts, _LOSS: taken[_LOSS]})
        elif _LOSS in dropped:
            dropped.add("score")
    left_out = {name: NOT_PUBLIC for name in evaluation.figures if name in dropped}
    figures = {name: figure for name, figure in figures.items() if name not in dropped}
    return replace(evaluation, figures=figures, left_out={**evaluation.left_out, **left_out})
