"""PRAM's matrices in fractions, straight from their definition."""

from __future__ import annotations

from fractions import Fraction


def even_matrix(categories: int, pd: Fraction) -> list[list[Fraction]]:
    """Return the matrix with pd on the diagonal and the rest shared evenly; all of it for one category."""
    if categories == 1:
        return [[Fraction(1)]]
    rest = (1 - pd) / (categories - 1)
    return [[pd if i == j else rest for j in range(categories)] for i in range(categories)]


def invariant_matrix(P: list[list[Fraction]], T: list[Fraction], alpha: Fraction) -> list[list[Fraction]]:
    """Return alpha P Q + (1 - alpha) I with Q[k][l] = P[l][k] T[l] / sum over j of P[j][k] T[j]."""
    every = range(len(T))
    reached = [sum(P[j][k] * T[j] for j in every) for k in every]
    Q = [[P[j][k] * T[j] / reached[k] if reached[k] else Fraction(0) for j in every] for k in every]
    PQ = [[sum(P[i][k] * Q[k][j] for k in every) for j in every] for i in every]
    return [[alpha * PQ[i][j] + (1 - alpha) * (i == j) for j in every] for i in every]


def expected(T: list[Fraction], R: list[list[Fraction]]) -> list[Fraction]:
    """Return T R, the frequencies that are expected after drawing by R."""
    return [sum(T[i] * R[i][j] for i in range(len(T))) for j in range(len(T))]
