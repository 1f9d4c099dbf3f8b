"""One step of the alternating loop: the centres that are best for the memberships that the present ones give.

Array layer only.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, NamedTuple

from shoal.partition.fuzzy.centred_records import Array, CentredRecords, RecordBlock
from shoal.partition.fuzzy.membership_rules import Crisp, MembershipRule, Possibilistic
from shoal.partition.geometry.array_arithmetic import ArrayArithmetic

__all__ = ["Typical", "move", "typical_of"]


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


def move(records: CentredRecords, centres: Array, rule: MembershipRule) -> tuple[Array, float]:
    """Return the new centres, and the objective of the present ones."""
    xp, d = records.xp, records.d

    def gather(block: RecordBlock) -> _Part:
        typical = _typify(block, rule) if isinstance(rule, Possibilistic) else None
        weights = rule.weigh(block)
        return _Part(_summed(block, weights.matrix, weights.factors), weights.objective, typical)

    def add(left: _Part, right: _Part) -> _Part:
        typical = None
        if left.typical is not None and right.typical is not None:
            typical = _joined(records.arithmetic, left.typical, right.typical, rule)
        return _Part(left.sums + right.sums, left.objective + right.objective, typical)

    whole = reduce(add, records.walk(centres, gather))
    objective = float(whole.objective)
    means, logarithms = _means(records, centres, rule, whole.sums)
    if isinstance(rule, Possibilistic) and whole.typical is not None:
        least, total, sums = whole.typical
        log, exp = records.arithmetic.log, records.arithmetic.exp
        objective += float(xp.sum(least * exp((1 - rule.eta) * log(total))))
        typical_logarithms = log(sums[:, d + 1]) - rule.eta * log(total)
        share = 1 / (1 + exp(xp.clip(typical_logarithms - logarithms, -700.0, 700.0)))[:, None]
        means = share * means + (1 - share) * sums[:, :d] / sums[:, d + 1 :]
    return xp.astype(means, centres.dtype), objective


def typical_of(records: CentredRecords, centres: Array, rule: Possibilistic) -> Typical:
    """Return the sums over the typicalities of all records."""

    def join(left: Typical, right: Typical) -> Typical:
        return _joined(records.arithmetic, left, right, rule)

    return reduce(join, records.walk(centres, lambda block: _typify(block, rule)))


def _summed(block: RecordBlock, weights: Array, factors: Array | None = None) -> Array:
    """Return the weighted sums of the rows, per centre, in double precision."""
    return block.arithmetic.weighted_sums(weights, block.rows, factors)


def _means(records: CentredRecords, centres: Array, rule: MembershipRule, sums: Array) -> tuple[Array, Array]:
    """Return the weighted means, and the logarithms of the weights they have."""
    xp, d, log = records.xp, records.d, records.arithmetic.log
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
        means[weak, :] = _farthest_records(records, centres, stay)
    else:
        means[weak, :], logarithms[weak] = _means_in_logs(records, centres, rule, weak, stay)
    return means, logarithms


def _means_in_logs(
    records: CentredRecords, centres: Array, rule: MembershipRule, weak: Array, stay: Array
) -> tuple[Array, Array]:
    """Return the weighted means, and the logarithms of the weights, of centres whose weights are too small for numbers.

    The weights are taken relative to the centre's largest. A centre of which even the logarithms are minus infinity,
    as all records lie on other centres, stays where it is.
    """
    xp, d, exp = records.xp, records.d, records.arithmetic.exp

    def gather(block: RecordBlock) -> tuple[Array, Array]:
        logarithms = rule.log_weights(block, weak)
        top = xp.max(logarithms, axis=0)
        return top, _summed(block, exp(logarithms - _finite(xp, top)))

    def join(left: tuple[Array, Array], right: tuple[Array, Array]) -> tuple[Array, Array]:
        top = xp.where(left[0] > right[0], left[0], right[0])
        scaled = (sums * exp(one - _finite(xp, top))[:, None] for one, sums in (left, right))
        return top, sum(scaled)

    top, sums = reduce(join, records.walk(centres, gather))
    is_known = sums[:, d + 1] > 0
    weights = xp.where(is_known, sums[:, d + 1], xp.ones_like(sums[:, d + 1]))
    means = xp.where(is_known[:, None], sums[:, :d] / weights[:, None], stay)
    return means, top + records.arithmetic.log(weights)


def _finite(xp: Any, top: Array) -> Array:
    return xp.where(top == -math.inf, xp.zeros_like(top), top)


def _farthest_records(records: CentredRecords, centres: Array, stay: Array) -> Array:
    """Return a new place for each centre without records: the record then farthest from all centres.

    If none is away from the centres, the old place.
    """
    xp, d = records.xp, records.d
    nearest = xp.concat(list(records.walk(centres, lambda block: block.nearest)))
    places = []
    for number in range(stay.shape[0]):
        row = int(xp.argmax(nearest))
        if not float(nearest[row]) > 0:
            places.append(stay[number, :])
            continue
        record = records.rows[row, :d]
        places.append(xp.astype(record, xp.float64))
        distances = xp.sum((records.rows[:, :d] - record) ** 2, axis=1)
        nearest = xp.where(distances < nearest, distances, nearest)
    return xp.stack(places)


def _typify(block: RecordBlock, rule: Possibilistic) -> Typical:
    least = block.xp.min(block.distances, axis=0)
    shares, weights = rule.typify(block, least)
    return Typical(least, block.xp.sum(shares, axis=0, dtype=block.xp.float64), _summed(block, weights))


def _joined(arithmetic: ArrayArithmetic, left: Typical, right: Typical, rule: MembershipRule) -> Typical:
    assert isinstance(rule, Possibilistic)
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
