"""The choice of a method or a replacement: as text, as an object, or in the written form that a plan holds.

"vmdav:gamma=0.5" as text and ``{"name": "vmdav", "gamma": 0.5}`` in written form are the same choice. The written form
holds the name and the parameters as numbers, words, truth values and lists, and nothing else. `written_form` makes it
from text or from an object, `build` makes the object from it, and `as_text` the text.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Mapping
from numbers import Integral
from typing import Any

from shoal.errors import ParameterError, nearest_name_hint
from shoal.parameters.limits import check_limits

__all__ = ["as_text", "build", "class_named", "short_form", "split_outside_brackets", "written_form"]

_SHORT_NUMBER = re.compile(r"[+-]?(\d+\.|\.\d+)([eE][+-]?\d+)?")  # ".5" and "5.", which TOML does not know


def written_form(choice: Any, registry: Mapping[str, type], what: str) -> dict[str, Any]:
    """Return a choice as a plan holds it: its name and its parameters.

    Names and parameters in text or in a mapping are not checked here; `build` checks them.

    Parameters
    ----------
    choice
        A name, a name with parameters ("mdav:variant=two-k"), a written form, or an object of one of the classes.
    registry
        The classes that can be chosen, by the name that each has as `name`.
    what
        What is chosen, for messages: "method" or "replace".
    """
    if isinstance(choice, str):
        name, _, rest = choice.partition(":")
        pairs = [pair.partition("=") for pair in split_outside_brackets(rest)]
        return {"name": name.strip()} | {key.strip(): _value(text.strip()) for key, _, text in pairs}
    if isinstance(choice, Mapping):
        return dict(choice)
    if _is_of(choice, registry):
        parameters = {key: getattr(choice, key) for key in _parameters(type(choice))}
        return {"name": choice.name} | {
            key: _plain(value, key, registry, what) for key, value in parameters.items() if value is not None
        }
    raise ParameterError(
        f"{what} must be a name ({', '.join(registry)}) or an object of a class with one; got {type(choice).__name__}."
    )


def short_form(written: Mapping[str, Any], registry: Mapping[str, type], what: str) -> str | dict[str, Any]:
    """Return a written form as the text it can be typed as; as it is, where a text would be read as something else."""
    if "name" in written and all(isinstance(value, str | int | float) for value in written.values()):
        text = as_text(written)
        if written_form(text, registry, what) == written:
            return text
    return dict(written)


def class_named(written: Mapping[str, Any], registry: Mapping[str, type], what: str) -> Any:
    """Return the class that a written form names, whatever its parameters are."""
    name = str(written.get("name"))
    if name not in registry:
        raise ParameterError(
            f'There is no {what} "{name}".{nearest_name_hint(name, registry)} Known: {", ".join(registry)}.'
        )
    return registry[name]


def build(written: Mapping[str, Any], registry: Mapping[str, type], what: str, **more: Any) -> Any:
    """Return the object that a written form stands for, its parameters checked.

    Parameters
    ----------
    written
        The name and the parameters, as `written_form` returns them.
    registry
        The classes that can be chosen, by name.
    what
        What is chosen, for messages: "method" or "replace".
    **more
        Parameters that are not part of the written form, such as the k of a method.
    """
    parameters = {key: value for key, value in written.items() if key != "name"}
    kind, name = class_named(written, registry, what), str(written.get("name"))
    known = [key for key in _parameters(kind) if key not in more]
    for key in parameters:
        if key not in known:
            hint = nearest_name_hint(key, known) or (f" It has: {', '.join(known)}." if known else " It has none.")
            raise ParameterError(f'{what} "{name}" has no parameter "{key}".{hint}')
    try:
        instance = kind(**parameters, **more)
    except TypeError:
        missing = [key for key in known if key not in parameters and key in _required(kind)]
        raise ParameterError(
            f'{what} "{name}" needs more parameters: {", ".join(missing)}. It has: {", ".join(known)}.'
        ) from None
    check_limits(instance.limits, vars(instance))
    return instance


def as_text(written: Mapping[str, Any]) -> str:
    """Return a written form as one line, as it is typed: "mdav", or "mdav:variant=two-k"."""
    parameters = ",".join(f"{key}={_typed(value)}" for key, value in written.items() if key != "name")
    return str(written["name"]) + (f":{parameters}" if parameters else "")


def _typed(value: Any) -> str:
    """Return a parameter as it is typed: truth values as TOML has them, what has commas in brackets."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"({value})" if isinstance(value, str) and "," in value else str(value)


def split_outside_brackets(text: str) -> list[str]:
    """Split "a=1,b=(c:d=2,e=3)" at the commas outside brackets, into "a=1" and "b=(c:d=2,e=3)"; drop empty parts."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _is_of(choice: Any, registry: Mapping[str, type]) -> bool:
    """Whether this is an object of one of the classes, of which no other is imported."""
    name = getattr(choice, "name", None)
    return isinstance(name, str) and registry.get(name) is type(choice)


def _plain(value: Any, key: str, registry: Mapping[str, type], what: str) -> Any:
    """Return a parameter as a plan can hold it: a number, a word, a list, or another method as one line."""
    if _is_of(value, registry):
        return as_text(written_form(value, registry, what))
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one, key, registry, what) for one in value]
    if not isinstance(value, str | bool | int | float):
        raise ParameterError(f"A plan cannot hold {key} of type {type(value).__name__}. Fit the estimator itself.")
    return value


def _parameters(kind: type) -> list[str]:
    return list(inspect.signature(kind).parameters)


def _required(kind: type) -> list[str]:
    """Return the parameters that have no default."""
    return [key for key, one in inspect.signature(kind).parameters.items() if one.default is inspect.Parameter.empty]


def _value(text: str) -> Any:
    """Read "0.2", "true", "two-k" or "[a,b]" as a number, a truth value, a word or a list, with or without brackets."""
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if text in ("True", "False"):
        return text == "True"
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        if text.startswith("[") and text.endswith("]"):
            return [_value(one) for one in split_outside_brackets(text[1:-1])]
        return float(text) if _SHORT_NUMBER.fullmatch(text) else text
