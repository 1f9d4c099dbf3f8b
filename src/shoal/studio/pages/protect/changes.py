"""What the fields of the step Protect change: a message of a field becomes new decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ParameterError
from shoal.studio.decisions import Decisions
from shoal.studio.pages.protect.choices import BY_COLUMN, changed_parameter, chosen
from shoal.studio.pages.settings import with_setting

__all__ = ["changed_decisions"]


def changed_decisions(decisions: Decisions, message: Mapping[str, Any]) -> tuple[str, Decisions]:
    """Return what a message of a field does, in words, and the decisions after it; ParameterError if it cannot be."""
    field, value = message["field"], message["value"]
    if field == "k":
        return _with_k(decisions, str(value).strip())
    if field in ("method", "replace"):
        told = f"{'Grouped by' if field == 'method' else 'Replaced by'} {value or 'the usual'}"
        return told, decisions if value == BY_COLUMN else decisions.with_option(field, value or None)
    if field == "parameter":
        return _with_parameter(decisions, message)
    if field == "strata":
        mixed = "not mixed in a group" if value else "mixed in groups"
        return f"{message['column']}: {mixed}", decisions.with_listed("strata", [message["column"]], bool(value))
    return with_setting(decisions, "replace" if field == BY_COLUMN else field, value)


def _with_k(decisions: Decisions, text: str) -> tuple[str, Decisions]:
    if not text:
        return "k: not set", decisions.with_k(None)
    if not text.isdigit() or int(text) < 2:
        raise ParameterError("k must be a whole number, 2 or more.")
    return f"k = {int(text)}", decisions.with_k(int(text))


def _with_parameter(decisions: Decisions, message: Mapping[str, Any]) -> tuple[str, Decisions]:
    what, name, value = message["what"], message["name"], message["value"]
    written = chosen(decisions, what) or {"name": message["of"]}
    text = changed_parameter(what, written, name, value)
    shown = "the usual" if value == "" else value
    return f"{name} of {written['name']}: {shown}", decisions.with_option(what, text)
