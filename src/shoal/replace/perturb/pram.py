"""PRAM, the post-randomisation method: every category is drawn anew, from its row of a matrix of chances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.arithmetic import products
from shoal.describe import Kind
from shoal.errors import MethodError, ParameterError
from shoal.parameters.limits import Limit, Number, OrNone, TrueOrFalse, check_limits
from shoal.parameters.searched import Searched
from shoal.replace.perturb.base import Part, Perturbation, Perturbed
from shoal.replace.synthetic.synthetic import Tally, as_tuple

__all__ = ["PRAM"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

_MOST_CATEGORIES = 1000  # the matrix has the square of that
_SLACK = 1e-6  # chances typed in with some digits add up to 1 within this


@dataclass(frozen=True)
class _Chances(Limit):
    """A square matrix of chances, whose rows add up to 1."""

    @property
    def wanted(self) -> str:
        return "a square matrix of numbers from 0 to 1, a list of rows that add up to 1 each"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, tuple) or not value:
            return False
        return all(isinstance(row, tuple) and len(row) == len(value) and _adds_up(row) for row in value)

    def bad_values(self) -> list[Any]:
        return [
            0.8,
            "0.8",
            True,
            [],
            [0.5, 0.5],
            [[0.5, 0.5]],
            [[0.5, 0.4], [0.5, 0.5]],
            [[1.5, -0.5], [0.0, 1.0]],
            [[np.nan, 1.0], [0.0, 1.0]],
            [["0", "1"], [0.0, 1.0]],
        ]


def _adds_up(row: tuple[Any, ...]) -> bool:
    return all(Number(0, 1).accepts(one) for one in row) and abs(sum(row) - 1) <= _SLACK


@dataclass(frozen=True)
class _Categories(Limit):
    """Categories, texts or numbers, each once."""

    @property
    def wanted(self) -> str:
        return "a list of categories, each once"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, tuple) or not value or not all(isinstance(one, str | int | float) for one in value):
            return False
        return len({_as_text(one) for one in value}) == len(value)

    def bad_values(self) -> list[Any]:
        return ["a", 1, True, [], ["a", "a"], [1, 1.0], [None], [["a"]]]


@dataclass(frozen=True)
class PRAM(Perturbation):
    """Every category is drawn anew, from its row of a matrix of chances.

    With P the matrix that says how likely a category becomes which, and T the frequencies of the file (sums of sampling
    weights, where there are any), the invariant matrix is R = alpha P Q + (1 - alpha) I, where Q is the chance of the
    way back: Q[k, l] = P[l, k] T[l] / sum over j of P[j, k] T[j]. It keeps the frequencies in expectation: T R = T.

    Parameters
    ----------
    pd
        The diagonal of P: the chance to stay. The other categories share the rest evenly.
    alpha
        How much of P Q is in the invariant matrix; every category then stays with at least the chance 1 - alpha. Not
        used with ``invariant=False``.
    invariant
        Whether the frequencies are kept in expectation. Without, categories are drawn by P itself.
    matrix
        P, if it is to be another one: a list of rows, a row for each category, in the order of the categories
        (sorted, or as an ordered type has them), or in that of `categories`.
    categories
        The categories of the rows and columns of `matrix`.
    neighbours
        Whether ordinal variables move to neighbouring categories only: other chances are added to that of staying.
        Nominal variables have no neighbours, and move as without.

    Notes
    -----
    A category that nobody has cannot come out: what `matrix` has for it is added to the chance of staying. A category
    of fewer than k records is drawn like others, and is still one of few records. Missing values stay missing. Where
    records belong to units and a variable has one value within every unit, it is drawn once for each unit. In strata,
    every stratum has its own frequencies and its own matrix.

    A neighbour is the next category that somebody in the file (the stratum) has. P Q would move two steps; instead,
    chances of P are lowered until as many records (or as much weight) are expected to move from each category to the
    next as back, which keeps the frequencies too. A category then stays with at least the chance 1 - alpha (1 - pd).

    References
    ----------
    J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg and P.-P. de Wolf (1998), Post randomisation for statistical
    disclosure control: theory and implementation, Journal of Official Statistics 14, 463-478. The mixture with alpha is
    that of the R package sdcMicro.
    """

    pd: float = 0.8
    alpha: float = 0.5
    invariant: bool = True
    matrix: Sequence[Sequence[float]] | None = None
    categories: Sequence[str | float] | None = None
    neighbours: bool = False

    name: ClassVar[str] = "pram"
    reference: ClassVar[str] = (
        "J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg and P.-P. de Wolf (1998), Post randomisation for "
        "statistical disclosure control: theory and implementation, Journal of Official Statistics 14, 463-478"
    )
    kinds: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    supports_units: ClassVar[bool] = True
    searched: ClassVar[tuple[Searched, ...]] = (Searched("pd", (0.5, 0.6, 0.7, 0.8, 0.9), 0.8),)
    limits: ClassVar[Mapping[str, Limit]] = {
        "pd": Number(0, 1),
        "alpha": Number(0, 1),
        "invariant": TrueOrFalse(),
        "matrix": OrNone(_Chances()),
        "categories": OrNone(_Categories()),
        "neighbours": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        for field in ("matrix", "categories"):
            object.__setattr__(self, field, as_tuple(getattr(self, field)))
        check_limits(self.limits, vars(self))
        rows = None if self.matrix is None else len(self.matrix)
        if self.categories is not None and len(self.categories) != rows:
            raise ParameterError(
                f"categories must name the rows of matrix, {rows or 0} of them; it names {len(self.categories)}.",
                parameter="categories",
            )

    def for_labels(self, labels: Sequence[Any]) -> PRAM:
        """Return the same with the matrix in the order of a variable's categories.

        Parameters
        ----------
        labels
            The categories of the variable, in the order of their codes.
        """
        if self.matrix is None or self.categories is None:
            return self
        places = {_as_text(one): place for place, one in enumerate(self.categories)}
        texts = [_as_text(one) for one in labels]
        without = sum(text not in places for text in texts)
        if without:
            raise ParameterError(
                f"matrix has no row for {without} of the {len(texts)} categories. Give a row to every category that "
                "the variable has.",
                parameter="categories",
            )
        order = [places[text] for text in texts]
        order += [place for text, place in places.items() if text not in set(texts)]
        return replace(self, matrix=np.array(self.matrix)[np.ix_(order, order)].tolist(), categories=None)

    def transition(self, codes: ArrayLike, weights: ArrayLike | None = None, *, kind: Kind = "ordinal") -> Doubles:
        """Return the matrix that categories are drawn by: in row i, what becomes of category i, and how likely.

        With it, and nothing else, frequencies of the original can be estimated from those of the release. An invariant
        one needs no such correction. It is for those who protect: where it moves little, it shows how little.

        Parameters
        ----------
        codes
            The categories of the records, numbered from 0 in their order; NaN or -1 where a value is missing.
        weights
            The sampling weights, if there are any.
        kind
            The kind of the variable; a nominal one has no neighbours.

        Returns
        -------
        matrix
            m x m, over the m categories that some record has, in their order.
        """
        numbers = np.asarray(codes, dtype=np.float64)
        observed = numbers >= 0
        present, places = np.unique(numbers[observed].astype(np.int64), return_inverse=True)
        if len(present) > _MOST_CATEGORIES:
            raise MethodError(
                f"pram draws from up to {_MOST_CATEGORIES} categories; there are {len(present)}. Merge some, or use "
                '"rank-swap".',
                method=self.name,
            )
        counted = None if weights is None else np.asarray(weights, dtype=np.float64)[observed]
        frequencies = np.bincount(places.reshape(-1), counted, minlength=len(present)).astype(np.float64)
        near = self.neighbours and kind == "ordinal"
        P = self._between(present, near=near)
        if not self.invariant:
            return _completed(P)
        # P Q moves two steps, there and back again; by neighbours it would not move at all for pd = 0.
        return _completed(self.alpha * (_as_much_back if near else _there_and_back)(P, frequencies))

    def perturbed(self, part: Part, rng: np.random.Generator) -> Perturbed:
        """Draw the categories of every column of a part anew.

        Parameters
        ----------
        part
            The codes of the categories, and the sampling weights and units if there are any.
        rng
            The source of the draws: for every column one number for each record, or for each unit where the column has
            one value within every unit.
        """
        taken, tallies = {}, []
        for name, column in part.values.items():
            taken[name] = self._drawn(column, part, part.kinds[name], rng)
            observed = ~np.isnan(column)
            changed = int((column[taken[name]] != column)[observed].sum())
            quoted = name.replace("{", "{{").replace("}", "}}")
            tallies.append(
                Tally(
                    f'PRAM changed {{count:,}} of {{of:,}} values of "{quoted}".',
                    changed,
                    int(observed.sum()),
                    f'PRAM changed no value of "{name}".',
                )
            )
        return Perturbed({}, taken, tuple(tallies))

    def _drawn(self, column: Doubles, part: Part, kind: Kind, rng: np.random.Generator) -> Whole64:
        """Return for every record a row that has the category it gets; its own row if it stays, or has none."""
        rows = np.arange(len(column))
        # A draw for each unit if all its records have the same value, which they then keep having.
        first = rows if part.units is None else _first_rows(part.units)
        if not np.array_equal(column[first], column, equal_nan=True):
            first = rows
        drawing = rows[first == rows]
        chances = np.empty(len(column))
        chances[drawing] = rng.random(len(drawing))
        chances = chances[first]

        observed = np.flatnonzero(~np.isnan(column))
        present, example, places = np.unique(column[observed], return_index=True, return_inverse=True)
        matrix = self.transition(column, part.weights, kind=kind)
        donors = observed[example]
        taken = rows.copy()
        order = np.argsort(places.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(places.reshape(-1), minlength=len(present)))
        for place, some in enumerate(np.split(observed[order], ends[:-1]) if len(present) else ()):
            drawn = np.searchsorted(np.cumsum(matrix[place]), chances[some], side="right")
            moved = (drawn != place) & (drawn < len(present))  # beyond the last: what rounding left of 1
            taken[some[moved]] = donors[drawn[moved]]
        return taken

    def _between(self, present: Whole64, *, near: bool) -> Doubles:
        """Return P for the categories that somebody has; chances of others, or of those not `near`, are left out."""
        m = len(present)
        if self.matrix is None:
            if near and m > 1:
                steps = np.eye(m, k=1) + np.eye(m, k=-1)
                return np.asarray((1 - self.pd) * steps / steps.sum(axis=1, keepdims=True) + self.pd * np.eye(m))
            return np.asarray(np.where(np.eye(m, dtype=bool), self.pd, (1 - self.pd) / max(m - 1, 1)))
        if self.categories is not None:
            raise ParameterError("categories have to be put in the order of the variable first: for_labels(labels).")
        if m and present[-1] >= len(self.matrix):
            raise ParameterError(
                f"matrix has {len(self.matrix)} rows, and the variable has more categories than that. Give a row to "
                "every category.",
                parameter="matrix",
            )
        given = np.array(self.matrix, dtype=np.float64)
        given = (given / given.sum(axis=1, keepdims=True))[np.ix_(present, present)]
        return _completed(np.triu(np.tril(given, 1), -1) if near else given)


def _there_and_back(P: Doubles, frequencies: Doubles) -> Doubles:
    """Return P Q, whose entry [i, l] is T[l] * sum over k of P[i, k] P[l, k] / (T P)[k]; not on the diagonal."""
    T = frequencies / frequencies.max(initial=0.0) if len(frequencies) else frequencies
    reached = (T[:, None] * P).sum(axis=0)
    inverted = np.divide(1.0, reached, out=np.zeros_like(reached), where=reached > 0)
    return products(P * inverted, P.T) * T


def _as_much_back(P: Doubles, frequencies: Doubles) -> Doubles:
    """Return P with chances lowered, none raised, until as much goes from each category to another as back."""
    flows = frequencies[:, None] * P
    return np.asarray(np.minimum(flows, flows.T) / frequencies[:, None])


def _completed(R: Doubles) -> Doubles:
    """Return the matrix with the diagonal that makes every row add up to 1.

    As much goes from i to l as back, T[i] R[i, l] = T[l] R[l, i]: with rows that add up to 1, T R is T.
    """
    off = np.where(np.eye(len(R), dtype=bool), 0.0, R)
    return np.asarray(off + np.diag(np.maximum(1 - off.sum(axis=1), 0.0)))


def _first_rows(units: Whole64) -> Whole64:
    """Return for every record the first row of its unit."""
    _, first, numbered = np.unique(units, return_index=True, return_inverse=True)
    return np.asarray(first[numbered.reshape(-1)], dtype=np.int64)


def _as_text(category: Any) -> str:
    """Return a category as text, whole numbers without a point: 1, 1.0 and "1" are the same."""
    number = isinstance(category, float | np.floating) and float(category).is_integer()
    return str(int(category)) if number else str(category)
