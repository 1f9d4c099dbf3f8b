"""What a search found: the trials, the best among them, and the plan of any."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, visible
from shoal.flow.masking import FAMILIES
from shoal.flow.outcome import Output
from shoal.flow.plan import Plan
from shoal.flow.release import Release
from shoal.measure.options import full_options
from shoal.parameters.limits import Whole, check_limits
from shoal.search.setup import TrialSetup
from shoal.search.trial import TRIAL_MEASURES, Trial, TrialMeasures


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the points that no other point dominates, by their first coordinate; lower is better.

    One point dominates another if it is as low in both coordinates and lower in one. Of equal points the first is
    taken.
    """
    front: list[int] = []
    lowest = float("inf")
    for place in sorted(range(len(points)), key=lambda one: (*points[one], one)):
        if points[place][1] < lowest:
            lowest = points[place][1]
            front.append(place)
    return front


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    Attributes
    ----------
    trials
        All trials, in order.
    max_risk
        The highest risk that was asked for.
    unmasked_risk, unmasked_score
        The risk and the score of the file as it is; its loss is 0.
    fixed
        The numbers of the trials that are usual choices without a search.
    fixed_left
        How many more of these there would have been with more time.
    repeated
        The measures of the chosen trial and of the best fixed one with other seeds, where the seed makes a difference.
    interrupted
        Whether the search was stopped by hand.
    moved_to
        Where the trials of an earlier search are now that were in the place of `log`.
    setup
        The table, and what all trials share.
    """

    trials: tuple[Trial, ...]
    max_risk: float | None
    unmasked_risk: float | None
    unmasked_score: float | None
    fixed: tuple[int, ...]
    fixed_left: int
    interrupted: bool
    repeated: Mapping[int, tuple[TrialMeasures, ...]]
    moved_to: Path | None = field(compare=False)
    setup: TrialSetup = field(compare=False)
    _seed: int = field(compare=False)

    def __repr__(self) -> str:
        count, chosen = len(self.trials), self.chosen
        parts = [f"{count:,} trial{'s' * (count != 1)}", f"{len(self.front):,} on the Pareto front"]
        if chosen is not None:
            settings = visible(f"{chosen.method}, {chosen.settings_text}")
            parts.append(f"chosen {chosen.number} ({settings}): score {chosen.score:.2f}")
        else:
            parts.append("none chosen" if self.max_risk is None else f"none within a risk of {self.max_risk:g} %")
        return f"Tuning({', '.join(parts)})"

    def _repr_html_(self) -> str | None:
        from shoal.report.writing import tuning_in_notebook

        return tuning_in_notebook(self)

    @cached_property
    def measured(self) -> tuple[Trial, ...]:
        """The trials that have a risk and a loss."""
        return tuple(trial for trial in self.trials if trial.is_measured)

    @cached_property
    def front(self) -> tuple[Trial, ...]:
        """The Pareto front: trials such that no other has both a lower risk and a lower loss; by risk."""
        return tuple(self.measured[place] for place in pareto_front([trial.point for trial in self.measured]))

    @cached_property
    def chosen(self) -> Trial | None:
        """The trial with the lowest score; with `max_risk`, the one with the lowest loss that is within it.

        Within it means that neither the risk nor what the transparency attack is expected to find is above `max_risk`.
        None if none is.
        """
        return self._best(self.measured)

    @cached_property
    def best_fixed(self) -> Trial | None:
        """What would be chosen among the usual choices without a search."""
        return self._best([trial for trial in self.measured if trial.number in self.fixed])

    def _best(self, trials: Sequence[Trial]) -> Trial | None:
        if self.max_risk is None:
            return _lowest(trials)
        within = [trial for trial in trials if trial.exposure <= self.max_risk]
        return min(within, key=lambda trial: (trial.point[1], trial.point[0], trial.number), default=None)

    @cached_property
    def best_of_family(self) -> Mapping[str, Trial]:
        """The lowest score in every family of methods, the lowest of all first."""
        found = {name: _lowest([one for one in self.measured if one.family == name]) for name in FAMILIES}
        known = [(name, trial) for name, trial in found.items() if trial is not None]
        return dict(sorted(known, key=lambda one: one[1].score))

    @cached_property
    def problems(self) -> Mapping[tuple[str, str], tuple[Trial, ...]]:
        """The trials that gave no release, by method and by the name of the error."""
        found: dict[tuple[str, str], list[Trial]] = {}
        for trial in self.trials:
            if trial.problem:
                found.setdefault((trial.method, trial.problem), []).append(trial)
        return {name: tuple(some) for name, some in found.items()}

    def trial(self, number: int | None = None) -> Trial:
        """Return a trial by its number, the chosen one if none is given."""
        if number is None:
            if self.chosen is None:
                raise ParameterError(
                    f"No trial has both a risk and an attack within {self.max_risk:g} %. Raise max_risk (--max-risk), "
                    "or search on."
                )
            return self.chosen
        check_limits({"number": Whole(1)}, {"number": number})
        if number > len(self.trials):
            raise ParameterError(f"There is no trial {number}: {len(self.trials)} were made.")
        found = self.trials[number - 1]
        if found.problem:
            raise ParameterError(f"Trial {number} gave no release ({found.problem}). Take another.")
        return found

    def release(self, number: int | None = None) -> Release:
        """Make the release of a trial again, of the chosen one if none is named."""
        request = self.trial(number).request
        return self.setup.protect(request.masking, request.k, self._seed, **request.varied)

    def plan(self, number: int | None = None, *, output: str | os.PathLike[str] | None = None) -> Plan:
        """Return the plan of a trial, of the chosen one if none is named.

        Parameters
        ----------
        number
            The number of the trial.
        output
            Where the plan's release is written by default.
        """
        plan = self.release(number).plan
        if output is None:
            return plan
        return plan.model_copy(update={"output": Output(path=str(Path(output).resolve()))})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON: settings and measures, no data."""

        def number(trial: Trial | None) -> int | None:
            return None if trial is None else trial.number

        return {
            "schema": "shoal.tuning/5",
            "chosen": number(self.chosen),
            "best_fixed": number(self.best_fixed),
            "front": [trial.number for trial in self.front],
            "best_of_family": {name: trial.number for name, trial in self.best_of_family.items()},
            "fixed": list(self.fixed),
            "max_risk": self.max_risk,
            "utility": self.setup.utility,
            "unmasked_risk": self.unmasked_risk,
            "unmasked_score": self.unmasked_score,
            "fixed_left": self.fixed_left,
            "interrupted": self.interrupted,
            "repeated": {str(one): [asdict(measures) for measures in some] for one, some in self.repeated.items()},
            "options": full_options(self.setup.measure_options, TRIAL_MEASURES),
            "trials": [trial.to_dict() for trial in self.trials],
        }

    def to_frame(self) -> Any:
        """Return the trials as a pandas frame."""
        import pandas as pd

        names = [one.name for one in fields(TrialMeasures)]
        rows = [
            {"trial": trial.number, "family": trial.family, **trial.settings}
            | (dict.fromkeys(names) if trial.measures is None else asdict(trial.measures))
            | {"problem": trial.problem, "on_front": trial in self.front}
            for trial in self.trials
        ]
        return pd.DataFrame(rows)

    def report(self, path: str | os.PathLike[str], *, title: str = "Settings searched") -> None:
        """Write a page: what was chosen, the map of risk and loss, and the trials."""
        from shoal.report.writing import write_tuning_report

        write_tuning_report(self, path, title)

    def map(self, path: str | os.PathLike[str]) -> None:
        """Write the map of risk and loss, as SVG."""
        from shoal.report.writing import write_tuning_map

        write_tuning_map(self, path)


def _lowest(trials: Sequence[Trial]) -> Trial | None:
    return min(trials, key=lambda trial: (trial.score, trial.number), default=None)
