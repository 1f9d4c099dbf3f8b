"""Methods side by side."""

from __future__ import annotations

import dataclasses
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.cli import app as cli
from shoal.errors import DataError, DisclosureWarning, ParameterError, TooFewRecordsError
from shoal.partition import METHODS
from shoal.report.page.comparison import comparison_page
from shoal.report.terminal.comparison import comparison_text
from shoal.report.wording import rounded_up


@pytest.fixture
def frame() -> pd.DataFrame:
    return shoal.datasets.households(120, seed=4)[["age", "wage_income", "tax"]]


def test_every_method_at_every_k_or_the_reason_why_not(frame):
    methods = [name for name in METHODS if name not in ("refine", "optimal-univariate", "one-group")]
    comparison = shoal.compare(frame, [3, 4], [*methods, shoal.partition.Refine(3, seconds=None, steps=64)])
    assert len(comparison.rows) == 2 * (len(methods) + 1)
    for row in comparison.rows:
        assert row.smallest_group >= row.k
        assert 0 < row.information_loss < 100
        assert row.seconds > 0


def test_the_loss_is_that_of_protect(frame):
    (row,) = shoal.compare(frame, 3, "mdav").rows
    assert row.information_loss == shoal.protect(frame, 3).evaluate().information_loss


def test_all_leaves_out_what_cannot_group_the_table_and_says_so(frame, monkeypatch):
    monkeypatch.setattr(shoal.partition.Refine, "most_records", 10)
    monkeypatch.setattr(shoal.partition.MD, "most_records", 100)
    comparison = shoal.compare(frame, 3)
    grouping = set(METHODS) - {"md", "refine", "optimal-univariate", "one-group"}
    without_groups = {"one-group+rank-swap", "one-group+noise", "one-group+shuffle"}
    assert {row.method for row in comparison.rows} == grouping | without_groups
    assert "too long" in comparison.left_out["md"]
    assert "3 columns" in comparison.left_out["optimal-univariate"]


def test_what_is_named_is_run_or_an_error(frame):
    with pytest.raises(DataError, match="columns"):
        shoal.compare(frame, 3, "optimal-univariate")
    assert len(shoal.compare(frame, 3, "optimal-univariate", blocks=1).rows) == 1
    with pytest.raises(ParameterError, match="no method"):
        shoal.compare(frame, 3, "mdva")
    with pytest.raises(TooFewRecordsError):
        shoal.compare(frame, 500, "all")
    with pytest.raises(ParameterError, match="nothing to compare"):
        shoal.compare(frame, [], "mdav")


@pytest.mark.parametrize("methods", ["mdav", "all"])
def test_what_no_method_can_mend_is_said_as_in_protect(frame, methods):
    frame["tax"] = frame["tax"].astype(float)
    frame.loc[3, "tax"] = float("inf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError) as of_protect:
            shoal.protect(frame, 3)
        with pytest.raises(DataError) as of_compare:
            shoal.compare(frame, 3, methods)
    assert str(of_compare.value) == str(of_protect.value)


def test_what_is_named_twice_is_tried_once(frame):
    methods = ["mdav", "vmdav:gamma=0.5", "mdav", shoal.partition.MST(3), shoal.partition.MST(5), "vmdav:gamma=0.5"]
    rows = shoal.compare(frame, [4, 3, 4], methods).rows
    (mst,) = {row.method for row in rows} - {"mdav", "vmdav:gamma=0.5"}
    expected = [(name, k) for name in ("mdav", "vmdav:gamma=0.5", mst) for k in (3, 4)]
    assert sorted((row.method, row.k) for row in rows) == sorted(expected)
    assert mst.startswith("mst")


def test_a_wrong_parameter_is_found_before_the_first_method_runs(frame, monkeypatch):
    monkeypatch.setattr(shoal.partition.MDAV, "fit", None)
    with pytest.raises(ParameterError, match='start "mdav" has no parameter "foo"'):
        shoal.compare(frame, 3, ["mdav", "refine:start=mdav:foo=1"])


def test_the_seed_reaches_the_methods(frame):
    losses = [shoal.compare(frame, 3, "k-means", seed=seed).rows[0].information_loss for seed in (0, 0, 1)]
    assert losses[0] == losses[1] != losses[2]


def test_compare_has_every_option_of_protect_that_decides_a_result():
    of_protect, of_compare = (set(inspect.signature(command).parameters) for command in (cli.protect, cli.compare))
    assert of_protect - of_compare == {
        "method",
        "overwrite",
        "shuffle",
        "keep_order",
        "plan",
        "save_plan",
        "explain",
        "dry_run",
        "job",
        # A comparison is made on one machine.
        "engine",
        "scheduler",
        "workers",
        "worker_memory",
        "block_records",
        "refine_borders",
    }


def test_options_of_the_command_reach_the_methods(tmp_path):
    survey = shoal.datasets.households(120, seed=4, missing=0.05)
    shoal.write_table(survey, tmp_path / "data.csv")
    command = (
        "compare data.csv -k 3 --methods mdav --columns tax,age,tenure --missing keep --kind age=nominal "
        "--weights survey_weight --replace tax=median --role household_id=identifier --strata area --no-standardize"
    )
    ran = run_shoal(*command.split(), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    options = {
        "columns": ["tax", "age", "tenure"],
        "missing": "keep",
        "kinds": {"age": "nominal"},
        "weights": "survey_weight",
        "replace": {"tax": "median"},
        "roles": {"household_id": "identifier"},
        "strata": "area",
        "standardize": False,
    }
    (row,) = shoal.compare(tmp_path / "data.csv", 3, "mdav", **options).rows
    assert pd.read_csv(tmp_path / "data-compared.csv")["information_loss"].tolist() == [row.information_loss]
    del options["kinds"], options["replace"]
    assert shoal.compare(tmp_path / "data.csv", 3, "mdav", **options).rows[0].information_loss != row.information_loss


def test_the_command_prints_and_saves_a_table(frame, tmp_path):
    shoal.write_table(frame, tmp_path / "data.csv")
    command = "compare data.csv -k 3,5 --methods mdav,hac:linkage=single,priority=1.0,vmdav:gamma=0.5"
    ran = run_shoal(*command.split(), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    saved = pd.read_csv(tmp_path / "data-compared.csv")
    assert set(saved["method"]) == {"mdav", "hac:linkage=single,priority=1.0", "vmdav:gamma=0.5"}
    assert saved["k"].tolist().count(3) == 3
    assert "hac:linkage=single,priority=1.0" in ran.stdout


@pytest.mark.parametrize("given", [{"k": "COLUMN"}, {"k": 3, "methods": "COLUMN"}, {"k": 3, "standardize": "COLUMN"}])
def test_a_column_in_place_of_a_choice_is_refused_without_its_values(frame, given):
    secret = pd.Series(["secret 1", "secret 2"])
    filled = {key: secret if isinstance(value, str) else value for key, value in given.items()}
    with pytest.raises(ParameterError) as caught:
        shoal.compare(frame, **filled)
    assert "secret" not in str(caught.value)


def test_what_cannot_be_done_at_one_k_is_left_out_there(frame):
    options = {"replace": "hybrid", "confidential": ["tax"], "seed": 1}
    comparison = shoal.compare(frame, [3, 12], ["mdav", "vmdav:gamma=0.5", "fuzzy"], **options)
    assert {(row.method, row.k) for row in comparison.rows} == {("mdav", 12), ("vmdav:gamma=0.5", 12)}
    assert comparison.left_out["mdav"].startswith("at k=3: Hybrid data needs at least k=5")
    assert comparison.left_out["vmdav:gamma=0.5"].startswith("at k=3: ")
    assert comparison.left_out["fuzzy"].startswith('replace "hybrid" needs groups')
    with pytest.raises(TooFewRecordsError, match="Hybrid data needs at least k=5"):
        shoal.compare(frame, 3, ["mdav", "fuzzy"], **options)


def test_a_k_above_the_number_of_records_leaves_the_others(frame):
    comparison = shoal.compare(frame, [3, 500], "mdav")
    assert [row.k for row in comparison.rows] == [3]
    assert comparison.left_out == {"mdav": "at k=500: k=500 needs at least 500 records; the table has 120. Lower k."}


def test_methods_are_the_groups_that_a_synthetic_replacement_works_in(frame, monkeypatch):
    monkeypatch.setattr(shoal.partition.Refine, "most_records", 10)
    options = {"replace": "ipso", "confidential": ["tax"], "seed": 1}
    (row,) = shoal.compare(frame, 12, ["mdav"], **options).rows
    assert (row.method, row.groups) == ("mdav", 10)
    everything = shoal.compare(frame, 12, **options)
    (whole,) = [row for row in everything.rows if row.method == "one-group"]
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .2.: age, wage_income"):
        release = shoal.protect(frame, 12, **options)
    assert (whole.groups, whole.information_loss) == (1, release.evaluate().information_loss)
    assert "one-group" not in {row.method for row in shoal.compare(frame, 12, **options | {"replace": "hybrid"}).rows}


MEASURES = (
    "score",
    "probabilistic_information_loss",
    "distance_linkage",
    "interval_disclosure",
    "transparency_attack",
    "information_loss",
)


@pytest.mark.parametrize("method", ["mdav", "fuzzy", "vmdav+median"])
def test_every_figure_is_that_of_evaluate(frame, method):
    name, _, replace = method.partition("+")
    evaluation = shoal.protect(frame, 4, method=name, replace=replace or "mean", seed=7).evaluate()
    (row,) = shoal.compare(frame, 4, method, seed=7).rows
    assert {measure: getattr(row, measure) for measure in MEASURES} == {
        measure: getattr(evaluation, measure) for measure in MEASURES
    }
    assert row.risk == evaluation.score.risk


def test_methods_of_all_families_stand_side_by_side_the_lowest_score_first(frame):
    methods = ["mdav", "fuzzy", "entropy", "mdav+hybrid:small_groups=merge", "ipso", ("vmdav", "median")]
    comparison = shoal.compare(frame, [3, 6], methods, seed=1)
    assert not comparison.left_out
    families = {row.method: row.family for row in comparison.rows}
    assert families == {
        "mdav": "microaggregation",
        "fuzzy": "fuzzy",
        "entropy": "entropy",
        "mdav+hybrid:small_groups=merge": "hybrid",
        "one-group+ipso": "synthetic",
        "vmdav+median": "microaggregation",
    }
    scores = [row.score for row in comparison.rows]
    assert scores == sorted(scores)
    assert [row.k for row in comparison.rows if row.family == "synthetic"] == [6]  # one group, whatever k is
    assert list(comparison.to_frame().columns[:4]) == ["method", "k", "k_reached", "uniques"]
    as_it_is = shoal.evaluate(frame, frame)
    assert comparison.unmasked_risk == (as_it_is.distance_linkage + as_it_is.interval_disclosure) / 2


def test_where_nothing_is_called_confidential_synthetic_data_rewrite_all_columns(frame):
    (row,) = shoal.compare(frame, 6, "hybrid:small_groups=merge", seed=1).rows
    options = {"replace": "hybrid:small_groups=merge", "confidential": list(frame), "seed": 1}
    assert row.score == shoal.protect(frame, 6, **options).evaluate(measures=["score"]).score


def test_where_some_variables_are_confidential_all_methods_are_measured_on_these(frame):
    comparison = shoal.compare(frame, 10, ["mdav", "hybrid"], confidential=["tax"], seed=1)
    found = {row.method: row.score for row in comparison.rows}
    mdav = shoal.protect(frame, 10, seed=1)
    assert found["mdav"] == shoal.evaluate(frame, mdav.data, columns=["tax"], measures=["score"]).score
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .2.: age, wage_income"):
        hybrid = shoal.protect(frame, 10, replace="hybrid", confidential=["tax"], seed=1)
    assert found["mdav+hybrid"] == hybrid.evaluate(measures=["score"]).score
    alone = shoal.compare(frame, 10, "mdav", roles={"tax": "confidential"}, seed=1)
    assert alone.rows[0].score == mdav.evaluate(measures=["score"]).score


def test_all_has_the_synthetic_ones_if_something_is_confidential(frame, monkeypatch):
    monkeypatch.setattr(shoal.partition.Refine, "most_records", 10)
    for options in ({"confidential": ["tax"]}, {"roles": {"tax": "confidential"}}):
        comparison = shoal.compare(frame, 10, **options)
        families = {row.family for row in comparison.rows}
        assert families == {"microaggregation", "fuzzy", "entropy", "hybrid", "synthetic", "perturbation"}


def test_what_has_no_score_has_none(frame):
    survey = shoal.datasets.households(120, seed=4)
    (row,) = shoal.compare(survey, 3, "mdav", columns=["tenure", "area"]).rows
    assert (row.score, row.risk, row.loss) == (None, None, None)


def test_the_page_has_every_row_and_no_reason_that_names_a_stratum(tmp_path):
    survey = shoal.datasets.households(300, seed=4)
    comparison = shoal.compare(survey, [3, 5, 150], ["mdav", "vmdav"], columns=["tax", "age"], strata="area")
    assert "area" in comparison.left_out["mdav"]
    comparison.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count('<th scope="row">mdav</th>') == 4  # twice in the table, twice beside the map
    assert not any(str(area) in page for area in set(survey["area"]))
    assert "<script" not in page


def test_the_command_writes_a_page(frame, tmp_path):
    shoal.write_table(frame, tmp_path / "data.csv")
    command = "compare data.csv -k 3,6 --methods mdav,fuzzy,hybrid:small_groups=merge,ipso --report page.html"
    ran = run_shoal(*command.split(), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    saved = pd.read_csv(tmp_path / "data-compared.csv")
    assert saved["score"].is_monotonic_increasing
    methods = {"mdav", "fuzzy", "mdav+hybrid:small_groups=merge", "one-group+ipso"}
    assert set(saved["method"]) == methods
    page = (tmp_path / "page.html").read_text()
    assert all(method in page for method in methods)
    assert "lowest score" in page
    assert "data.csv" in page


def test_the_file_as_it_is_is_beside_the_methods():
    table = pd.DataFrame({"a": [1.5, 2.5, 3.5, 4.5, 5.5] * 40, "b": [1.5, 3.5, 2.5, 5.5, 5.5] * 40})
    comparison = shoal.compare(table, 3, ["mdav", "ipso"])
    unmasked = shoal.evaluate(table, table, measures=["score"]).score
    assert comparison.unmasked_score == unmasked < 30
    assert f"unmasked file: score {unmasked:.2f}" in comparison_text(comparison)
    assert f"the unmasked file has {unmasked:.3g}" in comparison_page(comparison, "")


def test_one_group_is_shown_without_a_k(frame):
    comparison = shoal.compare(frame, [3, 5], ["mdav", "ipso"])
    (row,) = [row for row in comparison.rows if row.method == "one-group+ipso"]
    assert row.name == "one-group+ipso" and row.shown_k == ""
    assert {row.name for row in comparison.rows} == {"one-group+ipso", "mdav, k=3", "mdav, k=5"}


def test_the_table_and_the_report_are_two_files(tmp_path, frame):
    shoal.write_table(frame, tmp_path / "data.csv")
    command = "compare data.csv -k 3 --methods mdav -o z.csv --report z.csv"
    ran = run_shoal(*command.split(), cwd=tmp_path)
    assert ran.returncode == 1 and "cannot be both the table and the report" in ran.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["data.csv"]


OPTIONS = {
    "distance_linkage": {"direction": "masked-to-original", "ties": "any"},
    "interval_disclosure": {"kind": "sd", "width": 5},
    "transparency_attack": {"known": 1},
}


def test_options_reach_the_measures_and_leave_the_score_alone(frame):
    plain, changed = (shoal.compare(frame, 3, ["mdav", "hybrid"], options=options) for options in (None, OPTIONS))
    for before, after in zip(plain.rows, changed.rows, strict=True):
        assert before.method == after.method
        assert (before.score, before.risk, before.loss) == (after.score, after.risk, after.loss)
        release = shoal.protect(frame, 3, seed=0)
        if after.method == "mdav":
            found = release.evaluate(options=OPTIONS)
            for name in OPTIONS:
                assert getattr(after, name) == found.measured[name] != getattr(before, name)
    assert changed.to_dict()["options"]["transparency_attack"]["known"] == 1
    assert plain.to_dict()["options"]["distance_linkage"]["ties"] == "expected"
    assert set(changed.to_frame()["options"]) == {
        "interval_disclosure:kind=sd,width=5; distance_linkage:direction=masked-to-original,ties=any; "
        "transparency_attack:known=1"
    }
    assert "options" not in plain.to_frame()
    for text in (comparison_page(changed, "t"), comparison_text(changed)):
        assert "distance_linkage:direction=masked-to-original,ties=any" in text


def test_the_weights_of_2001_decide_the_order_and_what_risk_and_loss_are(frame):
    compared = shoal.compare(frame, [3, 20], ["mdav", "hybrid"], options={"score": {"weights": "2001"}})
    assert [row.score for row in compared.rows] == sorted(row.score for row in compared.rows)
    for row in compared.rows:
        if row.method == "mdav":
            score = shoal.measure.score(frame, shoal.protect(frame, row.k).data, weights="2001")
            assert (row.score, row.risk, row.loss) == (score, score.risk, score.loss)
            assert row.loss != row.probabilistic_information_loss
    for text in (comparison_page(compared, "t"), comparison_text(compared)):
        assert "a quarter probabilistic linkage" in text and "mean variation" in text


def test_a_loss_above_100_is_drawn_at_the_edge():
    """Means near 0 change by a multiple of themselves."""
    rng = np.random.default_rng(0)
    centred = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    centred -= centred.mean() - 1e-6
    compared = shoal.compare(centred, 20, "fuzzy", options={"score": {"weights": "2001"}})
    assert compared.rows[0].loss > 100
    assert "risk" in comparison_page(compared, "t")


@pytest.mark.parametrize("search", [shoal.compare, shoal.tune])
@pytest.mark.parametrize(
    "options",
    [
        {"distance_linkage": {"known": ["agee"]}},
        {"transparency_attack": {"known": ["agee"]}},
        {"transparency_attack": {"known": 9}},
        {"interval_disclosure": {"kind": "cd"}},
        {"propensity": {}},
    ],
)
def test_options_that_do_not_fit_are_found_before_the_first_method_runs(frame, search, options, monkeypatch):
    monkeypatch.setattr("shoal.search.setup.protect", lambda *_, **__: pytest.fail("a method ran"))
    with pytest.raises(ParameterError):
        search(frame, k=3, methods=["mdav"], options=options)


def test_the_command_takes_options(frame, tmp_path):
    shoal.write_table(frame, tmp_path / "x.csv")
    given = ["--option", "distance_linkage:ties=any", "--option", "score:weights=2001"]
    ran = run_shoal("compare", "x.csv", "-k", 3, "--methods", "mdav", "-o", "c.csv", *given, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "measures with options: distance_linkage:ties=any; score:weights=2001" in ran.stdout
    row = pd.read_csv(tmp_path / "c.csv").iloc[0]
    masked = shoal.protect(frame, 3).data
    assert row["score"] == pytest.approx(shoal.measure.score(frame, masked, weights="2001"))
    assert row["distance_linkage"] == pytest.approx(shoal.measure.distance_linkage(frame, masked, ties="any"))
    assert row["options"] == "distance_linkage:ties=any; score:weights=2001"


FURTHER = ["subdomain_difference", "clustering_similarity", "k_anonymity", "score"]
FURTHER_OPTIONS = {"subdomain_difference": {"subsets": 3, "size": 30}, "clustering_similarity": {"clusters": 3}}


def test_further_measures_are_columns_beside_those_of_every_trial(frame):
    plain, compared = (
        shoal.compare(frame, [3, 5], ["mdav", "hybrid:small_groups=merge"], measures=measures, options=options, seed=2)
        for measures, options in ((None, None), (FURTHER, FURTHER_OPTIONS))
    )
    added = ["subdomain_difference", "clustering_similarity", "k_anonymity"]
    for before, after in zip(plain.rows, compared.rows, strict=True):
        hybrid = {"replace": "hybrid:small_groups=merge", "confidential": list(frame)}
        release = shoal.protect(frame, after.k, seed=2, **(hybrid if after.family == "hybrid" else {}))
        found = release.evaluate(measures=FURTHER, options=FURTHER_OPTIONS)
        assert dict(after.further) == {name: found.measured[name].value for name in added}
        assert (before.method, before.score, before.distance_linkage, dict(before.further)) == (
            after.method,
            after.score,
            after.distance_linkage,
            {},
        )
    columns = list(plain.to_frame())
    place = columns.index("mixed_information_loss") + 1
    frame_of_all = compared.to_frame()
    assert list(frame_of_all) == [*columns[:place], *added, *columns[place:], "options"]
    assert list(frame_of_all["k_anonymity"]) == [row.further["k_anonymity"] for row in compared.rows]
    document = compared.to_dict()
    assert [{name: row[name] for name in added} for row in document["rows"]] == [row.further for row in compared.rows]
    assert document["options"]["subdomain_difference"]["size"] == 30
    page, text = comparison_page(compared, "t"), comparison_text(compared)
    assert "<th" in page and "similarity of clusters (higher is better)" in page
    assert "clustering_similarity: similarity of clusters, higher is better" in text
    for row in compared.rows:
        assert f"{row.further['clustering_similarity']:.4g}" in text


def test_a_further_measure_without_a_meaning_is_empty(frame):
    compared = shoal.compare(frame, 3, "mdav", measures="frequency_difference")
    assert compared.rows[0].further == {"frequency_difference": None}
    assert compared.to_frame()["frequency_difference"].isna().all()
    assert comparison_page(compared, "t") and " - " in comparison_text(compared)


def test_further_measures_are_taken_on_the_confidential_variables_too(frame):
    compared = shoal.compare(frame, 10, ["mdav", "hybrid"], measures=["il1s"], confidential=["tax"], seed=1)
    found = {row.method: row.further["il1s"] for row in compared.rows}
    masked = shoal.protect(frame, 10, seed=1).data
    assert found["mdav"] == shoal.measure.il1s(frame, masked, columns=["tax"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"measures": ["clustering_similarty"]}, 'Did you mean "clustering_similarity"'),
        ({"measures": [3]}, "measures must be names of measures; got int"),
        ({"measures": ["propensity"], "options": {"il1s": {}}}, "il1s is not measured here; .*, propensity are"),
        ({"measures": ["subdomain_difference"], "options": {"subdomain_difference": {"by": "ag"}}}, 'by names "ag"'),
    ],
)
def test_wrong_further_measures_are_found_before_the_first_method_runs(frame, given, message, monkeypatch):
    monkeypatch.setattr("shoal.search.setup.protect", lambda *_, **__: pytest.fail("a method ran"))
    with pytest.raises(ParameterError, match=message) as caught:
        shoal.compare(frame, 3, ["mdav"], **given)
    assert "\n" not in str(caught.value)


def test_the_command_takes_further_measures(frame, tmp_path):
    shoal.write_table(frame, tmp_path / "x.csv")
    given = ["--measures", "il1s,subdomain_difference", "--option", "subdomain_difference:subsets=2,size=40"]
    ran = run_shoal("compare", "x.csv", "-k", 3, "--methods", "mdav", "-o", "c.csv", *given, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "il1s" in ran.stdout and "subdomain_difference: difference in subdomains, lower is better" in ran.stdout
    row = pd.read_csv(tmp_path / "c.csv").iloc[0]
    masked = shoal.protect(frame, 3).data
    assert row["il1s"] == pytest.approx(shoal.measure.il1s(frame, masked))
    expected = shoal.measure.subdomain_difference(frame, masked, subsets=2, size=40)
    assert row["subdomain_difference"] == pytest.approx(expected)
    wrong = run_shoal("compare", "not-there.csv", "-k", 3, "--measures", "il1z", cwd=tmp_path)
    assert wrong.returncode == 2 and 'Did you mean "il1s"' in wrong.stderr and wrong.stderr.count("\n") == 1


def test_rows_say_how_far_above_the_best_possible_they_are_by_one_bound_for_each_k(frame, monkeypatch):
    bounded = []
    bound = shoal.partition.lower_bound

    def counted(X, k):
        bounded.append(k)
        return bound(X, k)

    monkeypatch.setattr("shoal.partition.lower_bound", counted)
    comparison = shoal.compare(frame, [3, 5], ["mdav", "mst", "vmdav", "rank-swap:p=15"])
    assert bounded == [3, 5]
    rows = {(row.method, row.k): row.above_best for row in comparison.rows}
    assert rows.pop(("one-group+rank-swap:p=15", 5)) is None
    for (method, k), above in rows.items():
        (loss,) = shoal.protect(frame, k, method=method, seed=0).proven
        assert above == loss.above_best > 0
    assert list(rows.values()) == [row["above_best"] for row in comparison.to_dict()["rows"] if row["groups"] > 1]
    assert comparison.to_frame()["above_best"].notna().sum() == 6
    head, _, *lines = comparison_text(comparison).splitlines()
    column = head.index(" above")
    shown = [line[column : column + 6].strip() for line in lines[: len(comparison.rows)]]
    assert shown == ["-" if row.above_best is None else f"{rounded_up(row.above_best):,}" for row in comparison.rows]
    page = comparison_page(comparison, "x")
    assert "above the best, at most" in page and all(f"{rounded_up(above):,} %" in page for above in rows.values())


def test_blocks_have_a_bound_each(frame, monkeypatch):
    bounded = []
    own = shoal.partition.lower_bound
    monkeypatch.setattr("shoal.partition.lower_bound", lambda X, k: bounded.append(X.shape) or own(X, k))
    comparison = shoal.compare(frame, 3, ["mdav", "optimal-univariate"], blocks=1)
    assert bounded == [(120, 1)] * 3
    above = {row.method: row.above_best for row in comparison.rows}
    assert above["optimal-univariate"] <= above["mdav"]


def test_a_comparison_is_one_line(frame):
    comparison = shoal.compare(frame, [3, 5], ["mdav", "ipso", "optimal-univariate"])
    best = comparison.rows[0]
    k = "" if best.is_whole_file else f" k={best.k}"
    said = f"lowest score {best.method}{k}: {best.score:.2f}, 1 left out"
    assert repr(comparison) == f"Comparison(3 releases of 2 methods, {said})"
    without = dataclasses.replace(comparison.rows[0], score=None)
    one = dataclasses.replace(comparison, rows=(without,), left_out={})
    assert repr(one) == "Comparison(1 release of 1 method)"
    assert repr(dataclasses.replace(one, rows=())) == "Comparison(0 releases of 0 methods)"
