"""Fuzzy c-regression of a whole file: weighted least squares from the triangles of its pages, memberships page by page.

As `partition.fuzzy.FuzzyCRegression` does it in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import exp, log, products
from shoal.errors import DataError, TooFewRecordsError
from shoal.partition.fuzzy.alternating import c_means_rule, memberships
from shoal.partition.fuzzy.cmeans import FuzzyCMeans
from shoal.replace import FuzzyRegression
from shoal.replace.synthetic.synthetic import refuse_unchanged
from shoal.scale.iterated.clusters.clustering import clustered
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded, saved
from shoal.scale.iterated.rewritten.alone import alone_among, farthest, refuse_alone
from shoal.scale.iterated.rewritten.triangles import coefficients, coordinates, joined, triangle
from shoal.scale.iterated.rewritten.variables import Kept, Layout, StratumFacts, facts_of, kept_in

__all__ = ["Models", "fitted_models", "rewritten_by_models"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_NOTHING = 1e-26  # squared errors in standard deviations below this are rounding: the model fits
_STANDARD = "standard"
_EMPTY = 1e-10  # a model whose memberships sum to less than this has no records
_BY_CHANCE = 0.01  # of the records may round to what they were; where more do, models fit too well


@dataclass(frozen=True)
class _Memberships:
    """What memberships follow from: centres of fuzzy c-means at the start, models after that.

    Attributes
    ----------
    m
        How fuzzy.
    intercept
        Whether models have a constant.
    models
        c x q x t; None at the start.
    centres
        Those of the start.
    """

    m: float
    intercept: bool
    models: Doubles | None = None
    centres: Doubles | None = None

    def logarithms(self, standard: Doubles, others: int) -> Doubles:
        """Return the logarithms of the memberships of some records."""
        if self.models is None:
            return log(memberships(standard, self.centres, c_means_rule(self.m)))
        errors = self.errors(standard, others)
        fits = errors <= _NOTHING
        logarithms = log(errors) / (1 - self.m)
        logarithms[fits.any(axis=1)] = -np.inf
        logarithms[fits] = 0.0
        logarithms -= logarithms.max(axis=1, keepdims=True)
        logarithms -= log(exp(logarithms).sum(axis=1, keepdims=True))
        return logarithms

    def errors(self, standard: Doubles, others: int) -> Doubles:
        """Return the squared error of every record in each model."""
        assert self.models is not None
        A, targets = self.design(standard, others), standard[:, others:]
        return np.column_stack([np.square(targets - products(A, one)).sum(axis=1) for one in self.models])

    def design(self, standard: Doubles, others: int) -> Doubles:
        """Return what is predicted from."""
        Y = standard[:, :others]
        return np.column_stack([np.ones(len(Y)), Y]) if self.intercept else Y


@dataclass(frozen=True)
class _Weighing:
    """How the records counted in the least squares of every model.

    Attributes
    ----------
    found
        What memberships, and with them weights, followed from.
    tops
        The logarithms of the largest weights.
    turns
        What turns weighted rows into coordinates in an orthonormal basis.
    """

    found: _Memberships
    tops: Doubles
    turns: Sequence[Doubles]


@dataclass(frozen=True)
class Models:
    """Models of one stratum.

    Attributes
    ----------
    places, spreads
        The means and standard deviations that the columns of pages are taken in; 1 for a constant.
    found
        What memberships and values follow from.
    weighing
        How the records counted in the models.
    n_iter, converged
        The number of iterations, and whether the memberships came to rest.
    """

    places: Doubles
    spreads: Doubles
    found: _Memberships
    weighing: _Weighing
    n_iter: int
    converged: bool


def fitted_models(
    pages: Sequence[Page], layout: Layout, facts: StratumFacts, how: FuzzyRegression, seed: int
) -> Passes[Models]:
    """Find the models of one stratum.

    Parameters
    ----------
    pages, layout, facts
        The pages, what their numbers are, and what is known of them.
    how
        How many models, how fuzzy, and when to stop.
    seed
        The seed of fuzzy c-means, which memberships start with.
    """
    places = facts.whole[0, 1:] / facts.whole[0, 0]
    spreads = np.sqrt(np.square(facts.whole[1:, 1:]).sum(axis=0) / (facts.records - 1))
    spreads = np.where(spreads > 1e-12, spreads, 1.0)
    yield Pass(pages, _standardise, (layout, places, spreads))
    standard = [replace(page, numbers=_STANDARD) for page in pages]
    start = FuzzyCMeans(how.n_clusters, m=how.m, random_state=seed)
    clusters = yield from clustered(standard, how.n_clusters, c_means_rule(how.m), start)
    own = _Memberships(how.m, how.intercept, centres=clusters.centres)
    before: _Memberships | None = None
    weighing = _Weighing(own, np.zeros(how.n_clusters), [])
    n_iter = 0
    while True:
        answers = yield Pass(standard, _weighted, (layout.others, own, before))
        converged = before is not None and max(one[3] for one in answers) <= how.tol
        if converged or n_iter == how.max_iter:
            return Models(places, spreads, own, weighing, n_iter, converged)
        width = layout.others + int(how.intercept)
        tops, wholes = _taken_together(answers)
        models = np.array([coefficients(whole, width)[0] for whole in wholes])
        weighing = _Weighing(own, tops, [coordinates(whole, width) for whole in wholes])
        own, before = _Memberships(how.m, how.intercept, models=models), own
        n_iter += 1


def rewritten_by_models(
    pages: Sequence[Page], layout: Layout, how: FuzzyRegression, seed: int
) -> Passes[tuple[Kept, bool]]:
    """Give every record of a stratum the values of the model that fits it best; say whether memberships converged."""
    facts = yield from facts_of(pages, layout)
    if layout.others == 0:
        raise DataError("Fuzzy regression needs other variables to predict the confidential ones from. Keep some.")
    if facts.records < how.n_clusters:
        raise TooFewRecordsError(
            f"n_clusters={how.n_clusters} needs at least so many records in every group; there are {facts.records}. "
            "Lower n_clusters."
        )
    models = yield from fitted_models(pages, layout, facts, how, seed)
    if not how.accept_unchanged:
        rows = yield Pass(pages, _farthest, (layout.others, models))
        count = sum(
            int(
                (
                    alone_among([one[0] for one in of_model], facts.records) & np.hstack([one[1] for one in of_model])
                ).sum()
            )
            for of_model in zip(*rows, strict=True)
        )
        refuse_alone(count, facts.records, how.name)
    by_chance = sum((yield Pass(pages, _by_chance, (layout, models, facts))))
    moves = by_chance <= _BY_CHANCE * facts.records
    kept = reduce(add, (yield Pass(pages, _rewrite, (layout, models, facts, moves))))
    if not how.accept_unchanged:
        refuse_unchanged(
            "Fuzzy regression",
            kept.unchanged,
            facts.records,
            "A model fits them without error, or nearly. Lower n_clusters, name variables that determine them "
            "confidential too, or accept it (accept_unchanged=True; --replace fuzzy-regression:accept_unchanged=true).",
        )
    return kept, models.converged


def _taken_together(
    answers: Sequence[tuple[list[Doubles], Doubles, Doubles, float]],
) -> tuple[Doubles, list[Doubles]]:
    """Return the logarithms of the largest weights of every model, and the triangles of all pages, weighted by it."""
    totals = np.sum([one[2] for one in answers], axis=0)
    lost = int((totals < _EMPTY).sum())
    if lost:
        raise DataError(
            f"{lost} of the models of fuzzy regression have lost their records. Lower n_clusters, or leave the "
            "engine out."
        )
    tops = np.array([one[1] for one in answers])
    wholes = []
    for number in range(tops.shape[1]):
        factors = exp((tops[:, number] - tops[:, number].max()) / 2)
        wholes.append(joined([factor * one[0][number] for factor, one in zip(factors, answers, strict=True)]))
    return tops.max(axis=0), wholes


def _farthest(page: Page, others: int, models: Models) -> list[tuple[Doubles, NDArray[np.bool_]]]:
    """Return the rows of a page with the most leverage in every model, and whether they belong to it."""
    standard, weighing = loaded(page, _STANDARD), models.weighing
    design = models.found.design(standard, others)
    labels = np.argmax(models.found.logarithms(standard, others), axis=1)
    roots = exp((weighing.found.m * weighing.found.logarithms(standard, others) - weighing.tops) / 2)
    found = []
    for model, turn in enumerate(weighing.turns):
        basis = products(roots[:, [model]] * design, turn)
        rows = farthest(basis)
        found.append((basis[rows], labels[rows] == model))
    return found


def _standardise(page: Page, layout: Layout, places: Doubles, spreads: Doubles) -> None:
    """Write the others and the confidential variables in standard deviations of their stratum."""
    columns = loaded(page)[:, : layout.others + layout.confidential]
    saved(page.path(_STANDARD), (columns - places) / spreads)


def _weighted(
    page: Page, others: int, own: _Memberships, before: _Memberships | None
) -> tuple[list[Doubles], Doubles, Doubles, float]:
    """Return the triangles of the records with the weights of every model, relative to the largest in the page.

    And the logarithms of these, the sums of the memberships, and the largest change of a membership.
    """
    standard = loaded(page)
    logarithms = own.logarithms(standard, others)
    change = 0.0
    if before is not None:
        change = float(np.abs(exp(logarithms) - exp(before.logarithms(standard, others))).max())
    weights = own.m * logarithms
    tops = weights.max(axis=0)
    roots = exp((weights - np.where(np.isneginf(tops), 0.0, tops)) / 2)
    both = np.column_stack([own.design(standard, others), standard[:, others:]])
    found = [triangle(root[:, None] * both) for root in roots.T]
    return found, tops, exp(logarithms).sum(axis=0), change


def _values(page: Page, layout: Layout, models: Models) -> tuple[Doubles, Doubles]:
    """Return the values of the best model and of the next, in the units of the variables."""
    standard = loaded(page, _STANDARD)
    own = models.found
    assert own.models is not None
    fitted = np.stack([products(own.design(standard, layout.others), one) for one in own.models])
    order = np.argsort(-own.logarithms(standard, layout.others), axis=1, kind="stable")
    rows, found = np.arange(len(standard)), []
    for place in (0, min(1, order.shape[1] - 1)):
        scaled = models.places[layout.others :] + fitted[order[:, place], rows] * models.spreads[layout.others :]
        found.append(layout.undone(scaled))
    return found[0], found[1]


def _by_chance(page: Page, layout: Layout, models: Models, facts: StratumFacts) -> int:
    """Count the records that round to what they were, without being fitted exactly."""
    before = layout.as_they_are(loaded(page))
    after, _ = _values(page, layout, models)
    return int((facts.unchanged(before, after) & ~facts.unmoved(before, after).all(axis=1)).sum())


def _rewrite(page: Page, layout: Layout, models: Models, facts: StratumFacts, moves: bool) -> Kept:
    """Write the new values of a page."""
    numbers = loaded(page)
    before = layout.as_they_are(numbers)
    after, second = _values(page, layout, models)
    if moves:
        by_chance = facts.unchanged(before, after) & ~facts.unmoved(before, after).all(axis=1)
        after[by_chance] = second[by_chance]
    saved(page.path("new"), after)
    return kept_in(numbers, after, layout, facts)
