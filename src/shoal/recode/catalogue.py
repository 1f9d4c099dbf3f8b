"""Every recode a plan may name, and how recodes are read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.deferred import Catalogue
from shoal.errors import ParameterError
from shoal.parameters.choices import build, class_named, written_form
from shoal.recode.base import Recode

__all__ = ["RECODES", "build_recode", "written_recodes"]

RECODES: Catalogue[type[Recode]] = Catalogue(
    "shoal.recode",
    {
        "bands": "bands:Bands",
        "top-bottom": "top_bottom:TopBottom",
        "round": "rounding:Round",
        "merge": "merge:Merge",
        "hierarchy": "hierarchy:Hierarchy",
        "date-part": "date_part:DatePart",
    },
)
_FIRST = {"date-part": "part", "round": "to"}  # what may stand behind the name alone: "date-part:month"


def build_recode(choice: Any) -> Recode:
    """Return a recode from its text, its written form or an object, its parameters checked.

    In the text of a merge, lists are new categories: "merge:other=[a,b],rare=20".
    """
    if isinstance(choice, Recode):
        given = {key: value for key, value in vars(choice).items() if not key.startswith("_")}
        left_out = [key for key, value in given.items() if value is None and getattr(type(choice), key, None) is None]
        written = {"name": choice.name} | {key: value for key, value in given.items() if key not in left_out}
    elif isinstance(choice, str):
        written = _of_text(choice)
    else:
        written = written_form(choice, RECODES, "recode")
    class_named(written, RECODES, "recode")
    recode: Recode = build(written, RECODES, "recode")
    recode.check()
    return recode


def written_recodes(recodes: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the recodes of every column as a plan holds them.

    Parameters
    ----------
    recodes
        A mapping from columns to a recode, or to several that are made one after the other.
    """
    if recodes is None:
        return {}
    if not isinstance(recodes, Mapping):
        raise ParameterError(
            f'recodes must be a mapping from columns, such as {{"age": "bands:width=5"}}; got '
            f"{type(recodes).__name__}.",
            parameter="recodes",
        )
    written = {}
    for column, asked in recodes.items():
        several = list(asked) if isinstance(asked, Sequence) and not isinstance(asked, str) else [asked]
        if not several:
            raise ParameterError(f'recodes names "{column}" without a recode. Leave it out.', parameter="recodes")
        written[str(column)] = [build_recode(one).written() for one in several]
    return written


def _of_text(text: str) -> dict[str, Any]:
    """Read "bands:width=5,top=85", "date-part:month" and "merge:other=[a,b],rare=20"."""
    name, _, rest = text.partition(":")
    first = _FIRST.get(name.strip())
    if first is not None and rest.strip() and "=" not in rest:
        text = f"{name}:{first}={rest}"
    written = written_form(text, RECODES, "recode")
    if written["name"] != "merge":
        return written
    groups = {key: value for key, value in written.items() if isinstance(value, list) and key != "groups"}
    kept = {key: value for key, value in written.items() if key not in groups}
    return kept | ({"groups": groups} if groups else {})
