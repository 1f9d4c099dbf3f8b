"""Which rule for candidate groups fits a method: what the intruder concludes from knowing it.

A method that the attack knows well is in the dictionary of `_rules_by_class`, by its class. For any other, the groups
nearest to the target are its candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

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
from shoal.parameters.choices import build, written_form

if TYPE_CHECKING:
    from shoal.partition import Partitioner
    from shoal.partition.fuzzy.soft_method import SoftMethod

__all__ = ["BlockRule", "RuleOptions", "rule_of_method"]

Doubles = NDArray[np.float64]
# The rule of a block. It also takes whether the block has a single column.
BlockRule = Callable[[KnownBlock, bool], CandidateRule]


@dataclass(frozen=True)
class RuleOptions:
    """The options of `transparency_attack` that decide which groups are candidates."""

    replace: Any
    nearest: int | None
    refine: bool
    negligible: float


def rule_of_method(method: Partitioner | SoftMethod, options: RuleOptions) -> BlockRule:
    """Return the rule for the blocks that were grouped by a method."""
    rules = _rules_by_class()
    make = next((rules[kind] for kind in type(method).__mro__ if kind in rules), _by_distance)
    return make(method, options)


@cache
def _rules_by_class() -> dict[type, Callable[[Any, RuleOptions], BlockRule]]:
    # Deferred: scikit-learn is slow to import.
    from shoal.partition import OptimalUnivariate
    from shoal.partition.fuzzy.soft_method import SoftMethod

    return {OptimalUnivariate: _by_interval, SoftMethod: _by_membership}


def _by_distance(method: Partitioner | SoftMethod, options: RuleOptions) -> BlockRule:
    """Take the nearest groups; those around the value if the block is one column and its groups are intervals."""

    def rule(block: KnownBlock, is_single: bool) -> CandidateRule:
        if is_single and options.nearest is None and has_intervals(block):
            return bracketing_groups(block)
        return nearest_groups(block)

    return rule


def _by_interval(method: Partitioner, options: RuleOptions) -> BlockRule:
    """Take the groups around the value: the best groups of one variable are intervals of its sorted values."""
    return lambda block, is_single: bracketing_groups(block, k=method.k if options.refine else None)


def _by_membership(method: SoftMethod, options: RuleOptions) -> BlockRule:
    """Take the groups in whose centre a record has a membership that is not negligible: it may have drawn any."""
    memberships = _memberships(method, options.replace)

    def rule(block: KnownBlock, is_single: bool) -> CandidateRule:
        if options.nearest is None:
            return likely_groups(block, memberships, options.negligible)
        return nearest_groups(block)

    return rule


def _memberships(method: SoftMethod, replace: Any) -> Callable[[Doubles, Doubles], Doubles]:
    """Return the function by which a fuzzy method draws: the memberships of records in centres."""
    from shoal.partition.fuzzy.alternating import memberships
    from shoal.replace import REPLACEMENTS, MembershipDraw

    draw = build(written_form(replace or "membership-draw", REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    if not isinstance(draw, MembershipDraw):
        raise ParameterError("A fuzzy method draws centres by membership: replace must be membership-draw.")
    rule = method.rule(draw.fuzziness(method))
    return lambda X, centres: np.asarray(memberships(X, centres, rule))
