"""How well a model can distinguish masked records from original ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import is_constant, standard_scale
from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication

__all__ = ["propensity"]

Doubles = NDArray[np.float64]
Codes = NDArray[np.int64]

_MOST_LEVELS = 50
_MOST_TERMS = 250  # beyond it, products of different variables are left out
_ROWS_AT_ONCE = 1 << 13
_DEPENDENT = 1e-7  # a direction with less than this share of the largest singular value is a linear dependence
_CLOSE_ENOUGH = 1e-10
_MOST_STEPS = 200
_WEAK = 1e4  # a penalty that keeps coefficients finite where a term distinguishes the files without error


@file_measure(
    About(
        name="propensity",
        title="Propensity score mean squared error",
        definition="Mean of (p - c)^2 over the records of both files together, where p is the chance that a record is "
        "a masked one, by logistic regression on all numeric variables, their squares and products (without products "
        f"where there would be more than {_MOST_TERMS} terms) and all categories (the rarest ones of a column pooled "
        f"where there are more than {_MOST_LEVELS}), and c the share of masked records: 0 if the files cannot be "
        "distinguished, c (1 - c) if they can without error. Records without a missing value.",
        reference="Woo, Reiter, Oganian and Karr (2009), Global measures of data utility for microdata masked for "
        "disclosure limitation, Journal of Privacy and Confidentiality 1(1); ratio: Snoke, Raab, Nowok, Dibben and "
        "Slavkovic (2018), General and specific utility measures for synthetic data, JRSS A 181(3)",
        range=(0.0, 0.25),
        better="lower",
        side="utility",
        unit="",
        counts="neither",
        slow=True,
        work=5,
        publication=Publication.AS_MEASURED,
    ),
    by_record=False,
)
def propensity(files: Pair) -> MeasuredValue:
    """Return the mean squared error of the propensity scores.

    `.terms` is the number of terms of the model that do not depend on the others, and `.ratio` the value in units of
    what is expected if the masked records were drawn from the original ones: terms (1 - c)^2 c / N, with N records in
    both files together. It is None if nothing varies.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # deferred: slow to import

    numbers, categories, is_masked = _stacked(files)
    terms = _terms(numbers, categories)
    with threadpool_limits(1):  # the matrices are small: threads would wait for each other
        centre, basis = _uncorrelated(terms)
        error = _fit(terms, centre, basis, is_masked)
    share, rank = float(is_masked.mean()), basis.shape[1]
    expected = rank * (1 - share) ** 2 * share / len(is_masked)
    return MeasuredValue(error, ratio=error / expected if rank else None, terms=rank)


def _stacked(files: Pair) -> tuple[Doubles, Codes, Doubles]:
    """Return numbers and categories of the records without a missing value, original first, and which are masked."""
    complete = [
        ~np.isnan(numbers).any(axis=1) & (categories >= 0).all(axis=1)
        for numbers, categories in zip(files.numbers, files.categories, strict=True)
    ]
    for which, kept in zip(("original", "masked"), complete, strict=True):
        if not kept.any():
            raise NotApplicableError(f"This measure needs a record without a missing value; the {which} file has none.")
    numbers, categories = (
        np.concatenate([file[kept] for file, kept in zip(both, complete, strict=True)])
        for both in (files.numbers, files.categories)
    )
    return numbers, categories, np.repeat([0.0, 1.0], [kept.sum() for kept in complete])


@dataclass(frozen=True)
class _Terms:
    """The terms of the model, computed for some records at a time."""

    numbers: Doubles
    products: tuple[NDArray[np.intp], NDArray[np.intp]]
    categories: Codes
    levels: list[tuple[int, int]]

    def __len__(self) -> int:
        return int(self.numbers.shape[1]) + len(self.products[0]) + len(self.levels)

    def blocks(self) -> Iterator[Doubles]:
        """Yield the terms of one part of the records after the other."""
        for start in range(0, len(self.numbers), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            numbers, categories = self.numbers[rows], self.categories[rows]
            first, second = self.products
            indicators = [categories[:, column, None] == level for column, level in self.levels]
            yield np.hstack([numbers, numbers[:, first] * numbers[:, second], *indicators])


def _terms(numbers: Doubles, categories: Codes) -> _Terms:
    varying = [column for column in numbers.T if not is_constant(column)]
    scaled = np.empty((len(numbers), len(varying)))
    for j, column in enumerate(varying):
        scaled[:, j] = standard_scale(column).apply(column)
    pooled, levels = _levels(categories)
    products = np.triu_indices(len(varying))
    if len(varying) + len(products[0]) + len(levels) > _MOST_TERMS:
        products = np.arange(len(varying)), np.arange(len(varying))
    return _Terms(scaled, products, pooled, levels)


def _levels(categories: Codes) -> tuple[Codes, list[tuple[int, int]]]:
    """Return the categories with the rarest of each column pooled, and all pairs of a column and a level."""
    counts = [np.unique(column, return_counts=True) for column in categories.T]
    sizes = np.sort(np.concatenate([size for _, size in counts] or [np.zeros(0, dtype=np.int64)]))[::-1]
    # Equally rare categories are all kept or all pooled: their order must not matter.
    least = sizes[_MOST_LEVELS] + 1 if len(sizes) > _MOST_LEVELS else 0
    pooled = categories.copy()
    for j, (levels, size) in enumerate(counts):
        pooled[np.isin(categories[:, j], levels[size < least]), j] = -1
    return pooled, [(j, int(level)) for j, column in enumerate(pooled.T) for level in np.unique(column)]


def _uncorrelated(terms: _Terms) -> tuple[Doubles, Doubles]:
    """Return the means of the terms, and the matrix that turns them into uncorrelated columns of variance 1.

    Terms that depend on others are removed, as the square of a variable that has only two values.
    """
    n = len(terms.numbers)
    centre = sum((block.sum(axis=0) for block in terms.blocks()), np.zeros(len(terms))) / n
    triangle = np.zeros((0, len(terms)))
    for block in terms.blocks():
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block - centre]), mode="r"))
    sizes = np.sqrt((triangle**2).sum(axis=0) / n)
    kept = sizes > _DEPENDENT * (1 + np.abs(centre))
    _, values, directions = np.linalg.svd(triangle[:, kept] / sizes[kept], full_matrices=False)
    rank = int((values > _DEPENDENT * values.max(initial=0.0)).sum())
    basis = np.zeros((len(terms), rank))
    basis[kept] = directions[:rank].T / values[:rank] * math.sqrt(n) / sizes[kept, None]
    return centre, basis


def _fit(terms: _Terms, centre: Doubles, basis: Doubles, is_masked: Doubles) -> float:
    """Return the mean of (p - c)^2 by the logistic regression."""
    from sklearn.linear_model import LogisticRegression

    X = np.concatenate([(block - centre) @ basis for block in terms.blocks()])
    if not X.shape[1]:
        return 0.0
    # On uncorrelated terms Newton's method converges in a few steps, even with heavy tails.
    model = LogisticRegression(C=_WEAK, solver="newton-cholesky", tol=_CLOSE_ENOUGH, max_iter=_MOST_STEPS)
    chance = model.fit(X, is_masked).predict_proba(X)[:, 1]
    return float(np.square(chance - is_masked.mean()).mean())
