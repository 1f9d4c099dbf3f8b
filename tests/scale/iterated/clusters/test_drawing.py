"""Centres drawn over pages: by membership, each for enough records, the same for any pages that have the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.partition.fuzzy.alternating import c_means_rule, memberships
from shoal.replace.membership_draw import averages, merged
from shoal.scale.iterated.clusters.averaging import averaged
from shoal.scale.iterated.clusters.drawing import Drawing, drawn, labels_of

CENTRES = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0], [5.0, 5.0]])


def _labels(pages, found):
    return np.concatenate([labels_of(page, found.moved) for page in pages])


def test_averages_are_those_in_memory_before_and_after_centres_are_merged(pages_for, run):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(500, 2)), [[9.0, 9.0]]])
    centres = np.vstack([X[:5], [[9.0, 9.0]]])  # the last averages little more than one record

    def in_memory(fewest):
        return merged(averages(X, lambda some: memberships(some, centres, c_means_rule(1.5)), 1.5), fewest)

    for fewest in (0, 20):
        found = run(averaged(pages_for(X, 80), centres, c_means_rule(1.5), 1.5, fewest))
        assert found.means.shape == in_memory(fewest).means.shape
        assert np.abs(found.means - in_memory(fewest).means).max() < 1e-9
        assert np.abs(found.behind - in_memory(fewest).behind).max() < 1e-9 * 500
    assert len(in_memory(20).means) < len(in_memory(0).means)


def test_centres_that_cannot_average_enough_records_are_refused(pages_for, run):
    X = np.vstack([np.zeros((5, 2)), np.ones((5, 2))])
    with pytest.raises(DataError, match="No centre averages 11 records"):
        run(averaged(pages_for(X, 4), X[[0, 9]], c_means_rule(2.0), 2.0, 11))


def test_draws_follow_the_memberships(pages_for, run):
    record = np.array([[1.1, 0.7]])
    X = np.repeat(record, 20_000, axis=0)
    pages = pages_for(X, 3_000)
    found = run(drawn(pages, Drawing(CENTRES, c_means_rule(2.0), None, (1,)), 0))
    chances = memberships(record, CENTRES, c_means_rule(2.0))[0]
    counts = np.bincount(_labels(pages, found), minlength=4)
    assert np.array_equal(counts, found.counts)
    assert np.abs(found.expected - 20_000 * chances).max() < 1e-6
    assert (np.abs(counts - 20_000 * chances) < 5 * np.sqrt(20_000 * chances * (1 - chances))).all()


def test_the_seed_and_nothing_else_decides(pages_for, run):
    X = np.random.default_rng(3).normal(size=(900, 2))
    pages = [pages_for(X, 200) for _ in range(3)]
    seeds = [(7,), (7,), (8,)]
    one, same, other = (
        _labels(own, run(drawn(own, Drawing(CENTRES, c_means_rule(2.0), np.ones(2), seed), 5)))
        for own, seed in zip(pages, seeds, strict=True)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_centre_has_enough_records_or_none(pages_for, run):
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(size=(300, 2)), rng.normal(size=(4, 2)) + 40])
    centres = np.vstack([CENTRES, [[40.0, 40.0], [41.0, 41.0]]])
    pages = pages_for(X, 50)
    found = run(drawn(pages, Drawing(centres, c_means_rule(1.05), np.ones(2), (3,)), 10))
    counts = np.bincount(_labels(pages, found), minlength=6)
    assert np.array_equal(counts, found.counts)
    assert counts.sum() == 304
    assert ((counts == 0) | (counts >= 10)).all()
    assert (counts == 0).any()


def test_a_record_that_a_centre_would_release_draws_another_nearby(pages_for, run):
    centres = np.array([[0.0, 0.0], [0.05, 0.0], [4.0, 4.0]])
    X = np.vstack([np.full((60, 2), 0.02), np.full((60, 2), 4.01), [[0.0, 0.0]]])
    pages = pages_for(X, 50)
    found = run(drawn(pages, Drawing(centres, c_means_rule(2.0), np.ones(2), (3,)), 5))
    assert _labels(pages, found)[-1] == 1
    assert found.unchanged == 0
    as_published = run(drawn(pages, Drawing(centres, c_means_rule(2.0), None, (3,)), 0))
    assert _labels(pages, as_published)[-1] == 0
    assert as_published.unchanged == 1
