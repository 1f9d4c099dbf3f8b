"""A search by optuna, which learns from the trials where to look next; for many parameters and hours of time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from shoal.errors import ParameterError
from shoal.search.space import SearchParameter, Settings, Space
from shoal.search.trial import History, Trial

__all__ = ["OptunaSearch"]

_AT_RANDOM = 24  # trials before anything is learned
_LEARNED, _DRAWN = 10, 200  # proposals in a row that are not worth evaluating, before they are drawn; before it ends
_DIGITS = 3


class OptunaSearch:
    """A tree-structured Parzen estimator for two goals, low risk and low loss.

    Whole numbers and other numbers can be any between the ends of their grids. What is proposed depends on the seed
    and on the trials so far and on nothing else, so that a search that goes on from a file proposes what it would have
    proposed without the break.
    """

    def __init__(self, spaces: Sequence[Space], seed: int) -> None:
        self._optuna = _optuna()
        self._spaces = {space.name: space for space in spaces}
        self._seed = seed
        self._history = History()
        with _quiet(self._optuna):
            self._study = self._optuna.create_study(directions=["minimize", "minimize"])

    @property
    def left(self) -> None:
        """It is not known how many settings are left."""

    def ask(self) -> Settings | None:
        """Return settings that are worth evaluating; None if none are found."""
        samplers = self._optuna.samplers
        for attempt in range(_LEARNED + _DRAWN):
            digest = sha256(f"{self._seed} {len(self._history)} {attempt}".encode()).digest()
            seed = int.from_bytes(digest[:4])
            with _quiet(self._optuna):
                self._study.sampler = (
                    samplers.TPESampler(seed=seed, n_startup_trials=_AT_RANDOM)
                    if attempt < _LEARNED
                    else samplers.RandomSampler(seed=seed)
                )
                trial = self._study.ask()
                settings = self._suggested(trial)
                # Reported by `tell` as it was evaluated, with rounded numbers, or not at all.
                self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            if self._history.is_worth_evaluating(settings):
                return settings
        return None

    def tell(self, trial: Trial) -> None:
        """Hear what came of settings, of this run or of an earlier one."""
        self._history.record(trial)
        space = self._spaces.get(trial.settings["method"])
        if space is None or not trial.is_measured:
            return
        if not all(_is_on(parameter, trial.settings.get(parameter.name)) for parameter in space.parameters):
            return  # from a search with other ends
        values = {
            _name(space, parameter): (trial.settings[parameter.name], self._distribution(parameter))
            for parameter in space.parameters
        }
        methods = self._optuna.distributions.CategoricalDistribution(tuple(self._spaces))
        values["method"] = (trial.settings["method"], methods)
        with _quiet(self._optuna):
            self._study.add_trial(
                self._optuna.trial.create_trial(
                    params={name: value for name, (value, _) in values.items()},
                    distributions={name: distribution for name, (_, distribution) in values.items()},
                    values=trial.point,
                )
            )

    def _suggested(self, trial: Any) -> dict[str, Any]:
        space = self._spaces[trial.suggest_categorical("method", tuple(self._spaces))]
        settings = {"method": space.name}
        for parameter in space.parameters:
            name, low, high = _name(space, parameter), parameter.values[0], parameter.values[-1]
            if parameter.kind == "choice":
                settings[parameter.name] = trial.suggest_categorical(name, parameter.values)
            elif parameter.kind == "whole":
                settings[parameter.name] = trial.suggest_int(name, low, high, log=low > 0)
            else:
                settings[parameter.name] = round(trial.suggest_float(name, low, high, log=low > 0), _DIGITS)
        return settings

    def _distribution(self, parameter: SearchParameter) -> Any:
        kinds, low, high = self._optuna.distributions, parameter.values[0], parameter.values[-1]
        if parameter.kind == "choice":
            return kinds.CategoricalDistribution(parameter.values)
        kind = kinds.IntDistribution if parameter.kind == "whole" else kinds.FloatDistribution
        return kind(low, high, log=low > 0)


def _is_on(parameter: SearchParameter, value: Any) -> bool:
    """Whether a parameter can have this value."""
    if parameter.kind == "choice":
        return value in parameter.values
    return value is not None and bool(parameter.values[0] <= value <= parameter.values[-1])


def _name(space: Space, parameter: SearchParameter) -> str:
    """Name a parameter of one method: what is good for it in one method need not be in another."""
    return f"{space.name} {parameter.name}"


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise ParameterError(
            'search="optuna" needs optuna, which is not installed: pip install "shoal[tune]". search="grid" does not.'
        ) from None
    return optuna


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Let optuna print nothing inside the block."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)
