"""Options that nobody gave, and the word that stands for blocks cut by rules."""

from __future__ import annotations

from typing import Any

__all__ = ["BY_RULES", "DEFAULT_METHOD", "DEFAULT_PLAN", "is_default"]


class _Default(str):
    """A default that reads like the value it stands for, and can be told from the same value given by the user."""


DEFAULT_METHOD = _Default("mdav")
DEFAULT_PLAN = _Default("PATH.plan.toml")  # where the plan of a release is written
BY_RULES = "rules"  # in place of blocks: one for every set of variables that rules join


def is_default(value: Any) -> bool:
    """Whether an option was left out."""
    return isinstance(value, _Default)
