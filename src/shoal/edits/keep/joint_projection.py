"""The nearest points that keep sums, products and bounds at once, for many points together.

A mean keeps sums and a geometric mean keeps products; a variable that is in both kinds of rule needs a point that lies
between. It is found by sequential quadratic programming: rules are replaced by their tangents, the nearest point that
keeps these is a step, and steps are halved until they are an improvement. All points move together, one stack of small
matrices for each step, but independently: a point comes out the same whatever the others are. Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log, products, singular
from shoal.edits.keep.least_changes import (
    finite_or_zero,
    least_changes,
    least_violation,
    matrix_products,
    pseudo_inverses,
    row_lengths,
)

__all__ = ["System", "project"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]

_EPSILON = float(np.finfo(np.float64).eps)
_HOLDS = 1e-12  # a rule that is violated by less than this part of the size of its terms holds
_NEXT_TO_NOTHING = 1e-12  # of the scale
_UNDERFLOW = 1e-150  # of the scale: the square of less is nothing
_UNCHANGED = 1e-13  # a point that violates no rule by more than this stays as it is
_STEPS, _HALVINGS, _POLISHINGS = 120, 30, 8
_REMEMBERED = 4  # a step may be worse than this many before it: following a curved rule closely takes many small steps
_FLATTEST = 1e-3  # the least curvature, where the distance alone has 1; less would send steps far away
_SHRINK = 0.1  # the least part of a variable in a product that a step leaves
_NEAREST_ZERO = 1e-12  # the least part of it that all steps together leave
_HOPELESS = (
    1e-3  # where tangents contradict each other, the search ends if a step removes less than this part of the violation
)
_NUMBERS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class System:
    """Rules over d variables: q sums, r sums that may also be smaller, and p products.

    Attributes
    ----------
    A, b
        q x d and q: A v == b.
    G, h
        r x d and r: G v <= h; a bound is a row with one entry.
    exponents, logs
        p x d and p: the sum of exponents times ln|v| equals logs; the product of these powers of |v| is exp(logs).
    """

    A: Doubles
    b: Doubles
    G: Doubles
    h: Doubles
    exponents: Doubles
    logs: Doubles


def project(points: Doubles, start: Doubles, scale: Doubles, system: System) -> tuple[Doubles, Booleans]:
    """Return the nearest points that keep all rules, and which of them were reached.

    Parameters
    ----------
    points
        g x d.
    start
        g x d: where the search for each point begins. Variables in product rules keep the sign they have here. One that
        is 0 here stays 0; a product rule with such zeros holds if they are in numerator and denominator both, whatever
        its other variables are, and cannot be kept if they are in one of them.
    scale
        d, or g x d, positive: what the difference in a variable is divided by before it is squared and added up.
    system
        The rules.

    Returns
    -------
    projected, reached
        g x d, and g. Where no point that keeps the rules was reached there is NaN. A point that keeps them already
        is returned unchanged, and so is a variable that is in no rule. With products there can be several points that
        are nearer than all around them; this is the one that the search from `start` finds.
    """
    scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), points.shape)
    in_sums = ~(system.exponents != 0).any(axis=0)
    points, start = (np.where(in_sums & (np.abs(one) < _UNDERFLOW * scale), 0.0, one) for one in (points, start))
    projected, reached = np.full(points.shape, np.nan), np.zeros(len(points), dtype=bool)
    count, d = len(system.b) + len(system.h) + len(system.logs), points.shape[1]
    height = max(1, _NUMBERS_AT_ONCE // (1 + d * (count + 4 * d)))
    with np.errstate(all="ignore"):
        for begin in range(0, len(points), height):
            part = slice(begin, begin + height)
            projected[part], reached[part] = _projected(points[part], start[part], scale[part], system)
    return projected, reached


def _projected(points: Doubles, start: Doubles, scale: Doubles, system: System) -> tuple[Doubles, Booleans]:
    above, below = (
        ((start == 0)[:, None, :] & side).any(axis=2) for side in (system.exponents > 0, system.exponents < 0)
    )
    reached = (above == below).all(axis=1) & ((scale > 0) & np.isfinite(points + start + scale)).all(axis=1)
    stack = _stack(points[reached], start[reached], scale[reached], system, ~above[reached])
    values = np.where((system.exponents != 0).any(axis=0) & ~stack.moves, 0.0, stack.points)
    origin = np.where(stack.moves, start[reached], values)
    # The second search goes on from where the first one ended, without its penalties.
    for tolerance in (_UNCHANGED, _HOLDS):
        left = np.flatnonzero(~(stack.worst_violation(values) <= tolerance))
        part = stack.take(left)
        origin[left] = _searched(part, origin[left])
        values[left] = _polished(part, origin[left], system)
    # Where the nearest point is at zeros, what is left of a search is next to nothing, and large beside nothing.
    at_zeros = np.where((stack.signs == 0) & (np.abs(values) < _NEXT_TO_NOTHING * stack.scale), 0.0, values)
    values = np.where((stack.worst_violation(values) <= _HOLDS)[:, None], values, at_zeros)
    projected = np.full(points.shape, np.nan)
    projected[reached] = np.where((stack.worst_violation(values) <= _HOLDS)[:, None], values, np.nan)
    return projected, ~np.isnan(projected).any(axis=1)


@dataclass(frozen=True, eq=False)
class _Stack:
    """Points, and the rules as they are for each of them: sums, products in logs and inequalities, in this order.

    Attributes
    ----------
    moves
        Which variables may move: those in a rule, but no zeros in a product.
    signs, nearest
        The signs of variables in products, 0 for all others, and how near to 0 they may come.
    exponents, factors, right
        The left side of a rule is the sum of factors times v and of exponents times ln|v|. Exponents and right side are
        0 in products with zeros: such a product holds.
    lengths
        The violation of a rule is divided by these: the lengths of its slopes at the start, in units of the scale.
    equalities
        How many of the rules are not inequalities.
    """

    points: Doubles
    scale: Doubles
    moves: Booleans
    signs: Doubles
    nearest: Doubles
    exponents: Doubles
    right: Doubles
    lengths: Doubles
    factors: Doubles
    equalities: int

    def take(self, rows: NDArray[np.int64]) -> _Stack:
        """Return some of the points."""
        names = [field.name for field in fields(self) if field.name not in ("factors", "equalities")]
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def excess(self, values: Doubles) -> Doubles:
        """Return left side less right side of every rule."""
        logs = log(np.where(self.signs != 0, np.abs(values), 1.0))
        left = self.factors * values[:, None, :] + self.exponents * logs[:, None, :]
        return np.asarray(left.sum(axis=2) - self.right)

    def slopes(self, values: Doubles, unit: Doubles) -> Doubles:
        """Return the derivatives of the excess, where variables count in units."""
        unit = np.where(self.moves, unit, 0.0)
        relative = np.divide(unit, values, out=np.zeros_like(values), where=self.signs != 0)
        return self.factors * unit[:, None, :] + self.exponents * relative[:, None, :]

    def sizes(self, values: Doubles) -> Doubles:
        """Return the sizes of the terms of every rule; for a product, what equal parts of all variables add up to."""
        sizes = np.maximum(np.abs(values), np.abs(self.points))[:, None, :]
        terms: Doubles = (np.abs(self.factors) * sizes + np.abs(self.exponents)).sum(axis=2)
        return np.where((self.factors != 0).any(axis=1), terms + np.abs(self.right), terms)

    def violations(self, excess: Doubles) -> Doubles:
        """Return by how much every rule is violated; an inequality with slack is not."""
        return np.abs(np.where(np.arange(excess.shape[1]) < self.equalities, excess, np.maximum(excess, 0.0)))

    def violation(self, excess: Doubles) -> Doubles:
        """Return by how much all rules together are violated, a length in units of the scale."""
        return np.asarray(np.sqrt(np.square(self.violations(excess) / self.lengths).sum(axis=1)))

    def worst_violation(self, values: Doubles) -> Doubles:
        """Return the violation of the worst rule, as a part of the size of its terms; infinite for a lost sign."""
        violations, sizes = self.violations(self.excess(values)), self.sizes(values)
        parts = np.divide(violations, sizes, out=np.where(violations == 0, 0.0, np.inf), where=sizes > 0)
        lost = (self.signs != 0) & (np.sign(values) != self.signs) | ~np.isfinite(values)
        return np.where(lost.any(axis=1), np.inf, parts.max(axis=1, initial=0.0))

    def apart(self, values: Doubles) -> Doubles:
        """Return how far the values are from the points, in units of the scale."""
        return np.where(self.moves, (values - self.points) / self.scale, 0.0)

    def to_zero(self, values: Doubles) -> Doubles:
        """Return how far variables in products may go towards 0 in one step, in units of the scale."""
        size = np.abs(values)
        room = np.maximum(np.minimum((1 - _SHRINK) * size, size - self.nearest), 0.0) / self.scale
        return np.where(self.signs != 0, room, np.inf)


def _stack(points: Doubles, start: Doubles, scale: Doubles, system: System, applies: Booleans) -> _Stack:
    q, n = len(system.b), len(system.b) + len(system.logs)
    factors = np.concatenate([system.A, np.zeros_like(system.exponents), system.G])
    exponents, right = np.zeros((len(points), *factors.shape)), np.zeros((len(points), len(factors)))
    exponents[:, q:n] = system.exponents * applies[:, :, None]
    right[:, :q], right[:, q:n], right[:, n:] = system.b, system.logs * applies, system.h
    in_product = (system.exponents != 0).any(axis=0)
    moves = np.where(in_product, start != 0, (factors != 0).any(axis=0))
    signs, nearest = np.where(in_product, np.sign(start), 0.0), _NEAREST_ZERO * np.abs(start)
    stack = _Stack(points, scale, moves, signs, nearest, exponents, right, right, factors, equalities=n)
    return replace(stack, lengths=row_lengths(stack.slopes(start, scale)))


def _searched(stack: _Stack, origin: Doubles) -> Doubles:
    """Return where the search from the origin ends."""
    values, live = origin.copy(), np.arange(len(origin))
    multipliers, penalties = np.zeros_like(stack.right[:, stack.equalities :]), np.zeros(len(values))
    distances, violations = np.full((len(values), _REMEMBERED), -np.inf), np.zeros((len(values), _REMEMBERED))
    for number in range(_STEPS):
        part, here = stack.take(live), values[live]
        excess, slopes, apart = part.excess(here), part.slopes(here, part.scale), part.apart(here)
        step, bend, multipliers[live], blocked = _steps(part, here, excess, slopes, multipliers[live])
        distance, violation = np.square(apart).sum(axis=1) / 2, part.violation(excess)
        gain, slope = violation - part.violation(excess + matrix_products(slopes, step)), (apart * step).sum(axis=1)
        # A penalty this large makes a step that reduces the violation a step downwards.
        needed = np.where(gain > 0, 2 * (slope + np.maximum(bend, 0.0) / 2) / gain, 0.0)
        penalties[live] = penalty = np.maximum(penalties[live], needed)
        distances[live, number % _REMEMBERED], violations[live, number % _REMEMBERED] = distance, violation
        rounding = 16 * _EPSILON * np.sqrt(np.square(part.sizes(here) / part.lengths).sum(axis=1))
        before = (distances[live] + penalty[:, None] * violations[live]).max(axis=1)
        before += 16 * _EPSILON * distance + penalty * rounding
        noise = 64 * _EPSILON * np.abs(here) / part.scale
        last = (np.abs(step) <= 1e-9 * np.abs(apart).max(axis=1, keepdims=True) + noise).all(axis=1)
        broken = part.worst_violation(here) > 1e-6
        last &= ~broken  # a small step may be large for a small variable
        last |= (violation <= rounding) & (np.abs(slope) + np.abs(bend) <= 1e-15 * distance)
        inwards = np.where((part.signs * step < 0) & blocked[:, None], np.abs(step), 0.0)
        share = np.fmin(1.0, np.fmin.reduce(part.to_zero(here) / inwards, axis=1))
        rests = (blocked & (violation <= rounding)) | ((blocked | broken) & (share * gain <= _HOPELESS * violation))
        moved, decided = here, rests
        for _ in range(_HALVINGS):
            there = here + share[:, None] * step * part.scale
            after = np.square(part.apart(there)).sum(axis=1) / 2 + penalty * part.violation(part.excess(there))
            gains = ~decided & (last | (after <= before + 1e-4 * share * (slope - penalty * gain)))
            moved, decided = np.where(gains[:, None], there, moved), decided | gains
            if decided.all():
                break
            share = np.where(decided, share, share / 2)
        values[live] = moved
        live = live[decided & ~last & ~rests]
        if len(live) == 0:
            break
    return values


def _steps(
    stack: _Stack, values: Doubles, excess: Doubles, slopes: Doubles, multipliers: Doubles
) -> tuple[Doubles, Doubles, Doubles, Booleans]:
    """Return steps in units of scale, their curvature, the inequalities' multipliers, and where tangents contradict."""
    n, d = stack.equalities, values.shape[1]
    inverse, free = pseudo_inverses(slopes[:, :n])
    apart = stack.apart(values)
    pull = apart + matrix_products(slopes[:, n:].transpose(0, 2, 1), multipliers)
    of_rules = -matrix_products(inverse.transpose(0, 2, 1), pull)
    relative = np.divide(stack.scale, values, out=np.zeros_like(values), where=stack.signs != 0)
    curvature = 1 - (of_rules[:, :, None] * stack.exponents[:, :n]).sum(axis=1) * np.square(relative)
    # First onto the tangents, then along them to the lowest point of the parabola there.
    onto = -matrix_products(inverse, excess[:, :n])
    hessian = products(free.transpose(0, 2, 1), curvature[:, :, None] * free)
    hessian += np.eye(d) * (free == 0).all(axis=1)[:, None, :]  # where there is no direction
    axes, bends, _ = singular(finite_or_zero(hessian))  # which is symmetric: bends are taken without their sign
    along = products(free, axes / np.sqrt(np.maximum(bends, _FLATTEST))[:, None, :])
    step = onto - matrix_products(along, matrix_products(along.transpose(0, 2, 1), apart + curvature * onto))
    # Then back behind the inequalities, and to the right side of 0.
    rows = np.concatenate([slopes[:, n:], -np.eye(d) * stack.signs[:, :, None]], axis=1)
    room = np.concatenate([-excess[:, n:], np.where(stack.signs != 0, stack.to_zero(values), 1.0)], axis=1)
    rounding = 4 * _EPSILON * np.concatenate([stack.sizes(values)[:, n:], np.abs(values) / stack.scale], axis=1)
    left = room - matrix_products(rows, step)
    finite = np.isfinite(step).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
    over = np.flatnonzero(finite & (left < -rounding).any(axis=1))
    held, blocked = np.zeros_like(room), np.zeros(len(room), dtype=bool)
    change, held[over], possible = least_changes(*(each[over] for each in (rows, along, left, rounding, multipliers)))
    step[over], blocked[over] = step[over] + change, ~possible
    for row in over[~possible]:  # tangents contradict each other where the rules may not
        unit = np.concatenate([stack.lengths[row], np.ones(d)])
        tangents = np.concatenate([slopes[row, :n], rows[row]]) / unit[:, None]
        step[row] = least_violation(tangents, np.concatenate([-excess[row, :n], room[row]]) / unit, n)
    step = np.where(stack.moves, step, 0.0)
    return step, (curvature * np.square(step)).sum(axis=1), held[:, :-d], blocked


def _polished(stack: _Stack, values: Doubles, system: System) -> Doubles:
    """Return values without the violations that rounding and the last step left; bounds hold to the last digit."""
    alone, ends = (system.G != 0).sum(axis=1, keepdims=True) == 1, system.h[:, None] / system.G + 0.0  # not -0
    low = np.where(alone & (system.G < 0), ends, -np.inf).max(axis=0, initial=-np.inf)
    high = np.where(alone & (system.G > 0), ends, np.inf).min(axis=0, initial=np.inf)
    values = np.where(stack.moves, np.clip(values, low, high), values)
    worst = stack.worst_violation(values)
    held = (np.arange(stack.right.shape[1]) < stack.equalities) | (stack.excess(values) > 0)
    for _ in range(_POLISHINGS):
        live = np.flatnonzero(worst > 2 * _EPSILON)
        part, here = stack.take(live), values[live]
        # In parts of themselves, so that rounding is as small in one variable as in another.
        unit = np.abs(here) + np.where(part.signs == 0, np.abs(part.points), 0.0)
        inverse, _ = pseudo_inverses(part.slopes(here, unit) * held[live][:, :, None])
        there = np.where(
            part.moves, np.clip(here - unit * matrix_products(inverse, part.excess(here)), low, high), here
        )
        worst_there = part.worst_violation(there)
        better = worst_there < worst[live]
        values[live[better]], worst[live[better]] = there[better], worst_there[better]
        held[live] |= part.excess(there) > 0
    return values
