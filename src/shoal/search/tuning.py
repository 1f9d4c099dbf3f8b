"""The search for a release: many settings tried on one table, what is best among them, and the plan of any."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from shoal import progress
from shoal.errors import DataError, ParameterError
from shoal.flow.masking import FAMILIES, Masking, masking_of
from shoal.flow.outcome import Output
from shoal.flow.plan import Plan
from shoal.flow.release import Release
from shoal.parameters.limits import Number, OneOf, OrNone, Whole, check_limits
from shoal.read import as_table
from shoal.search.grid import GridSearch
from shoal.search.ground import Figures, Ground
from shoal.search.pareto import pareto_front
from shoal.search.run import Budget, Run, Search
from shoal.search.space import Settings, Space, space_of
from shoal.search.trial import Trial, key_of
from shoal.search.trial_log import TrialLog, what_it_is_for
from shoal.search.with_optuna import OptunaSearch
from shoal.write import refuse_to_overwrite

__all__ = ["METHODS_TUNED", "Tuning", "tune"]

METHODS_TUNED = ("mdav", "vmdav", "refine", "fuzzy", "entropy", "hybrid")
# What people take without a search; tried first, and what a search has to beat.
# In a large file the quick ones come first.
_FIXED_METHODS, _FIXED_K = ("mdav", "hybrid", "vmdav", "fuzzy"), (3, 5, 10)
_K = (3, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    Attributes
    ----------
    trials
        All that were tried, in order.
    max_risk
        The highest risk that was asked for.
    unmasked_risk, unmasked_score
        The risk and the score of the file as it is; its loss is 0.
    fixed
        The numbers of the trials that are what people take without a search.
    fixed_left
        How many more of these there would have been, had there been time.
    again
        The figures of the chosen trial and of the best fixed one with other seeds, where the seed has a say.
    interrupted
        Whether the search was stopped by hand.
    moved_to
        Where the trials of an earlier search are now that were in the place of `log`.
    ground
        The table, and what all trials share.
    """

    trials: tuple[Trial, ...]
    max_risk: float | None
    unmasked_risk: float | None
    unmasked_score: float | None
    fixed: tuple[int, ...]
    fixed_left: int
    interrupted: bool
    again: Mapping[int, tuple[Figures, ...]]
    moved_to: Path | None = field(repr=False, compare=False)
    ground: Ground = field(repr=False, compare=False)
    _seed: int = field(repr=False, compare=False)

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
        """What would be chosen among what people take without a search."""
        return self._best([trial for trial in self.measured if trial.number in self.fixed])

    def _best(self, trials: Sequence[Trial]) -> Trial | None:
        if self.max_risk is None:
            return _lowest(trials)
        within = [trial for trial in trials if trial.exposure <= self.max_risk]
        return min(within, key=lambda trial: (trial.point[1], trial.point[0], trial.number), default=None)

    @cached_property
    def best_of_family(self) -> Mapping[str, Trial]:
        """The lowest score in every family of methods that was tried, the lowest of all first."""
        found = {name: _lowest([one for one in self.measured if one.family == name]) for name in FAMILIES}
        known = [(name, trial) for name, trial in found.items() if trial is not None]
        return dict(sorted(known, key=lambda one: one[1].score))

    @cached_property
    def problems(self) -> Mapping[tuple[str, str], tuple[Trial, ...]]:
        """The trials that gave no release, by method and by the name of the error that stood in the way."""
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
                    f"No trial has both a risk and an attack within {self.max_risk:g} %. Raise max_risk, or search on."
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
        return self.ground.tried(request.masking, request.k, self._seed, request.blocks)

    def plan(self, number: int | None = None, *, output: str | os.PathLike[str] | None = None) -> Plan:
        """Return the plan of a trial, of the chosen one if none is named.

        Parameters
        ----------
        number
            The number of the trial.
        output
            Where the plan's release is to be written when nobody says otherwise.
        """
        plan = self.release(number).plan
        if output is None:
            return plan
        return plan.model_copy(update={"output": Output(path=str(Path(output).resolve()))})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON: settings and figures, no data."""

        def number(trial: Trial | None) -> int | None:
            return None if trial is None else trial.number

        return {
            "schema": "shoal.tuning/1",
            "chosen": number(self.chosen),
            "best_fixed": number(self.best_fixed),
            "front": [trial.number for trial in self.front],
            "best_of_family": {name: trial.number for name, trial in self.best_of_family.items()},
            "fixed": list(self.fixed),
            "max_risk": self.max_risk,
            "unmasked_risk": self.unmasked_risk,
            "unmasked_score": self.unmasked_score,
            "fixed_left": self.fixed_left,
            "interrupted": self.interrupted,
            "again": {str(one): [asdict(figures) for figures in some] for one, some in self.again.items()},
            "trials": [trial.to_dict() for trial in self.trials],
        }

    def to_frame(self) -> Any:
        """Return the trials as a pandas frame."""
        import pandas as pd

        names = [one.name for one in fields(Figures)]
        rows = [
            {"trial": trial.number, "family": trial.family, **trial.settings}
            | (dict.fromkeys(names) if trial.figures is None else asdict(trial.figures))
            | {"problem": trial.problem, "on_front": trial in self.front}
            for trial in self.trials
        ]
        return pd.DataFrame(rows)

    def report(self, path: str | os.PathLike[str], *, title: str = "Settings tried") -> None:
        """Write a page of its own: what was chosen, the map of risk and loss, and the trials."""
        from shoal.report.page.html import write_page
        from shoal.report.page.tuning import tuning_page

        write_page(tuning_page(self, title), path)

    def map(self, path: str | os.PathLike[str]) -> None:
        """Write the map of risk and loss, as SVG."""
        from shoal.report.page.html import write_page
        from shoal.report.page.map import standalone, tuning_map

        write_page(standalone(tuning_map(self)), path)


def _lowest(trials: Sequence[Trial]) -> Trial | None:
    return min(trials, key=lambda trial: (trial.score, trial.number), default=None)


def tune(
    data: Any,
    *,
    methods: str | Iterable[Any] | None = None,
    k: int | Iterable[int] = _K,
    edits: Any = None,
    max_risk: float | None = None,
    seconds: float | None = None,
    trials: int | None = None,
    search: str = "grid",
    resume: str | os.PathLike[str] | None = None,
    log: str | os.PathLike[str] | None = None,
    other_seeds: int = 3,
    seed: int = 0,
    **options: Any,
) -> Tuning:
    """Search for the release with the best score, or with the least loss within a risk.

    Every trial protects the table and measures the release: its risk is the disclosure risk of the score, its loss
    the probabilistic information loss.

    Parameters
    ----------
    data
        A frame, an array or the path of a file, as in `shoal.protect`.
    methods
        What to search: names or pairs as in `shoal.compare`; mdav, vmdav, refine, fuzzy, entropy and hybrid by default.
        A parameter that is given ("fuzzy:m=1.2") stays as it is. Hybrid data merge groups that are too small.
    k
        The values of k, those above half of the records left out. A search by optuna takes any between the ends.
    edits
        Rules, as in `shoal.protect`. Methods that cannot keep them are left out.
    max_risk
        The highest risk, in per cent, for the release that is chosen; the transparency attack may not find more either.
    seconds
        How long to search; a trial that has begun is finished, and none is begun that took longer before than the time
        that is left. None: until `trials` or the grid are done.
    trials
        How many to make, those of `resume` among them. None: as many as there is time for.
    search
        "grid": all values of all dials, from coarse to fine. "optuna": where earlier trials were good, for longer
        searches; it needs optuna, and `seconds` or `trials`.
    resume
        A file for the trials, one a line. If it is there, its trials are taken over and the search goes on.
    log
        The same for a new search: trials of an earlier one in that place are moved aside, to NAME.1, NAME.2 and so on.
    other_seeds
        With how many other seeds what is chosen and the best fixed choice are tried once more, since the best of many
        is partly luck. They are not if that would take longer than a quarter of `seconds`.
    seed
        Where the search starts. The seed of the releases follows from it and from the data, so that nobody who has not
        the data can guess it.
    **options
        As in `shoal.protect`: columns, roles, kinds, blocks, strata, weights, confidential, repair, missing,
        standardize. Where nobody says what is confidential, hybrid and synthetic data rewrite all columns.

    Notes
    -----
    Ctrl-C ends the search and keeps what was found. The same seed and number of trials give the same result.
    """
    check_limits(
        {
            "max_risk": OrNone(Number(0, 100)),
            "seconds": OrNone(Number(0)),
            "trials": OrNone(Whole(1)),
            "search": OneOf(("grid", "optuna")),
            "other_seeds": Whole(0),
            "seed": Whole(0),
        },
        {
            "max_risk": max_risk,
            "seconds": seconds,
            "trials": trials,
            "search": search,
            "other_seeds": other_seeds,
            "seed": seed,
        },
    )
    if resume is not None and log is not None:
        raise ParameterError("Give resume to go on with a search, or log to begin a new one.")
    if search == "optuna" and seconds is None and trials is None:
        raise ParameterError("A search by optuna has no end of its own: give seconds or trials.")
    table = as_table(data)
    fingerprint = table.fingerprint()
    ks = _whole_numbers(k)
    maskings = _maskings(METHODS_TUNED if methods is None else methods)
    ground = Ground(table, options | {"edits": edits}, any(one.rewrites for one in maskings))
    spaces = [_space(ground, one, ks) for one in maskings]
    for space in spaces:
        space.request(space.start, len(table)).masking.check()
    searching: Search = GridSearch(spaces, seed) if search == "grid" else OptunaSearch(spaces, seed)
    with progress.share(0.0):
        unmasked = ground.unmasked
    if unmasked.score is None:
        raise DataError("No release can have a score, which needs numeric variables that vary. Name some in columns.")
    fixed = _fixed(spaces)
    seeds = [_seed_of_releases(seed, fingerprint, number) for number in range(1 + other_seeds)]
    trial_log = None
    place = log if resume is None else resume
    if place is not None:
        refuse_to_overwrite(table, place)
        shared = {**options, "edits": [rule.text for rule in ground.rules]}
        trial_log = TrialLog(place, what_it_is_for(fingerprint, shared, seed), resume=resume is not None)
    run = Run(ground, {space.name: space for space in spaces}, seeds[0], trial_log)
    interrupted = False
    try:
        run.go(fixed, searching, Budget(seconds, trials))
    except KeyboardInterrupt:
        if not run.trials:
            raise
        interrupted = True
    finally:
        if trial_log is not None:
            trial_log.close()
    numbers = {key_of(trial.settings): trial.number for trial in run.trials}
    made = tuple(numbers[key_of(settings)] for settings in fixed if key_of(settings) in numbers)
    tuning = Tuning(
        trials=tuple(run.trials),
        max_risk=max_risk,
        unmasked_risk=unmasked.risk,
        unmasked_score=unmasked.score,
        fixed=made,
        fixed_left=len(fixed) - len(made),
        interrupted=interrupted,
        again={},
        moved_to=None if trial_log is None else trial_log.moved_to,
        ground=ground,
        _seed=seeds[0],
    )
    if run.first_error is not None and all(trial.problem for trial in run.trials):
        raise run.first_error
    if not tuning.measured:
        raise DataError("No trial has a score: what is released does not vary. Lower k.")
    if interrupted:
        return tuning
    with suppress(KeyboardInterrupt):
        return replace(tuning, again=_again(tuning, run, seeds[1:], seconds))
    return replace(tuning, interrupted=True)


def _seed_of_releases(seed: int, fingerprint: str, number: int) -> int:
    """Return the seed of every release; beyond the first, those of releases that are tried once more."""
    text = f"{seed} {fingerprint}" + f" {number}" * bool(number)
    return int.from_bytes(sha256(text.encode()).digest()[:8]) >> 1


def _again(tuning: Tuning, run: Run, seeds: Sequence[int], seconds: float | None) -> dict[int, tuple[Figures, ...]]:
    """Try what matters most once more, with other seeds, if there is time."""
    trials = {one.number: one for one in (tuning.chosen, tuning.best_fixed) if one is not None}
    if seconds is not None and sum(trial.seconds for trial in trials.values()) * len(seeds) > seconds / 4:
        return {}
    found = {number: tuple(run.again(trial, seeds)) for number, trial in trials.items()}
    return {number: figures for number, figures in found.items() if figures}


def _whole_numbers(k: Any) -> list[int]:
    ks = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    for each in ks:
        check_limits({"k": Whole(2)}, {"k": each})
    if not ks:
        raise ParameterError("There is no k to try: name at least one.")
    return sorted({int(each) for each in ks})


def _maskings(methods: Any) -> list[Masking]:
    one = isinstance(methods, str | Mapping) or not isinstance(methods, Iterable)
    maskings = [masking_of(method) for method in ([methods] if one else methods)]
    if not maskings:
        raise ParameterError("There is nothing to search: name at least one method.")
    return [one for place, one in enumerate(maskings) if one not in maskings[:place]]


def _space(ground: Ground, masking: Masking, ks: Sequence[int]) -> Space:
    selection = ground.selection
    in_strata = "stratum" in selection.roles.values()
    return space_of(masking, ks, len(ground.table), len(selection.columns), ground.options, in_strata)


def _fixed(spaces: Sequence[Space]) -> list[Settings]:
    """Return what people take without a search: usual methods at usual k, no other dial turned."""
    usual = [masking_of(name).text for name in _FIXED_METHODS]
    named = sorted((space for space in spaces if space.name in usual), key=lambda space: usual.index(space.name))
    fixed: list[Settings] = []
    for space in named or spaces:
        (possible,) = [dial.values for dial in space.dials if dial.name == "k"]
        chosen = [k for k in _FIXED_K if k in possible] or possible[: len(_FIXED_K)]
        fixed += [space.start | {"k": k} for k in chosen]
    return fixed
