"""Disclosure risk and information loss in one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, FileMeasure, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.distance_linkage import distance_linkage
from shoal.measure.risk.interval_disclosure import interval_disclosure
from shoal.measure.risk.probabilistic_linkage import probabilistic_linkage
from shoal.measure.utility.mean_variation import mean_variation
from shoal.measure.utility.probabilistic_information_loss import probabilistic_information_loss
from shoal.parameters.limits import OneOf

__all__ = ["SCORE_PARTS", "combined", "risk_and_loss", "score"]

SCORE_PARTS: Mapping[str, tuple[FileMeasure[MeasuredValue], ...]] = {
    "equal": (probabilistic_information_loss, distance_linkage, interval_disclosure),
    "2001": (mean_variation, distance_linkage, probabilistic_linkage, interval_disclosure),
}


@file_measure(
    About(
        name="score",
        title="Score",
        definition="(information loss + disclosure risk) / 2, where the loss is the probabilistic one and the risk is "
        "(distance linkage + interval disclosure) / 2, original to masked and by rank. Unprotected data without "
        "duplicate records score 50. With the weights of 2001: mean variation / 2 + (distance linkage + probabilistic "
        "linkage) / 8 + interval disclosure / 4.",
        reference="Mateo-Sanz, Domingo-Ferrer and Sebé (2005), Probabilistic information loss measures in "
        "confidentiality protection of continuous microdata, DMKD 11; weights of 2001: Domingo-Ferrer and Torra "
        "(2001), A quantitative comparison of disclosure control methods for microdata",
        range=(0.0, 100.0),
        better="lower",
        side="score",
        unit="",
        counts="neither",
        slow=False,
        publication=Publication.FROM_PUBLISHED,
    ),
    limits={"weights": OneOf(tuple(SCORE_PARTS))},
)
def score(files: Pair, *, weights: str = "equal") -> MeasuredValue:
    """Return the score, with the risk in `.risk`, the loss in `.loss` and every part by its name.

    Its parts are measured with their default options, in an evaluation too, whatever options they have there as
    measures of their own.

    Parameters
    ----------
    files
        The two files.
    weights
        "equal", or "2001" for the older weights, with which neither the loss nor the score has an upper limit.
    """
    return combined({part.about.name: part.of(files) for part in SCORE_PARTS[weights]}, weights)


@score.in_evaluation
def _of_evaluation(
    files: Pair, *, measured: Mapping[str, MeasuredValue], everything: Pair, seed: int, weights: str = "equal"
) -> MeasuredValue:
    """Return the score of the parts that were measured before with their default options; measure the others so.

    Its risks are those of everything that is released.
    """
    parts = {part.about.name: part for part in SCORE_PARTS[weights]}
    others = {
        name: part.evaluated(everything if part.about.side == "risk" else files, part.arguments(files, {"seed": seed}))
        for name, part in parts.items()
        if name not in measured
    }
    return combined({**measured, **others}, weights)


@score.from_published
def _of_published(parts: Mapping[str, Any], published: Callable[[str, float], float]) -> MeasuredValue:
    """Return the score of its parts as they are published."""
    names = [part.about.name for part in SCORE_PARTS[parts["weights"]]]
    return combined({name: published(name, parts[name]) for name in names}, parts["weights"])


def risk_and_loss(weights: str) -> tuple[str, str]:
    """Return what the risk and what the loss of a score is, in words."""
    if weights == "2001":
        risk = "a quarter distance linkage, a quarter probabilistic linkage and half interval disclosure"
        return risk, "mean variation"
    return "half distance linkage and half interval disclosure", "probabilistic information loss"


def combined(values: Mapping[str, float], weights: str = "equal") -> MeasuredValue:
    """Return the score of parts that are measured already; NotApplicableError if one is missing."""
    parts = {}
    for part in SCORE_PARTS[weights]:
        name = part.about.name
        if name not in values:
            raise NotApplicableError(f"The score needs {name}, which was not measured.")
        parts[name] = float(values[name])
    linkage = parts["distance_linkage"]
    if weights == "2001":
        loss, linkage = parts["mean_variation"], (linkage + parts["probabilistic_linkage"]) / 2
    else:
        loss = parts["probabilistic_information_loss"]
    risk = (linkage + parts["interval_disclosure"]) / 2
    return MeasuredValue((loss + risk) / 2, loss=loss, risk=risk, weights=weights, **parts)
