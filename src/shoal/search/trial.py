"""One trial of a search: settings, and the measures of the release they give, or why there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from shoal import errors
from shoal.errors import ShoalError
from shoal.flow.masking import Masking
from shoal.measure import Evaluation
from shoal.measure.measuring import names_of_measures
from shoal.search.space import ReleaseRequest, Settings

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


def key_of(settings: Settings) -> str:
    """Return a text that is the same for the same settings."""
    return json.dumps(dict(settings), sort_keys=True)


_HOPELESS = 12  # trials without a single release
_NOT_ABOUT_RECORDS = ("MethodError", "ParameterError")


@dataclass(frozen=True)
class Trial:
    """Settings that were evaluated, and what came of them.

    Attributes
    ----------
    number
        From 1, in the order of the trials.
    settings
        "method", "k" and the other parameters by name. `clusters` is the number of clusters as a multiple of
        records // k.
    request
        What `shoal.protect` was asked for.
    family
        "microaggregation", "fuzzy", "entropy", "hybrid", "synthetic" or "perturbation"; empty if there is no release.
    measures
        Disclosure risk and information loss of the release; None if there is none.
    problem
        The name of the error that prevented a release; empty if there is one.
    reason
        The message of that error. A file has it only if it is about the method and not about the records.
    seconds
        How long it took.
    """

    number: int
    settings: Settings
    request: ReleaseRequest
    family: str = ""
    measures: TrialMeasures | None = None
    problem: str = ""
    reason: str = field(default="", compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def is_measured(self) -> bool:
        """Whether it has both a risk and a loss."""
        return self.measures is not None and self.measures.score is not None

    @property
    def point(self) -> tuple[float, float]:
        """Risk and loss of a trial that is measured."""
        assert self.measures is not None and self.measures.risk is not None and self.measures.loss is not None
        return self.measures.risk, self.measures.loss

    @property
    def exposure(self) -> float:
        """The risk of a trial, or what the transparency attack is expected to find if that is higher."""
        assert self.measures is not None
        return max(self.point[0], self.measures.transparency_attack or 0.0)

    @property
    def score(self) -> float:
        """The score of a trial that is measured."""
        assert self.measures is not None and self.measures.score is not None
        return self.measures.score

    @property
    def method(self) -> str:
        """The method as it was asked for, without what is searched: "mdav+hybrid", "fuzzy:m=1.2"."""
        return str(self.settings["method"])

    @property
    def explanation(self) -> str:
        """Why there is no release, without anything about the records."""
        if self.reason and self.problem in _NOT_ABOUT_RECORDS:
            return self.reason
        kind = getattr(errors, self.problem, errors.ShoalError)
        return str(kind.meaning)

    @property
    def settings_text(self) -> str:
        """The settings without the method, as one line: "k=5, m=1.2, m2=1.3, c=216"; "no k" of whole-file methods."""
        shown = {name: value for name, value in self.settings.items() if name != "method" and value is not None}
        if "clusters" in shown:
            del shown["clusters"]
            shown["c"] = self.request.masking.written_method["n_clusters"]
        parts = {
            name: f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in shown.items()
        }
        if self.request.masking.is_whole_file:
            parts["k"] = "no k"
        return ", ".join(parts.values())

    def to_dict(self) -> dict[str, Any]:
        """Return settings and measures as plain numbers and texts, ready for JSON, and nothing of the records."""
        masking = self.request.masking
        return {
            "trial": self.number,
            "settings": dict(self.settings),
            "method": dict(masking.written_method),
            "replace": None if masking.written_replacement is None else dict(masking.written_replacement),
            "k": self.request.k,
            "blocks": self.request.blocks,
            "family": self.family,
            "measures": None if self.measures is None else asdict(self.measures),
            "problem": self.problem,
            "reason": self.reason if self.problem in _NOT_ABOUT_RECORDS else "",
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def from_json(cls, line: bytes) -> Trial:
        """Return a trial as `to_dict` and JSON wrote it; ValueError if that is not what it is."""
        read = _Line.model_validate_json(line)
        trial = cls(
            number=read.trial,
            settings=read.settings,
            request=ReleaseRequest.of_settings(Masking(read.method, read.replace), read.k, read.blocks, read.settings),
            family=read.family,
            measures=read.measures,
            problem=read.problem,
            reason=read.reason,
            seconds=read.seconds,
        )
        try:
            trial.request.masking.check()
            is_whole = bool(trial.method and trial.settings_text) and trial.settings["k"] == trial.request.k
            is_whole &= not trial.is_measured or math.isclose(
                trial.score, sum(trial.point) / 2, rel_tol=1e-9, abs_tol=1e-6
            )
        except (ShoalError, KeyError, AssertionError):
            is_whole = False
        if not is_whole or (trial.measures is None) != bool(trial.problem):
            raise ValueError("no trial")
        return trial


class _Line(BaseModel):
    """A trial in a file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    trial: int
    settings: dict[str, str | int | float | None]
    method: dict[str, Any]
    replace: dict[str, Any] | None
    k: int = Field(ge=2)
    blocks: int | str | None
    family: str
    measures: TrialMeasures | None
    problem: str
    reason: str
    seconds: float


class History:
    """What a search has evaluated, and what there is no use in evaluating after that."""

    def __init__(self) -> None:
        self._evaluated: set[str] = set()
        self._releases: dict[str, int] = {}
        self._failures: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._evaluated)

    def record(self, trial: Trial) -> None:
        """Record what came of settings."""
        self._evaluated.add(key_of(trial.settings))
        counts = self._failures if trial.problem else self._releases
        counts[trial.settings["method"]] = counts.get(trial.settings["method"], 0) + 1

    def is_worth_evaluating(self, settings: Settings) -> bool:
        """Whether settings are new, and of a method that is not known to give no release of this table."""
        method = settings["method"]
        return not self.is_hopeless(method) and key_of(settings) not in self._evaluated

    def is_hopeless(self, method: str) -> bool:
        """Whether a method has failed often and never given a release of this table."""
        return method not in self._releases and self._failures.get(method, 0) >= _HOPELESS
