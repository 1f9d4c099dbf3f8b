"""How the measures of an evaluation are computed: which are left out, and each on its pair of files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from shoal import progress
from shoal.errors import ColumnError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.catalogue import MEASURES
from shoal.measure.headline import released_columns
from shoal.measure.measure import MeasuredValue
from shoal.measure.options import MeasureOptions
from shoal.measure.pairs import Pair
from shoal.parameters.choices import written_form
from shoal.parameters.of_columns import as_names
from shoal.replace import REPLACEMENTS

__all__ = [
    "NOT_ASKED_FOR",
    "columns_apart",
    "columns_in_both",
    "measured_values",
    "names_of_measures",
    "reasons_to_leave_out",
]

NOT_ASKED_FOR = "not asked for."
_TOO_SLOW = "takes long; left out by quick."
_NO_GROUPS = (
    "looks for groups, which synthetic and perturbed values do not show; attribute_attack is the attack on these."
)


def names_of_measures(measures: Iterable[str] | None) -> list[str]:
    """Return the names of the measures asked for, in the order of the catalogue."""
    if measures is None:
        return list(MEASURES)
    names = as_names(measures, "measures")
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"measures must be names of measures; got {type(name).__name__}.")
        if name not in MEASURES:
            hint = nearest_name_hint(str(name), MEASURES) or f" Known: {', '.join(MEASURES)}."
            raise ParameterError(f'There is no measure "{name}".{hint}')
    return [name for name in MEASURES if name in names]


def columns_apart(files: Pair, **named: str | None) -> list[str]:
    """Return the columns of weights and units; ColumnError for one that the original does not have."""
    for role, name in named.items():
        if name is not None and name not in files.original:
            hint = nearest_name_hint(str(name), files.original.names)
            raise ColumnError(f'{role}: There is no column "{name}".{hint}')
    return [name for name in named.values() if name is not None]


def columns_in_both(files: Pair, weights: str | None, unit: str | None) -> list[str]:
    """Return the columns that both files have, but for sampling weights and ids of units."""
    return [name for name in released_columns(files.original, weights, unit) if name in files.masked]


def reasons_to_leave_out(names: Collection[str], evaluation: Mapping[str, Any], *, quick: bool) -> dict[str, str]:
    """Return which measures are not computed, and why."""
    left_out = {name: NOT_ASKED_FOR for name in MEASURES if name not in names}
    if quick:
        left_out |= {name: _TOO_SLOW for name, measure in MEASURES.items() if measure.about.slow}
    for name in names:
        lacking = MEASURES[name].lacking(evaluation)
        if lacking:
            needs = f"needs {' and '.join(lacking)}: name what is missing, or the plan of the release."
            left_out.setdefault(name, _NO_GROUPS if _shows_no_groups(evaluation["replace"]) else needs)
    return left_out


def _shows_no_groups(replace: Any) -> bool:
    """Whether a replacement, if there is one, makes synthetic values or changes records one by one."""
    if replace is None:
        return False
    kind = REPLACEMENTS.get(str(written_form(replace, REPLACEMENTS, "replace").get("name")))
    return kind is not None and not kind.family.shows_groups


def measured_values(
    pairs: Mapping[str, Pair], known: Mapping[str, Any], options: MeasureOptions
) -> tuple[dict[str, MeasuredValue], dict[str, str]]:
    """Compute measures, each on its pair of files, and return their values and why some have no meaning.

    `known["measured"]` gets what was measured with default options, for those that are computed from others.
    """
    arguments = {name: MEASURES[name].arguments(files, known, **options.get(name, {})) for name, files in pairs.items()}
    measured: dict[str, MeasuredValue] = {}
    not_applicable: dict[str, str] = {}
    work = sum(MEASURES[name].about.work for name in arguments)
    for name, own in arguments.items():
        with progress.step(MEASURES[name].about.work / work):
            try:
                measured[name] = MEASURES[name].evaluated(pairs[name], own)
            except NotApplicableError as reason:
                not_applicable[name] = str(reason)
        if name in measured and name not in options:
            known["measured"][name] = measured[name]
    return measured, not_applicable
