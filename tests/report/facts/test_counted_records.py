"""What k counts, in both reports and in the terminal: filled values, single values and shares of sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.report.facts.collect import summarize
from shoal.report.page.html import report_html
from shoal.report.terminal.release import release_text

COLUMNS = ["exports", "sales", "branch"]


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "exports": np.where(rng.random(120) < 0.8, 0.0, rng.lognormal(3, 1, 120)),
            "sales": rng.lognormal(3, 1, 120),
            "branch": rng.choice(list("abcdef"), 120),
            "w": rng.lognormal(0, 0.5, 120),
        }
    )
    frame.loc[:30, "sales"] = None
    frame.loc[50:51, "branch"] = None  # fewer than k
    kinds = {"exports": "continuous", "sales": "continuous", "branch": "nominal"}
    return shoal.protect(frame, 3, columns=COLUMNS, kinds=kinds, weights="w", missing="fill", seed=1)


def summary_of(release, audience):
    evaluation = release.evaluate(measures=["sse", "information_loss"])
    return summarize(release, audience, evaluation, distributions=False)


def test_the_internal_report_has_all_counts_by_column(release):
    summary, outcome = summary_of(release, "internal"), release.plan.outcome
    by_name = {one.name: one for one in summary.counts}
    assert (by_name["sales"].filled, by_name["branch"].filled, by_name["exports"].filled) == (31, 2, None)
    assert by_name["exports"].lone == outcome.lone["exports"] > 0
    assert by_name["exports"].dominated == outcome.dominated["exports"] >= outcome.lone["exports"]
    assert (summary.counted_from, summary.effective_number) == (80, outcome.effective_number)
    page = report_html(summary)
    assert "What is behind released values" in page and "one record is more than 80 % of the sum" in page
    assert f"is {outcome.effective_number:.1f}" in page


def test_the_public_report_has_filled_values_only_and_none_below_k(release):
    summary = summary_of(release, "public")
    assert [(one.name, one.filled, one.lone, one.dominated, one.joined) for one in summary.counts] == [
        ("sales", 31, None, None, None)
    ]
    assert summary.effective_number is None
    page = report_html(summary)
    assert "get the value of their group" in page
    assert "whole sum" not in page and "one record" not in page


def test_the_terminal_says_it(release):
    text = release_text(summary_of(release, "internal"), Path("masked.csv"), None, False)
    assert 'got the value of their group: 33, in "sales" (31), "branch" (2).' in text
    assert "one record makes up the whole sum" in text and "effective number" in text


def test_dominance_is_a_parameter_of_the_report():
    frame = pd.DataFrame(np.random.default_rng(1).lognormal(0, 1, (60, 2)), columns=["x", "y"])
    release = shoal.protect(frame, 3, columns=["x", "y"], dominance=60, seed=1)
    for audience in ("internal", "public"):
        assert "no record is more than 60 % of a sum" in report_html(summary_of(release, audience))
