"""The further settings of a release: the options of `shoal.protect` that were declared with a label."""

from __future__ import annotations

import re
from typing import Any

from shoal.errors import ParameterError
from shoal.flow.request import OPTIONS
from shoal.parameters.option import Option
from shoal.studio.decisions import Decisions

__all__ = ["SETTINGS", "as_shown", "with_setting"]

SETTINGS = tuple(option for option in OPTIONS.values() if option.label)


def as_shown(decisions: Decisions, setting: Option) -> Any:
    """Return an option as its field shows it: a text, or whether a box is checked."""
    value = decisions.get(setting.name)
    if setting.form.widget == "check":
        return bool(value)
    if setting.name == "replace" and not setting.form.columns(value or {}):
        return ""  # the replacement for all columns is a field of its own
    return setting.form.shown(value)


def with_setting(decisions: Decisions, option: str, value: Any) -> tuple[str, Decisions]:
    """Return what was done, in words, and the decisions with an option as it was filled in.

    Raises ParameterError for what cannot be read or is outside its limits.
    """
    setting = next((one for one in SETTINGS if one.name == option), None)
    if setting is None:
        raise ParameterError(f'There is no setting "{option}".')
    if setting.form.widget == "check":
        return f"{setting.label}: {'yes' if value else 'no'}", decisions.with_option(option, bool(value))
    text = str(value).strip()
    told = f"{setting.label}: {setting.form.choices.get(text, text or 'not set')}"
    if not text:
        return told, decisions.with_option(option, None)
    texts = [re.sub(r"\s*=\s*", "=", part.strip()) for part in text.split(";") if part.strip()]
    return told, decisions.with_option(option, setting.limit.plain(setting.form.read(texts, setting.label, ()), option))
