"""Hybrid data of Muralidhar and Sarathy: part of the original, and noise that makes up for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products, pseudo_inverse, singular
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.parameters.limits import Limit, Number, TrueOrFalse, check_limits
from shoal.parameters.searched import Searched
from shoal.progress import advance
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.ipso import redrawn, rewritten_apart
from shoal.replace.synthetic.leverage import set_apart, watched_cells
from shoal.replace.synthetic.residuals import normal_numbers, random_basis, regressed, residual_basis, stacks
from shoal.replace.synthetic.synthetic import (
    Names,
    Synthetic,
    as_tuple,
    checked,
    is_unchanged,
    refuse_unchanged,
    without_extremes,
)

__all__ = ["MuralidharSarathy"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_MOST_KEPT = 0.999  # the largest correlation of old and new residuals, of any combination of variables
_SLACK = 1e-10  # alpha may be too large by so much: rounding must not decide
_NOT_ACROSS = "What alpha has for variables of different blocks is not used: every block is rewritten for itself."
_ACCEPT = "accept_unchanged=True; --replace muralidhar-sarathy:accept_unchanged=true"


@dataclass(frozen=True)
class _NumberVectorOrMatrix(Limit):
    """A finite number, one for every variable, or a square matrix of them."""

    @property
    def wanted(self) -> str:
        return "a number, one for each confidential variable, or a square matrix"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, tuple):
            return Number(-np.inf).accepts(value)
        if any(isinstance(row, tuple) for row in value):
            rows = [row for row in value if isinstance(row, tuple) and len(row) == len(value)]
            return len(rows) == len(value) and all(Number(-np.inf).accepts(one) for row in rows for one in row)
        return len(value) > 0 and all(Number(-np.inf).accepts(one) for one in value)

    def bad_values(self) -> list[Any]:
        return [np.nan, np.inf, None, True, "0.5", [], [np.nan], [[1.0, 0.5]], [[1.0], 0.5], ["a"], [[[0.5]]]]


@dataclass(frozen=True)
class MuralidharSarathy(SyntheticReplacement):
    """A share of the original residuals stays, and noise restores the covariances.

    The confidential variables X are regressed on the others, Y, and a constant: X = F + E. The new values are
    F + E alpha' + e, where the noise e is exactly uncorrelated with X and Y and has exactly the covariances that E
    loses by alpha. All means and covariances are kept.

    Parameters
    ----------
    alpha
        How much of the original stays: one number for all variables, between -1 and 1; one for each, in the order of
        `confidential`, categories left out; or a matrix. 0 is synthetic data (IPSO-C with ``orthogonal=True``), 1 the
        original. Several numbers are possible only if the covariances they ask of the noise are ones that noise can
        have; if not, the error says how much smaller they have to be. Of a matrix, each block of variables takes its
        own rows and columns.
    confidential
        The names of the variables X.
    accept_unchanged
        Whether records may come out unchanged, as with alpha=1 or where X follows from Y. By default such data
        are refused.

    Notes
    -----
    With S the covariances of E, the noise has S - alpha S alpha', which is positive semidefinite if and only if
    ``S^(-1/2) alpha S^(1/2)`` has no singular value above 1. Here S may be singular: X then has linear relations, and
    an alpha that would break them is refused. The largest singular value is also the largest correlation that old and
    new residuals of a combination of variables have; above 0.999 it is refused, unless accepted. Exactness needs up to
    2L + M + 1 records in a group, for L confidential variables and M others.

    The noise leaves out records that stand alone in Y or X, as it is orthogonal to both. They are rewritten by IPSO-C
    without regard to Y, at least k together; alpha does not hold for them.

    References
    ----------
    K. Muralidhar, R. Sarathy (2008), Generating sufficiency-based non-synthetic perturbed data, Transactions on Data
    Privacy 1, 17-33.
    """

    alpha: float | Sequence[float] | Sequence[Sequence[float]] = 0.5
    confidential: Sequence[str] = ()
    accept_unchanged: bool = False

    name: ClassVar[str] = "muralidhar-sarathy"
    reference: ClassVar[str] = (
        "K. Muralidhar, R. Sarathy (2008), Generating sufficiency-based non-synthetic perturbed data, Transactions on "
        "Data Privacy 1, 17-33."
    )
    searched: ClassVar[tuple[Searched, ...]] = (Searched("alpha", (0.0, 0.1, 0.25, 0.5, 0.75, 0.9), 0.5),)
    limits: ClassVar[Mapping[str, Limit]] = {
        "alpha": _NumberVectorOrMatrix(),
        "confidential": Names(),
        "accept_unchanged": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        for field in ("alpha", "confidential"):
            object.__setattr__(self, field, as_tuple(getattr(self, field)))
        for row in self.alpha if isinstance(self.alpha, tuple) else ():
            for entry in row if isinstance(row, tuple) else (row,):
                if isinstance(entry, str):
                    raise ParameterError(f'alpha must be {self.limits["alpha"].wanted}; "{entry}" is none.')
        check_limits(self.limits, vars(self))
        if not isinstance(self.alpha, tuple) and abs(float(self.alpha)) > 1:  # type: ignore[arg-type]
            raise ParameterError("alpha must be between -1 and 1: the noise cannot have negative variances.")

    @property
    def keeps_old_relation(self) -> bool:
        """Whether how new and old values go together is exact: alpha says how."""
        return True

    def for_variables(self, is_rewritten: NDArray[np.bool_]) -> MuralidharSarathy:
        """Return the same with the part of alpha that is for these of the confidential variables."""
        alpha = self._matrix(len(is_rewritten))
        if np.ndim(self.alpha) == 2:
            return replace(self, alpha=alpha[np.ix_(is_rewritten, is_rewritten)].tolist())
        return replace(self, alpha=alpha.diagonal()[is_rewritten].tolist()) if np.ndim(self.alpha) == 1 else self

    def remarks(self, *, in_groups: bool, is_rewritten: NDArray[np.bool_]) -> list[str]:
        """Return what a reader should know, and whether a part of alpha is not used."""
        remarks = super().remarks(in_groups=in_groups, is_rewritten=is_rewritten)
        if np.ndim(self.alpha) == 2 and np.array(self.alpha)[np.ix_(is_rewritten, ~is_rewritten)].any():
            remarks.append(_NOT_ACROSS)
        return remarks

    def synthetic(self, X: Doubles, Y: Doubles, groups: Labels, rng: np.random.Generator, *, k: int = 3) -> Synthetic:
        """Rewrite X group by group.

        Parameters
        ----------
        X
            The confidential variables, n x L, without missing values.
        Y
            The others, n x M; M may be 0.
        groups
            The group of every record, 0 to g-1; all zeros to rewrite the file as one.
        rng
            The source of the noise: n x L normal numbers, whatever the groups are, and more where a record came out
            as it was.
        k
            How many records are rewritten together, at least, without regard to Y where some stand alone in it.
        """
        X, Y, groups = checked(X, Y, groups)
        W = normal_numbers(rng, X.shape)
        # The noise is orthogonal to X as well, and leaves records that stand alone there their share and nothing else.
        both, where = np.hstack([Y, X]), "stay or are rewritten"
        apart = set_apart(both, groups, k, max(2, X.shape[1]), accepted=self.accept_unchanged, where=where)
        groups, rest = apart.groups, apart.is_rest
        watched = watched_cells(X, apart.alone)
        avoided = None if self.accept_unchanged else watched
        alpha = self._matrix(X.shape[1])
        scaled, exponents = without_extremes(X)
        others, _ = without_extremes(Y)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            # In the units of the scaled columns; an infinite factor must not make a number of a zero.
            alpha = np.where(alpha == 0, 0.0, np.ldexp(alpha, exponents[None, :] - exponents[:, None]))
        values = X.copy()
        short, total, largest, degrees = 0, 0, 0.0, len(X)
        for _, records in stacks(groups, X.shape[1] + Y.shape[1] + 1, rest):
            fit = regressed(scaled[records], others[records])
            own, rank = residual_basis(fit)
            share, noise, most = _split(own, fit.residuals, alpha, isinstance(self.alpha, tuple))
            largest = max(largest, most)
            left = np.sqrt(np.clip(1 - np.square(share), 0.0, None))
            left[share > 1 - _SLACK] = 0.0
            needed = (left > 0).sum(axis=1)
            nothing_to_draw = (fit.degrees == 0) & (not self.accept_unchanged)
            short += int(((fit.degrees - rank < needed) | nothing_to_draw).sum())
            total += len(records)
            degrees = min(degrees, int(fit.degrees.min()))
            width = np.minimum(needed, fit.degrees - rank)
            kept = np.concatenate([fit.basis, own], axis=2)
            fresh = random_basis(W[records], kept, width)[:, :, : left.shape[1]]
            new = fit.fitted + _times(fit.residuals, alpha.T) + products(fresh, left[:, :, None] * noise)
            with np.errstate(under="ignore"):
                values[records] = np.ldexp(fit.means + new, exponents)
            advance(records.size / len(X))
        self._refuse(largest, short, total, X.shape[1], Y.shape[1])
        values = redrawn(X, Y, values, groups, rng, orthogonal=True, wanted=rest, watched=avoided)
        values, least = rewritten_apart(X, W, values, apart, rng, avoided)
        unchanged = int(is_unchanged(X, values).sum())
        if not self.accept_unchanged:
            refuse_unchanged(
                "Muralidhar-Sarathy",
                unchanged,
                len(X),
                "alpha is too near 1, or they follow from the other variables, or nearly. Lower alpha, name "
                f"variables that determine them confidential too, raise k, or accept it ({_ACCEPT}).",
            )
            if largest > _MOST_KEPT + _SLACK:
                raise ParameterError(
                    "alpha leaves so little noise that original values, or combinations of them, follow from the "
                    f"release. Multiply it by at most {_scale(_MOST_KEPT / largest)}, or accept it ({_ACCEPT})."
                )
        return Synthetic(values, unchanged, apart.tallies, min(degrees, least), apart.divided, watched)

    def _matrix(self, columns: int) -> Doubles:
        given = np.asarray(self.alpha, dtype=np.float64)
        if given.ndim and len(given) != columns:
            raise ParameterError(
                f"alpha must be one number, or have one for each of the {columns} confidential variables; it has "
                f"{len(given)}."
            )
        return given if given.ndim == 2 else given * np.eye(columns)

    def _refuse(self, largest: float, short: int, total: int, columns: int, others: int) -> None:
        if largest > 1 + _SLACK:
            scale = _scale((1 if self.accept_unchanged else _MOST_KEPT) / largest)
            way = (
                f"Multiply it by at most {scale}, or give one number."
                if largest < 1e4
                else "It breaks a linear relation among the variables. Give one number."
            )
            raise ParameterError(f"alpha asks for noise with negative variances (not positive semidefinite). {way}")
        if short:
            raise TooFewRecordsError(
                f"Muralidhar-Sarathy needs up to {2 * columns + others + 1} records in a group, two for each "
                f"confidential variable, one for each other and one; {short} of {total} groups have too few. Raise k, "
                "or name fewer variables."
            )


def _scale(largest: float) -> str:
    """Return what to multiply by, rounded down to four digits."""
    return f"{np.floor(1e4 * largest) / 1e4:.4f}".rstrip("0").rstrip(".")


def _split(own: Doubles, residuals: Doubles, alpha: Doubles, several: bool) -> tuple[Doubles, Doubles, float]:
    """Return the singular values of alpha on the residuals, ascending, b x r, a factor of the noise, and the largest.

    With G = own' E, so that E = own G, and alpha G' = G' K, the noise has the covariances G' (I - K K') G. The largest
    value, where there are residuals, is how far a combination of them correlates with what becomes of it.
    """
    G = products(own.transpose(0, 2, 1), residuals)
    if not several:
        there = np.square(G).sum(axis=2) > 0
        return np.where(there, abs(alpha[0, 0]), 1.0), G, float(abs(alpha[0, 0]) * there.any())
    lengths = np.sqrt(np.square(residuals).sum(axis=1, keepdims=True))
    safe = np.where(lengths > 0, lengths, 1.0)
    # Columns of length one: the pseudo-inverse then sees directions, not units.
    unit = (G / safe).transpose(0, 2, 1)
    image = products(alpha / safe.transpose(0, 2, 1), G.transpose(0, 2, 1))
    K = products(pseudo_inverse(unit, 1e-12), image)
    outside = np.square(image - products(unit, K)).sum(axis=(1, 2)) > 1e-16 * np.square(image).sum(axis=(1, 2))
    most = singular(K)[1].max(initial=0.0)
    # Columns of the basis beyond the rank are zero: a singular value of 1 asks for no noise there.
    there = np.square(own).sum(axis=1) > 0
    K += np.eye(K.shape[1]) * ~there[:, None, :]
    turned, share, _ = singular(K)
    most = np.inf if outside.any() or not np.isfinite(most) else float(most)
    return share[:, ::-1], products(turned.transpose(0, 2, 1)[:, ::-1], G), most


def _times(stack: Doubles, matrix: Doubles) -> Doubles:
    """Return the products of the matrices of a stack with one matrix."""
    return products(stack.reshape(-1, stack.shape[2]), matrix).reshape(stack.shape)
