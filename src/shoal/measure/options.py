"""The options of measures in an evaluation: which are given, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from shoal.errors import ParameterError, nearest_name_hint, visible
from shoal.measure.catalogue import MEASURES
from shoal.parameters.choices import as_text

__all__ = ["MeasureOptions", "checked_measure_options", "full_options", "options_text"]

# The options of measures by the name of the measure: {"distance_linkage": {"ties": "any"}}.
MeasureOptions = Mapping[str, Mapping[str, Any]]


def checked_measure_options(options: Any, among: Iterable[str] = MEASURES) -> dict[str, dict[str, Any]]:
    """Return options of measures as plain values, in the order of the catalogue and without those that are defaults.

    ParameterError for a measure or an option that does not exist, and for a value that the option cannot have.

    Parameters
    ----------
    options
        The options by the name of the measure, or None.
    among
        The measures that can have options.
    """
    given = {} if options is None else options
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        raise ParameterError(
            'options must give measures their options, {"distance_linkage": {"ties": "any"}}; '
            f"got {type(options).__name__}{' of something else' if isinstance(given, Mapping) else ''}."
        )
    known = list(among)
    for name in given:
        if name not in MEASURES:
            raise ParameterError(f'options: There is no measure "{name}".{_hint(str(name), MEASURES)}')
        if name not in known:
            raise ParameterError(f"options: {name} is not measured here; {', '.join(known)} are.")
    checked = {}
    for name in (name for name in MEASURES if name in given):
        defaults = MEASURES[name].options
        plain = {option: _plain(value, option, name) for option, value in given[name].items()}
        own = MEASURES[name].checked_options(plain)
        checked[name] = {
            option: own[option] for option in defaults if option in own and own[option] != defaults[option]
        }
    return {name: own for name, own in checked.items() if own}


def full_options(options: MeasureOptions, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return all options of some measures, given or default; a measure without options is not in the result."""
    full = {name: {**MEASURES[name].options, **options.get(name, {})} for name in names}
    return {name: own for name, own in full.items() if own}


def options_text(options: MeasureOptions) -> str:
    """Return options as they are typed, "distance_linkage:direction=masked-to-original,ties=any", on one line."""
    return visible("; ".join(as_text({"name": name, **own}) for name, own in options.items()))


def _hint(name: str, known: Iterable[str]) -> str:
    return nearest_name_hint(name, known) or f" Known: {', '.join(known)}."


def _plain(value: Any, option: str, measure: str) -> Any:
    """Return a value as JSON can hold it: a number, a word, a truth value, None, or a list of these."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, list | tuple):
        return [_plain(one, option, measure) for one in value]
    raise ParameterError(
        f"options of {measure}: {option} must be a number, a word, or a list of these; got {type(value).__name__}."
    )
