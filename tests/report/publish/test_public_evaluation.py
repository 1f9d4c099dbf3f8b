"""Which measures may be published: those that say how, and nothing else."""

from __future__ import annotations

import json
import math
import pickle

import jsonschema
import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning, ParameterError
from shoal.measure import MEASURES, About, MeasuredValue, Publication, evaluation_schema
from shoal.measure.measure import FileMeasure, file_measure
from shoal.measure.pairs import Pair
from shoal.report.facts.collect import summarize
from shoal.report.page.html import report_html
from shoal.report.publish.public_evaluation import NOT_DECLARED, NOT_PUBLIC
from shoal.report.terminal.evaluation import evaluation_text
from shoal.report.wording import number_text


def new_measure(publication: Publication | None) -> FileMeasure[MeasuredValue]:
    @file_measure(
        About(
            name="largest_change",
            title="Largest change",
            definition="The largest absolute change of a cell.",
            reference="Nobody (2000), A measure for this test",
            range=(0.0, math.inf),
            better="higher",
            side="risk",
            unit="",
            counts="neither",
            slow=False,
            publication=publication,
        )
    )
    def largest_change(files: Pair) -> MeasuredValue:
        original, masked = files.need_numeric()
        return MeasuredValue(float(np.nanmax(np.abs(masked - original))))

    return largest_change


@pytest.fixture
def release() -> shoal.Release:
    return shoal.protect(shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]], 5, seed=1)


def test_a_measure_that_does_not_say_how_is_not_published(release, monkeypatch):
    """It is in the evaluation and in the internal report, and nothing of it is in the public one."""
    monkeypatch.setitem(MEASURES, "largest_change", new_measure(None))
    evaluation = release.evaluate(quick=True)
    assert evaluation.largest_change > 0
    public, internal = (summarize(release, audience, evaluation) for audience in ("public", "internal"))
    assert internal.value("largest_change") == evaluation.largest_change
    assert "Largest change" in report_html(internal)
    assert public.value("largest_change") is None
    assert public.left_out["largest_change"] == NOT_DECLARED
    page = report_html(public)
    assert "The largest absolute change" not in page and number_text(evaluation.largest_change) not in page
    assert number_text(evaluation.largest_change) in report_html(internal)
    assert {one.name for one in public.measures} > {"information_loss", "distance_linkage", "score"}


def test_a_new_measure_that_says_how_is_everywhere(release, monkeypatch):
    """One entry in the catalogue: the evaluation, its JSON and schema, the terminal, both reports."""
    monkeypatch.setitem(MEASURES, "largest_change", new_measure(Publication.AS_MEASURED))
    evaluation = release.evaluate(quick=True)
    document = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
    jsonschema.validate(document, evaluation_schema())
    assert document["risk"]["largest_change"] == evaluation.largest_change
    assert "largest_change" in evaluation_schema()["properties"]["risk"]["properties"]
    assert "Largest change" in evaluation_text("two files", evaluation)
    for audience in ("internal", "public"):
        assert "Largest change" in report_html(summarize(release, audience, evaluation))
    rounded = float(f"{evaluation.largest_change:.3g}")
    assert summarize(release, "public", evaluation).value("largest_change") == rounded


@pytest.fixture
def few() -> shoal.Release:
    """Return a release with a variable that three records of 400 have."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400), "y": [1, 1, 1] + [0] * 397})
    return shoal.protect(table, 40, kinds={"y": "continuous"}, replace={"y": "median"}, seed=1)


def test_a_score_alone_is_without_the_variables_that_have_few_values_too(few):
    alone = summarize(few, "public", few.evaluate(measures=["score"]))
    beside = summarize(few, "public", few.evaluate())
    assert [one.name for one in alone.measures] == ["score"]
    assert alone.value("score") == beside.value("score")


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_report_needs_the_files_that_were_measured(few, audience):
    evaluation = pickle.loads(pickle.dumps(few.evaluate(quick=True)))
    assert evaluation.sse > 0
    with pytest.raises(ParameterError, match="no longer has the files"):
        summarize(few, audience, evaluation)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("distance_linkage", "subsets"),
        ("distance_linkage", ["age"]),
        ("linkage_over_subsets", ["age", "tax"]),
        ("transparency_attack", 1),
    ],
)
def test_values_over_chosen_columns_are_not_published(release, name, known):
    """Beside those over all, they could reveal the share of one column, and with it a count of few records."""
    evaluation = release.evaluate(options={name: {"known": known}})
    assert summarize(release, "internal", evaluation).value(name) == evaluation.measured[name]
    public = summarize(release, "public", evaluation)
    assert public.value(name) is None and public.left_out[name] == NOT_PUBLIC
    assert "Measured with known" not in report_html(public)
    others = {"distance_linkage", "linkage_over_subsets", "transparency_attack"} - {name}
    assert all(public.value(other) is not None for other in others)


@pytest.mark.parametrize("weights", ["equal", "2001"])
def test_a_published_score_is_that_of_published_parts(few, weights):
    """Whatever options the parts have as measures of their own, and without the variable with few values."""
    options = {"score": {"weights": weights}, "distance_linkage": {"ties": "any"}}
    evaluation = few.evaluate(options=options)
    public = summarize(few, "public", evaluation)
    alone = summarize(few, "public", few.evaluate(measures=["score"], options={"score": {"weights": weights}}))
    assert public.value("score") == alone.value("score") != summarize(few, "internal", evaluation).value("score")
    assert public.measure("distance_linkage").value >= 100 * 40 / 400  # no share of fewer than k records


def test_differences_in_subdomains_are_not_published():
    """The whole file less the large subdomains is the small one."""
    survey = shoal.datasets.households(200, seed=3)[["region", "age", "tax"]]
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .1.: region"):
        release = shoal.protect(survey, 5, as_is="region", seed=1)
    evaluation = release.evaluate(options={"subdomain_difference": {"by": "region", "least": 2}})
    assert summarize(release, "internal", evaluation).value("subdomain_difference") > 0
    public = summarize(release, "public", evaluation)
    assert public.value("subdomain_difference") is None
    assert public.left_out["subdomain_difference"] == NOT_PUBLIC
    assert "least = 2" not in report_html(public)
