"""The ground on which maskings are tried: one table, the same options, the same columns judged by the same measures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from shoal.describe import Selection, select
from shoal.describe.roles import as_names
from shoal.edits import rules_in
from shoal.errors import ColumnError, ParameterError, ShoalWarning, nearest_name_hint
from shoal.flow.masking import Masking
from shoal.flow.protect import protect
from shoal.flow.release import Release
from shoal.flow.synthetic_choice import replacement_for_all
from shoal.measure import Evaluation, evaluate
from shoal.read import Table
from shoal.replace import REPLACEMENTS

__all__ = ["Figures", "Ground"]

# Quick ones: the three of the score, and the loss that groupings are made to keep small.
_PARTS = ("distance_linkage", "interval_disclosure")
_MEASURES = ("information_loss", "probabilistic_information_loss", *_PARTS, "score")
_SELECTING = ("columns", "roles", "kinds", "strata", "weights")

# What a file of trials must hold to be believed; a rounding error beyond the ends is none.
Percent = Annotated[float, Field(ge=-1e-6, le=100 + 1e-6)]


@dataclass(frozen=True)
class Figures:
    """What a release costs and buys, in per cent; None where a measure has no meaning for it.

    Attributes
    ----------
    score
        Half of the risk and half of the loss.
    risk
        The disclosure risk of the score: half of distance linkage and half of interval disclosure.
    probabilistic_information_loss
        The loss of the score.
    distance_linkage, interval_disclosure
        The parts of the risk.
    transparency_attack
        Records that an intruder is expected to find who knows the method too; None for synthetic data.
    information_loss
        The variation that is lost.
    """

    score: Percent | None
    risk: Percent | None
    probabilistic_information_loss: Percent | None
    distance_linkage: Percent | None
    interval_disclosure: Percent | None
    transparency_attack: Percent | None
    information_loss: Annotated[float, Field(ge=0)] | None

    @property
    def loss(self) -> float | None:
        """The loss of the score."""
        return self.probabilistic_information_loss


class Ground:
    """A table, and what all maskings that are tried on it share.

    Parameters
    ----------
    table
        The table.
    options
        Those of `shoal.protect`, without k, method and seed. Where nobody says what is confidential, synthetic data
        rewrite all columns that other methods protect.
    synthetic
        Whether synthetic data are tried: if some variables are confidential, all figures are then taken over these.
    """

    def __init__(self, table: Table, options: Mapping[str, Any], synthetic: bool) -> None:
        if "method" in options:
            raise ParameterError("A method is something to try: name it in methods.")
        self.table, self.options = table, dict(options)
        self.rules = rules_in(options.get("edits"))
        self.options["edits"] = self.rules or None
        replace = options.get("replace")
        self._for_all = None if replace is None else replacement_for_all(replace, self.selection.columns)
        self._rewrites = self._for_all is not None and REPLACEMENTS[self._for_all["name"]].rewrites
        if options.get("confidential") is not None and not (synthetic or self._rewrites):
            raise ParameterError("confidential is for hybrid and synthetic data, and none are tried. Leave it out.")
        # The columns that figures are taken over, if not over all that are protected.
        self.judged = self._confidential() if synthetic or self._rewrites else []

    def _confidential(self) -> list[str]:
        """Return the variables that were called confidential, if any were."""
        named = self.options.get("confidential")
        if named is None and self._for_all is not None:
            named = self._for_all.get("confidential")
        if named is None:
            named = [name for name, role in self.selection.roles.items() if role == "confidential"]
        found = [str(name) for name in as_names(named, "confidential")]
        for name in found:
            if name not in self.selection.columns:
                hint = nearest_name_hint(name, self.selection.columns)
                raise ColumnError(f'confidential names "{name}", which is not among the columns.{hint}')
        return found

    @cached_property
    def selection(self) -> Selection:
        """What is done with each column, but for blocks."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # protect has its say
            return select(self.table, **{name: self.options[name] for name in _SELECTING if name in self.options})

    def settings(self, masking: Masking) -> dict[str, Any]:
        """Return what `shoal.protect` is told, beside k and the seed."""
        settings = self.options | {"method": masking.written_method}
        if masking.written_replacement is not None:
            settings["replace"] = masking.written_replacement
        if not masking.rewrites and (masking.written_replacement is not None or not self._rewrites):
            settings.pop("confidential", None)
        elif not self.judged:
            settings["confidential"] = list(self.selection.columns)
        return settings

    def tried(self, masking: Masking, k: int, seed: int, blocks: int | str | None = None) -> Release:
        """Protect the table. Nothing is released, so nothing is warned of.

        `blocks`, if given, stands in for that of the options; "all" is one block of all columns.
        """
        settings = self.settings(masking)
        if blocks is not None:
            settings["blocks"] = [list(self.selection.columns)] if blocks == "all" else blocks
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            return protect(self.table, k, seed=seed, **settings)

    def figures(self, release: Release) -> Figures:
        """Measure a release."""
        facts = release.plan.facts
        if self.judged and set(self.judged) != set(facts["columns"]):
            kinds = facts["kinds"]
            taken = evaluate(release.original, release.masked, self.judged, kinds=kinds, measures=_MEASURES)
        else:
            taken = release.evaluate(measures=_MEASURES)
        attack = None
        if not release.plan.is_synthetic:
            attack = release.evaluate(measures=["transparency_attack"]).transparency_attack
        return _figures(taken, None if attack is None else float(attack))

    @cached_property
    def unmasked(self) -> Figures:
        """The figures of the file as it is: nothing is lost, and the risk is 100, or less where records are alike."""
        columns = self.judged or list(self.selection.columns)
        return _figures(evaluate(self.table, self.table, columns, kinds=self.selection.kinds, measures=_MEASURES))


def _figures(taken: Evaluation, attack: float | None = None) -> Figures:
    found = {name: float(figure) for name, figure in taken.figures.items()}
    return Figures(
        score=found.get("score"),
        risk=None if taken.score is None else float(taken.score.risk),
        probabilistic_information_loss=found.get("probabilistic_information_loss"),
        distance_linkage=found.get("distance_linkage"),
        interval_disclosure=found.get("interval_disclosure"),
        transparency_attack=attack,
        information_loss=found.get("information_loss"),
    )
