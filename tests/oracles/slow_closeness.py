"""Diversity and closeness of classes, straight from their definitions: value by value, class by class."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import pairwise


def slow_distance(inside: Sequence[Hashable], whole: Sequence[Hashable], *, ordered: bool) -> Fraction | None:
    """Return the distance of the values of a class from those of the file, exactly; None without any value.

    None among the values is a missing one. Ordered: what is carried over each step between neighbouring values.
    """
    inside, whole = ([value for value in values if value is not None] for values in (inside, whole))
    if not inside:
        return None
    values = sorted(set(whole)) if ordered else list(set(whole))
    own, all_ = Counter(inside), Counter(whole)
    differences = [Fraction(own[value], len(inside)) - Fraction(all_[value], len(whole)) for value in values]
    if not ordered:
        return sum(map(abs, differences), Fraction(0)) / 2
    carried, moved = Fraction(0), Fraction(0)
    for one, _ in pairwise(differences):
        carried += one
        moved += abs(carried)
    return moved / (len(values) - 1) if len(values) > 1 else Fraction(0)


def slow_diversity(inside: Sequence[Hashable], kind: str, c: float) -> float | None:
    """Return the diversity of the values of a class; None without any value."""
    counts = sorted(Counter(value for value in inside if value is not None).values(), reverse=True)
    if not counts:
        return None
    if kind == "distinct":
        return len(counts)
    if kind == "entropy":
        return math.exp(-sum(one / sum(counts) * math.log(one / sum(counts)) for one in counts))
    return max((l for l in range(1, len(counts) + 1) if counts[0] < c * sum(counts[l - 1 :])), default=0)  # noqa: E741


def agree(one: Sequence[Hashable], other: Sequence[Hashable], missing: str) -> bool:
    """Whether two records agree in their keys, None being a missing value."""
    wild = missing == "wildcard"
    return all(mine == theirs or (wild and None in (mine, theirs)) for mine, theirs in zip(one, other, strict=True))
