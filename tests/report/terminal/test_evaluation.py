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
    one_value = replace(evaluation, measured={"clustering_similarity": MeasuredValue(0.9, sampled=5_000)})
    assert "sampled: clustering_similarity, from 5,000 records" in evaluation_text("masked.csv", one_value)


def test_similar_clusters_are_compared_with_another_start_and_with_chance():
    table = shoal.datasets.expenditure()
    evaluation = shoal.evaluate(table, table, measures=["clustering_similarity"])
    compared = MeasuredValue(0.95, again=0.91234, chance=0.80001)
    text = evaluation_text("masked.csv", replace(evaluation, measured={"clustering_similarity": compared}))
    assert (
        "to compare: clustering_similarity is 0.9123 for the original clustered again from another start, and 0.8 for "
        "clusters assigned to the records at random"
    ) in text
    assert "to compare: clustering_similarity is" in evaluation_text("masked.csv", evaluation)
