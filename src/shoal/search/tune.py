"""The search for a release: settings are evaluated on one table until time, trials or the grid are used up."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

from shoal import progress
from shoal.errors import DataError, ParameterError
from shoal.flow.masking import Masking, masking_of
from shoal.measure.options import MeasureOptions, checked_measure_options
from shoal.parameters.limits import Number, OneOf, OrNone, Whole, check_limits
from shoal.read import as_table
from shoal.search.run import Budget, Run, Search
from shoal.search.setup import TrialSetup
from shoal.search.space import Settings, Space, space_of
from shoal.search.trial import TRIAL_MEASURES, UTILITIES, History, Trial, TrialMeasures, key_of
from shoal.search.trial_log import TrialLog, what_it_is_for
from shoal.search.tuning import Tuning
from shoal.search.with_optuna import OptunaSearch
from shoal.write import refuse_to_overwrite


class GridSearch:
    """All settings of all spaces, those nearest to the start first.

    The level of a value is how often the distances between the start and the ends of the parameter are halved to reach
    it; the level of settings is the sum over their parameters, as in a sparse grid. Each parameter varies by itself
    before two vary together. All methods go through a level together, in an order drawn from the seed.
    """

    def __init__(self, spaces: Sequence[Space], seed: int) -> None:
        ordered: list[tuple[int, float, int, dict[str, Any]]] = []
        for place, space in enumerate(spaces):
            by_level: dict[int, list[dict[str, Any]]] = {}
            for level, settings in space.grid():
                by_level.setdefault(level, []).append(settings)
            for level, alike in by_level.items():
                random.Random(f"{seed} {space.name} {level}").shuffle(alike)
                shares = [(number + 0.5) / len(alike) for number in range(len(alike))]
                ordered += [(level, share, place, one) for share, one in zip(shares, alike, strict=True)]
        ordered.sort(key=lambda one: one[:3])
        self._left: list[Settings] = [one[3] for one in reversed(ordered)]
        self._pending = {key_of(one): one["method"] for one in self._left}
        self._history = History()

    @property
    def left(self) -> int:
        """How many settings there are still to try."""
        counts = Counter(self._pending.values())
        return sum(count for method, count in counts.items() if not self._history.is_hopeless(method))

    def ask(self) -> Settings | None:
        """Return the next settings; None if there are no more."""
        while self._left:
            settings = self._left.pop()
            self._pending.pop(key_of(settings), None)
            if self._history.is_worth_evaluating(settings):
                return settings
        return None

    def tell(self, trial: Trial) -> None:
        """Record what came of settings, which are not proposed again."""
        self._history.record(trial)
        self._pending.pop(key_of(trial.settings), None)


METHODS_TUNED = ("mdav", "vmdav", "refine", "fuzzy", "entropy", "hybrid", "rank-swap", "noise")

# The usual choices without a search: evaluated first, and what a search has to improve on. In a large file the quick
# ones come first.
_FIXED_METHODS, _FIXED_K = ("mdav", "hybrid", "vmdav", "fuzzy"), (3, 5, 10)
_K = (3, 5, 10, 20, 50, 100, 200)
_LARGEST_GRID = 200_000


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
    utility: str | None = None,
    try_recodes: Mapping[Any, Any] | None = None,
    options: MeasureOptions | None = None,
    seed: int = 0,
    **protection: Any,
) -> Tuning:
    """Search for the release with the best score, or with the least loss within a risk.

    Every trial protects the table and measures the release: its risk is the disclosure risk of the score, its loss
    what is lost in numbers, or in all columns (`utility`).

    Parameters
    ----------
    data
        A frame, an array or the path of a file, as in `shoal.protect`.
    methods
        What to search: names or pairs as in `shoal.compare`; mdav, vmdav, refine, fuzzy, entropy, hybrid, rank-swap and
        noise by default, of which the last two promise no k.
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
        "grid": all values of all parameters, from coarse to fine. "optuna": where earlier trials were good, for longer
        searches; it needs optuna, and `seconds` or `trials`.
    resume
        A file for the trials, one a line. If it is there, its trials are taken over and the search goes on.
    log
        The same for a new search: trials of an earlier one in that place are moved aside, to NAME.1, NAME.2 and so on.
    other_seeds
        With how many other seeds what is chosen and the best fixed choice are evaluated once more, since the best of
        many is partly luck. They are not if that would take longer than a quarter of `seconds`.
    utility
        What the loss of a trial is: "probabilistic_information_loss", of numbers alone; "mixed_information_loss", what
        all columns lose together, numbers, categories and recodes; or "analytical_loss", what models, predictions,
        cross-tables and totals lose. By default the second where categories are protected or recodes are tried, else
        the first. The score is the mean of risk and loss.
    try_recodes
        Recodes to try, by column: ``{"age": ["bands:width=5", "bands:width=10"]}``. Trials have one of them or none.
    options
        Options of the measures of a trial by their names, as in `shoal.compare`. A file of trials belongs to them.
    seed
        Where the search starts. The seed of the releases follows from it and from the data, so that nobody without
        the data can guess it.
    **protection
        Other options of `shoal.protect`, for all trials: columns, as_is, roles, kinds, blocks, strata, weights, unit,
        confidential, repair, missing, diversity, closeness, dominance, recodes and the like. Where no variable is
        called confidential, hybrid and synthetic data rewrite all columns. Where `categories` is not given, methods
        that make groups search its three words.

    Returns
    -------
    Tuning
        All trials, the one that is chosen, and the plan and the release of each.

    Notes
    -----
    Ctrl-C ends the search and keeps what was found. The same seed and number of trials give the same result.
    """
    _check_options(max_risk, seconds, trials, search, other_seeds, seed)
    check_limits({"utility": OrNone(OneOf(UTILITIES))}, {"utility": utility})
    if resume is not None and log is not None:
        raise ParameterError("Give resume to go on with a search, or log to begin a new one.")
    options = checked_measure_options(options, TRIAL_MEASURES)
    table = as_table(data)
    fingerprint = table.fingerprint()
    ks = _whole_numbers(k)
    maskings = _maskings(METHODS_TUNED if methods is None else methods)
    rewrites = any(one.family.rewrites for one in maskings)
    setup = TrialSetup(table, protection | {"edits": edits}, rewrites, options, None, utility, try_recodes)
    spaces = [_space(setup, one, ks) for one in maskings]
    for space in spaces:
        space.request(space.start, len(table)).masking.check()
    if search == "grid":
        _refuse_large_grid(spaces)
    searching: Search = GridSearch(spaces, seed) if search == "grid" else OptunaSearch(spaces, seed)
    with progress.share(0.0):
        unmasked = setup.unmasked
    if unmasked.score is None:
        raise DataError("No release can have a score, which needs numeric variables that vary. Name some in columns.")
    fixed = _fixed(spaces)
    seeds = [_seed_of_releases(seed, fingerprint, number) for number in range(1 + other_seeds)]
    trial_log = None
    path = log if resume is None else resume
    if path is not None:
        refuse_to_overwrite(table, path)
        shared = {**protection, "utility": setup.utility, "edits": [rule.text for rule in setup.rules]}
        shared |= {"try_recodes": setup.tried} if setup.tried else {}
        head = what_it_is_for(fingerprint, shared, options, seed)
        trial_log = TrialLog(path, head, resume=resume is not None)
    run = Run(setup, {space.name: space for space in spaces}, seeds[0], trial_log)
    interrupted = _run_until_the_end(run, fixed, searching, Budget(seconds, trials), trial_log)
    numbers = {key_of(trial.settings): trial.number for trial in run.trials}
    evaluated = tuple(numbers[key_of(settings)] for settings in fixed if key_of(settings) in numbers)
    tuning = Tuning(
        trials=tuple(run.trials),
        max_risk=max_risk,
        unmasked_risk=unmasked.risk,
        unmasked_score=unmasked.score,
        fixed=evaluated,
        fixed_left=len(fixed) - len(evaluated),
        interrupted=interrupted,
        repeated={},
        moved_to=None if trial_log is None else trial_log.moved_to,
        setup=setup,
        _seed=seeds[0],
    )
    if run.first_error is not None and all(trial.problem for trial in run.trials):
        raise run.first_error
    if not tuning.measured:
        raise DataError("No trial has a score: what is released does not vary. Lower k.")
    if interrupted:
        return tuning
    with suppress(KeyboardInterrupt):
        return replace(tuning, repeated=_repeated(tuning, run, seeds[1:], seconds))
    return replace(tuning, interrupted=True)


def _check_options(max_risk: Any, seconds: Any, trials: Any, search: Any, other_seeds: Any, seed: Any) -> None:
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
    if search == "optuna" and seconds is None and trials is None:
        raise ParameterError("A search by optuna has no end of its own: give seconds or trials.")


def _run_until_the_end(
    run: Run, fixed: Sequence[Settings], searching: Search, budget: Budget, trial_log: TrialLog | None
) -> bool:
    """Evaluate trials until the budget is spent; return whether the search was interrupted by hand before."""
    try:
        run.go(fixed, searching, budget)
    except KeyboardInterrupt:
        if not run.trials:
            raise
        return True
    finally:
        if trial_log is not None:
            trial_log.close()
    return False


def _seed_of_releases(seed: int, fingerprint: str, number: int) -> int:
    """Return the seed of every release; beyond the first, those of releases that are repeated."""
    text = f"{seed} {fingerprint}" + f" {number}" * bool(number)
    return int.from_bytes(sha256(text.encode()).digest()[:8]) >> 1


def _repeated(
    tuning: Tuning, run: Run, seeds: Sequence[int], seconds: float | None
) -> dict[int, tuple[TrialMeasures, ...]]:
    """Evaluate what matters most with other seeds, if there is time."""
    trials = {one.number: one for one in (tuning.chosen, tuning.best_fixed) if one is not None}
    if seconds is not None and sum(trial.seconds for trial in trials.values()) * len(seeds) > seconds / 4:
        return {}
    repeated = {number: tuple(run.repeat(trial, seeds)) for number, trial in trials.items()}
    return {number: measures for number, measures in repeated.items() if measures}


def _whole_numbers(k: Any) -> list[int]:
    ks = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    for each in ks:
        check_limits({"k": Whole(2)}, {"k": each})
    if not ks:
        raise ParameterError("There is no k to search: name at least one.")
    return sorted({int(each) for each in ks})


def _maskings(methods: Any) -> list[Masking]:
    one = isinstance(methods, str | Mapping) or not isinstance(methods, Iterable)
    maskings = [masking_of(method) for method in ([methods] if one else methods)]
    if not maskings:
        raise ParameterError("There is nothing to search: name at least one method.")
    return [one for place, one in enumerate(maskings) if one not in maskings[:place]]


def _space(setup: TrialSetup, masking: Masking, ks: Sequence[int]) -> Space:
    selection = setup.selection
    in_strata = "stratum" in selection.roles.values()
    return space_of(
        masking,
        ks,
        len(setup.table),
        len(selection.columns),
        setup.options,
        in_strata,
        has_categories=bool(setup.categories),
        recodes=setup.tried,
    )


def _refuse_large_grid(spaces: Sequence[Space]) -> None:
    """Raise ParameterError if there are more settings than a grid can hold: every recode multiplies them."""
    count = sum(space.size for space in spaces)
    if count > _LARGEST_GRID:
        raise ParameterError(
            f'The grid has {count:,} settings. Try fewer recodes or methods, or search="optuna", which has no grid.'
        )


def _fixed(spaces: Sequence[Space]) -> list[Settings]:
    """Return the usual choices without a search: usual methods at usual k, all else where a search begins."""
    usual = [masking_of(name).text for name in _FIXED_METHODS]
    named = sorted((space for space in spaces if space.name in usual), key=lambda space: usual.index(space.name))
    fixed: list[Settings] = []
    for space in named or spaces:
        (possible,) = [parameter.values for parameter in space.parameters if parameter.name == "k"]
        chosen = [k for k in _FIXED_K if k in possible] or possible[: len(_FIXED_K)]
        fixed += [space.start | {"k": k} for k in chosen]
    return fixed
