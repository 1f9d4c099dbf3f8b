"""Every measure in the catalogue describes itself completely."""

from __future__ import annotations

import pytest

import shoal
from shoal.measure import MEASURES, Publication


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_says_how_it_may_be_published(name):
    about = MEASURES[name].about
    assert isinstance(about.publication, Publication)
    assert all(other in MEASURES for other in about.not_published_with)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_says_what_it_counts_and_whether_it_is_slow(name):
    about = MEASURES[name].about
    assert about.counts in ("records", "cells", "neither")
    assert about.counts == "neither" or (about.unit == "%" and about.range == (0.0, 100.0))
    assert isinstance(about.slow, bool) and about.work >= 1


def test_what_is_computed_from_published_values_says_how():
    """Given exactly what was measured, the value is the measured one."""
    release = shoal.protect(shoal.datasets.expenditure(), 3)
    measured = release.evaluate().measured
    computed = [name for name in MEASURES if MEASURES[name].about.publication is Publication.FROM_PUBLISHED]
    assert computed
    for name in computed:
        again = MEASURES[name].recomputed(measured[name].parts, lambda _, value: value)
        assert again == pytest.approx(measured[name])


def test_every_measure_is_a_public_name():
    for name, measure in MEASURES.items():
        assert measure.about.name == name
        assert getattr(shoal.measure, name) is measure and name in shoal.measure.__all__
