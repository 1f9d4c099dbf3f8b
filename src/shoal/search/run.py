"""The run of a search: one trial after the other, until the time or the settings are used up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from shoal import progress
from shoal.errors import ShoalError
from shoal.flow.release import Release
from shoal.search.ground import Figures, Ground
from shoal.search.space import Request, Settings, Space
from shoal.search.trial import Trial, key_of
from shoal.search.trial_log import TrialLog

__all__ = ["Budget", "Run", "Search"]

_MOST_PASSED_OVER = 500  # proposals that would not end in time


class Search(Protocol):
    """What proposes settings, and hears what came of them."""

    @property
    def left(self) -> int | None:
        """How many settings there are still to try, if anyone knows."""
        ...

    def ask(self) -> Settings | None:
        """Return the next settings to try; None if there are no more."""
        ...

    def tell(self, trial: Trial) -> None:
        """Hear what came of settings."""
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
        """Whether something that takes so long ends in time; if nobody knows how long, whether half of it is left."""
        if self._seconds is None:
            return True
        elapsed = time.monotonic() - self._begin
        return elapsed <= self._seconds / 2 if seconds is None else elapsed + seconds <= self._seconds

    def report(self, trials: int, left: int | None) -> None:
        """Tell whoever listens how far the search is after so many trials, and with so many left at most."""
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
    ground
        What they are made on.
    spaces
        The methods by name.
    seed
        The seed of every release.
    log
        Where trials are written as they come, if anywhere.
    """

    def __init__(self, ground: Ground, spaces: Mapping[str, Space], seed: int, log: TrialLog | None) -> None:
        self._ground, self._spaces, self._seed, self._log = ground, spaces, seed, log
        self.trials: list[Trial] = [] if log is None else list(log.trials)
        self.first_error: ShoalError | None = None

    def go(self, first: Iterable[Settings], search: Search, budget: Budget) -> None:
        """Try `first` and then what the search proposes, unless it was tried already."""
        for trial in self.trials:
            search.tell(trial)
        tried = {key_of(trial.settings) for trial in self.trials}
        ahead = [settings for settings in first if key_of(settings) not in tried]
        passed_over = 0
        while not budget.is_spent(len(self.trials)) and passed_over < _MOST_PASSED_OVER:
            settings = ahead.pop(0) if ahead else search.ask()
            if settings is None:
                break
            if self.trials and not budget.has_time_for(self._seconds_of(settings["method"])):
                passed_over += 1
                continue
            trial = self._tried(settings)
            self.trials.append(trial)
            search.tell(trial)
            if self._log is not None:
                self._log.append(trial)
            budget.report(len(self.trials), search.left)

    def _seconds_of(self, method: str) -> float | None:
        """Return how long the last trial of a method took; None if it was not tried."""
        return next((one.seconds for one in reversed(self.trials) if one.method == method), None)

    def again(self, trial: Trial, seeds: Sequence[int]) -> list[Figures]:
        """Return the figures of a trial with other seeds; none if the seed has no say in it."""
        found: list[Figures] = []
        for seed in seeds:
            try:
                with progress.share(0.0):
                    figures = self._ground.figures(self._release(trial.request, seed))
            except ShoalError:
                continue
            if figures == trial.figures:
                return []
            found.append(figures)
        return found

    def _release(self, request: Request, seed: int) -> Release:
        return self._ground.tried(request.masking, request.k, seed, request.blocks)

    def _tried(self, settings: Settings) -> Trial:
        number, begin = len(self.trials) + 1, time.monotonic()
        request = self._spaces[settings["method"]].request(settings, len(self._ground.table))
        try:
            with progress.share(0.0):  # the budget knows how far the search is
                release = self._release(request, self._seed)
                figures = self._ground.figures(release)
        except ShoalError as error:
            self.first_error = self.first_error or error
            seconds = time.monotonic() - begin
            name = type(error).__name__
            return Trial(number, settings, request, problem=name, reason=str(error), seconds=seconds)
        family = release.plan.masking.family
        return Trial(number, settings, request, family, figures, seconds=time.monotonic() - begin)
