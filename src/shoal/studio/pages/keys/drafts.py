"""A recode as a form has it, field by field, and as the decisions have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from shoal.errors import ShoalError
from shoal.parameters.choices import as_text
from shoal.parameters.limits import Above, AnyNumber, Limit, without_none
from shoal.recode.catalogue import RECODES, build_recode
from shoal.studio.tasks.recoding import Ways, round_step

__all__ = ["WAY_NAMES", "RecodeDraft", "draft_of", "fields_of", "is_one_of_the_forms", "recode_of", "slider_of"]

# The recodes that there is a form for, in the words of the page.
WAY_NAMES = {name: kind.title for name, kind in RECODES.items() if kind.title}
_BANDS_AT_FIRST = 10
_NOT_RARE = ("0", "1")  # where a slider of the fewest records begins: nothing is merged


@dataclass(frozen=True)
class RecodeDraft:
    """What stands in the form of a recode; nothing of it is decided.

    Attributes
    ----------
    way
        The name of the recode.
    fields
        The texts of its fields.
    groups, chosen
        Of a merge: the new categories that are decided, and the categories that are chosen to become another.
    """

    way: str
    fields: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    chosen: tuple[str, ...] = ()

    def with_field(self, name: str, text: str) -> RecodeDraft:
        """Return it with another text in a field."""
        return replace(self, fields=MappingProxyType({**self.fields, name: text}))

    def with_chosen(self, category: str, chosen: bool) -> RecodeDraft:
        """Return it with a category chosen, or not."""
        kept = tuple(one for one in self.chosen if one != category)
        return replace(self, chosen=(*kept, category) if chosen else kept)


def fields_of(way: str) -> dict[str, Limit]:
    """Return the parameters of a recode that its form has, each with what it may be."""
    kind = RECODES[way]
    return {name: without_none(kind.limits[name]) for name in kind.labels}


def is_one_of_the_forms(recode: Any) -> bool:
    """Whether there is a form for what is decided: one recode, with parameters that the form has."""
    if isinstance(recode, list):
        return len(recode) == 1 and is_one_of_the_forms(recode[0])
    written = build_recode(recode).written()
    return written["name"] in WAY_NAMES and {"name", *fields_of(written["name"])}.issuperset(written)


def draft_of(recode: Any, way: str, ways: Ways) -> RecodeDraft:
    """Return the form of a way: with what is decided if that is such a recode, else with what suits the column."""
    if isinstance(recode, list) and len(recode) == 1:
        recode = recode[0]
    written: Mapping[str, Any] = {}
    if recode is not None and not isinstance(recode, list):
        written = build_recode(recode).written()
    if written.get("name") != way:
        return RecodeDraft(way, MappingProxyType(_at_first(way, ways)))
    groups = {name: tuple(members) for name, members in (written.get("groups") or {}).items()}
    begun = {name: text for name, text in _at_first(way, ways).items() if fields_of(way)[name].widget != "number"}
    texts = {name: _text(value) for name, value in written.items() if name not in ("name", "groups")}
    return RecodeDraft(way, MappingProxyType(begun | texts), MappingProxyType(groups))


def _at_first(way: str, ways: Ways) -> dict[str, str]:
    """Return the fields that a form begins with: a width or a limit that suits the column, else what is usual."""
    texts = {}
    for name, limit in fields_of(way).items():
        usual = getattr(RECODES[way], name)
        if isinstance(limit, Above):
            usual = max(ways.step, round_step((ways.greatest - ways.least) / _BANDS_AT_FIRST))
        elif limit.widget == "number" and name == slider_of(way) and isinstance(limit, AnyNumber):
            span = ways.greatest - ways.least
            usual = ways.least + ways.step * round(0.9 * span / ways.step) if ways.step else ways.greatest
        if usual is not None:
            texts[name] = _text(usual)
    return texts


def slider_of(way: str) -> str:
    """Return the parameter that has a slider: the first that is a number; "" if none is."""
    return next((name for name, limit in fields_of(way).items() if limit.widget == "number"), "")


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def recode_of(draft: RecodeDraft) -> Any:
    """Return the recode of a form, as decisions have it: a text if it can be one. None if the form asks for nothing.

    Raises
    ------
    ShoalError
        A field holds no number, or the recode cannot be.
    """
    limits = fields_of(draft.way)
    written: dict[str, Any] = {"name": draft.way} | _merged(draft)
    for name, text in draft.fields.items():
        is_off = name == "rare" and text.strip() in _NOT_RARE
        if text.strip() and not is_off:
            written[name] = limits[name].read([text.strip()], name, ())
    if draft.way == "merge":
        written["into"] = _new_name(draft)
        if "rare" not in written:
            del written["into"]
    if slider_of(draft.way) and written.keys() <= {"name", "value"}:  # no limit, nothing to merge
        return None
    return _as_decided(build_recode(written).written())


def _merged(draft: RecodeDraft) -> dict[str, Any]:
    into = _new_name(draft)
    groups = {name: list(members) for name, members in draft.groups.items()}
    members: list[str] = []
    for one in draft.chosen:
        members += groups.pop(one, [one])
    if len(draft.chosen) > 1 or (members and into in groups):
        groups[into] = list(dict.fromkeys([*groups.get(into, []), *members]))
    else:
        groups = {name: list(own) for name, own in draft.groups.items()}
    return {"groups": groups} if groups else {}


def _new_name(draft: RecodeDraft) -> str:
    return draft.fields.get("into", "").strip() or "other"


def _as_decided(written: dict[str, Any]) -> Any:
    """Return a recode as a line of text, or as a table where a text would be read as something else."""
    groups = written.get("groups") or {}
    lists = [f"{name}=[{','.join(members)}]" for name, members in groups.items()]
    name, _, rest = as_text({name: value for name, value in written.items() if name != "groups"}).partition(":")
    text = f"{name}:{','.join([*lists, *([rest] if rest else [])])}"
    try:
        return text if build_recode(text).written() == written else written
    except ShoalError:
        return written
