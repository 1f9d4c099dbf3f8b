"""What `shoal measure` prints."""

from __future__ import annotations

from dataclasses import replace

import shoal
from shoal.measure import MeasuredValue
from shoal.report.terminal.evaluation import evaluation_text


def test_an_estimate_from_a_sample_says_how_certain_it_is():
    table = shoal.datasets.expenditure()
    evaluation = shoal.evaluate(table, table, measures=["distance_linkage"])
    assert "sampled" not in evaluation_text("masked.csv", evaluation)
    estimate = MeasuredValue(17.1, sampled=2_000, standard_error=0.8431)
    text = evaluation_text("masked.csv", replace(evaluation, measured={"distance_linkage": estimate}))
    assert "sampled: distance_linkage, from 2,000 records, standard error 0.84 percentage points" in text
