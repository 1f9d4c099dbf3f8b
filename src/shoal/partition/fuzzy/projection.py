"""Centres moved to the nearest points that satisfy linear constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.arithmetic import non_negative_least_squares, products, pseudo_inverse, singular
from shoal.errors import ParameterError

__all__ = ["FeasibleSet", "feasible_set"]

Doubles = NDArray[np.float64]

# Directions whose length is below this part of the longest count as zero, and a rule as broken only by more than this,
# relative to its own numbers.
_RANK = 1e-10
_BROKEN = 1e-9


class FeasibleSet:
    """The points v with A v = b, G v <= h and low <= v <= high.

    Equalities alone are a projection by the pseudo-inverse, v - A+ (A v - b), which handles rows that follow from
    others; bounds alone are a clip. Where both or inequalities are given, the nearest point is found by Lawson and
    Hanson's least-distance method in the space the equalities leave: which inequalities hold it back comes out of
    non-negative least squares, and these are then satisfied as equalities. To clip after the projection would break
    the equalities again.

    Use `feasible_set`, which checks that there is such a point.
    """

    def __init__(self, A: Doubles, b: Doubles, G: Doubles, h: Doubles, low: Doubles, high: Doubles) -> None:
        d = A.shape[1]
        self._A, self._b = A, b
        self._inverse, self._free = _solver(A)
        self._low, self._high = low, high
        self._only_bounds = len(A) == 0 and len(G) == 0
        unit = np.eye(d)
        self._G = np.concatenate([G, unit[np.isfinite(high)], -unit[np.isfinite(low)]])
        self._h = np.concatenate([h, high[np.isfinite(high)], -low[np.isfinite(low)]])

    def project(self, points: Doubles) -> Doubles:
        """Return the nearest point of the set to every row."""
        if self._only_bounds:
            return np.clip(points, self._low, self._high)
        result = points
        for _ in range(2):  # the second time for what rounding left
            result = result - products(products(result, self._A.T) - self._b, self._inverse.T)
        slack = self._h - products(result, self._G.T)
        for row in np.flatnonzero((slack < -_BROKEN * (1 + np.abs(self._h))).any(axis=1)):
            result[row] += self._least_step(slack[row])
        return np.clip(result, self._low, self._high)  # by rounding errors at most

    def _least_step(self, slack: Doubles) -> Doubles:
        """Return the least step, along the equalities, that makes all slack non-negative."""
        rows = products(self._G, self._free)
        lengths = np.sqrt(np.square(rows).sum(axis=1))
        can_move = lengths > _RANK
        rows, room = rows[can_move] / lengths[can_move, None], slack[can_move] / lengths[can_move]
        scale = -room.min()
        system = -np.concatenate([rows.T, room[None, :] / scale])
        goal = np.zeros(len(system))
        goal[-1] = 1.0
        multipliers, _ = non_negative_least_squares(system, goal)
        held = multipliers > 0
        return products(self._free, products(pseudo_inverse(rows[held], _RANK), room[held]))


def feasible_set(d: int, constraints: Any, inequalities: Any, bounds: Any) -> FeasibleSet | None:
    """Return the set that parameters of an estimator describe, or None if they are all None.

    Parameters
    ----------
    d
        Number of variables.
    constraints, inequalities
        Pairs: a matrix with d columns, or one row of it, and as many numbers as it has rows.
    bounds
        A pair of numbers, or of d numbers; None or an infinity is no bound.
    """
    if constraints is None and inequalities is None and bounds is None:
        return None
    A, b = _system("constraints", constraints, d)
    G, h = _system("inequalities", inequalities, d)
    low, high = _bounds(bounds, d)
    inverse, _ = _solver(A)
    if len(A) and np.abs(products(A, products(inverse, b)) - b).max() > _BROKEN * (1 + np.abs(b).max()):
        raise ParameterError("The constraints contradict each other: no point satisfies all of them.")
    if (low > high).any():
        raise ParameterError("bounds has a lower bound above the upper one. Give (low, high).")
    has_bounds = bool(np.isfinite(low).any() or np.isfinite(high).any())
    if (len(G) or (len(A) and has_bounds)) and not _is_possible(A, b, G, h, low, high):
        raise ParameterError(
            "The constraints, inequalities and bounds contradict each other: no point satisfies all of them."
        )
    return FeasibleSet(A, b, G, h, low, high)


def _solver(A: Doubles) -> tuple[Doubles, Doubles]:
    """Return the pseudo-inverse, and directions, one a column, in which A v does not change.

    Variables that no row has are left out of the decomposition, so that not even rounding touches them.
    """
    d = A.shape[1]
    used = (A != 0).any(axis=0)
    inverse = np.zeros((d, len(A)))
    if not used.any():
        return inverse, np.eye(d)
    inverse[used] = pseudo_inverse(A[:, used], _RANK)
    (directions,), (lengths,), _ = singular(A[:, used].T[None], full=True)
    rank = int((lengths > _RANK * lengths[0]).sum())
    free = np.zeros((d, d - rank))
    free[used, : used.sum() - rank] = directions[:, rank:]
    free[~used, used.sum() - rank :] = np.eye(d - used.sum())
    return inverse, free


def _system(name: str, pair: Any, d: int) -> tuple[Doubles, Doubles]:
    """Return the rows at unit length, and the right-hand sides to match."""
    if pair is None:
        return np.zeros((0, d)), np.zeros(0)
    matrix, numbers = (np.array(part) for part in _pair(name, pair, "a matrix and one number for each of its rows"))
    matrix, numbers = _numbers(name, matrix), np.atleast_1d(_numbers(name, numbers))
    matrix = np.atleast_2d(matrix)
    if matrix.ndim != 2 or matrix.shape[1] != d:
        raise ParameterError(f"{name} must have one column for each of the {d} variables; got {matrix.shape[-1]}.")
    if numbers.shape != (len(matrix),):
        raise ParameterError(
            f"{name} must have one number for each row; got {len(matrix)} rows and {numbers.size} numbers."
        )
    lengths = np.abs(matrix).max(axis=1, initial=0.0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    matrix, numbers = matrix / lengths[:, None], numbers / lengths
    lengths = np.sqrt(np.square(matrix).sum(axis=1))
    lengths = np.where(lengths > 0, lengths, 1.0)
    return matrix / lengths[:, None], numbers / lengths


def _bounds(pair: Any, d: int) -> tuple[Doubles, Doubles]:
    if pair is None:
        return np.full(d, -np.inf), np.full(d, np.inf)
    ends = []
    for end, open_end in zip(_pair("bounds", pair, "low and high"), (-np.inf, np.inf), strict=True):
        try:
            numbers = np.array(open_end if end is None else end, dtype=np.float64)
            ends.append(np.broadcast_to(numbers, (d,)).copy())
        except (TypeError, ValueError):
            raise ParameterError(f"bounds must be two numbers, or two rows of {d} numbers, low and high.") from None
    if np.isnan(ends).any():
        raise ParameterError("bounds must be numbers; use None or an infinity where there is no bound.")
    return ends[0], ends[1]


def _pair(name: str, pair: Any, what: str) -> Sequence[ArrayLike]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ParameterError(f"{name} must be a pair: {what}.")
    return pair


def _numbers(name: str, values: ArrayLike) -> Doubles:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be made of numbers.") from None
    if not np.isfinite(numbers).all():
        raise ParameterError(f"{name} must be made of finite numbers.")
    return numbers


def _is_possible(A: Doubles, b: Doubles, G: Doubles, h: Doubles, low: Doubles, high: Doubles) -> bool:
    from scipy.optimize import linprog  # type: ignore[import-untyped]

    bounds = np.column_stack([low, high])
    solution = linprog(np.zeros(A.shape[1]), A_ub=G, b_ub=h, A_eq=A, b_eq=b, bounds=bounds)
    return bool(solution.status != 2)  # 2 is infeasible
