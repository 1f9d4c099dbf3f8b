"""The least change of a point after which linear inequalities hold, and the nearest to it where there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import non_negative_least_squares, products, pseudo_inverse, singular

Doubles = NDArray[np.float64]

RANK = 1e-10  # directions in which rows of unit length reach less far than this count as zero


def pseudo_inverses(rows: Doubles) -> tuple[Doubles, Doubles]:
    """Return a pseudo-inverse of every matrix of a stack, and a basis of the vectors that the matrix takes to 0.

    Rows are scaled to length 1 before, so that where they contradict each other all count alike. The columns of the
    basis are orthonormal; the others are 0.
    """
    g, m, d = rows.shape
    if m == 0:
        return np.zeros((g, d, 0)), np.broadcast_to(np.eye(d), (g, d, d))
    lengths = row_lengths(rows)
    basis, sizes, others = singular(finite_or_zero(rows / lengths[:, :, None]).transpose(0, 2, 1), full=True)
    counts = sizes > RANK * np.maximum(sizes[:, :1], RANK)
    inverted = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=counts)
    inverse = products(basis[:, :, : sizes.shape[1]] * inverted[:, None, :], others)
    free = basis * (np.arange(d) >= counts.sum(axis=1)[:, None])[:, None, :]
    return inverse / lengths[:, None, :], free


def finite_or_zero(matrices: Doubles) -> Doubles:
    """Return the matrices of a stack, 0 for one that is not finite: it would stop the others from being decomposed."""
    return np.where(np.isfinite(matrices).all(axis=(1, 2), keepdims=True), matrices, 0.0)


def row_lengths(rows: Doubles) -> Doubles:
    """Return the length of every row of a stack of matrices; 1 for a row of zeros, so that it can be divided by."""
    lengths = np.sqrt(np.square(rows).sum(axis=2))
    return np.where(lengths > 0, lengths, 1.0)


def matrix_products(matrices: Doubles, vectors: Doubles) -> Doubles:
    """Return the product of each matrix of a stack with its vector."""
    return products(matrices, vectors)


Booleans = NDArray[np.bool_]

_IMPOSSIBLE = 1e-4  # a change more than 1 / this times as long as the inequalities are violated does not count

_DAMPING = 0.03  # of steps where tangents contradict each other


def least_changes(
    rows: Doubles, along: Doubles, room: Doubles, rounding: Doubles, multipliers: Doubles
) -> tuple[Doubles, Doubles, Booleans]:
    """Return the least changes x = along y after which rows x <= room, for a stack of points.

    The rows that restrict a point are guessed first: those that are violated, and those that restricted it before.
    Where the guess is wrong, the restricting rows are computed.

    Parameters
    ----------
    rows, room
        g x r x d and g x r: the inequalities of every point.
    along
        g x d x d: the directions in which a point may change.
    rounding
        g x r: by how much an inequality may be violated.
    multipliers
        g x s: positive for those of the first s inequalities that restricted the point before.

    Returns
    -------
    changes, multipliers, possible
        g x d; g x r, positive for the rows that restrict the point; and g, whether there is such a change.
    """
    reach = products(rows, along)
    reach[row_lengths(reach) <= RANK * row_lengths(rows)] = 0.0
    restricting = room < 0
    restricting[:, : multipliers.shape[1]] |= multipliers > 0
    inverse, _ = pseudo_inverses(reach * restricting[:, :, None])
    change = matrix_products(inverse, room)
    weights = -matrix_products(inverse.transpose(0, 2, 1), change)
    possible = np.all((matrix_products(reach, change) <= room + rounding) & (weights >= 0), axis=1)
    for row in np.flatnonzero(~possible):
        least = _least_change(reach[row], room[row] + rounding[row])
        possible[row] = least is not None
        change[row], weights[row] = (0.0, 0.0) if least is None else least
    return matrix_products(along, change), weights, possible


def _least_change(rows: Doubles, room: Doubles) -> tuple[Doubles, Doubles] | None:
    """Return the shortest x with rows x <= room, and the multipliers of the rows; None if there is none.

    The least-distance method of Lawson and Hanson: non-negative least squares find the rows that restrict x.
    """
    able = (rows != 0).any(axis=1)
    if (room[~able] < 0).any():
        return None
    lengths = np.sqrt(np.square(rows[able]).sum(axis=1))
    rows, room = rows[able] / lengths[:, None], room[able] / lengths
    goal = np.append(np.zeros(rows.shape[1]), 1.0)
    weights, distance = non_negative_least_squares(-np.concatenate([rows.T, room[None, :] / -room.min()]), goal)
    if distance < _IMPOSSIBLE:
        return None
    restricting = weights > 0
    inverse = pseudo_inverse(rows[restricting], RANK)
    change = products(inverse, room[restricting])
    if (products(rows, change) > room + 1e-9 * (np.abs(room) + np.abs(change).sum())).any():
        return None
    multipliers = np.zeros(len(able))
    multipliers[np.flatnonzero(able)[restricting]] = (
        np.maximum(-products(inverse.T, change), 0.0) / lengths[restricting]
    )
    return change, multipliers


def least_violation(rows: Doubles, goal: Doubles, equalities: int) -> Doubles:
    """Return a short x that violates the first rows x == goal, and the others rows x <= goal, by least squares."""
    d = rows.shape[1]
    violation = np.concatenate([goal[:equalities], np.minimum(goal[equalities:], 0.0)])
    damping = _DAMPING * np.clip(np.sqrt(np.square(violation).sum()), 1e-5, 1.0)
    matrix, goal = np.concatenate([rows, damping * np.eye(d)]), np.concatenate([goal, np.zeros(d)])
    inverse = pseudo_inverse(matrix, 1e-15)
    slack = np.eye(len(goal))[:, equalities:-d]  # an inequality with slack is not violated
    onto = products(matrix, inverse)
    slacks, _ = non_negative_least_squares(slack - products(onto, slack), goal - products(onto, goal))
    return products(inverse, goal - products(slack, slacks))
