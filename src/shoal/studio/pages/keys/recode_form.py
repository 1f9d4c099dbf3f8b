"""The form of a recode: sliders and boxes that send what stands in them while it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags

from shoal.studio.pages.keys.drafts import RecodeDraft
from shoal.studio.pages.parts import sending_select
from shoal.studio.tasks.recoding import CategoryCount, Ways

__all__ = ["recode_form"]

_VALUES = {"limit": "the limit itself", "mean": "the mean of those beyond it", "text": 'a text such as "85+"'}
_PARTS = {"year": "year", "quarter": "quarter", "month": "month", "week": "week"}

Namespace = Callable[[str], Any]


def recode_form(draft: RecodeDraft, ways: Ways, column: str, ns: Namespace) -> Tag | TagList:
    """Return the fields of a way, with what a draft has in them."""
    fields = _Fields(draft, ways, column, ns)
    half = (ways.greatest - ways.least) / 2
    if draft.way == "bands":
        return tags.div(
            fields.slider("width", "Width of a band", ways.step, max(ways.step, half), ways.step),
            fields.number("top", "One band from here on (optional)"),
            fields.number("bottom", "One band below (optional)"),
            class_="fields",
        )
    if draft.way == "top-bottom":
        return tags.div(
            fields.slider("top", "All from here on get one value", ways.least, ways.greatest, ways.step),
            fields.number("bottom", "All below get one value (optional)"),
            fields.select("value", "which is", _VALUES),
            class_="fields",
        )
    if draft.way == "round":
        return tags.div(
            fields.slider("to", "To multiples of", ways.step, max(ways.step, half), ways.step), class_="fields"
        )
    if draft.way == "date-part":
        return tags.div(fields.select("part", "What is kept", _PARTS), class_="fields")
    return TagList(
        tags.div(
            fields.slider("rare", "Merge categories with fewer records than", 1, ways.most_rare, 1),
            fields.text("into", "What merged categories are called"),
            class_="fields",
        ),
        fields.categories(),
    )


class _Fields:
    """Fields of a form that send ``{column, field, value}`` to the input `draft` while they are changed."""

    def __init__(self, draft: RecodeDraft, ways: Ways, column: str, ns: Namespace) -> None:
        self._draft, self._ways, self._column, self._ns = draft, ways, column, ns

    def _sent(self, name: str) -> dict[str, Any]:
        return {
            "data-send": self._ns("draft"),
            "data-live": "",
            "data-about-column": self._column,
            "data-about-field": name,
        }

    def _id(self, name: str) -> str:
        return str(self._ns(f"{self._draft.way.replace('-', '_')}_{name}"))

    def slider(self, name: str, label: str, least: float, most: float, step: float) -> Tag:
        """Return a slider, and beside it a box for any number."""
        value = self._draft.fields.get(name, "") or f"{least:.12g}"
        return tags.div(
            tags.label(label, {"for": self._id(name)}, class_="form-label"),
            tags.div(
                tags.input(
                    {"type": "range", "id": f"{self._id(name)}_slider", "aria-label": f"{label}, slider"},
                    {"min": f"{least:.12g}", "max": f"{most:.12g}", "step": f"{step:.12g}", "value": value},
                    {"data-mirror": self._id(name), **self._sent(name)},
                    class_="form-range",
                ),
                self._box(name, {"data-mirror": f"{self._id(name)}_slider", "value": value}),
                class_="slider",
            ),
            class_="field field-wide",
        )

    def number(self, name: str, label: str) -> Tag:
        """Return a box for a number that may be left out."""
        return tags.div(
            tags.label(label, {"for": self._id(name)}, class_="form-label"),
            self._box(name, {"value": self._draft.fields.get(name, "")}),
            class_="field",
        )

    def _box(self, name: str, more: dict[str, str]) -> Tag:
        return tags.input(
            {"type": "number", "id": self._id(name), "step": "any", **more, **self._sent(name)},
            class_="form-control form-control-sm",
        )

    def text(self, name: str, label: str) -> Tag:
        """Return a box for a text."""
        return tags.div(
            tags.label(label, {"for": self._id(name)}, class_="form-label"),
            tags.input(
                {"type": "text", "id": self._id(name), "value": self._draft.fields.get(name, ""), **self._sent(name)},
                class_="form-control form-control-sm",
            ),
            class_="field",
        )

    def select(self, name: str, label: str, choices: dict[str, str]) -> Tag:
        """Return a choice."""
        selected = self._draft.fields.get(name, "")
        select = sending_select(
            self._ns("draft"), self._id(name), label, choices, selected, column=self._column, field=name
        )
        return tags.div(tags.label(label, {"for": self._id(name)}, class_="form-label"), select, class_="field")

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
            tags.legend(f"Or choose two or more to merge.{more}", class_="form-label"),
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
