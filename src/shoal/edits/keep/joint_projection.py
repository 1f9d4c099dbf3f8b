"""The nearest points that keep sums, products and bounds at once, for many points together.

A mean keeps sums and a geometric mean keeps products; a variable that is in both kinds of rule needs a point that lies
between. It is found by sequential quadratic programming: rules are replaced by their tangents, the nearest point that
keeps these is a step, and steps are halved until they gain. All points move together, one stack of small matrices for
each step, and none looks at another: a point comes out the same whatever the others are. Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["System", "project"]

Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]

_EPSILON = float(np.finfo(np.float64).eps)
_HOLDS = 1e-12  # a rule that misses by less than this part of the size of its terms holds
_UNCHANGED = 1e-13  # ... and a point in which all hold as closely as this stays as it is
_RANK = 1e-10  # directions in which rows of unit length reach less far than this are not there
_STEPS, _HALVINGS, _POLISHINGS = 120, 30, 8
_REMEMBERED = 4  # a step may lose what the last ones gained: to follow a curved rule closely takes many small steps
_FLATTEST = 1e-3  # the least curvature, where the distance alone has 1; less would send steps far away
_SHRINK = 0.1  # what a step leaves of a variable in a product, at least
_NEAREST_ZERO = 1e-12  # what all steps together leave of it
_IMPOSSIBLE = 1e-4  # room that takes a change 1 / this times as long as the room is short is not there
_DAMPING = 0.03  # of steps where tangents contradict each other
_HOPELESS = 1e-3  # the search ends if such a step gains less than this part of what is missing
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


def project(points: Doubles, start: Doubles, scale: Doubles, system: System) -> tuple[Doubles, Bools]:
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
        comes back as it is, and so does a variable that is in no rule. With products there can be several points that
        are nearer than all around them; this is the one that the search from `start` comes to.
    """
    scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), points.shape)
    projected, reached = np.full(points.shape, np.nan), np.zeros(len(points), dtype=bool)
    count, d = len(system.b) + len(system.h) + len(system.logs), points.shape[1]
    height = max(1, _NUMBERS_AT_ONCE // (1 + d * (count + 4 * d)))
    with np.errstate(all="ignore"):
        for begin in range(0, len(points), height):
            part = slice(begin, begin + height)
            projected[part], reached[part] = _projected(points[part], start[part], scale[part], system)
    return projected, reached


def _projected(points: Doubles, start: Doubles, scale: Doubles, system: System) -> tuple[Doubles, Bools]:
    above, below = ((start == 0) @ side.T for side in (system.exponents > 0, system.exponents < 0))
    reached = (above == below).all(axis=1) & ((scale > 0) & np.isfinite(points + start + scale)).all(axis=1)
    stack = _stack(points[reached], start[reached], scale[reached], system, ~above[reached])
    values = np.where((system.exponents != 0).any(axis=0) & ~stack.moves, 0.0, stack.points)
    origin = np.where(stack.moves, start[reached], values)
    for tolerance in (
        _UNCHANGED,
        _HOLDS,
    ):  # what the first search leaves is searched on from there, penalties forgotten
        left = np.flatnonzero(~(stack.misses(values) <= tolerance))
        part = stack.take(left)
        origin[left] = _searched(part, origin[left])
        values[left] = _polished(part, origin[left], system)
    projected = np.full(points.shape, np.nan)
    projected[reached] = np.where((stack.misses(values) <= _HOLDS)[:, None], values, np.nan)
    return projected, ~np.isnan(projected).any(axis=1)


@dataclass(frozen=True, eq=False)
class _Stack:
    """Points, and the rules as they are for each of them: sums, products in logs and inequalities, in this order.

    Attributes
    ----------
    moves
        Which variables may: those in a rule, but no zeros in a product.
    signs, nearest
        The signs of variables in products, 0 for all others, and how near to 0 they may come.
    exponents, factors, right
        The left side of a rule is the sum of factors times v and of exponents times ln|v|. Exponents and right side are
        0 in products with zeros: such a product holds.
    lengths
        What is missing in a rule is divided by these: the lengths of its slopes at the start, in units of the scale.
    equalities
        How many of the rules are not inequalities.
    """

    points: Doubles
    scale: Doubles
    moves: Bools
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
        logs = np.log(np.where(self.signs != 0, np.abs(values), 1.0))
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

    def missing(self, excess: Doubles) -> Doubles:
        """Return what is missing in every rule; an inequality with room to spare misses nothing."""
        return np.abs(np.where(np.arange(excess.shape[1]) < self.equalities, excess, np.maximum(excess, 0.0)))

    def violation(self, excess: Doubles) -> Doubles:
        """Return what is missing in all rules together, a length in units of the scale."""
        return np.asarray(np.linalg.norm(self.missing(excess) / self.lengths, axis=1))

    def misses(self, values: Doubles) -> Doubles:
        """Return the most that is missing in a rule, as a part of the size of its terms; infinite for a lost sign."""
        missing, sizes = self.missing(self.excess(values)), self.sizes(values)
        parts = np.divide(missing, sizes, out=np.where(missing == 0, 0.0, np.inf), where=sizes > 0)
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


def _stack(points: Doubles, start: Doubles, scale: Doubles, system: System, applies: Bools) -> _Stack:
    q, n = len(system.b), len(system.b) + len(system.logs)
    factors = np.concatenate([system.A, np.zeros_like(system.exponents), system.G])
    exponents, right = np.zeros((len(points), *factors.shape)), np.zeros((len(points), len(factors)))
    exponents[:, q:n] = system.exponents * applies[:, :, None]
    right[:, :q], right[:, q:n], right[:, n:] = system.b, system.logs * applies, system.h
    in_product = (system.exponents != 0).any(axis=0)
    moves = np.where(in_product, start != 0, (factors != 0).any(axis=0))
    signs, nearest = np.where(in_product, np.sign(start), 0.0), _NEAREST_ZERO * np.abs(start)
    stack = _Stack(points, scale, moves, signs, nearest, exponents, right, right, factors, equalities=n)
    return replace(stack, lengths=_lengths(stack.slopes(start, scale)))


def _searched(stack: _Stack, origin: Doubles) -> Doubles:
    """Return where the steps from the origin come to rest."""
    values, live = origin.copy(), np.arange(len(origin))
    multipliers, penalties = np.zeros_like(stack.right[:, stack.equalities :]), np.zeros(len(values))
    distances, violations = np.full((len(values), _REMEMBERED), -np.inf), np.zeros((len(values), _REMEMBERED))
    for number in range(_STEPS):
        part, here = stack.take(live), values[live]
        excess, slopes, apart = part.excess(here), part.slopes(here, part.scale), part.apart(here)
        step, bend, multipliers[live], blocked = _steps(part, here, excess, slopes, multipliers[live])
        distance, violation = np.square(apart).sum(axis=1) / 2, part.violation(excess)
        gain, slope = violation - part.violation(excess + _times(slopes, step)), (apart * step).sum(axis=1)
        # A penalty this large makes a step that gains on the rules a step downwards.
        needed = np.where(gain > 0, 2 * (slope + np.maximum(bend, 0.0) / 2) / gain, 0.0)
        penalties[live] = penalty = np.maximum(penalties[live], needed)
        distances[live, number % _REMEMBERED], violations[live, number % _REMEMBERED] = distance, violation
        rounding = 16 * _EPSILON * np.linalg.norm(part.sizes(here) / part.lengths, axis=1)
        before = (distances[live] + penalty[:, None] * violations[live]).max(axis=1)
        before += 16 * _EPSILON * distance + penalty * rounding
        noise = 64 * _EPSILON * np.abs(here) / part.scale
        last = (np.abs(step) <= 1e-9 * np.abs(apart).max(axis=1, keepdims=True) + noise).all(axis=1)
        broken = part.misses(here) > 1e-6
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
) -> tuple[Doubles, Doubles, Doubles, Bools]:
    """Return steps in units of scale, their curvature, the inequalities' multipliers, and where tangents contradict."""
    n, d = stack.equalities, values.shape[1]
    inverse, free = _inverse(slopes[:, :n])
    apart = stack.apart(values)
    pull = apart + _times(slopes[:, n:].transpose(0, 2, 1), multipliers)
    of_rules = -_times(inverse.transpose(0, 2, 1), pull)
    relative = np.divide(stack.scale, values, out=np.zeros_like(values), where=stack.signs != 0)
    curvature = 1 - (of_rules[:, :, None] * stack.exponents[:, :n]).sum(axis=1) * np.square(relative)
    # First onto the tangents, then along them to the lowest point of the parabola there.
    onto = -_times(inverse, excess[:, :n])
    hessian = free.transpose(0, 2, 1) @ (curvature[:, :, None] * free)
    hessian += np.eye(d) * (free == 0).all(axis=1)[:, None, :]  # where there is no direction
    bends, axes = np.linalg.eigh(_finite(hessian))
    along = free @ (axes / np.sqrt(np.maximum(np.abs(bends), _FLATTEST))[:, None, :])
    step = onto - _times(along, _times(along.transpose(0, 2, 1), apart + curvature * onto))
    # Then back behind the inequalities, and to the right side of 0.
    rows = np.concatenate([slopes[:, n:], -np.eye(d) * stack.signs[:, :, None]], axis=1)
    room = np.concatenate([-excess[:, n:], np.where(stack.signs != 0, stack.to_zero(values), 1.0)], axis=1)
    rounding = 4 * _EPSILON * np.concatenate([stack.sizes(values)[:, n:], np.abs(values) / stack.scale], axis=1)
    left = room - _times(rows, step)
    finite = np.isfinite(step).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
    over = np.flatnonzero(finite & (left < -rounding).any(axis=1))
    held, blocked = np.zeros_like(room), np.zeros(len(room), dtype=bool)
    change, held[over], possible = _least_changes(*(each[over] for each in (rows, along, left, rounding, multipliers)))
    step[over], blocked[over] = step[over] + change, ~possible
    for row in over[~possible]:  # tangents contradict each other where the rules may not
        unit = np.concatenate([stack.lengths[row], np.ones(d)])
        tangents = np.concatenate([slopes[row, :n], rows[row]]) / unit[:, None]
        step[row] = _least_violation(tangents, np.concatenate([-excess[row, :n], room[row]]) / unit, n)
    step = np.where(stack.moves, step, 0.0)
    return step, (curvature * np.square(step)).sum(axis=1), held[:, :-d], blocked


def _least_changes(
    rows: Doubles, along: Doubles, room: Doubles, rounding: Doubles, multipliers: Doubles
) -> tuple[Doubles, Doubles, Bools]:
    """Return the least changes after which rows have room again, the multipliers of all rows, and where there are any.

    The rows that hold a point back are guessed: those that have no room, and those that held it back before.
    """
    reach = rows @ along
    reach[_lengths(reach) <= _RANK * _lengths(rows)] = 0.0
    holding = room < 0
    holding[:, : multipliers.shape[1]] |= multipliers > 0
    inverse, _ = _inverse(reach * holding[:, :, None])
    change = _times(inverse, room)
    weights = -_times(inverse.transpose(0, 2, 1), change)
    possible = np.all((_times(reach, change) <= room + rounding) & (weights >= 0), axis=1)
    for row in np.flatnonzero(~possible):
        least = _least_change(reach[row], room[row] + rounding[row])
        possible[row] = least is not None
        change[row], weights[row] = (0.0, 0.0) if least is None else least
    return _times(along, change), weights, possible


def _least_change(rows: Doubles, room: Doubles) -> tuple[Doubles, Doubles] | None:
    """Return the shortest x with rows x <= room, and the multipliers of the rows; None if there is none.

    The least-distance method of Lawson and Hanson: which rows hold x back comes out of non-negative least squares.
    """
    able = (rows != 0).any(axis=1)
    if (room[~able] < 0).any():
        return None
    lengths = np.linalg.norm(rows[able], axis=1)
    rows, room = rows[able] / lengths[:, None], room[able] / lengths
    goal = np.append(np.zeros(rows.shape[1]), 1.0)
    weights, distance = _nnls(-np.concatenate([rows.T, room[None, :] / -room.min()]), goal)
    if distance < _IMPOSSIBLE:
        return None
    holding = weights > 0
    inverse = np.linalg.pinv(rows[holding], rcond=_RANK)
    change = inverse @ room[holding]
    if (rows @ change > room + 1e-9 * (np.abs(room) + np.abs(change).sum())).any():
        return None
    multipliers = np.zeros(len(able))
    multipliers[np.flatnonzero(able)[holding]] = np.maximum(-inverse.T @ change, 0.0) / lengths[holding]
    return change, multipliers


def _least_violation(rows: Doubles, goal: Doubles, equalities: int) -> Doubles:
    """Return a short x that misses rows x == goal, after the equalities rows x <= goal, by the least squares."""
    d = rows.shape[1]
    missing = np.concatenate([goal[:equalities], np.minimum(goal[equalities:], 0.0)])
    damping = _DAMPING * np.clip(np.linalg.norm(missing), 1e-5, 1.0)
    matrix, goal = np.concatenate([rows, damping * np.eye(d)]), np.concatenate([goal, np.zeros(d)])
    inverse = np.linalg.pinv(matrix)
    spare = np.eye(len(goal))[:, equalities:-d]  # what an inequality has to spare counts for nothing
    spared, _ = _nnls(spare - matrix @ (inverse @ spare), goal - matrix @ (inverse @ goal))
    return np.asarray(inverse @ (goal - spare @ spared))


def _nnls(matrix: Doubles, goal: Doubles) -> tuple[Doubles, float]:
    from scipy.optimize import nnls  # type: ignore[import-untyped]

    try:
        weights, distance = nnls(matrix, goal, maxiter=30 * matrix.shape[1])
    except (RuntimeError, ValueError):  # too many steps; not finite
        return np.zeros(matrix.shape[1]), 0.0
    return weights, distance


def _polished(stack: _Stack, values: Doubles, system: System) -> Doubles:
    """Return the values less what rounding and the last step left missing in the rules; bounds hold to the digit."""
    alone, ends = (system.G != 0).sum(axis=1, keepdims=True) == 1, system.h[:, None] / system.G + 0.0  # not -0
    low = np.where(alone & (system.G < 0), ends, -np.inf).max(axis=0, initial=-np.inf)
    high = np.where(alone & (system.G > 0), ends, np.inf).min(axis=0, initial=np.inf)
    values = np.where(stack.moves, np.clip(values, low, high), values)
    most = stack.misses(values)
    held = (np.arange(stack.right.shape[1]) < stack.equalities) | (stack.excess(values) > 0)
    for _ in range(_POLISHINGS):
        live = np.flatnonzero(most > 2 * _EPSILON)
        part, here = stack.take(live), values[live]
        # In parts of themselves, so that rounding is as small in one variable as in another.
        unit = np.abs(here) + np.where(part.signs == 0, np.abs(part.points), 0.0)
        inverse, _ = _inverse(part.slopes(here, unit) * held[live][:, :, None])
        there = np.where(part.moves, np.clip(here - unit * _times(inverse, part.excess(here)), low, high), here)
        missing = part.misses(there)
        better = missing < most[live]
        values[live[better]], most[live[better]] = there[better], missing[better]
        held[live] |= part.excess(there) > 0
    return values


def _inverse(rows: Doubles) -> tuple[Doubles, Doubles]:
    """Return the pseudo-inverse of every matrix of a stack, and orthonormal columns that it takes to 0, or 0s."""
    g, m, d = rows.shape
    if m == 0:
        return np.zeros((g, d, 0)), np.broadcast_to(np.eye(d), (g, d, d))
    lengths = _lengths(rows)
    left, sizes, right = np.linalg.svd(_finite(rows / lengths[:, :, None]))
    there = sizes > _RANK * np.maximum(sizes[:, :1], _RANK)
    inverted = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=there)
    least, basis = sizes.shape[1], right.transpose(0, 2, 1)
    inverse = (basis[:, :, :least] * inverted[:, None, :]) @ left[:, :, :least].transpose(0, 2, 1)
    free = basis * (np.arange(d) >= there.sum(axis=1)[:, None])[:, None, :]
    return inverse / lengths[:, None, :], free


def _finite(matrices: Doubles) -> Doubles:
    """Return the matrices of a stack, 0 for one that is not finite: it would stop the others from being decomposed."""
    return np.where(np.isfinite(matrices).all(axis=(1, 2), keepdims=True), matrices, 0.0)


def _lengths(rows: Doubles) -> Doubles:
    """Return the length of every row of a stack of matrices, 1 for one of zeros."""
    lengths = np.linalg.norm(rows, axis=2)
    return np.where(lengths > 0, lengths, 1.0)


def _times(matrices: Doubles, vectors: Doubles) -> Doubles:
    """Return the product of each matrix of a stack with its vector."""
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])
