"""Which measures of an evaluation may be published, and over which variables.

Every measure says how it may be published (`Publication`); one that does not say is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from shoal.flow.chain.whole_chain import kinds_in_chain
from shoal.flow.plan import Plan
from shoal.measure import MEASURES, Evaluation, MeasuredValue, Publication
from shoal.read import Table

__all__ = ["NOT_DECLARED", "NOT_PUBLIC", "has_few_values", "public_evaluation"]

NOT_PUBLIC = "not published: together with other values it could reveal something about fewer than k records."
NOT_DECLARED = "not published: this measure does not say how it may be published."
_FEW = 10
_OVER_VARIABLES = (Publication.OVER_VARIABLES, Publication.OVER_PAIRS)


def has_few_values(table: Table, name: str) -> bool:
    """Whether a variable has so few values that its statistics could reveal how many records have which value."""
    numbers = table.numbers(name)
    return len(np.unique(numbers[np.isfinite(numbers)])) < _FEW


def public_evaluation(evaluation: Evaluation, plan: Plan, few: Collection[str]) -> Evaluation:
    """Return the measures that may be published, means over variables without the variables that have few values.

    Parameters
    ----------
    evaluation
        All measures.
    plan
        How the file was masked.
    few
        The numeric variables with few values.
    """
    reasons = {name: _reason_against(name, evaluation, plan.k) for name in evaluation.measured}
    withheld = {name: reason for name, reason in reasons.items() if reason}
    measured = {name: value for name, value in evaluation.measured.items() if name not in withheld}
    if few:
        again = _without_few_values(measured, evaluation, plan, few)
        withheld |= {name: NOT_PUBLIC for name in measured if name not in again}
        measured = again
    return replace(evaluation, measured=measured, left_out={**evaluation.left_out, **withheld})


def _reason_against(name: str, evaluation: Evaluation, k: int) -> str:
    """Return why a measure may not be published, whatever its value; empty if it may."""
    about = MEASURES[name].about
    if about.publication is None:
        return NOT_DECLARED
    if any(option in evaluation.options.get(name, {}) for option in MEASURES[name].unpublished_options):
        return NOT_PUBLIC
    if about.publication is Publication.OVER_PAIRS and evaluation.complete_records < k:
        return NOT_PUBLIC
    is_beside_another = any(other in evaluation.measured for other in about.not_published_with)
    return NOT_PUBLIC if about.publication is Publication.NEVER or is_beside_another else ""


def _without_few_values(
    measured: Mapping[str, MeasuredValue], evaluation: Evaluation, plan: Plan, few: Collection[str]
) -> dict[str, MeasuredValue]:
    """Return the measures with means over variables, and what is computed from these, without some variables.

    A measure that has no meaning for the other variables is not in the result.
    """
    parts = {name: _parts_over_variables(name, value) for name, value in measured.items()}
    kinds = kinds_in_chain(plan)
    left_out = [name for name in evaluation.columns if name in few or kinds.get(name) != "continuous"]
    again = evaluation.without(left_out, sorted({part for names in parts.values() for part in names}))
    return {
        name: value if not parts[name] else _replaced(name, value, parts[name], again)
        for name, value in measured.items()
        if all(part in again for part in parts[name])
    }


def _parts_over_variables(name: str, value: MeasuredValue) -> list[str]:
    """Return the means over variables that a measure is, or is computed from."""
    is_computed = MEASURES[name].about.publication is Publication.FROM_PUBLISHED
    measures = [part for part in value.parts if part in MEASURES] if is_computed else [name]
    return [part for part in measures if MEASURES[part].about.publication in _OVER_VARIABLES]


def _replaced(
    name: str, value: MeasuredValue, parts: Collection[str], again: Mapping[str, MeasuredValue]
) -> MeasuredValue:
    """Return a measure after some of its parts were measured again."""
    if name in parts:
        return again[name]
    return MEASURES[name].recomputed({**value.parts, **{part: again[part] for part in parts}}, lambda _, number: number)
