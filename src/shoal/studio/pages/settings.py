"""The further settings of a release: the options of `shoal.protect` that have a field of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import ParameterError
from shoal.parameters.choices import as_text
from shoal.studio.decisions import Decisions

__all__ = ["SETTINGS", "Setting", "as_shown", "with_setting"]


@dataclass(frozen=True)
class Setting:
    """An option of `shoal.protect`: what it is called on the page, how it is filled in, and what it means.

    `words` are the values of a choice and what is shown for each.
    """

    option: str
    label: str
    field: Literal["choice", "check", "number", "text"]
    meaning: str
    words: tuple[tuple[str, str], ...] = ()


SETTINGS = (
    Setting(
        "missing",
        "Missing values",
        "choice",
        "Filled, whole records are k alike; kept, records may be unique by what is missing.",
        (("error", "refuse them"), ("keep", "keep them missing"), ("fill", "fill them by the group")),
    ),
    Setting(
        "categories",
        "Categories",
        "choice",
        "Grouped with the rest, or true values: suppressed where rare, or groups within them.",
        (
            ("group", "group with the rest"),
            ("suppress", "keep, suppress rare combinations"),
            ("within", "keep, groups within them"),
        ),
    ),
    Setting("diversity", "Diversity (l)", "number", "Different confidential values in every group, at least."),
    Setting("closeness", "Closeness (t)", "number", "From 0 to 1: how far a group's confidential values may be off."),
    Setting("dominance", "Dominance (%)", "number", "The largest share one record may have of its group's sum."),
    Setting("blocks", "Blocks", "text", 'Empty: all columns together. Or a number of columns, "rules", or a, b; c, d.'),
    Setting("decimals", "Decimals", "text", "Of released values: 2 for all, or income=2, tax=0. Empty: not rounded."),
    Setting(
        "replace",
        "Replacement by column",
        "text",
        "Such as income=median; size=mode. Other columns take the usual one. Empty: one for all, as chosen above.",
    ),
    Setting("seed", "Seed", "number", "What random choices start from. Empty: drawn, and kept in the plan."),
    Setting("standardize", "Compare columns on the same scale", "check", "Distances on (x - mean) / sd."),
    Setting("bounds", "Synthetic numbers stay in the range of the original", "check", ""),
    Setting("drop_unit", "Leave out the column of units", "check", ""),
    Setting("repair", "Move values until linear rules hold, where the file breaks them", "check", ""),
)
_BY_OPTION = {one.option: one for one in SETTINGS}


def as_shown(decisions: Decisions, setting: Setting) -> Any:
    """Return an option as its field shows it: a text, or whether a box is checked."""
    value = decisions.get(setting.option)
    if setting.field == "check":
        return bool(value)
    if setting.option == "blocks" and isinstance(value, list | tuple):
        return "; ".join(", ".join(map(str, block)) for block in value)
    if setting.option == "replace":
        return _by_column(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={one}" for name, one in value.items()) if setting.field == "text" else ""
    return "" if value is None else str(value)


def with_setting(decisions: Decisions, option: str, value: Any) -> tuple[str, Decisions]:
    """Return what was done, in words, and the decisions with an option as it was filled in.

    Raises ParameterError for what cannot be read; whether a value is possible is for `shoal.protect` to say.
    """
    setting = _BY_OPTION.get(option)
    if setting is None:
        raise ParameterError(f'There is no setting "{option}".')
    if setting.field == "check":
        told = f"{setting.label}: {'yes' if value else 'no'}"
        return told, decisions.with_option(option, bool(value))
    text = str(value).strip()
    read = _READ.get(option, _number if setting.field == "number" else _word)
    told = f"{setting.label}: {dict(setting.words).get(text, text or 'not set')}"
    return told, decisions.with_option(option, read(setting, text) if text else None)


def _word(setting: Setting, text: str) -> str:
    if text not in dict(setting.words):
        raise ParameterError(f"{setting.label}: choose one of {', '.join(one for _, one in setting.words)}.")
    return text


def _number(setting: Setting, text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"{setting.label}: a number is needed, such as 3.") from None


def _blocks(setting: Setting, text: str) -> Any:
    if text == "rules":
        return text
    if text.isdigit():
        return int(text)
    blocks = [[name.strip() for name in block.split(",") if name.strip()] for block in text.split(";")]
    return [block for block in blocks if block]


def _by_column(replace: Any) -> str:
    """Return replacements by column as the field shows them; "" where there is one for all."""
    if not isinstance(replace, Mapping) or "name" in replace:
        return ""
    return "; ".join(f"{name}={one if isinstance(one, str) else as_text(one)}" for name, one in replace.items())


def _replacements(setting: Setting, text: str) -> dict[str, str]:
    # A name of a column can have a comma, and so can parameters of a replacement, where semicolons are between them.
    listed = [one.partition("=") for one in text.split(";" if ";" in text else ",") if one.strip()]
    if not all(name.strip() and word.strip() for name, _, word in listed):
        raise ParameterError(f"{setting.label}: a replacement is needed for each column: income=median; size=mode.")
    return {name.strip(): word.strip() for name, _, word in listed}


def _decimals(setting: Setting, text: str) -> Any:
    try:
        if "=" not in text:
            return int(text)
        pairs = [one.rpartition("=") for one in text.split(",") if one.strip()]
        return {name.strip(): int(number) for name, _, number in pairs}
    except ValueError:
        raise ParameterError("Decimals: a whole number is needed, or one for each column: income=2, tax=0.") from None


_READ: Mapping[str, Callable[[Setting, str], Any]] = {
    "blocks": _blocks,
    "decimals": _decimals,
    "replace": _replacements,
}
