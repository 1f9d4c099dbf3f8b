"""Methods chosen by name: from "mdav:variant=two-k" or an object to what a plan can hold, and back to the object."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Mapping
from numbers import Integral
from typing import Any

from shoal.errors import ParameterError, nearest_name_hint
from shoal.parameters.limits import check_limits

__all__ = ["build", "class_named", "spell", "split_outside_brackets", "text"]

_SHORT_NUMBER = re.compile(r"[+-]?(\d+\.|\.\d+)([eE][+-]?\d+)?")  # ".5" and "5.", which TOML does not know


def spell(given: Any, registry: Mapping[str, type], what: str) -> dict[str, Any]:
    """Write a choice as a plan holds it: its name and its parameters.

    Parameters
    ----------
    given
        A name, a name with parameters ("mdav:variant=two-k"), such a mapping already, or an object of a known class.
    registry
        The classes that can be chosen, by name.
    what
        What is being chosen, for messages: "method" or "replace".
    """
    if isinstance(given, str):
        name, _, rest = given.partition(":")
        pairs = [pair.partition("=") for pair in split_outside_brackets(rest)]
        return {"name": name.strip()} | {key.strip(): _value(text.strip()) for key, _, text in pairs}
    if isinstance(given, Mapping):
        return dict(given)
    for name, kind in registry.items():
        if type(given) is kind:
            parameters = {key: getattr(given, key) for key in _parameters(kind)}
            return {"name": name} | {
                key: _plain(value, key, registry, what) for key, value in parameters.items() if value is not None
            }
    raise ParameterError(
        f"{what} must be a name ({', '.join(registry)}) or an object of shoal that has one; got {type(given).__name__}."
    )


def class_named(spelled: Mapping[str, Any], registry: Mapping[str, type], what: str) -> Any:
    """Return the class that was chosen, whatever its parameters are."""
    name = str(spelled.get("name"))
    if name not in registry:
        raise ParameterError(
            f'There is no {what} "{name}".{nearest_name_hint(name, registry)} Known: {", ".join(registry)}.'
        )
    return registry[name]


def build(spelled: Mapping[str, Any], registry: Mapping[str, type], what: str, **more: Any) -> Any:
    """Make the object that was chosen, with `more` parameters, all of them checked."""
    parameters = {key: value for key, value in spelled.items() if key != "name"}
    kind, name = class_named(spelled, registry, what), str(spelled.get("name"))
    known = [key for key in _parameters(kind) if key not in more]
    for key in parameters:
        if key not in known:
            hint = nearest_name_hint(key, known) or (f" It has: {', '.join(known)}." if known else " It has none.")
            raise ParameterError(f'{what} "{name}" has no parameter "{key}".{hint}')
    try:
        made = kind(**parameters, **more)
    except TypeError:
        missing = [key for key in known if key not in parameters and key in _needed(kind)]
        raise ParameterError(
            f'{what} "{name}" needs more parameters: {", ".join(missing)}. It has: {", ".join(known)}.'
        ) from None
    check_limits(made.limits, vars(made))
    return made


def text(spelled: Mapping[str, Any]) -> str:
    """Write a choice as one line: "mdav", or "mdav:variant=two-k"."""
    parameters = ",".join(
        f"{key}=({value})" if isinstance(value, str) and "," in value else f"{key}={value}"
        for key, value in spelled.items()
        if key != "name"
    )
    return str(spelled["name"]) + (f":{parameters}" if parameters else "")


def split_outside_brackets(given: str) -> list[str]:
    """Split "a=1,b=(c:d=2,e=3)" at the commas that are in no brackets; what is empty is left out."""
    parts, depth = [""], 0
    for letter in given:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _plain(value: Any, key: str, registry: Mapping[str, type], what: str) -> Any:
    """Return a parameter as a plan can hold it: a number, a word, a list, or another method as one line."""
    if isinstance(value, tuple(registry.values())):
        return text(spell(value, registry, what))
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one, key, registry, what) for one in value]
    if not isinstance(value, str | bool | int | float):
        raise ParameterError(f"A plan cannot hold {type(value).__name__} as {key}. Use the estimator itself.")
    return value


def _parameters(kind: type) -> list[str]:
    return list(inspect.signature(kind).parameters)


def _needed(kind: type) -> list[str]:
    """Return the parameters that have no default."""
    return [key for key, one in inspect.signature(kind).parameters.items() if one.default is inspect.Parameter.empty]


def _value(text: str) -> Any:
    """Read "0.2", "true", "two-k" or "[a,b]" as a number, a truth value, a word or a list, with or without brackets."""
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        if text.startswith("[") and text.endswith("]"):
            return [_value(one) for one in split_outside_brackets(text[1:-1])]
        return float(text) if _SHORT_NUMBER.fullmatch(text) else text
