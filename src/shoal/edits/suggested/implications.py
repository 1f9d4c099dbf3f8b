"""What follows from what: of statements that imply each other, only those are kept that no others imply."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

__all__ = ["not_implied"]

_Node = TypeVar("_Node", bound=Hashable)


def not_implied(
    edges: Iterable[tuple[_Node, _Node]], known: Iterable[tuple[_Node, _Node]] = ()
) -> list[tuple[_Node, _Node]]:
    """Return the edges that no path over other edges, or over those that are known, replaces (transitive reduction)."""
    kept = list(dict.fromkeys(edges))
    following: dict[_Node, set[_Node]] = {}
    for start, end in [*known, *kept]:
        following.setdefault(start, set()).add(end)
    given = set(known)
    for edge in list(kept):
        start, end = edge
        following[start].discard(end)
        if edge in given or end in _reached(start, following):
            kept.remove(edge)
        if edge in given or edge in kept:
            following[start].add(end)
    return kept


def _reached(start: _Node, following: dict[_Node, set[_Node]]) -> set[_Node]:
    reached: set[_Node] = set()
    waiting = [start]
    while waiting:
        for node in following.get(waiting.pop(), set()) - reached:
            reached.add(node)
            waiting.append(node)
    return reached
