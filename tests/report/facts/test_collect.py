"""The facts are right, are JSON, and the public ones say nothing of the original."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.measure import MEASURES
from shoal.report.facts.collect import summarize, summarize_files, summary_schema
from shoal.report.page.html import report_html


@pytest.mark.parametrize("audience", ["internal", "public"])
@pytest.mark.parametrize("which", ["census", "survey", "ruled", "synthetic", "keyed"])
def test_the_facts_are_json_as_the_schema_says(which, audience, request):
    facts = request.getfixturevalue(which).summary(audience).to_dict()
    again = json.loads(json.dumps(facts, allow_nan=False))
    assert again == facts
    jsonschema.Draft202012Validator(summary_schema()).validate(facts)


def test_an_audience_that_is_not_there_is_refused(synthetic):
    with pytest.raises(ParameterError, match="audience"):
        summarize(synthetic.release, "press", synthetic.evaluation)


def test_shapes_are_shares_of_the_records(survey):
    for variable in survey.summary("internal").variables:
        if variable.shape is None:
            continue
        for shares, table in (
            (variable.shape.original, survey.release.original),
            (variable.shape.masked, survey.release.masked),
        ):
            assert sum(shares) == pytest.approx(1)
            if variable.kind == "continuous":
                column = table.numbers(variable.name)
                column = column[~np.isnan(column)]
                for low, high, share in list(zip(variable.shape.edges, variable.shape.edges[1:], shares, strict=False))[
                    1:-1
                ]:
                    assert share == pytest.approx(np.mean((column >= low) & (column < high)))


def test_categories_are_counted(survey):
    shape = next(one for one in survey.summary("internal").variables if one.name == "tenure").shape
    cells = survey.release.original.to_native()["tenure"].dropna()
    for category, share in zip(shape.categories, shape.original, strict=True):
        assert share == pytest.approx((cells == category).mean())


def test_group_sizes_count_every_record(survey):
    groups = survey.summary("internal").groups[0]
    sizes = survey.release.partitions[0].sizes
    assert sum(count for _, _, count in groups.sizes) == len(sizes) == groups.groups
    assert (groups.smallest, groups.largest) == (min(sizes), max(sizes))
    for low, high, count in groups.sizes:
        assert count == sum(low <= size <= high for size in sizes)


def test_losses_are_those_of_the_evaluation(census):
    exact = dict(census.evaluation.information_loss.by_column)
    assert {one.name: one.loss for one in census.summary("internal").variables} == exact
    public = {one.name: one.loss for one in census.summary("public").variables}
    assert public == pytest.approx(exact, rel=5e-3) and public != exact


def test_every_measure_is_there_or_it_is_said_why(survey):
    summary = survey.summary("internal")
    assert {one.name for one in summary.measures} | set(summary.left_out) == set(shoal.measure.MEASURES)
    assert summary.value("score") == survey.evaluation.score
    assert summary.value("frequency_difference") is not None


def test_rules_say_whether_they_hold(ruled):
    assert [one.holds for one in ruled.summary("public").rules] == [True, True]
    table = shoal.read.as_table(ruled.release.masked.to_native().assign(tax=1.0))
    broken = summarize_files(ruled.release.original, table, ruled.evaluation, ruled.release.plan)
    assert [one.holds for one in broken.rules] == [True, False]


def test_the_public_facts_have_nothing_of_the_original(survey):
    facts = survey.summary("public")
    assert all(one.shape is None or one.shape.original is None for one in facts.variables)
    assert all(one.missing is None for one in facts.variables)
    assert facts.correlations.original is None
    assert facts.moments == []
    assert all(one.sizes is None for one in facts.groups)
    assert not {"seed", "input", "output", "steps"} & set(facts.plan)
    assert "household_id" not in {one.name for one in facts.variables}
    assert set(facts.versions) == {"shoal"}
    assert "k_anonymity" not in {one.name for one in facts.measures}  # one, because of the missing values
    assert survey.summary("internal").value("k_anonymity") < 5


def test_public_bins_are_found_without_the_original(census):
    """The ends of the bins would give away extremes of the original if it had a say in them."""
    shape = next(one for one in census.summary("public").variables if one.name == "INTVAL").shape
    masked = census.release.masked.numbers("INTVAL")
    width = shape.edges[1] - shape.edges[0]  # edges are round numbers
    assert shape.edges[0] >= masked.min() - width
    assert shape.edges[-1] <= masked.max() + width


def test_what_only_the_run_knows_is_told_inside_and_of_a_release_alone(survey):
    outcome, known = survey.summary("internal").outcome, survey.release.plan.outcome
    assert (outcome.smallest_support, outcome.empty_records) == (known.smallest_support, known.empty_records)
    assert (outcome.became_float, outcome.joined) == (known.became_float, list(known.joined))
    assert survey.summary("public").outcome is None
    files = summarize_files(survey.release.original, survey.release.masked, survey.evaluation, survey.release.plan)
    assert files.outcome is None


def test_columns_by_what_became_of_them(survey, synthetic):
    summary = survey.summary("internal")
    assert summary.protected == survey.release.plan.columns
    assert summary.dropped == ["household_id"] and summary.strata == ["area"]
    everything = [*summary.protected, *summary.dropped, *summary.released_as_is]
    assert sorted(everything) == sorted(one.name for one in summary.variables)
    assert synthetic.summary("public").protected == ["tax", "savings"]


def test_synthetic_data_are_called_so(synthetic, census):
    for audience in ("internal", "public"):
        assert synthetic.summary(audience).is_synthetic and not synthetic.summary(audience).in_groups
        assert census.summary(audience).in_groups and not census.summary(audience).is_synthetic


def test_the_method_and_the_replacements_are_described_and_cited_once(survey):
    summary = survey.summary("public")
    kinds = {"mdav": shoal.partition.MDAV, "mean": shoal.replace.Mean, "mode": shoal.replace.Mode}
    assert summary.descriptions == {name: kind.summary for name, kind in kinds.items()}
    assert summary.references == list(dict.fromkeys(kind.reference for kind in kinds.values() if kind.reference))


def test_two_files_without_a_plan(synthetic):
    facts = summarize_files(synthetic.release.original, synthetic.release.masked, synthetic.evaluation)
    assert (facts.k, facts.method, facts.plan, facts.groups, facts.rules) == (None, None, None, [], [])
    assert {one.treatment for one in facts.variables if one.protected} == {"compared"}


OPTIONS = {
    "distance_linkage": {"direction": "masked-to-original", "ties": "any"},
    "interval_disclosure": {"kind": "sd", "width": 5},
    "transparency_attack": {"known": 3},
    "score": {"weights": "2001"},
}


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_options_of_measures_are_facts_and_those_that_are_not_the_default_are_on_the_page(audience):
    survey = shoal.datasets.households(120, seed=3)
    names = [
        name for name in survey if survey[name].dtype.kind in "if" and name not in ("household_id", "survey_weight")
    ]
    release = shoal.protect(survey[names], 5, seed=1)
    facts = summarize(release, audience, release.evaluate(options=OPTIONS))
    jsonschema.validate(facts.to_dict(), summary_schema())
    texts = {
        "distance_linkage": "direction = masked-to-original, ties = any",
        "interval_disclosure": "kind = sd, width = 5",
        "score": "weights = 2001",
    }
    if audience == "internal":
        texts["transparency_attack"] = "known = 3"
        assert facts.attack.known == 3  # of so many choices of three that they are not listed
    page = report_html(facts)
    for name, text in texts.items():
        one = facts.measure(name)
        assert one.not_default == OPTIONS[name]
        assert one.options == {**MEASURES[name].options, **OPTIONS[name]}
        assert f"Measured with {text}." in page
    assert facts.measure("probabilistic_linkage").not_default == {}
    assert "tolerance = " not in page
