"""What all trials of a comparison or a search share: the table, the options, and the columns that are measured."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, get_args

from shoal.describe import Selection, select
from shoal.describe.variables import Kind
from shoal.errors import ColumnError, NotApplicableError, ParameterError, ShoalWarning, nearest_name_hint
from shoal.flow.masking import Masking
from shoal.flow.protect import protect
from shoal.flow.proven.losses import KnownBounds, together, with_bounds
from shoal.flow.recoding.asked import recoded_by_plan, refuse_recoded_roles
from shoal.flow.release import Release
from shoal.flow.request import Request
from shoal.flow.synthetic_choice import replacement_for_all
from shoal.measure import MEASURES, Evaluation, evaluate
from shoal.measure.measure import FromEvaluation
from shoal.measure.options import MeasureOptions, checked_measure_options, full_options
from shoal.measure.pairs import pair
from shoal.measure.score import risk_and_loss
from shoal.measure.utility.mixed_information_loss import mixed_information_loss
from shoal.parameters.of_columns import as_names
from shoal.read import Table
from shoal.recode.effect import lost_by_recoding
from shoal.recode.recoded_table import RecodedTable, recoded_table
from shoal.replace import REPLACEMENTS
from shoal.search.trial import (
    QUICK_MEASURES,
    TRIAL_MEASURES,
    UTILITIES,
    TrialMeasures,
    further_measures,
    trial_measures,
)
from shoal.search.tried_recodes import tried_recodes

__all__ = ["TrialSetup"]

_APART = ("identifier", "weight", "stratum", "unit")


class TrialSetup:
    """A table, and what all trials on it share.

    Parameters
    ----------
    table
        The table.
    options
        Those of `shoal.protect`, without k, method and seed. Where no variable is called confidential, synthetic data
        rewrite all columns that other methods protect.
    synthetic
        Whether synthetic data are among the trials: if some variables are confidential, all releases are then measured
        on these.
    measure_options
        Options of the measures, by the name of the measure.
    measures
        Names of measures beside those of every trial.
    utility
        What the loss of a trial is: "probabilistic_information_loss", or what the options of the score make of it,
        "analytical_loss" or "mixed_information_loss". None for the last where categories are protected or recodes are
        tried, for the first elsewhere.
    try_recodes
        Recodes that differ from trial to trial, as `shoal.tune` takes them.

    Attributes
    ----------
    table, options, rules
        The table, the options, and the edit rules among them.
    measure_options
        The options of measures that are not the default ones.
    utility, is_usual_utility
        What the loss of a trial is, and whether nobody chose it.
    tried
        The recodes that differ from trial to trial, by column and name.
    further
        The measures beside those of every trial.
    measured_columns
        The columns that are measured, if not all that are protected.
    """

    def __init__(
        self,
        table: Table,
        options: Mapping[str, Any],
        synthetic: bool,
        measure_options: MeasureOptions | None = None,
        measures: str | Iterable[str] | None = None,
        utility: str | None = "probabilistic_information_loss",
        try_recodes: Any = None,
    ) -> None:
        if "method" in options:
            raise ParameterError("A method is something to compare: name it in methods.", parameter="method")
        self.table, self.request = table, Request.of(table, 2, options)
        self.rules = self.request.edits
        self.options = self.request.model_dump(exclude={"k"}) | {"edits": self.rules or None}
        self._bounds: KnownBounds = {}
        self.tried = tried_recodes(try_recodes, self.request.recodes)
        replace = self.request.replace
        self._shared = None if replace is None else replacement_for_all(replace, self.selection.columns)
        kind = None if self._shared is None else REPLACEMENTS.get(self._shared["name"])
        self._rewrites = kind is not None and kind.family.rewrites
        if self.request.confidential is not None and not (synthetic or self._rewrites):
            raise ParameterError(
                "confidential is for hybrid and synthetic data, and none are among the methods. Leave it out.",
                parameter="confidential",
            )
        self.measured_columns = self._confidential() if synthetic or self._rewrites else []
        self.further = further_measures(measures)
        self.measure_options = checked_measure_options(measure_options, (*TRIAL_MEASURES, *self.further))
        self._refuse_options_that_do_not_fit()
        self._kinds_by_tried = self._refuse_recodes_that_do_not_fit()
        self.is_usual_utility = utility is None
        self.utility = self._usual_utility() if utility is None else utility

    def _usual_utility(self) -> str:
        """Return what the loss is where nobody says it: that of all columns where some of it is not in numbers."""
        of_score = "score" in self.measure_options  # whoever chooses the score means its loss
        return UTILITIES[0] if of_score or not (self.categories or self.tried) else "mixed_information_loss"

    @cached_property
    def categories(self) -> list[str]:
        """The protected columns that are not continuous."""
        return [name for name in self.selection.columns if self.selection.kinds[name] != "continuous"]

    @cached_property
    def not_protected(self) -> list[str]:
        """The columns that every release has as they are: no weight, stratum or unit is among them."""
        own = {*self.selection.columns, *(name for name, role in self.selection.roles.items() if role in _APART)}
        return [name for name in self.table.names if name not in own]

    def _confidential(self) -> list[str]:
        """Return the variables that were called confidential, if any were."""
        named = self.request.confidential
        if named is None and self._shared is not None:
            named = self._shared.get("confidential")
        if named is None:
            named = [name for name, role in self.selection.roles.items() if role == "confidential"]
        names = [str(name) for name in as_names(named, "confidential")]
        for name in names:
            if name not in self.selection.columns:
                hint = nearest_name_hint(name, self.selection.columns)
                raise ColumnError(f'confidential names "{name}", which is not among the columns.{hint}', column=name)
        return names

    def _refuse_options_that_do_not_fit(self) -> None:
        """Raise ParameterError for an option of a measure that does not fit the table, before the first trial."""
        masking = dict.fromkeys(get_args(FromEvaluation)) | {"method": "mdav", "k": 2}
        masking |= {"standardize": True, "seed": 0}
        for name, own in self.measure_options.items():
            some = self.measured_columns if name in (*QUICK_MEASURES, *self.further) else []  # the attack is on all
            files = pair(self.recoded, self.recoded, some or list(self.selection.columns), kinds=self.selection.kinds)
            MEASURES[name].arguments(files, masking, **own)

    @property
    def risk_and_loss(self) -> tuple[str, str]:
        """What the risk and what the loss of the score is, in words."""
        risk, loss = risk_and_loss(full_options(self.measure_options, ["score"])["score"]["weights"])
        others = {"analytical_loss": "loss for analyses", "mixed_information_loss": "information loss over all columns"}
        return risk, others.get(self.utility, loss)

    @cached_property
    def selection(self) -> Selection:
        """What is done with each column, but for blocks."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # protect gives them
            kinds = {**self._recoded.kinds, **(self.request.kinds or {})}
            return select(self.recoded, **self.request.selecting() | {"kinds": kinds})

    @cached_property
    def _recoded(self) -> RecodedTable:
        refuse_recoded_roles(self.request.recodes, self.request.role_of())
        return recoded_by_plan(self.request, self.table)

    def _refuse_recodes_that_do_not_fit(self) -> dict[tuple[str, str], bool]:
        """Raise what a recode to try would raise, before the first trial; return which of them decide a kind."""
        refuse_recoded_roles(self.tried, self.request.role_of())
        decided = {}
        for column, choices in self.tried.items():
            for name, written in choices.items():
                recoded = recoded_table(self.table, {column: written}, self.request.missing_codes, k=2)
                decided[column, name] = column in recoded.kinds
        return decided

    def _with_tried(self, options: dict[str, Any], recodes: Mapping[str, str]) -> dict[str, Any]:
        """Return options with the recodes of a trial; what one makes of a column is said by it alone."""
        written, kinds = dict(self.request.recodes), options.get("kinds")
        for column, name in recodes.items():
            if name not in self.tried.get(column, {}):
                raise ParameterError(f'There is no recode "{name}" to try for "{column}".', parameter="try_recodes")
            written[column] = self.tried[column][name]
            if kinds and self._kinds_by_tried[column, name]:
                kinds = {one: kind for one, kind in kinds.items() if one != column}
        return options | {"recodes": written, "kinds": kinds}

    @property
    def recoded(self) -> Table:
        """The table after missing codes and recodes, which releases are measured with."""
        return self._recoded.table

    def options_for(self, masking: Masking) -> dict[str, Any]:
        """Return the options of `shoal.protect` for a masking, without k and the seed."""
        options = self.options | {"method": masking.written_method}
        if masking.written_replacement is not None:
            options["replace"] = masking.written_replacement
        if not masking.family.rewrites and (masking.written_replacement is not None or not self._rewrites):
            options.pop("confidential", None)
        elif not self.measured_columns:
            options["confidential"] = list(self.selection.columns)
        return options

    def protect(
        self,
        masking: Masking,
        k: int,
        seed: int,
        *,
        blocks: int | str | None = None,
        categories: str | None = None,
        recodes: Mapping[str, str] | None = None,
    ) -> Release:
        """Protect the table. Nothing is released, so nothing is warned of.

        `blocks` and `categories`, if given, stand in for those of the options; `recodes` are of those that are tried.
        """
        options = self.options_for(masking)
        options |= {} if blocks is None else {"blocks": blocks}
        options |= {} if categories is None else {"categories": categories}
        options = self._with_tried(options, recodes) if recodes else options
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            return protect(self.table, k, seed=seed, **options)

    def measure(self, release: Release) -> TrialMeasures:
        """Measure a release."""
        attack = None
        if release.plan.family.shows_groups:
            alone = release.evaluate(measures=["transparency_attack"], options=self.measure_options)
            attack = alone.transparency_attack
        evaluation = self._evaluated(release, QUICK_MEASURES)
        outcome, kinds = release.plan.outcome, {**self.selection.kinds, **release.plan.facts["kinds"]}
        lost = {} if outcome is None else outcome.lost_by_recoding
        mixed = self._mixed_loss(release.recoded, release.masked, kinds, lost)
        return trial_measures(evaluation, None if attack is None else float(attack), mixed, self.utility)

    def above_best(self, release: Release) -> float | None:
        """Return how far the groups' squared error is above the best possible one at most, in %; None if unknown.

        The bound on it is computed once for each k and block, however many methods there are.
        """
        return together(with_bounds(release.plan, release.recoded, release.masked, self._bounds)).above_best

    def _mixed_loss(
        self, original: Table, masked: Table, kinds: Mapping[str, Kind], lost: Mapping[str, float]
    ) -> float | None:
        """Measure what all protected columns lose, and those with a recode to try: the same columns in all trials."""
        files = pair(original, masked, list(self.selection.columns), kinds=kinds)
        try:
            return float(mixed_information_loss.of(files, lost_by_recoding=dict.fromkeys(self.tried, 0.0) | dict(lost)))
        except NotApplicableError:
            return None

    def measure_further(self, release: Release) -> dict[str, float | None]:
        """Measure a release by the measures beside those of every trial; None where one has no meaning for it."""
        measured = self._evaluated(release, self.further).measured if self.further else {}
        return {name: float(measured[name]) if name in measured else None for name in self.further}

    def _evaluated(self, release: Release, measures: Sequence[str]) -> Evaluation:
        facts = release.plan.facts
        if not self.measured_columns or set(self.measured_columns) == set(facts["columns"]):
            return release.evaluate(measures=measures, options=self.measure_options)
        return evaluate(
            release.recoded,
            release.masked,
            self.measured_columns,
            kinds=facts["kinds"],
            weights=facts["weights"],
            unit=facts["unit"],
            measures=measures,
            options=self.measure_options,
            aligned=True,
        )

    @cached_property
    def unmasked(self) -> TrialMeasures:
        """The measures of the file as it is: nothing is lost, and the risk is 100, or less where records are alike."""
        columns = self.measured_columns or list(self.selection.columns)
        by_role = {str(role): name for name, role in self.selection.roles.items()}
        identifiers = [name for name, role in self.selection.roles.items() if role == "identifier"]
        as_it_is = self.recoded.replaced({}, {}, drop=identifiers)
        evaluation = evaluate(
            as_it_is,
            as_it_is,
            columns,
            weights=by_role.get("weight"),
            unit=by_role.get("unit"),
            kinds=self.selection.kinds,
            measures=QUICK_MEASURES,
            options=self.measure_options,
            aligned=True,
        )
        lost = lost_by_recoding(self._recoded, self.request.recodes)
        mixed = self._mixed_loss(as_it_is, as_it_is, self.selection.kinds, lost)
        return trial_measures(evaluation, mixed=mixed, utility=self.utility)
