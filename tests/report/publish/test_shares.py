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


@pytest.mark.parametrize(("audience", "again", "chance"), [("public", 0.912, 0.8), ("internal", 0.91234, 0.80001)])
def test_a_report_says_what_similar_clusters_are_compared_with(audience, again, chance):
    release = shoal.protect(shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]], 5, seed=1)
    evaluation = release.evaluate(measures=["clustering_similarity", "sse"])
    compared = MeasuredValue(0.95, again=0.91234, chance=0.80001)
    evaluation = replace(evaluation, measured={**evaluation.measured, "clustering_similarity": compared})
    summary = summarize(release, audience, evaluation)
    facts = {one.name: (one.again, one.chance) for one in summary.measures}
    assert facts == {"clustering_similarity": (again, chance), "sse": (None, None)}
    assert (
        "To compare: 0.912 for the original clustered again from another start, 0.800 for clusters assigned to the "
        "records at random."
    ) in report_html(summary)
