"""Risk and utility in one number."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, Figure, FileMeasure, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.risk.distance_linkage import distance_linkage
from shoal.measure.risk.interval_disclosure import interval_disclosure
from shoal.measure.risk.probabilistic_linkage import probabilistic_linkage
from shoal.measure.utility.mean_variation import mean_variation
from shoal.measure.utility.probabilistic_information_loss import probabilistic_information_loss
from shoal.parameters.limits import OneOf, check_limits

__all__ = ["SCORE_PARTS", "combined", "score"]

SCORE_PARTS: Mapping[str, tuple[FileMeasure[Figure], ...]] = {
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
        reference="Mateo-Sanz, Domingo-Ferrer and Sebe (2005), Probabilistic information loss measures in "
        "confidentiality protection of continuous microdata, DMKD 11; weights of 2001: Domingo-Ferrer and Torra "
        "(2001), A quantitative comparison of disclosure control methods for microdata",
        range=(0.0, 100.0),
        better="lower",
        side="score",
        unit="",
    )
)
def score(files: Pair, *, weights: str = "equal") -> Figure:
    """Return the score, with the risk in `.risk`, the loss in `.loss` and every part by its name.

    Parameters
    ----------
    files
        The two files.
    weights
        "equal", or "2001" for the older weights (whose loss has no upper end, and nor has the score then).
    """
    check_limits({"weights": OneOf(tuple(SCORE_PARTS))}, {"weights": weights})
    return combined({part.about.name: part.of(files) for part in SCORE_PARTS[weights]}, weights)


def combined(found: Mapping[str, float], weights: str = "equal") -> Figure:
    """Return the score of parts that are known already; NotApplicableError if one is missing."""
    parts = {}
    for part in SCORE_PARTS[weights]:
        name = part.about.name
        if name not in found:
            raise NotApplicableError(f"The score needs {name}, which is not there.")
        parts[name] = float(found[name])
    linkage = parts["distance_linkage"]
    if weights == "2001":
        loss, linkage = parts["mean_variation"], (linkage + parts["probabilistic_linkage"]) / 2
    else:
        loss = parts["probabilistic_information_loss"]
    risk = (linkage + parts["interval_disclosure"]) / 2
    return Figure((loss + risk) / 2, loss=loss, risk=risk, weights=weights, **parts)
