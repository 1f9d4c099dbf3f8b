"""Records that stand alone, by the hat matrix of every file that is left: slow, and obviously right."""

from __future__ import annotations

import numpy as np

__all__ = ["slowly_alone"]

_MOST, _BY_CHANCE, _FEW = 0.98, 1e-3, 5


def _leverages(Y: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the leverages of all records, and the degrees of freedom that are left."""
    A = np.column_stack([np.ones(len(Y)), Y])
    A = A / np.abs(A).max(axis=0)
    return np.diag(A @ np.linalg.pinv(A, rcond=1e-11)), len(Y) - np.linalg.matrix_rank(A, tol=1e-11 * np.sqrt(len(Y)))


def _too_high(Y: np.ndarray) -> np.ndarray:
    leverages, degrees = _leverages(Y)
    if degrees < 2:
        return np.zeros(len(Y), dtype=bool)
    return leverages > max(_MOST, 1 - degrees / len(Y) * _BY_CHANCE ** (2 / degrees))


def slowly_alone(Y: np.ndarray) -> set[int]:
    """Return the records that stand alone in Y."""
    alone: set[int] = set()
    while True:
        rows = np.array([row for row in range(len(Y)) if row not in alone])
        found, out = _too_high(Y[rows]), []
        while not found.any() and len(out) < _FEW - 1:
            left = np.setdiff1d(np.arange(len(rows)), out)
            out.append(int(left[np.argmax(_leverages(Y[rows[left]])[0])]))
            left = np.setdiff1d(np.arange(len(rows)), out)
            found[left] = _too_high(Y[rows[left]])
        if not found.any():
            return alone
        alone |= set(rows[found].tolist()) | set(rows[out].tolist())
