"""Recodes and ways with categories in a search."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.errors import ColumnError, DataError, ParameterError, PlanError
from shoal.report.page.tuning import tuning_page
from shoal.report.terminal.comparison import comparison_text
from shoal.report.terminal.tuning import tuning_text
from shoal.search.tried_recodes import tried_recodes

MANY = [f"round:to={n}" for n in range(1, 18)]
TRIED = {"age": ["bands:width=20", "bands:width=40"]}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    age = rng.integers(15, 90, 160)
    return pd.DataFrame(
        {
            "age": age,
            "region": rng.choice(["N", "S", "E"], 160, p=[0.5, 0.4, 0.1]),
            "job": rng.choice(["a", "b", "c", "d", "e"], 160, p=[0.4, 0.4, 0.1, 0.05, 0.05]),
            "income": rng.lognormal(3, 0.5, 160) + age,
            "tax": rng.lognormal(1, 0.5, 160),
        }
    )


@pytest.fixture(scope="module")
def tuned(frame) -> shoal.Tuning:
    return shoal.tune(frame, methods=["mdav", "rank-swap"], k=(3, 5), trials=60, try_recodes=TRIED)


def test_all_three_ways_and_all_recodes_are_tried(tuned):
    grouped = [trial.settings for trial in tuned.trials if trial.method == "mdav"]
    assert {one["categories"] for one in grouped} == {"group", "suppress", "within"}
    assert {one["recode age"] for one in grouped} == {None, "bands:width=20", "bands:width=40"}
    swapped = [trial.settings for trial in tuned.trials if trial.method != "mdav"]
    assert swapped and all("categories" not in one for one in swapped)
    assert {one["recode age"] for one in swapped} == {None, "bands:width=20", "bands:width=40"}


def test_what_cannot_be_kept_within_is_recorded_as_refused(tuned):
    within = [trial for trial in tuned.trials if trial.request.categories == "within"]
    assert within and {trial.problem for trial in within if trial.problem} == {"TooFewRecordsError"}


def test_a_trial_is_the_release_that_protect_makes_of_its_settings(frame, tuned):
    for trial in tuned.measured:
        if trial.method == "mdav" and trial.request.recodes and trial.request.categories == "suppress":
            break
    recodes = {"age": trial.settings["recode age"]}
    release = tuned.release(trial.number)
    options = {"blocks": trial.request.blocks, "method": dict(trial.request.masking.written_method)}
    expected = shoal.protect(
        frame, trial.request.k, recodes=recodes, categories="suppress", seed=release.plan.seed, **options
    )
    assert release.data.equals(expected.data)
    assert tuned.plan(trial.number).run(frame).data.equals(release.data)
    loss = expected.evaluate(measures=["mixed_information_loss"]).mixed_information_loss
    assert trial.measures.mixed_information_loss == trial.measures.loss == pytest.approx(loss)
    assert trial.score == pytest.approx((trial.measures.risk + trial.measures.loss) / 2)


def test_the_loss_is_that_of_all_columns_where_there_are_categories_or_recodes(frame, tuned):
    assert tuned.setup.utility == "mixed_information_loss" and tuned.to_dict()["utility"] == "mixed_information_loss"
    numbers = frame[["income", "tax"]]
    assert shoal.tune(numbers, methods="mdav", k=3, trials=1).setup.utility == "probabilistic_information_loss"
    recoded = shoal.tune(numbers, methods="mdav", k=3, trials=1, try_recodes={"tax": ["round:to=2"]})
    assert recoded.setup.utility == "mixed_information_loss"
    chosen = {"options": {"score": {"weights": "2001"}}}
    assert shoal.tune(frame, methods="mdav", k=3, trials=1, **chosen).setup.utility == "probabilistic_information_loss"
    asked = shoal.tune(frame, methods="mdav", k=3, trials=1, utility="analytical_loss")
    assert asked.trials[0].measures.loss == asked.trials[0].measures.analytical_loss


def test_recoding_costs_something_and_all_trials_count_the_same_columns(frame):
    tried = {"stratum": ["merge:rest=[S,E]"]}
    table = frame.rename(columns={"region": "stratum"})
    found = shoal.tune(table, methods="mdav", k=3, trials=8, strata="stratum", try_recodes=tried, categories="group")
    losses = {bool(one.request.recodes): one.measures.loss for one in reversed(found.measured)}
    lost = found.release(next(one.number for one in found.measured if one.request.recodes)).plan.outcome
    assert lost.lost_by_recoding["stratum"] > 20
    plain = found.release(next(one.number for one in found.measured if not one.request.recodes))
    of_columns = plain.evaluate(measures=["mixed_information_loss"]).mixed_information_loss
    count = len(of_columns.by_column)
    assert losses[False] == pytest.approx(of_columns * count / (count + 1))  # the stratum counts, and loses nothing


def test_numbers_alone_are_searched_as_before(frame):
    numbers = frame[["income", "tax"]]
    found = shoal.tune(numbers, methods="mdav", k=(3, 5), trials=6)
    assert all(set(trial.settings) == {"method", "k", "variant"} for trial in found.trials)
    assert found.trials[0].measures.loss == found.trials[0].measures.probabilistic_information_loss


def test_categories_that_were_said_are_not_searched(frame):
    found = shoal.tune(frame, methods="mdav", k=3, trials=4, categories="suppress")
    assert all("categories" not in trial.settings for trial in found.trials)
    assert set(found.plan().categories) == {"region", "job"}


@pytest.mark.parametrize("search", ["grid", "optuna"])
def test_a_search_goes_on_with_its_recodes(frame, tmp_path, search):
    options = {"methods": ["mdav"], "k": (3, 5), "search": search, "try_recodes": TRIED}
    log = tmp_path / "trials.jsonl"
    first = shoal.tune(frame, trials=10, resume=log, **options)
    again = shoal.tune(frame, trials=30, resume=log, **options)
    assert again.trials[:10] == first.trials
    assert again == shoal.tune(frame, trials=30, **options)
    with pytest.raises(PlanError, match="are of other columns"):
        shoal.tune(frame, trials=30, resume=log, **{**options, "try_recodes": {"age": ["bands:width=9"]}})


def test_a_kind_that_was_stated_gives_way_to_that_of_a_recode(frame):
    found = shoal.tune(frame, methods="mdav", k=3, trials=8, kinds={"age": "continuous"}, try_recodes=TRIED)
    kinds = {trial.settings["recode age"]: found.plan(trial.number).kinds["age"] for trial in found.measured}
    assert kinds[None] == "continuous" and set(kinds.values()) == {"continuous", "ordinal"}


def test_the_texts_show_settings_loss_and_what_is_not_protected(frame, tuned):
    text = tuning_text("survey.csv", tuned)
    assert "categories=" in text and "over all columns: numbers, categories and recodes" in text
    assert "categories=" in tuning_page(tuned, "Releases") and "information loss over all columns" in tuning_page(
        tuned, ""
    )
    part = shoal.tune(frame, methods="mdav", k=3, trials=2, columns=["age", "income"])
    assert "NOT PROTECTED      region, job, tax: every trial" in tuning_text("survey.csv", part)
    assert "not protected" in tuning_page(part, "Releases")
    compared = shoal.compare(frame, 3, "mdav", columns=["age", "income"])
    assert "NOT PROTECTED: region, job, tax" in comparison_text(compared)


def test_a_recode_is_suggested_where_it_halves_the_records_below_k(frame, tuned):
    assert "none tried" not in tuning_text("survey.csv", tuned)
    rng = np.random.default_rng(1)
    names = np.where(rng.random(160) < 0.7, "usual", [f"rare {n}" for n in range(160)])
    found = shoal.tune(frame.assign(job=names), methods="mdav", k=3, trials=1, kinds={"job": "nominal"})
    line = tuning_text("survey.csv", found).splitlines()[-1]
    assert line.startswith("recodes            none tried: ") and '--try-recode "job=merge:rare=' in line
    few = shoal.tune(frame[["region", "income", "tax"]], methods="mdav", k=3, trials=1)
    assert "none tried" not in tuning_text("survey.csv", few)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"try_recodes": ["age"]}, ParameterError, "must be a mapping"),
        ({"try_recodes": {"age": []}}, ParameterError, "without a recode"),
        ({"try_recodes": {"age": "bands:wide=5"}}, ParameterError, "wide"),
        ({"try_recodes": TRIED, "recodes": {"age": "bands:width=5"}}, ParameterError, "Leave it out of one of them"),
        ({"try_recodes": {"ages": "bands:width=5"}}, ColumnError, "no column"),
        ({"try_recodes": {"job": "bands:width=5"}}, DataError, "is for numbers"),
        ({"try_recodes": TRIED, "weights": "age"}, ColumnError, "cannot be recoded"),
        ({"try_recodes": dict.fromkeys(("age", "income", "tax"), MANY)}, ParameterError, "The grid has"),
        ({"utility": "mixed"}, ParameterError, "utility"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_first_trial(frame, options, error, match):
    with pytest.raises(error, match=match):
        shoal.tune(frame, methods="mdav", trials=1, **options)


def test_names_of_recodes_hold_no_categories_and_tell_them_apart():
    choices = ["merge:x=[a,b]", "merge:x=[a,c]", "merge:x=[a,b]", ["round:to=2", "bands:width=5"]]
    names = list(tried_recodes({"job": choices}, None)["job"])
    assert len(names) == 3 and names[1] == f"{names[0]} (2)" and names[2] == "round:to=2, then bands:width=5"
    assert "a" not in names[0].removeprefix("merge:groups=").replace("rare", "")


def test_the_command_tries_recodes(frame, tmp_path):
    frame.to_csv(tmp_path / "survey.csv", index=False)
    options = ["-k", "3", "--methods", "mdav", "--trials", "12", "-o", str(tmp_path / "tuned.html"), "--json"]
    tried = ["--try-recode", "age=bands:width=20", "--try-recode", "age=bands:width=40"]
    plan = ["--plan", str(tmp_path / "best.csv.plan.toml")]
    result = CliRunner().invoke(app, ["tune", str(tmp_path / "survey.csv"), *options, *tried, *plan])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["schema"] == "shoal.tuning/5" and found["utility"] == "mixed_information_loss"
    assert {one["settings"]["recode age"] for one in found["trials"]} == {None, "bands:width=20", "bands:width=40"}
    wrong = CliRunner().invoke(
        app, ["tune", str(tmp_path / "survey.csv"), *options, "--try-recode", "ages=bands:width=2"]
    )
    assert '"ages", which is no column' in str(wrong.exception)
