"""A recode as a form has it, field by field, and as the decisions have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from shoal.errors import ShoalError
from shoal.parameters.choices import as_text
from shoal.recode.catalogue import build_recode
from shoal.studio.tasks.recoding import Ways, round_step

__all__ = ["WAY_NAMES", "RecodeDraft", "draft_of", "is_one_of_the_forms", "recode_of"]

# The recodes that there is a form for, in the words of the page.
WAY_NAMES = {
    "bands": "put into bands",
    "top-bottom": "top and bottom codes",
    "round": "round",
    "merge": "merge categories",
    "date-part": "keep a part of the date",
}
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


def is_one_of_the_forms(recode: Any) -> bool:
    """Whether there is a form for what is decided: one recode, by its width and not by breaks."""
    if isinstance(recode, list):
        return len(recode) == 1 and is_one_of_the_forms(recode[0])
    written = build_recode(recode).written()
    return written["name"] in WAY_NAMES and not {"breaks", "start"} & set(written)


def draft_of(recode: Any, way: str, ways: Ways) -> RecodeDraft:
    """Return the form of a way: with what is decided if that is such a recode, else with what suits the column."""
    if isinstance(recode, list) and len(recode) == 1:
        recode = recode[0]
    written: Mapping[str, Any] = {}
    if recode is not None and not isinstance(recode, list):
        written = build_recode(recode).written()
    if written.get("name") == way:
        groups = {name: tuple(members) for name, members in (written.get("groups") or {}).items()}
        texts = {name: _text(value) for name, value in written.items() if name not in ("name", "groups")}
        return RecodeDraft(way, MappingProxyType(_at_first(way, ways) | {"top": ""} | texts), MappingProxyType(groups))
    return RecodeDraft(way, MappingProxyType(_at_first(way, ways)))


def _at_first(way: str, ways: Ways) -> dict[str, str]:
    """Return the fields that a form begins with."""
    if way in ("bands", "round"):
        about = (ways.greatest - ways.least) / _BANDS_AT_FIRST
        width = _text(max(ways.step, round_step(about)))
        return {"width": width} if way == "bands" else {"to": width}
    if way == "top-bottom":
        span = ways.greatest - ways.least
        top = ways.least + ways.step * round(0.9 * span / ways.step) if ways.step else ways.greatest
        return {"value": "limit", "top": _text(top)}
    if way == "merge":
        return {"into": "other"}
    return {"part": "year"}


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def recode_of(draft: RecodeDraft) -> Any:
    """Return the recode of a form, as decisions have it: a text if it can be one. None if the form asks for nothing.

    Raises
    ------
    ShoalError
        A field holds no number, or the recode cannot be.
    """
    written: dict[str, Any] = {"name": draft.way}
    for name, text in draft.fields.items():
        is_off = name == "rare" and text.strip() in _NOT_RARE
        if text.strip() and name != "into" and not is_off:
            written[name] = text if name in ("value", "part") else _number(name, text)
    if draft.way == "merge":
        written |= _merged(draft) | ({"into": _new_name(draft)} if "rare" in written else {})
        if not {"groups", "rare"} & set(written):
            return None
    if draft.way == "top-bottom" and not {"top", "bottom"} & set(written):
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


def _number(name: str, text: str) -> float | int:
    try:
        number = float(text)
    except ValueError:
        raise ShoalError(f"{name} must be a number.") from None
    return int(number) if number.is_integer() else number


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
