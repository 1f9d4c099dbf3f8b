"""Messages of shoal in the words of the pages: fields in place of arguments and options of the command line."""

from __future__ import annotations

import re

from shoal.parameters.option import Option
from shoal.parameters.typed import QUOTED
from shoal.studio.pages.settings import SETTINGS

__all__ = ["in_page_words"]

_SETTINGS = {one.name: one for one in SETTINGS if one.form.widget != "text"}
_FLAGS = rf"""\(--(?:{QUOTED}|[^()"'$])*\)"""
_ARGUMENT = re.compile(
    rf'\b(?P<option>[a-z_]+)=(?:"(?P<word>[\w-]+)"|(?P<value>True|\d+(?:\.\d+)?))(?P<flag> {_FLAGS})?'
)
_FLAG = re.compile(f" ?{_FLAGS}")
_ADVICE = {"Name some in columns.": 'Choose the use "protect" for some in the step Variables.'}


def in_page_words(message: str) -> str:
    """Return a message that names fields where it named arguments of `shoal.protect` or options of the command line.

    >>> in_page_words('Fill them, or use missing="keep" (--missing keep), which leaves them.')
    'Fill them, or use "Missing values: keep them missing" (in More settings), which leaves them.'
    >>> in_page_words('Give them the role "confidential" (--role COLUMN=confidential).')
    'Give them the role "confidential".'
    """
    for said, on_page in _ADVICE.items():
        message = message.replace(said, on_page)
    return _FLAG.sub("", _ARGUMENT.sub(_as_field, message))


def _as_field(found: re.Match[str]) -> str:
    setting = _SETTINGS.get(found["option"])
    if setting is None:
        return found[0]
    where = " (in More settings)" if found["flag"] else ""  # an advice; else it says what was set
    return f'"{_filled_in(setting, found["word"] or found["value"])}"{where}'


def _filled_in(setting: Option, value: str) -> str:
    is_box = setting.form.widget == "check"
    return setting.label if is_box else f"{setting.label}: {setting.form.choices.get(value, value)}"
