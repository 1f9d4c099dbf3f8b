"""How values may be given: exactly, or in public as bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

import shoal
from shoal.measure import MeasuredValue
from shoal.report.facts.collect import summarize
from shoal.report.page.html import report_html
from shoal.report.publish.shares import Shares


@pytest.mark.parametrize(("given", "error"), [(0.5, None), (0.6, 0.123), (99.4, 0.123), (99.5, None)])
def test_the_error_of_a_share_that_is_only_a_bound_is_not_given(given, error):
    measured = MeasuredValue(0.2, sampled=2_000, standard_error=0.12345)
    assert Shares(0.5).error_of(measured, given) == error
    assert Shares(None).error_of(measured, given) == 0.12345


def test_without_a_sample_there_is_no_error_to_give():
    assert Shares(None).error_of(MeasuredValue(0.2, sampled=None), 0.2) is None


@pytest.mark.parametrize("audience", ["public", "internal"])
def test_a_report_says_how_certain_an_estimate_is(audience):
    release = shoal.protect(shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]], 5, seed=1)
    evaluation = release.evaluate(measures=["distance_linkage"])
    estimate = MeasuredValue(17.1, **{**evaluation.distance_linkage.parts, "sampled": 2_000, "standard_error": 0.8431})
    evaluation = replace(evaluation, measured={"distance_linkage": estimate})
    page = report_html(summarize(release, audience, evaluation))
    assert "Estimated from a sample of 2,000 records; its standard error is 0.84 percentage points." in page
