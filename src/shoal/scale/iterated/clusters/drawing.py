"""A centre for every record of the whole file, drawn by membership, and enough records for every centre.

As `replace.soft_groups` does it in memory, with random numbers that follow from the seed of the plan and from the page,
whose rows follow from their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.fuzzy.alternating import MembershipRule, memberships
from shoal.replace.membership_draw import rows_at_once
from shoal.replace.soft_groups import UNCHANGED
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded, saved

__all__ = ["Drawing", "Drawn", "drawn", "labels_of"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_NEARBY = 0.1  # standard deviations, root mean square: what it may cost not to be unchanged
_FIRST, _AGAIN, _LEFT_OUT = range(3)  # what random numbers are for


@dataclass(frozen=True)
class Drawing:
    """What all records are drawn with.

    Attributes
    ----------
    centres
        The centres, c x d.
    rule
        How distances become probabilities.
    unit
        The standard deviation of every variable; None where a record may come out unchanged.
    seed
        What random numbers follow from, with the page.
    """

    centres: Doubles
    rule: MembershipRule
    unit: Doubles | None
    seed: tuple[int, ...]

    def numbers(self, page: Page, purpose: int) -> Doubles:
        """Return a random number from 0 to 1 for every record of a page."""
        rng = np.random.default_rng([*self.seed, purpose, page.number])
        return np.asarray(rng.random(page.records))

    def chances(self, X: Doubles, some: Labels | None = None) -> Doubles:
        """Return the probabilities of some centres, up to a factor for every record."""
        return np.asarray(memberships(X, self.centres if some is None else self.centres[some], self.rule))


@dataclass(frozen=True)
class Drawn:
    """What came of a draw.

    Attributes
    ----------
    counts
        How many records each centre has.
    expected
        How many it was expected to get, before any centre was left out.
    unchanged
        How many records come out as they were.
    moved
        By number of the page, the places of records that drew again because their centre was left out, and the centres
        that they have now.
    """

    counts: Labels
    expected: Doubles
    unchanged: int
    moved: Mapping[int, tuple[Labels, Labels]]


def drawn(pages: Sequence[Page], drawing: Drawing, fewest: int) -> Passes[Drawn]:
    """Draw a centre for every record; each is then some record's `fewest` times or not at all."""
    first = yield Pass(pages, _draw, (drawing,))
    expected = np.asarray(sum(one[0] for one in first))
    met = np.unique(np.concatenate([one[1] for one in first]))
    identifying = np.zeros(len(drawing.centres), dtype=bool)
    if drawing.unit is not None and len(met):
        as_near = np.asarray(sum((yield Pass(pages, _as_near, (drawing, met)))))
        identifying[met[as_near < fewest]] = True
    answers = yield Pass(pages, _redraw, (drawing, identifying))
    counts = np.asarray(sum(one[0] for one in answers))
    unchanged = sum(one[1] for one in answers)
    moved: dict[int, tuple[Labels, Labels]] = {}
    if (counts < fewest).any() and len(counts) > 1:
        few = np.flatnonzero(counts < fewest)
        taken = yield Pass(pages, _records_of, (few,))
        counts, moved = _left_out(pages, taken, counts, drawing, fewest)
    return Drawn(counts, expected, unchanged, moved)


def labels_of(page: Page, moved: Mapping[int, tuple[Labels, Labels]]) -> Labels:
    """Return the centre of every record of a page, after all draws."""
    labels: Labels = loaded(page, "labels")
    places, own = moved.get(page.number, (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)))
    labels[places] = own
    return labels


def _left_out(
    pages: Sequence[Page],
    taken: Sequence[tuple[Labels, Labels, Doubles]],
    counts: Labels,
    drawing: Drawing,
    fewest: int,
) -> tuple[Labels, dict[int, tuple[Labels, Labels]]]:
    """Leave out centres that too few records drew, the one with the fewest first; its records draw again.

    A centre that has enough keeps them, so that nothing but the records of the few centres that do not has to be here.
    """
    of_page = np.repeat(np.arange(len(pages)), [len(one[0]) for one in taken])
    places = np.concatenate([one[0] for one in taken])
    labels = np.concatenate([one[1] for one in taken])
    X = np.concatenate([one[2] for one in taken])
    rng = np.random.default_rng([*drawing.seed, _LEFT_OUT, pages[0].number])
    counts, alive = counts.copy(), np.arange(len(counts))
    while len(alive) > 1 and counts[alive].min() < fewest:
        out = alive[np.argmin(counts[alive])]
        alive = alive[alive != out]
        rows = np.flatnonzero(labels == out)
        if len(rows):
            labels[rows] = alive[_places_drawn(drawing.chances(X[rows], alive), rng.random(len(rows)))]
            counts += np.bincount(labels[rows], minlength=len(counts))
        counts[out] = 0
    moved = {
        page.number: (places[of_page == number], labels[of_page == number])
        for number, page in enumerate(pages)
        if (of_page == number).any()
    }
    return counts, moved


def _places_drawn(chances: Doubles, numbers: Doubles) -> Labels:
    """Return the place of that centre whose part of the interval from 0 to 1 a number falls into, for each row."""
    upto = np.cumsum(chances, axis=1)
    upto[upto[:, -1] == 0] = np.arange(1, upto.shape[1] + 1)  # who belongs to none of them takes any
    places = (upto < numbers[:, None] * upto[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(places, upto.shape[1] - 1), dtype=np.int64)


def _draw(page: Page, drawing: Drawing) -> tuple[Doubles, Labels]:
    """Draw a centre for every record; return how many each was expected to get, and which leave a record unchanged."""
    X, numbers = loaded(page), drawing.numbers(page, _FIRST)
    c = len(drawing.centres)
    labels, expected = np.empty(len(X), dtype=np.int64), np.zeros(c)
    for rows in rows_at_once(len(X), c):
        chances = drawing.chances(X[rows])
        totals = chances.sum(axis=1, keepdims=True)
        none = totals[:, 0] == 0
        expected += (chances[~none] / totals[~none]).sum(axis=0) + none.sum() / c
        labels[rows] = _places_drawn(chances, numbers[rows])
    saved(page.path("drawn"), labels)
    return expected, np.unique(labels[_is_same(X, labels, drawing)])


def _is_same(X: Doubles, labels: Labels, drawing: Drawing) -> NDArray[np.bool_]:
    """Return which records their centre leaves unchanged."""
    unit = np.ones(X.shape[1]) if drawing.unit is None else drawing.unit
    return np.asarray((np.abs(X - drawing.centres[labels]) <= UNCHANGED * unit).all(axis=1))


def _as_near(page: Page, drawing: Drawing, some: Labels) -> Labels:
    """Count the records that each of some centres would leave unchanged."""
    X, unit = loaded(page), drawing.unit
    assert unit is not None
    return np.array([(np.abs(X - drawing.centres[one]) <= UNCHANGED * unit).all(axis=1).sum() for one in some])


def _redraw(page: Page, drawing: Drawing, identifying: NDArray[np.bool_]) -> tuple[Labels, int]:
    """Let records draw again that a centre would release, if there is another nearby; count the records of each."""
    X, labels = loaded(page), loaded(page, "drawn")
    unit = drawing.unit
    if unit is not None and identifying.any():
        numbers = drawing.numbers(page, _AGAIN)
        for row in np.flatnonzero(_is_same(X, labels, drawing) & identifying[labels]):
            apart = np.abs(X[row] - drawing.centres) / unit
            nearby = np.square(apart).mean(axis=1) <= _NEARBY**2
            others = np.flatnonzero((apart > UNCHANGED).any(axis=1) & nearby)
            if len(others):
                place = _places_drawn(drawing.chances(X[[row]], others), numbers[[row]])[0]
                labels[row] = others[place]
    saved(page.path("labels"), labels)
    return np.bincount(labels, minlength=len(drawing.centres)), int(_is_same(X, labels, drawing).sum())


def _records_of(page: Page, few: Labels) -> tuple[Labels, Labels, Doubles]:
    """Return the records of some centres: their places, centres and values."""
    labels = loaded(page, "labels")
    places = np.flatnonzero(np.isin(labels, few))
    return places, labels[places], loaded(page)[places]
