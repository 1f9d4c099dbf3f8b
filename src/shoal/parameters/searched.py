"""Parameters worth searching: what `tune` varies, declared by the method or the replacement that has the parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Searched"]


@dataclass(frozen=True)
class Searched:
    """A parameter worth searching.

    Attributes
    ----------
    name
        The parameter. "clusters" stands for the number of clusters as a multiple of what k gives, records // k.
    values
        The values of the grid, in order.
    start
        The value that a search starts from, one of `values`.
    """

    name: str
    values: tuple[Any, ...]
    start: Any
