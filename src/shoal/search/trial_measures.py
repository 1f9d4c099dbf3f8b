"""The quick measures by which releases are compared: the score, its parts, information loss and the attack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from shoal.measure import Evaluation
from shoal.measure.measuring import names_of_measures

__all__ = ["QUICK_MEASURES", "TRIAL_MEASURES", "UTILITIES", "TrialMeasures", "further_measures", "trial_measures"]

# The three of the score, and the loss that groupings are made to keep small.
QUICK_MEASURES = (
    "information_loss",
    "probabilistic_information_loss",
    "distance_linkage",
    "interval_disclosure",
    "score",
    "analytical_loss",
)
# What the loss of a trial can be.
UTILITIES = ("probabilistic_information_loss", "analytical_loss", "mixed_information_loss")
TRIAL_MEASURES = (*QUICK_MEASURES, "mixed_information_loss", "transparency_attack")

# What a file of trials must hold to be believed; a rounding error beyond the ends is none.
Percent = Annotated[float, Field(ge=-1e-6, le=100 + 1e-6)]
Unbounded = Annotated[float, Field(ge=-1e-6)]


@dataclass(frozen=True)
class TrialMeasures:
    """Disclosure risk and information loss of a release, in percent; None where a measure has no meaning for it.

    Attributes
    ----------
    k_reached, uniques, linkage
        The headline of the release, over everything in it but sampling weights and ids of units: the fewest records
        alike, the records that no other is like, and those linked to their own, in percent.
    score
        Half of the risk and half of the loss.
    risk
        The disclosure risk of the score, over everything released: half of distance linkage and half of interval
        disclosure.
    loss
        The loss of the score: probabilistic information loss. With the weights of 2001 it is mean variation, which has
        no upper limit, and probabilistic linkage has a part in the risk. A search can take analytical loss or mixed
        information loss in its place (`utility`).
    probabilistic_information_loss, distance_linkage, interval_disclosure
        The parts of loss and risk, or with options of their own these measures alone.
    transparency_attack
        Records that an intruder is expected to find who knows the method too; None for synthetic data.
    information_loss
        The variation that is lost.
    analytical_loss
        What models, predictions, cross-tables and totals lose.
    mixed_information_loss
        What all protected columns lose together, numbers, categories and recodes.
    """

    k_reached: Annotated[int, Field(ge=1)]
    uniques: Annotated[int, Field(ge=0)]
    linkage: Percent
    score: Unbounded | None
    risk: Percent | None
    loss: Unbounded | None
    probabilistic_information_loss: Percent | None
    distance_linkage: Percent | None
    interval_disclosure: Percent | None
    transparency_attack: Percent | None
    information_loss: Annotated[float, Field(ge=0)] | None
    analytical_loss: Percent | None
    mixed_information_loss: Percent | None


def further_measures(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the measures named that are not measured in every trial; ParameterError for one that does not exist."""
    return () if names is None else tuple(name for name in names_of_measures(names) if name not in TRIAL_MEASURES)


def trial_measures(
    evaluation: Evaluation,
    attack: float | None = None,
    mixed: float | None = None,
    utility: str = "probabilistic_information_loss",
) -> TrialMeasures:
    """Return the quick measures of an evaluation, with the attack and mixed information loss beside them.

    `utility` says what the loss is: that of the score, or analytical or mixed information loss in its place.
    """
    values = {name: float(value) for name, value in evaluation.measured.items()}
    is_own = utility == UTILITIES[0]
    score, loss = evaluation.score, mixed if utility == "mixed_information_loss" else values.get(utility)
    risk = None if score is None else float(score.risk)
    if score is not None and is_own:
        loss = float(score.loss)
    return TrialMeasures(
        k_reached=evaluation.headline["k"],
        uniques=evaluation.headline["uniques"],
        linkage=evaluation.headline["linkage"],
        score=values.get("score") if is_own else _mean_of(risk, loss),
        risk=risk,
        loss=loss,
        probabilistic_information_loss=values.get("probabilistic_information_loss"),
        distance_linkage=values.get("distance_linkage"),
        interval_disclosure=values.get("interval_disclosure"),
        transparency_attack=attack,
        information_loss=values.get("information_loss"),
        analytical_loss=values.get("analytical_loss"),
        mixed_information_loss=mixed,
    )


def _mean_of(risk: float | None, loss: float | None) -> float | None:
    return None if risk is None or loss is None else (risk + loss) / 2
