"""The run of a search: one trial after the other, until the time or the settings are used up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from shoal import progress
from shoal.errors import ShoalError
from shoal.flow.release import Release
from shoal.search.setup import TrialSetup
from shoal.search.space import ReleaseRequest, Settings, Space
from shoal.search.trial import Trial, TrialMeasures, key_of
from shoal.search.trial_log import TrialLog

__all__ = ["Budget", "Run", "Search"]

_MOST_PASSED_OVER = 500  # proposals that would not end in time


class Search(Protocol):
    """What proposes settings, and learns from what came of them."""

    @property
    def left(self) -> int | None:
        """How many settings are left, if that is known."""
        ...

    def ask(self) -> Settings | None:
        """Return the next settings; None if there are no more."""
        ...

    def tell(self, trial: Trial) -> None:
        """Record what came of settings."""
        ...


class Budget:
    """How long a search may go on, and how far it is.

    Parameters
    ----------
    seconds
        From now; None for as long as it takes.
    trials
        In all; None for as many as there are.
    """

    def __init__(self, seconds: float | None, trials: int | None) -> None:
        self._seconds, self._trials = seconds, trials
        self._begin = time.monotonic()
        self._reported = 0.0

    def is_spent(self, trials: int) -> bool:
        """Whether no other trial may begin after so many; one always may."""
        return trials > 0 and self._part(trials) >= 1

    def has_time_for(self, seconds: float | None) -> bool:
        """Whether something that takes so long ends in time; if that is not known, whether half of the time is left."""
        if self._seconds is None:
            return True
        elapsed = time.monotonic() - self._begin
        return elapsed <= self._seconds / 2 if seconds is None else elapsed + seconds <= self._seconds

    def report(self, trials: int, left: int | None) -> None:
        """Report how far the search is after so many trials, and with so many left at most."""
        part = max(self._part(trials), 0.0 if left is None else trials / (trials + left))
        progress.advance(min(part, 1.0) - self._reported)
        self._reported = min(part, 1.0)

    def _part(self, trials: int) -> float:
        parts = [0.0]
        if self._seconds is not None:
            elapsed = time.monotonic() - self._begin
            parts.append(elapsed / self._seconds if self._seconds else 1.0)
        if self._trials is not None:
            parts.append(trials / self._trials)
        return max(parts)


class Run:
    """The trials of a search, those of an earlier run first.

    Parameters
    ----------
    setup
        The table, and what all trials share.
    spaces
        The methods by name.
    seed
        The seed of every release.
    log
        Where trials are written as they come, if anywhere.
    """

    def __init__(self, setup: TrialSetup, spaces: Mapping[str, Space], seed: int, log: TrialLog | None) -> None:
        self._setup, self._spaces, self._seed, self._log = setup, spaces, seed, log
        self.trials: list[Trial] = [] if log is None else list(log.trials)
        self.first_error: ShoalError | None = None

    def go(self, first: Iterable[Settings], search: Search, budget: Budget) -> None:
        """Evaluate `first` and then what the search proposes, unless that was done already."""
        for trial in self.trials:
            search.tell(trial)
        evaluated = {key_of(trial.settings) for trial in self.trials}
        ahead = [settings for settings in first if key_of(settings) not in evaluated]
        passed_over = 0
        while not budget.is_spent(len(self.trials)) and passed_over < _MOST_PASSED_OVER:
            settings = ahead.pop(0) if ahead else search.ask()
            if settings is None:
                break
            if self.trials and not budget.has_time_for(self._seconds_of(settings["method"])):
                passed_over += 1
                continue
            trial = self._evaluate_trial(settings)
            self.trials.append(trial)
            search.tell(trial)
            if self._log is not None:
                self._log.append(trial)
            budget.report(len(self.trials), search.left)

    def _seconds_of(self, method: str) -> float | None:
        """Return how long the last trial of a method took; None if there was none."""
        return next((one.seconds for one in reversed(self.trials) if one.method == method), None)

    def repeat(self, trial: Trial, seeds: Sequence[int]) -> list[TrialMeasures]:
        """Return the measures of a trial with other seeds; none if the seed makes no difference."""
        repeated: list[TrialMeasures] = []
        for seed in seeds:
            try:
                with progress.share(0.0):
                    measures = self._setup.measure(self._release(trial.request, seed))
            except ShoalError:
                continue
            if measures == trial.measures:
                return []
            repeated.append(measures)
        return repeated

    def _release(self, request: ReleaseRequest, seed: int) -> Release:
        return self._setup.protect(request.masking, request.k, seed, **request.varied)

    def _evaluate_trial(self, settings: Settings) -> Trial:
        number, begin = len(self.trials) + 1, time.monotonic()
        request = self._spaces[settings["method"]].request(settings, len(self._setup.table))
        try:
            with progress.share(0.0):  # the budget knows how far the search is
                release = self._release(request, self._seed)
                measures = self._setup.measure(release)
        except ShoalError as error:
            self.first_error = self.first_error or error
            seconds = time.monotonic() - begin
            name = type(error).__name__
            return Trial(number, settings, request, problem=name, reason=str(error), seconds=seconds)
        family = release.plan.shown_as
        return Trial(number, settings, request, family, measures, seconds=time.monotonic() - begin)
