"""Options that nobody gave."""

from __future__ import annotations

from typing import Any

__all__ = ["DEFAULT_METHOD", "DEFAULT_REPLACEMENT", "is_default"]


class _Default(str):
    """A default that reads like the value it stands for, and can be told from the same value given by the user."""


DEFAULT_METHOD = _Default("mdav")
DEFAULT_REPLACEMENT = _Default("mean")


def is_default(value: Any) -> bool:
    """Whether an option was left out."""
    return isinstance(value, _Default)
