"""The form of a recode: sliders and boxes that send what stands in them while it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from htmltools import Tag, TagList, tags

from shoal.parameters.limits import Above, Limit, Whole
from shoal.recode.catalogue import RECODES
from shoal.studio.pages.keys.drafts import RecodeDraft, fields_of, slider_of
from shoal.studio.pages.parts import sending_select
from shoal.studio.tasks.recoding import CategoryCount, Ways

__all__ = ["recode_form"]

Namespace = Callable[[str], Any]


def recode_form(draft: RecodeDraft, ways: Ways, column: str, ns: Namespace) -> Tag | TagList:
    """Return the fields of a way, as its parameters declare them, with what a draft has in them."""
    fields = _Fields(draft, ways, column, ns)
    drawn = [fields.field(name, limit) for name, limit in fields_of(draft.way).items() if name != "groups"]
    chips = fields.categories() if "groups" in fields_of(draft.way) else None
    return TagList(tags.div(*drawn, class_="fields"), chips)


class _Fields:
    """Fields of a form that send ``{column, field, value}`` to the input `draft` while they are changed."""

    def __init__(self, draft: RecodeDraft, ways: Ways, column: str, ns: Namespace) -> None:
        self._draft, self._ways, self._column, self._ns = draft, ways, column, ns
        self._labels = RECODES[draft.way].labels

    def field(self, name: str, limit: Limit) -> Tag:
        """Return what a parameter is filled in with: a choice, a slider, or a box for a number or a text."""
        if limit.widget == "choice":
            return self._select(name, limit.choices)
        return self._slider(name, limit) if name == slider_of(self._draft.way) else self._written(name, limit.widget)

    def _sent(self, name: str) -> dict[str, Any]:
        return {
            "data-send": self._ns("draft"),
            "data-live": "",
            "data-about-column": self._column,
            "data-about-field": name,
        }

    def _id(self, name: str) -> str:
        return str(self._ns(f"{self._draft.way.replace('-', '_')}_{name}"))

    def _slider(self, name: str, limit: Limit) -> Tag:
        """Return a slider, and beside it a box for any number."""
        label, (least, most, step) = self._labels[name], self._range(limit)
        value = self._draft.fields.get(name, "") or f"{least:.12g}"
        slider = tags.input(
            {"type": "range", "id": f"{self._id(name)}_slider", "aria-label": f"{label}, slider"},
            {"min": f"{least:.12g}", "max": f"{most:.12g}", "step": f"{step:.12g}", "value": value},
            {"data-mirror": self._id(name), **self._sent(name)},
            class_="form-range",
        )
        box = self._box(name, "number", {"data-mirror": f"{self._id(name)}_slider", "value": value})
        return self._labelled(name, tags.div(slider, box, class_="slider"), "field field-wide")

    def _range(self, limit: Limit) -> tuple[float, float, float]:
        """Return where a slider begins and ends, and its step: of widths, of records, or among the values."""
        ways = self._ways
        if isinstance(limit, Above):
            return ways.step, max(ways.step, (ways.greatest - ways.least) / 2), ways.step
        return (1, ways.most_rare, 1) if isinstance(limit, Whole) else (ways.least, ways.greatest, ways.step)

    def _written(self, name: str, kind: str) -> Tag:
        """Return a box for a number, which may be left out, or for a text."""
        return self._labelled(name, self._box(name, kind, {"value": self._draft.fields.get(name, "")}))

    def _box(self, name: str, kind: str, more: dict[str, str]) -> Tag:
        step = {"step": "any"} if kind == "number" else {}
        return tags.input(
            {"type": kind, "id": self._id(name), **step, **more, **self._sent(name)},
            class_="form-control form-control-sm",
        )

    def _select(self, name: str, choices: Mapping[str, str]) -> Tag:
        """Return a choice."""
        selected, label = self._draft.fields.get(name, ""), self._labels[name]
        to, id = self._ns("draft"), self._id(name)
        return self._labelled(name, sending_select(to, id, label, choices, selected, column=self._column, field=name))

    def _labelled(self, name: str, control: Tag, kind: str = "field") -> Tag:
        return tags.div(
            tags.label(self._labels[name], {"for": self._id(name)}, class_="form-label"), control, class_=kind
        )

    def categories(self) -> Tag:
        """Return the categories to choose from: those that are merged already, then the others, the frequent first."""
        records = {one.text: one.records for one in self._ways.categories}
        merged = {member for members in self._draft.groups.values() for member in members}
        listed = [
            CategoryCount(name, f"{len(members)} categories", sum(records.get(one, 0) for one in members))
            for name, members in self._draft.groups.items()
        ]
        listed += [
            one for one in self._ways.categories if one.text not in merged and one.text not in self._draft.groups
        ]
        more = f" The {self._ways.left_out:,} rarest are not listed." if self._ways.left_out else ""
        return tags.fieldset(
            tags.legend(f"{self._labels['groups']}{more}", class_="form-label"),
            tags.div(*(self._category(place, one) for place, one in enumerate(listed)), class_="chips chips-scroll"),
        )

    def _category(self, place: int, one: CategoryCount) -> Tag:
        return tags.label(
            tags.input(
                {"type": "checkbox", "id": self._id(f"category_{place}"), "data-about-category": one.text},
                {name: value for name, value in self._sent("category").items() if name != "data-live"},
                {"checked": "" if one.text in self._draft.chosen else None},
            ),
            tags.span(one.text + (f" ({one.label})" if one.label else "")),
            tags.small(f"{one.records:,}"),
            class_="chip",
        )
