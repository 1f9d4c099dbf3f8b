"""Which rule for candidate groups fits a method: what the intruder concludes from knowing it.

Where centres were drawn by membership, all that a target may have drawn are candidates, as likely as they were to be
drawn; where every variable was drawn on its own, by variable. A method of groups that the
attack knows well is in the dictionary of `_rules_by_class`, by its class. For any other, the groups nearest to the
target are its candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.measure.risk.attacks.candidate_groups import (
    CandidateRule,
    KnownBlock,
    bracketing_groups,
    has_intervals,
    likely_groups,
    nearest_groups,
)
from shoal.measure.risk.attacks.drawn_apart import groups_by_variable
from shoal.parameters.choices import build, written_form

if TYPE_CHECKING:
    from shoal.partition.base import Method
    from shoal.partition.fuzzy.soft_method import DrawnMethod
    from shoal.replace import MembershipDraw

# An exponent of fuzzy c-means so near to 1 that only centres equally near, but for rounding, share a record.
_NEARLY_CRISP = 1 + 1e-6

__all__ = ["BlockRule", "RuleOptions", "draw_of", "rule_of_method"]

Doubles = NDArray[np.float64]
# The rule of a block, or the blocks that it is in truth with their rules. It also takes whether it has a single column.
BlockRule = Callable[[KnownBlock, bool], list[tuple[KnownBlock, CandidateRule]]]


@dataclass(frozen=True)
class RuleOptions:
    """The options of `transparency_attack` that decide which groups are candidates."""

    replace: Any
    nearest: int | None
    refine: bool
    negligible: float


def rule_of_method(method: Method, options: RuleOptions) -> BlockRule:
    """Return the rule for the blocks that were grouped by a method."""
    draw = draw_of(method, options.replace)
    if draw is not None:
        return _by_membership(cast("DrawnMethod", method), draw, options)
    rules = _rules_by_class()
    make = next((rules[kind] for kind in type(method).__mro__ if kind in rules), _by_distance)
    return make(method, options)


@cache
def _rules_by_class() -> dict[type, Callable[[Any, RuleOptions], BlockRule]]:
    # Deferred: scikit-learn is slow to import.
    from shoal.partition import OptimalUnivariate

    return {OptimalUnivariate: _by_interval}


def draw_of(method: Method, replace: Any) -> MembershipDraw | None:
    """Return how centres were drawn by membership; None for a method that put records into groups."""
    from shoal.replace import REPLACEMENTS, MembershipDraw

    if method.gives == "groups" and (replace is None or not method.draws):
        return None
    draw = build(written_form(replace or "membership-draw", REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    if isinstance(draw, MembershipDraw):
        return draw
    if method.gives == "groups":
        return None
    raise ParameterError("A fuzzy method draws centres by membership: replace must be membership-draw.")


def _by_distance(method: Method, options: RuleOptions) -> BlockRule:
    """Take the nearest groups; those around the value if the block is one column and its groups are intervals."""

    def rule(block: KnownBlock, is_single: bool) -> list[tuple[KnownBlock, CandidateRule]]:
        if is_single and not block.categories and options.nearest is None and has_intervals(block):
            return [(block, bracketing_groups(block))]
        return [(block, nearest_groups(block))]

    return rule


def _by_interval(method: Method, options: RuleOptions) -> BlockRule:
    """Take the groups around the value: the best groups of one variable are intervals of its sorted values."""
    return lambda block, is_single: [(block, bracketing_groups(block, k=method.k if options.refine else None))]


def _by_membership(method: DrawnMethod, draw: MembershipDraw, options: RuleOptions) -> BlockRule:
    """Take the groups in whose centre a record has a membership that is not negligible: it may have drawn any."""
    memberships = _memberships(method, draw)

    def rule(block: KnownBlock, is_single: bool) -> list[tuple[KnownBlock, CandidateRule]]:
        if options.nearest is not None or block.categories or not block.is_complete:
            return [(block, nearest_groups(block))]
        if draw.per_variable:
            return groups_by_variable(block, memberships, options.negligible)
        return [(block, likely_groups(block, memberships, options.negligible))]

    return rule


def _memberships(method: DrawnMethod, draw: MembershipDraw) -> Callable[[Doubles, Doubles], Doubles]:
    """Return the function by which a method draws: the memberships of records in centres."""
    from shoal.partition.fuzzy.alternating import Crisp, Fuzzy, memberships

    rule = method.rule(draw.fuzziness(method))
    if isinstance(rule, Crisp):  # of centres equally near, which was the first in the release cannot be seen
        rule = Fuzzy(_NEARLY_CRISP)
    return lambda X, centres: np.asarray(memberships(X, centres, rule))
