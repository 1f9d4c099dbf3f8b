"""The recodes that a search tries, one of several for each column that is named, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import ParameterError
from shoal.recode.catalogue import build_recode, written_recodes

__all__ = ["TriedRecodes", "tried_recodes"]

TriedRecodes = Mapping[str, Mapping[str, list[dict[str, Any]]]]  # by column and name in the search, as a plan writes it
_LONGEST = 60  # characters of a name


def tried_recodes(given: Any, recodes: Any) -> TriedRecodes:
    """Return the recodes to try by column, each under a name that holds no value of the data.

    Parameters
    ----------
    given
        A mapping from columns to recodes, each tried by itself: ``{"age": ["bands:width=5", "bands:width=10"]}``. A
        list in the list is several that are made one after the other.
    recodes
        Those that all trials share: no column can have both.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(
            f'try_recodes must be a mapping from columns, such as {{"age": ["bands:width=5", "bands:width=10"]}}; got '
            f"{type(given).__name__}.",
            parameter="try_recodes",
        )
    shared = {str(name) for name in recodes} if isinstance(recodes, Mapping) else set()
    tried: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for column, choices in given.items():
        if str(column) in shared:
            raise ParameterError(
                f'try_recodes names "{column}", which recodes has for every trial. Leave it out of one of them.',
                parameter="try_recodes",
            )
        several = list(choices) if isinstance(choices, Sequence) and not isinstance(choices, str) else [choices]
        if not several:
            raise ParameterError(
                f'try_recodes names "{column}" without a recode. Leave it out.', parameter="try_recodes"
            )
        tried[str(column)] = _named([written_recodes({column: one})[str(column)] for one in several])
    return tried


def _named(several: list[list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return recodes by their names, each once."""
    named: dict[str, list[dict[str, Any]]] = {}
    for written in several:
        if written in named.values():
            continue
        text = ", then ".join(build_recode(one).text for one in written)
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
        number = sum(name == text or name.startswith(f"{text} (") for name in named)
        named[f"{text} ({number + 1})" if number else text] = written
    return named
