"""Methods and replacements to choose from, and fields for their parameters, from what the classes declare."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import ParameterError
from shoal.flow.masking import FAMILIES
from shoal.parameters.choices import as_text, build, written_form
from shoal.parameters.limits import Limit, Text, without_none
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS
from shoal.replace.family import DRAWN
from shoal.report.wording import without_capital
from shoal.studio.decisions import Decisions

__all__ = ["BY_COLUMN", "Parameter", "changed_parameter", "chosen", "grouped_choices", "parameters_of", "usual"]

What = Literal["method", "replace"]

BY_COLUMN = "by column"  # a replacement for every column, as a job may have it
_REGISTRIES: Mapping[What, Mapping[str, Any]] = {"method": METHODS, "replace": REPLACEMENTS}
# What the studio sets elsewhere, or what no field can hold.
_ELSEWHERE = ("k", "confidential", "matrix", "categories", "random_state", "device", "memory")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method or a replacement.

    Attributes
    ----------
    name, limit
        What it is called and what it may be.
    value, default
        What it is and what it would be; None where there is no value or no default.
    is_needed
        Whether it has no default and no value.
    """

    name: str
    limit: Limit
    value: Any
    default: Any
    is_needed: bool = False

    @property
    def meaning(self) -> str:
        """What it may be, in words."""
        wanted = self.limit.wanted if self.limit.widget == "number" else ""
        usual = "" if self.default is None or self.limit.widget == "check" else f"usually {self.default}"
        return "; ".join(filter(None, (wanted, usual)))


def grouped_choices(what: What) -> dict[str, dict[str, str]]:
    """Return the names that can be chosen, each with what it does, by family."""
    groups: dict[str, dict[str, str]] = {}
    for name, kind in _REGISTRIES[what].items():
        text = f"{name}: {without_capital(kind.summary)}"
        groups.setdefault(_family(what, kind), {})[name] = text
    return groups


def _family(what: What, kind: Any) -> str:
    if what == "method":
        return "whole file" if kind.scope == "file" else str(kind.shown_as)
    if kind.family is DRAWN:
        return "fuzzy"
    return str(kind.shown_as) if kind.shown_as in FAMILIES else "one value for a group"


def chosen(decisions: Decisions, what: What) -> dict[str, Any] | None:
    """Return the method or the replacement that was chosen, as a plan writes it; None where shoal chooses."""
    choice = decisions.get(what)
    if choice is None or (isinstance(choice, Mapping) and "name" not in choice):
        return None
    return written_form(choice, _REGISTRIES[what], what)


def usual(decisions: Decisions, what: What) -> str:
    """Return what shoal chooses where nobody did, by the other of the two."""
    if what == "method":
        other = chosen(decisions, "replace")
        kind = REPLACEMENTS.get(str(other["name"])) if other else None
        return "mdav" if kind is None else kind.default_method
    other = chosen(decisions, "method")
    kind_of_method = METHODS.get(str(other["name"])) if other else None
    return "mean" if kind_of_method is None else kind_of_method.default_replacement


def parameters_of(what: What, written: Mapping[str, Any]) -> list[Parameter]:
    """Return the parameters that a field can hold, with their present values."""
    kind = _REGISTRIES[what].get(str(written["name"]))
    if kind is None:
        return []
    return [
        _parameter(one, kind.limits.get(name, Text()), written)
        for name, one in inspect.signature(kind).parameters.items()
        if name not in _ELSEWHERE
    ]


def _parameter(one: inspect.Parameter, limit: Limit, written: Mapping[str, Any]) -> Parameter:
    needed = one.default is inspect.Parameter.empty
    default = None if needed else one.default
    value = written.get(one.name, default)
    return Parameter(one.name, without_none(limit), value, default, needed and one.name not in written)


def changed_parameter(what: What, written: Mapping[str, Any], name: str, value: Any) -> str:
    """Return the choice as text with another value of a parameter; ParameterError if it cannot have that value.

    Parameters
    ----------
    what, written
        Whether it is a method or a replacement, and the choice so far.
    name, value
        The parameter, and what was filled in: a text, or whether the box is checked; "" is its default.
    """
    known = {one.name: one for one in parameters_of(what, written)}
    if name not in known:
        raise ParameterError(f'{what} "{written["name"]}" has no parameter "{name}".')
    kept = {key: one for key, one in written.items() if key != name}
    text = value if isinstance(value, str) else str(bool(value)).lower()
    if text.strip():
        read = written_form(f"{written['name']}:{name}=({text.strip()})", _REGISTRIES[what], what)[name]
        if read != known[name].default or isinstance(read, bool) is not isinstance(known[name].default, bool):
            kept[name] = read
    if not any(one.is_needed for one in parameters_of(what, kept)):
        build(kept, _REGISTRIES[what], what, **({"k": 2} if what == "method" else {}))
    return as_text(kept)
