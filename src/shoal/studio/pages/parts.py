"""What pages are made of: notices, tables, buttons and selects that say what was changed in one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from htmltools import HTML, Tag, TagChild, html_escape, tags

from shoal.parameters.limits import Limit
from shoal.studio.pages.page_words import in_page_words

__all__ = [
    "data_table",
    "declared_field",
    "empty",
    "filter_field",
    "labelled",
    "notice",
    "picture",
    "sending_button",
    "sending_check",
    "sending_field",
    "sending_select",
    "step_link",
    "table_row",
]


def notice(text: TagChild, kind: str = "info") -> Tag:
    """Return a line that says something in the words of pages; `kind` is "info", "good", "warning" or "problem"."""
    role = "alert" if kind == "problem" else "status"
    if isinstance(text, str):
        return tags.div(in_page_words(text), class_=f"notice notice-{kind} notice-lines", role=role)
    return tags.div(text, class_=f"notice notice-{kind}", role=role)


def empty(text: str, hint: str = "") -> Tag:
    """Return what stands where there is nothing yet, and what to do about it."""
    return tags.div(tags.p(text, class_="empty-title"), tags.p(hint) if hint else None, class_="empty")


def picture(svg: str) -> Tag:
    """Return a picture of a report, an `svg` element."""
    return tags.div(HTML(svg), class_="picture")


def data_table(
    caption: str, head: Sequence[TagChild], rows: Iterable[Sequence[TagChild] | Tag], numeric: Sequence[int] = ()
) -> Tag:
    """Return a table that scrolls by itself.

    Parameters
    ----------
    caption
        What a screen reader says of it.
    head
        The names of its columns; the first names the rows.
    rows
        Its rows, as the cells of each or as `table_row` returns them.
    numeric
        The places of columns that hold numbers.
    """
    body = [row if isinstance(row, Tag) else table_row(row, numeric) for row in rows]
    names = (tags.th(cell, scope="col", class_=_alignment(place, numeric)) for place, cell in enumerate(head))
    return tags.div(
        tags.table(
            tags.caption(caption, class_="visually-hidden"),
            tags.thead(tags.tr(*names)),
            tags.tbody(*body),
            class_="table table-sm studio-table",
        ),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def table_row(cells: Sequence[TagChild], numeric: Sequence[int] = (), id: str | None = None) -> Tag:
    """Return a row of a table, with an id if it is drawn anew by itself; its first cell names it."""
    first, *others = cells
    return tags.tr(
        tags.th(first, scope="row", class_=_alignment(0, numeric)),
        *(tags.td(cell, class_=_alignment(place, numeric)) for place, cell in enumerate(others, start=1)),
        id=id,
    )


def _alignment(place: int, numeric: Sequence[int]) -> str | None:
    return "number" if place in numeric else None


def sending_select(
    to: str,
    id: str,
    label: str,
    choices: Mapping[str, str | Mapping[str, str]],
    selected: str,
    **about: str,
) -> Tag:
    """Return a select that sends ``{**about, "value": ...}`` to an input when it is changed; see studio.js.

    Parameters
    ----------
    to
        The full name of the input, with that of its page: ``session.ns("change")``.
    id
        Its own, so that the focus stays on it when the page is drawn anew.
    label
        What a screen reader says.
    choices
        The values, and what is shown for each; or groups of them, by what is shown above a group.
    selected
        The value that is chosen.
    **about
        What else is sent, such as the column it is about.
    """
    options = [
        _option(value, text, selected)
        if isinstance(text, str)
        else tags.optgroup(*(_option(*pair, selected) for pair in text.items()), label=value)
        for value, text in choices.items()
    ]
    return tags.select(
        *options, {"data-send": to, "aria-label": label, "id": id, **_sent(about)}, class_="form-select form-select-sm"
    )


def _option(value: str, text: str, selected: str) -> HTML:
    """Return an option as text: a page can have thousands, and as tags they take longer than all else in it."""
    chosen = ' selected=""' if value == selected else ""
    return HTML(f'<option value="{html_escape(value, attr=True)}"{chosen}>{html_escape(text, attr=False)}</option>')


def sending_field(to: str, id: str, label: str, value: Any, kind: str = "text", hint: str = "", **about: str) -> Tag:
    """Return a field for a text or a number (`kind`) that sends what was written when it is left.

    See `sending_select`.
    """
    shown = {"value": "" if value is None else str(value), "placeholder": hint or None}
    number = {"step": "any", "inputmode": "decimal"} if kind == "number" else {"autocomplete": "off"}
    return tags.input(
        {"type": kind, "data-send": to, "aria-label": label, "id": id, **shown, **number, **_sent(about)},
        class_="form-control form-control-sm",
    )


def sending_check(to: str, id: str, text: TagChild, checked: bool, **about: str) -> Tag:
    """Return a box to check, with its text, that sends whether it is checked; see `sending_select`."""
    box = {"type": "checkbox", "data-send": to, "id": id, "checked": "" if checked else None, **_sent(about)}
    return tags.div(
        tags.input(box, class_="form-check-input"),
        tags.label(text, {"for": id}, class_="form-check-label"),
        class_="form-check",
    )


def declared_field(to: str, id: str, label: str, limit: Limit, value: Any, meaning: str = "", **about: str) -> Tag:
    """Return the field of a parameter or an option as its limit declares it: a box, a choice, a number or a text.

    See `sending_select`.
    """
    if limit.widget == "check":
        text = f"{label} ({meaning.rstrip('.')})" if meaning else label
        return sending_check(to, id, text, bool(value), **about)
    if limit.widget == "choice":
        words = limit.choices if str(value) in limit.choices else {"": "a different one for some columns"}
        return labelled(label, sending_select(to, id, label, {**words, **limit.choices}, str(value), **about), meaning)
    return labelled(label, sending_field(to, id, label, value, limit.widget, **about), meaning)


def labelled(label: str, control: Tag, hint: TagChild = "") -> Tag:
    """Return something to fill in with its label above and what it means below."""
    return tags.div(
        tags.label(label, {"for": control.attrs["id"]}, class_="form-label"),
        control,
        tags.div(hint, class_="form-text") if hint else None,
        class_="field",
    )


def step_link(step: str, text: str = "") -> Tag:
    """Return a link that opens a step of the flow; see studio.js."""
    return tags.a(text or f"Open {step}", {"href": "#", "data-step": step})


def _sent(about: Mapping[str, str]) -> dict[str, Any]:
    return {f"data-about-{name}": value for name, value in about.items()}


def sending_button(to: str, id: str, text: TagChild, kind: str = "outline-secondary", **about: str) -> Tag:
    """Return a button that sends `about` to an input when it is pressed; see `sending_select`."""
    sent = {"data-send": to, "id": id, "type": "button", **_sent(about)}
    return tags.button(text, sent, class_=f"btn btn-sm btn-{kind}")


def filter_field(place: str, id: str, label: str) -> Tag:
    """Return a text field that hides the rows of a table whose `data-name` does not have its text.

    Parameters
    ----------
    place
        The id of what the table is in.
    id
        Its own.
    label
        What it says, in it and to a screen reader.
    """
    field: dict[str, Any] = {
        "type": "search",
        "id": id,
        "data-filter": place,
        "placeholder": label,
        "aria-label": label,
    }
    return tags.input(field, class_="form-control form-control-sm filter")
