"""How the texts of options are read that `shoal.protect` does not have: lists of k, methods, options of measures."""

from __future__ import annotations

from typing import Any

from shoal.errors import ParameterError
from shoal.parameters.choices import split_outside_brackets, written_form

__all__ = ["read_ks", "read_measure_options", "read_methods"]


def read_methods(text: str) -> list[str]:
    """Split "mdav,hac:linkage=single,priority=1" at the commas that begin a method, not at those between parameters."""
    methods: list[str] = []
    for part in split_outside_brackets(text):
        if methods and "=" in part.partition(":")[0]:
            methods[-1] += f",{part}"
        else:
            methods.append(part)
    return methods


def read_measure_options(texts: list[str] | None) -> dict[str, dict[str, Any]]:
    """Read "distance_linkage:direction=masked-to-original,ties=any", once or several times."""
    options: dict[str, dict[str, Any]] = {}
    for text in texts or []:
        name, _, rest = text.partition(":")
        parts = [part.partition("=") for part in split_outside_brackets(rest)]
        if not parts or not all(key.strip() and value.strip() for key, _, value in parts):
            raise ParameterError(f'--option wants MEASURE:OPTION=VALUE,OPTION=VALUE; got "{text}".')
        own = options.setdefault(name.strip(), {})
        for key, value in written_form(text, {}, "option").items():
            if key != "name" and own.setdefault(key, value) != value:
                raise ParameterError(f"--option gives {key} of {name.strip()} two values. Give it one.")
    return options


def read_ks(text: str) -> list[int]:
    """Read "3,5,10" as the values of k."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise ParameterError(f'-k wants whole numbers separated by commas; got "{text}".')
    return [int(part) for part in parts]
