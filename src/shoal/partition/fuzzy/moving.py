"""One step of the alternating loop: the centres that are best for the memberships that the present ones give.

Array layer only.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

from shoal.partition.fuzzy.centred_records import CentredRecords, Farthest, Place, RecordBlock, Steps, Total
from shoal.partition.fuzzy.membership_rules import Crisp, MembershipRule, Possibilistic
from shoal.partition.geometry.array_arithmetic import Array, ArrayArithmetic


class Typical(NamedTuple):
    """Sums over the typicalities of some records, per centre."""

    least: Array  # c, the least distance
    total: Array  # c, of (least / D)^(1/(eta-1))
    sums: Array  # c x (d + 2), of the rows, weighted by that to the power eta


class _Part(NamedTuple):
    """Weighted sums over some records, per centre, and their part of the objective."""

    sums: Array  # c x (d + 2), of the rows, weighted; the last column of the rows is one
    objective: Array
    typical: Typical | None


def move(place: Place, centres: Array, rule: MembershipRule) -> Steps[tuple[Array, float]]:
    """Return the new centres, and the objective of the present ones."""
    xp, d = place.arithmetic.xp, int(centres.shape[1])
    whole, objective = yield from added_up(place, centres, rule)
    means, logarithms = yield from _means(place, centres, rule, whole.sums)
    if isinstance(rule, Possibilistic) and whole.typical is not None:
        _, total, sums = whole.typical
        log, exp = place.arithmetic.log, place.arithmetic.exp
        typical_logarithms = log(sums[:, d + 1]) - rule.eta * log(total)
        share = 1 / (1 + exp(xp.clip(typical_logarithms - logarithms, -700.0, 700.0)))[:, None]
        means = share * means + (1 - share) * sums[:, :d] / sums[:, d + 1 :]
    return xp.astype(means, centres.dtype), objective


def added_up(place: Place, centres: Array, rule: MembershipRule) -> Steps[tuple[_Part, float]]:
    """Return the weighted sums over all records, and the objective of the centres."""
    xp, log, exp = place.arithmetic.xp, place.arithmetic.log, place.arithmetic.exp
    whole: _Part = yield Total(centres, partial(_gather, rule), partial(_add, rule))
    objective = float(whole.objective)
    if isinstance(rule, Possibilistic) and whole.typical is not None:
        least, total, _ = whole.typical
        objective += float(xp.sum(least * exp((1 - rule.eta) * log(total))))
    return whole, objective


def typical_of(records: CentredRecords, centres: Array, rule: Possibilistic) -> Typical:
    """Return the sums over the typicalities of all records."""
    found: Typical = records.total(Total(centres, partial(_typify, rule), partial(_joined, rule)))
    return found


def _gather(rule: MembershipRule, block: RecordBlock) -> _Part:
    typical = _typify(rule, block) if isinstance(rule, Possibilistic) else None
    weights = rule.weigh(block)
    return _Part(_summed(block, weights.matrix, weights.factors), weights.objective, typical)


def _add(rule: MembershipRule, arithmetic: ArrayArithmetic, left: _Part, right: _Part) -> _Part:
    typical = None
    if isinstance(rule, Possibilistic) and left.typical is not None and right.typical is not None:
        typical = _joined(rule, arithmetic, left.typical, right.typical)
    return _Part(left.sums + right.sums, left.objective + right.objective, typical)


def _summed(block: RecordBlock, weights: Array, factors: Array | None = None) -> Array:
    """Return the weighted sums of the rows, per centre, in double precision."""
    return block.arithmetic.weighted_sums(weights, block.rows, factors)


def _means(place: Place, centres: Array, rule: MembershipRule, sums: Array) -> Steps[tuple[Array, Array]]:
    """Return the weighted means, and the logarithms of the weights they have."""
    xp, d, log = place.arithmetic.xp, int(centres.shape[1]), place.arithmetic.log
    weights = sums[:, d + 1]
    limits = xp.finfo(centres.dtype)
    is_weak = weights < float(limits.smallest_normal) / float(limits.eps) ** 2
    if not bool(xp.any(is_weak)):
        return sums[:, :d] / weights[:, None], log(weights)
    weak = xp.nonzero(is_weak)[0]
    weights = xp.where(is_weak, xp.ones_like(weights), weights)
    means, logarithms = sums[:, :d] / weights[:, None], log(weights)
    stay = xp.astype(centres[weak, :], xp.float64)
    if isinstance(rule, Crisp):
        means[weak, :] = yield Farthest(centres, stay)
    else:
        means[weak, :], logarithms[weak] = yield from _means_in_logs(place, centres, rule, weak, stay)
    return means, logarithms


def _means_in_logs(
    place: Place, centres: Array, rule: MembershipRule, weak: Array, stay: Array
) -> Steps[tuple[Array, Array]]:
    """Return the weighted means, and the logarithms of the weights, of centres whose weights are too small for numbers.

    The weights are taken relative to the centre's largest. A centre of which even the logarithms are minus infinity,
    as all records lie on other centres, stays where it is.
    """
    xp, d = place.arithmetic.xp, int(centres.shape[1])
    top, sums = yield Total(centres, partial(_gather_logs, rule, weak), _join_logs)
    is_known = sums[:, d + 1] > 0
    weights = xp.where(is_known, sums[:, d + 1], xp.ones_like(sums[:, d + 1]))
    means = xp.where(is_known[:, None], sums[:, :d] / weights[:, None], stay)
    return means, top + place.arithmetic.log(weights)


def _gather_logs(rule: MembershipRule, weak: Array, block: RecordBlock) -> tuple[Array, Array]:
    logarithms = rule.log_weights(block, weak)
    top = block.xp.max(logarithms, axis=0)
    return top, _summed(block, block.arithmetic.exp(logarithms - _finite(block.xp, top)))


def _join_logs(
    arithmetic: ArrayArithmetic, left: tuple[Array, Array], right: tuple[Array, Array]
) -> tuple[Array, Array]:
    xp = arithmetic.xp
    top = xp.where(left[0] > right[0], left[0], right[0])
    scaled = (sums * arithmetic.exp(one - _finite(xp, top))[:, None] for one, sums in (left, right))
    return top, sum(scaled)


def _finite(xp: Any, top: Array) -> Array:
    return xp.where(top == -math.inf, xp.zeros_like(top), top)


def _typify(rule: Possibilistic, block: RecordBlock) -> Typical:
    least = block.xp.min(block.distances, axis=0)
    shares, weights = rule.typify(block, least)
    return Typical(least, block.xp.sum(shares, axis=0, dtype=block.xp.float64), _summed(block, weights))


def _joined(rule: Possibilistic, arithmetic: ArrayArithmetic, left: Typical, right: Typical) -> Typical:
    xp = arithmetic.xp
    least = xp.where(left.least < right.least, left.least, right.least)
    total: Any = 0.0
    sums: Any = 0.0
    for part in (left, right):
        is_least = part.least == least
        ratios = xp.where(is_least, xp.ones_like(least), least / xp.where(is_least, xp.ones_like(least), part.least))
        ratios = xp.astype(ratios, xp.float64)
        factors = arithmetic.raised(ratios, rule.typicality_power)
        total = total + part.total * factors
        sums = sums + part.sums * (factors * ratios)[:, None]
    return Typical(least, total, sums)
