"""A public report gives nothing of the original away."""

from __future__ import annotations

import csv
import dataclasses
import inspect
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lxml import html

import shoal
from shoal.errors import DisclosureWarning, ParameterError, WriteError
from shoal.measure import MEASURES, Evaluation, MeasuredValue
from shoal.partition import METHODS
from shoal.read import as_table
from shoal.replace import REPLACEMENTS
from shoal.report.facts.collect import summarize, summarize_files
from shoal.report.page.html import report_html
from shoal.report.publish.public_evaluation import has_few_values


def parsed(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def cells_of(file: Path) -> set[str]:
    with file.open(encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines)
    return {cell for row in rows for cell in row}


def own_cells(original: Path, masked: Path) -> set[str]:
    """Return the cells that only the original has: numbers with four digits that count, texts of three letters."""
    found = set()
    for cell in cells_of(original) - cells_of(masked):
        if re.fullmatch(r"-?\d+(\.\d+)?", cell):
            if len(re.sub(r"\D", "", cell).strip("0")) >= 4:
                found.add(cell)
        elif len(re.findall(r"[^\W\d]", cell)) >= 3 or len(cell) >= 6:
            found.add(cell)
    return found


def without_fixed_text(page: str) -> str:
    """Take out what every report says whatever the data are: definitions and papers, with their years in them."""
    fixed = [one.about.definition for one in MEASURES.values()] + [one.about.reference for one in MEASURES.values()]
    for kind in (*METHODS.values(), *REPLACEMENTS.values()):
        fixed.append(" ".join((inspect.getdoc(kind) or "").partition("References\n----------\n")[2].split()))
    plain = html.tostring(parsed(page), encoding="unicode")
    for text in sorted(filter(None, fixed), key=len, reverse=True):
        for written in {text, text.replace("`", "")}:
            plain = plain.replace(html.tostring(_text(written), encoding="unicode")[3:-4], "")
    return plain


def _text(text: str) -> html.HtmlElement:
    element = html.Element("p")
    element.text = text
    return element


def leaked(page: str, cells: set[str]) -> set[str]:
    """Return the cells that are anywhere in the file, as they are or with thousands set apart."""
    plain = without_fixed_text(page)
    together = re.sub(r"(?<=\d),(?=\d{3})", "", plain).replace("\N{MINUS SIGN}", "-")
    return {cell for cell in cells if cell in plain or cell in together}


@pytest.mark.parametrize("which", ["census", "survey"])
def test_no_value_that_only_the_original_has_is_in_the_public_page(which, request, tmp_path):
    measured = request.getfixturevalue(which)
    measured.release.write(tmp_path / "masked.csv")
    cells = own_cells(measured.file, tmp_path / "masked.csv")
    assert len(cells) > 1000
    page = report_html(measured.summary("public"))
    assert leaked(page, cells) == set()
    tables = (shoal.read.as_table(measured.file), shoal.read.as_table(tmp_path / "masked.csv"))
    page = report_html(summarize_files(*tables, measured.evaluation, measured.release.plan, "public"))
    assert leaked(page, cells) == set()


def test_nothing_is_published_without_a_plan(census):
    with pytest.raises(ParameterError, match="name the plan"):
        summarize_files(census.release.original, census.release.masked, census.evaluation, None, "public")


def test_no_share_of_fewer_than_k_records_is_published():
    frame = shoal.datasets.households(400, seed=1)[["age", "wage_income", "transfers", "tax"]]
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .2.: age, tax"):
        release = shoal.protect(frame, 5, replace="ipso", confidential=["wage_income", "transfers"], seed=1)
    facts = summarize(release, "public", release.evaluate(quick=True))
    shares = [share for one in facts.variables if one.shape for share in one.shape.masked if share]
    assert shares
    assert min(shares) * 400 >= 5 - 1e-9
    assert sum(facts.variables[1].shape.masked) == pytest.approx(1)


def test_k_is_promised_only_where_the_file_shows_it(census):
    original = census.release.original
    same = shoal.evaluate(original, original, **census.release.plan.facts, quick=True)
    assert "stands for" not in summarize_files(original, original, same, census.release.plan).verdict


def test_a_report_does_not_go_over_the_release_or_its_plan(census, tmp_path):
    census.release.write(tmp_path / "x.csv", plan=tmp_path / "x.toml")
    for name in ("x.csv", "x.toml"):
        with pytest.raises(WriteError, match="the release or its plan"):
            census.release.report(tmp_path / name, evaluation=census.evaluation)


@pytest.mark.parametrize("which", ["census", "survey"])
def test_a_value_of_the_original_would_be_found(which, request, tmp_path):
    """The test above can fail: a cell put into any place of the page is seen."""
    measured = request.getfixturevalue(which)
    measured.release.write(tmp_path / "masked.csv")
    cells = own_cells(measured.file, tmp_path / "masked.csv")
    number = max(cell for cell in cells if cell.isdigit() and len(cell) == 5)
    summary = measured.summary("public")
    variable = summary.variables[0].model_copy(update={"label": number})
    for update in ({"verdict": f"about {int(number):,}."}, {"title": number}, {"variables": [variable]}):
        assert leaked(report_html(summary.model_copy(update=update)), cells) == {number}


def test_rare_categories_and_identifiers_are_not_in_the_public_page(survey, tmp_path):
    survey.release.write(tmp_path / "masked.csv")
    cells = own_cells(survey.file, tmp_path / "masked.csv")
    villages = {cell for cell in cells if cell.isalpha()}
    identifiers = {cell for cell in cells if re.fullmatch(r"H\d{6}", cell)}
    assert len(villages) >= 4
    assert len(identifiers) == 900
    internal, public = (report_html(survey.summary(audience)) for audience in ("internal", "public"))
    assert leaked(internal, villages)  # where they belong
    assert not leaked(public, villages | identifiers)
    assert "household_id" not in public


def test_no_seed_no_place_and_no_fingerprint_in_the_public_page(survey):
    internal, public = (report_html(survey.summary(audience)) for audience in ("internal", "public"))
    for secret in ("987654321", "a secret folder", survey.file.name, survey.release.plan.input.sha256):
        assert secret in internal
        assert secret not in public
    assert "numpy" not in public


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_how_far_values_were_swapped_is_not_in_public_facts_or_page():
    """Who knows p of rank swapping looks only at records within p % of the ranks."""
    frame = shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]]
    swapped = shoal.protect(frame, 5, replace="rank-swap:p=13", seed=1)
    for release in (swapped, swapped.then(k=5, columns=["age"], seed=2)):
        evaluation = release.evaluate(quick=True)
        internal, public = (summarize(release, audience, evaluation) for audience in ("internal", "public"))
        for shown in (report_html(internal), json.dumps(internal.to_dict())):
            assert "rank-swap:p=13" in shown
        for shown in (report_html(public), json.dumps(public.to_dict())):
            assert "rank-swap" in shown and "p=13" not in shown and '"p": 13' not in shown


def test_no_count_below_k_in_the_public_page(survey, synthetic):
    for measured in (survey, synthetic):
        summary = measured.summary("public")
        page = parsed(report_html(summary))
        assert (
            "Smallest number of records alike" not in page.text_content() or summary.value("k_anonymity") >= summary.k
        )
        for cell in page.xpath("//section[@id='groups']//tbody/tr/td[position() > 1]"):
            assert int(cell.text) >= summary.k
        shares = page.xpath("//section[@id='distributions']//tbody/tr/td[last()]/text()")
        assert len(shares) > 40
        for share in shares:
            number = float(share.removesuffix(" %")) / 100 * summary.records
            assert number == 0 or number >= summary.k - 0.05 * summary.records / 100


def test_how_many_candidates_are_left_is_not_published_if_they_are_few(survey):
    found = survey.evaluation.transparency_attack
    for candidates, shown in ((2.5, False), (7.0, True)):
        parts = {**found.parts, "candidates": candidates}
        measured = {**survey.evaluation.measured, "transparency_attack": MeasuredValue(found.value, **parts)}
        summary = summarize(survey.release, "public", dataclasses.replace(survey.evaluation, measured=measured))
        assert (summary.attack.candidates is not None) == shown
        assert ("records that are left, on average" in report_html(summary)) == shown


@pytest.fixture(scope="module")
def few() -> tuple[shoal.Release, Evaluation]:
    table = shoal.datasets.households(400, seed=6)[["age", "wage_income", "tax", "housing_cost", "savings"]]
    release = shoal.protect(table, 40, seed=1)
    return release, release.evaluate()


def test_a_share_of_fewer_than_k_records_is_given_as_a_bound(few):
    release, evaluation = few
    assert 0 < evaluation.distance_linkage < 10  # fewer than 40 of 400 records
    public, internal = (summarize(release, audience, evaluation) for audience in ("public", "internal"))
    assert internal.least_share is None and internal.value("distance_linkage") == evaluation.distance_linkage
    assert public.least_share == 10 == public.value("distance_linkage")
    assert min(share for _, share in public.linkage_by_known) == 10
    assert min(public.attack.expected, public.attack.certain, public.attack.linkage) == 10
    assert public.attack.coverage <= 90
    assert "at most 40 records can be traced (10.0 % by an intruder who knows the method)" in public.verdict
    page = report_html(public)
    assert "A share of fewer than 40 records, or of all but fewer, is given as a bound" in page
    assert "≤ 10.0 %" in page and "≤" not in report_html(internal)


def test_what_is_given_does_not_tell_what_is_not(few):
    """The score and the mean over subsets are computed from shares: here from those that are given."""
    release, evaluation = few
    public = summarize(release, "public", evaluation)
    parts = {name: public.value(name) for name in ("distance_linkage", "interval_disclosure")}
    loss = evaluation.probabilistic_information_loss
    assert public.value("score") == pytest.approx((loss + sum(parts.values()) / 2) / 2, rel=5e-3)
    assert public.value("score") != evaluation.score
    points = dict(public.linkage_by_known)
    weights = {number: math.comb(len(points), number) for number in points}
    mean = sum(weights[number] * points[number] for number in points) / sum(weights.values())
    assert public.value("linkage_over_subsets") == pytest.approx(mean, rel=5e-3)
    every = evaluation.linkage_over_subsets.by_number
    exact = sum(weights[int(number)] * share for number, share in every.items()) / sum(weights.values())
    assert exact == pytest.approx(evaluation.linkage_over_subsets)


def test_with_k_above_half_of_the_records_nothing_is_said_of_shares(few):
    release, evaluation = few
    plan = release.plan.model_copy(update={"k": 250})
    public = summarize_files(release.original, release.masked, evaluation, plan, "public")
    assert {one.name for one in public.measures}.isdisjoint({"distance_linkage", "interval_disclosure", "score"})
    assert public.attack is None and public.linkage_by_known == [] and "traced" not in public.verdict
    assert "fewer than k records" in public.left_out["distance_linkage"]
    report_html(public)


def test_the_card_promises_k_only_where_the_file_shows_it(few, synthetic):
    release, evaluation = few
    said = "records, at least, behind every protected value"
    assert said in report_html(summarize(release, "public", evaluation))
    same = shoal.evaluate(release.original, release.original)
    for audience in ("internal", "public"):
        facts = summarize_files(release.original, release.original, same, release.plan, audience)
        assert not facts.k_holds and said not in report_html(facts)
    assert said not in report_html(synthetic.summary("public"))
    files = summarize_files(synthetic.release.original, synthetic.release.masked, synthetic.evaluation)
    assert not files.k_holds
    plan = synthetic.release.plan
    both = summarize_files(synthetic.release.original, synthetic.release.masked, synthetic.evaluation, plan)
    assert both.verdict.startswith("The confidential values are synthetic")


def test_strata_and_weights_are_published_and_identifiers_are_not(survey):
    roles = survey.summary("public").plan["roles"]
    assert roles["area"] == "stratum" and roles["survey_weight"] == "weight"
    assert "identifier" not in roles.values()
    assert "role stratum" in report_html(survey.summary("public"))


def test_k_is_not_promised_and_no_group_is_counted_where_a_group_is_smaller(census):
    with pytest.warns(DisclosureWarning):
        release = shoal.protect(census.file, 5, method="fuzzy", replace="membership-draw:at_least=None", seed=1)
    assert min(release.partitions[0].sizes) < 5
    public = summarize(release, "public", release.evaluate(quick=True))
    assert not public.k_holds and public.groups == [] and "at least 5 records" not in public.verdict


def test_with_missing_values_shares_are_of_the_complete_records():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    for name in table:
        table.loc[rng.choice(400, 150, replace=False), name] = np.nan
    release = shoal.protect(table, 30, missing="keep", seed=1)
    evaluation = release.evaluate()
    assert 60 < evaluation.complete_records < 140
    public = summarize(release, "public", evaluation)
    assert public.least_share == 100 * 30 / evaluation.complete_records
    assert all(public.least_share <= share <= 100 - public.least_share for _, share in public.linkage_by_known)
    few = summarize(release, "public", dataclasses.replace(evaluation, complete_records=5))
    assert few.attack is None and few.value("distance_linkage") is None


def test_values_that_would_reveal_few_records_are_not_published():
    """Found by others: what these values revealed together."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400), "y": [1, 1, 1] + [0] * 397})
    table["c"] = rng.choice(["p", "q"], size=400)
    release = shoal.protect(table, 40, kinds={"y": "continuous"}, replace={"y": "median"}, seed=1)
    evaluation = release.evaluate()
    public = summarize(release, "public", evaluation)
    given = {one.name: one.value for one in public.measures}
    assert {"third_moments", "fourth_moments", "unchanged"}.isdisjoint(given)
    assert {"third_moments", "unchanged"} <= set(evaluation.measured) & set(public.left_out)
    losses = {one.name: one.loss for one in public.variables}
    assert losses["y"] is None and losses["x"] > 0  # of y it would tell that three have it
    assert public.correlations.columns == ["x", "z"]
    for value in [*given.values(), *filter(None, losses.values())]:
        assert value == float(f"{value:.3g}") or value in (public.least_share, 100 - public.least_share)
    internal = summarize(release, "internal", evaluation)
    assert internal.value("third_moments") == evaluation.third_moments
    assert [one.loss is not None for one in internal.variables] == [True, True, True, False]


MEANS = ["sse", "information_loss", "il1s", "probabilistic_information_loss", "mean_difference", "variance_difference"]


def test_means_over_variables_are_without_those_with_few_values():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400), "y": [1, 1, 1] + [0] * 397})
    release = shoal.protect(table, 40, kinds={"y": "continuous"}, replace={"y": "median"}, seed=1)
    evaluation = release.evaluate()
    public = summarize(release, "public", evaluation)
    rest = shoal.evaluate(table, release.data, columns=["x", "z"])
    for name in MEANS:
        assert public.value(name) == pytest.approx(float(f"{rest.measured[name]:.3g}"))
        assert public.value(name) != pytest.approx(float(evaluation.measured[name]), rel=1e-3) or name == "sse"
    shares = (public.value("distance_linkage"), public.value("interval_disclosure"))
    expected = (float(rest.probabilistic_information_loss) + sum(shares) / 2) / 2
    assert public.value("score") == pytest.approx(expected, rel=5e-3)
    said = "Numeric variables with few values have no part in means over variables."
    assert said in report_html(public) and said not in report_html(summarize(release, "internal", evaluation))


def test_of_a_file_with_few_values_no_mean_is_published():
    table = pd.DataFrame({"children": [0] * 395 + [1, 1, 2, 3, 13]})
    release = shoal.protect(table, 5, kinds={"children": "continuous"}, seed=1)
    public = summarize(release, "public", release.evaluate())
    assert {one.name for one in public.measures}.isdisjoint({*MEANS, "score", "third_moments"})
    assert set(MEANS) <= set(public.left_out)
    assert "lost" not in public.verdict
    assert "13" not in re.findall(r"\d+", re.sub(r"<style>.*?</style>", "", report_html(public), flags=re.S))


def test_nine_values_and_missing_ones_are_few(few):
    table = pd.DataFrame({"a": [*range(9), np.nan] * 10, "b": range(100)})
    read = as_table(table)
    assert has_few_values(read, "a") and not has_few_values(read, "b")


def test_edges_of_public_bins_are_round(few):
    release, evaluation = few
    for variable in summarize(release, "public", evaluation).variables:
        for edge in variable.shape.edges:
            assert len(re.sub(r"\D", "", f"{edge:.12g}").strip("0")) <= 4
