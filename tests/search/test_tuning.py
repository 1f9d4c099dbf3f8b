"""The search for a release."""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import replace

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import shoal
from command_line import run_alone, run_shoal
from shoal import progress
from shoal.cli import tune as cli_tune
from shoal.errors import (
    ColumnError,
    DataError,
    ParameterError,
    PlanError,
    ShoalError,
    TooFewRecordsError,
    WriteError,
)
from shoal.report.page.tuning import tuning_page
from shoal.report.terminal.tuning import tuning_text
from shoal.search import run, with_optuna
from shoal.search.setup import TrialSetup

METHODS = ["mdav", "vmdav", "fuzzy", "hybrid"]


def households() -> pd.DataFrame:
    return shoal.datasets.households(120, seed=4)[["age", "wage_income", "tax", "net_income"]]


@pytest.fixture
def frame() -> pd.DataFrame:
    return households()


@pytest.fixture(scope="module")
def tuned() -> shoal.Tuning:
    """A search through the table of `frame`."""
    return shoal.tune(households(), methods=METHODS, k=(3, 5, 10), trials=24)


def test_every_trial_is_a_release_and_its_measures(frame, tuned):
    for number in (1, 8, 12, 24):
        trial, release = tuned.trial(number), tuned.release(number)
        scored = shoal.evaluate(frame, release.data, measures=["score", "information_loss"])
        assert scored.score == trial.measures.score == trial.score
        assert (scored.score.risk, scored.score.loss) == trial.point
        assert scored.information_loss == trial.measures.information_loss
        assert release.plan.k == trial.settings["k"]
        again = tuned.plan(number).run(frame)
        assert again.data.equals(release.data)


def test_the_attack_is_that_of_evaluate(tuned):
    attacks = [tuned.trial(number).measures.transparency_attack for number in (1, 4)]
    assert attacks == [tuned.release(1).evaluate().transparency_attack, None]  # mdav, and hybrid data


def test_a_fuzzy_method_without_a_search_is_that_of_protect(frame, tuned):
    (number,) = [one.number for one in tuned.trials[:12] if (one.method, one.request.k) == ("fuzzy", 5)]
    expected = shoal.protect(frame, 5, method="fuzzy", seed=tuned.plan(1).seed)
    assert tuned.release(number).data.equals(expected.data)


def test_what_people_take_without_a_search_comes_first(tuned):
    fixed = [(trial.method, trial.request.k) for trial in tuned.trials[:12]]
    methods = ("mdav", "mdav+hybrid", "vmdav", "fuzzy")
    assert fixed == [(method, k) for method in methods for k in (3, 5, 10)]
    assert tuned.fixed == tuple(range(1, 13))
    assert tuned.best_fixed == min(tuned.trials[:12], key=lambda trial: trial.score)


def test_the_lowest_score_is_chosen_and_the_front_is_what_nothing_beats(tuned):
    assert tuned.chosen == min(tuned.measured, key=lambda trial: trial.score)
    assert tuned.chosen in tuned.front
    for trial in tuned.measured:
        beaten = any(
            other.point[0] <= trial.point[0] and other.point[1] <= trial.point[1] and other.point != trial.point
            for other in tuned.measured
        )
        assert beaten == (trial not in tuned.front)
    assert [trial.point[0] for trial in tuned.front] == sorted(trial.point[0] for trial in tuned.front)
    for family, best in tuned.best_of_family.items():
        assert best.score == min(trial.score for trial in tuned.measured if trial.family == family)


def test_within_a_risk_what_loses_least_is_chosen(tuned):
    risks = sorted(trial.point[0] for trial in tuned.measured)
    some = replace(tuned, max_risk=risks[len(risks) // 2])
    within = [
        trial
        for trial in tuned.measured
        if trial.point[0] <= some.max_risk and (trial.measures.transparency_attack or 0) <= some.max_risk
    ]
    assert some.chosen.point[1] == min(trial.point[1] for trial in within)
    none = replace(tuned, max_risk=risks[0] / 2)
    assert none.chosen is None
    with pytest.raises(ParameterError, match="No trial has both a risk and an attack within"):
        none.plan()


def test_what_an_intruder_finds_who_knows_the_method_counts_within_a_risk(tuned):
    safe = max(tuned.measured, key=lambda trial: trial.point[1])
    measures = replace(safe.measures, transparency_attack=99.0)
    known = replace(tuned, trials=(replace(safe, measures=measures),), max_risk=safe.point[0])
    assert known.chosen is None
    assert replace(known, trials=(safe,)).chosen == safe


def test_the_same_seed_and_number_of_trials_give_the_same_result(frame, tuned):
    again = shoal.tune(frame, methods=METHODS, k=(3, 5, 10), trials=24)
    assert again == tuned
    fewer = shoal.tune(frame, methods=METHODS, k=(3, 5, 10), trials=15)
    assert fewer.trials == tuned.trials[:15]
    other = shoal.tune(frame, methods=METHODS, k=(3, 5, 10), trials=24, seed=1)
    assert other != tuned


def test_the_seed_of_the_releases_is_not_known_without_the_data(frame, tuned):
    seed = tuned.plan(1).seed
    assert seed > 2**32
    frame.iloc[0, 0] += 1
    assert shoal.tune(frame, methods="mdav", k=3, trials=1).plan(1).seed != seed


@pytest.mark.parametrize("search", ["grid", "optuna"])
def test_a_search_that_was_stopped_goes_on_as_if_it_had_not_been(frame, tmp_path, monkeypatch, search):
    options = {"methods": METHODS, "k": (3, 5, 10), "search": search, "trials": 40}
    whole = shoal.tune(frame, **options)
    log = tmp_path / "trials.jsonl"
    tried, count = TrialSetup.protect, iter(range(1000))

    def interrupted(self, *given, **more):
        if next(count) == 30:
            raise KeyboardInterrupt
        return tried(self, *given, **more)

    monkeypatch.setattr(TrialSetup, "protect", interrupted)
    part = shoal.tune(frame, resume=log, **options)
    monkeypatch.undo()
    assert part.interrupted
    assert part.trials == whole.trials[:30]
    with log.open("a") as file:
        file.write('{"trial": 31, "sett')  # cut short
    resumed = shoal.tune(frame, resume=log, **options)
    assert resumed == whole
    assert [json.loads(line).get("trial") for line in log.read_text().splitlines()] == [None, *range(1, 41)]
    done = shoal.tune(frame, resume=log, **options | {"trials": None, "seconds": 0})
    assert done.trials == whole.trials
    again, first = (
        one.plan(35).model_dump(exclude={"versions", "key"}) for one in (done, whole)
    )  # a key is drawn anew
    assert again == first


def test_an_interrupt_before_the_first_trial_is_an_interrupt(frame, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(TrialSetup, "protect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shoal.tune(frame, methods="mdav", trials=3)


def test_trials_belong_to_their_input_options_and_seed(frame, tmp_path):
    log = tmp_path / "trials.jsonl"
    options = {"methods": "mdav", "trials": 2, "resume": log}
    shoal.tune(frame, **options)
    before = log.read_bytes()
    changed = frame.assign(age=frame["age"] + 1)
    for data, more, what in (
        (changed, {}, "another input"),
        (frame, {"columns": ["age", "tax"]}, "other columns"),
        (frame, {"edits": ["age >= 0"]}, "other columns, roles, rules"),
        (frame, {"seed": 3}, "another seed"),
    ):
        with pytest.raises(PlanError, match=what):
            shoal.tune(data, **options | more)
    assert log.read_bytes() == before
    said = {"columns": None, "roles": {}, "edits": [], "missing": "error", "standardize": True, "repair": False}
    assert len(shoal.tune(frame, **options, **said).trials) == 2  # what is so anyway
    other = tmp_path / "notes.jsonl"
    other.write_text("my notes\n")
    with pytest.raises(PlanError, match="not a file of trials"):
        shoal.tune(frame, methods="mdav", trials=2, resume=other)
    assert other.read_text() == "my notes\n"


def test_trials_belong_to_the_options_of_their_measures(frame, tmp_path):
    log = tmp_path / "trials.jsonl"
    options = {"distance_linkage": {"ties": "any"}}
    tuned = shoal.tune(frame, methods="mdav", trials=2, resume=log, options=options)
    before = log.read_bytes()
    for other in (None, {"distance_linkage": {"ties": "unique"}}, options | {"score": {"weights": "2001"}}):
        with pytest.raises(PlanError, match="measures with other options"):
            shoal.tune(frame, methods="mdav", trials=3, resume=log, options=other)
    assert log.read_bytes() == before
    said = {"distance_linkage": {"ties": "any", "scale": "own"}}  # which is so anyway
    resumed = shoal.tune(frame, methods="mdav", trials=3, resume=log, options=said)
    assert resumed.trials[:2] == tuned.trials
    for trial in resumed.trials:
        found = resumed.release(trial.number).evaluate(options=options)
        assert trial.measures.distance_linkage == found.distance_linkage
        assert trial.measures.score == found.score == resumed.release(trial.number).evaluate().score
    assert resumed.to_dict()["options"]["distance_linkage"]["ties"] == "any"
    for text in (tuning_page(resumed, "t"), tuning_text("x", resumed)):
        assert "distance_linkage:ties=any" in text


def test_the_weights_of_2001_are_what_is_searched_for(frame, tmp_path):
    given = {"methods": ["mdav", "hybrid"], "k": (3, 10), "trials": 8, "options": {"score": {"weights": "2001"}}}
    tuned = shoal.tune(frame, log=tmp_path / "trials.jsonl", **given)
    scores = {
        trial.number: tuned.release(trial.number).evaluate(options=given["options"]).score for trial in tuned.measured
    }
    assert {trial.number: trial.score for trial in tuned.measured} == scores
    assert tuned.chosen.number == min(scores, key=lambda number: (scores[number], number))
    assert tuned.chosen.point == (scores[tuned.chosen.number].risk, scores[tuned.chosen.number].loss)
    again = shoal.tune(frame, resume=tmp_path / "trials.jsonl", **given)
    assert again.trials == tuned.trials
    assert "mean variation" in tuning_page(tuned, "t")


def test_files_hold_settings_and_measures_only(tmp_path):
    survey = shoal.datasets.households(400, seed=2)[["region", "age", "wage_income", "tax", "savings"]]
    survey = survey[survey["region"].map(survey["region"].value_counts()) >= 10]
    options = {"methods": ["mdav", "fuzzy"], "k": (3, 5, 100), "strata": "region", "trials": 12}
    log, page = tmp_path / "trials.jsonl", tmp_path / "page.html"
    tuned = shoal.tune(survey, resume=log, **options)
    tuned.report(page)
    assert ("mdav", "TooFewRecordsError") in tuned.problems
    regions = {str(region) for region in survey["region"]}
    values = {str(cell) for name in ("wage_income", "tax") for cell in survey[name] if len(str(cell)) > 5}
    plan = tuned.plan(1)
    for text in (log.read_text(), page.read_text()):
        assert not any(region in text for region in regions)
        assert not any(value in text for value in values)
        assert str(plan.seed) not in text and plan.input.sha256 not in text
    assert "http" not in page.read_text().replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_what_gives_no_release_is_counted_and_named(frame):
    rules = ["tax * age <= 1e12", "age in original"]  # the one not for synthetic data, the other not for centres
    tuned = shoal.tune(frame, methods=["mdav", "fuzzy", "hybrid"], k=(3, 5), edits=rules, trials=60)
    assert set(tuned.problems) == {("mdav+hybrid", "RuleError"), ("fuzzy", "RuleError")}
    assert "cannot be kept" in tuned.problems["mdav+hybrid", "RuleError"][0].explanation
    assert {trial.method for trial in tuned.measured} == {"mdav"}
    with pytest.raises(ParameterError, match="gave no release"):
        tuned.plan(tuned.problems["fuzzy", "RuleError"][0].number)
    assert shoal.edits.check(tuned.release().data, rules, original=frame).holds
    blocks = {trial.request.blocks: tuned.plan(trial.number).blocks for trial in tuned.measured}
    assert blocks[None] == [list(frame)] and len(blocks["rules"]) > 1


def test_what_no_method_can_do_is_the_error_it_is(frame):
    with pytest.raises(TooFewRecordsError):
        shoal.tune(frame.head(4), k=5, trials=5)
    with pytest.raises(DataError, match="No release can have a score"):
        shoal.tune(
            pd.DataFrame({"a": list("xyz") * 20, "b": list("ppqq") * 15}),
            methods="mdav",
            columns=["a", "b"],
            trials=2,
        )


@pytest.mark.parametrize(
    "wrong",
    [
        {"methods": "mdva"},
        {"methods": ["mdav", "fuzzy:foo=1"]},
        {"methods": []},
        {"k": 1},
        {"k": []},
        {"max_risk": 101},
        {"seconds": -1},
        {"trials": 0},
        {"search": "random"},
        {"search": "optuna"},
        {"seed": -1},
        {"method": "mdav"},
    ],
)
def test_a_wrong_argument_is_found_before_anything_is_tried(frame, monkeypatch, wrong):
    monkeypatch.setattr(TrialSetup, "protect", None)
    with pytest.raises(ParameterError):
        shoal.tune(frame, **wrong)


def test_time_is_kept(frame, monkeypatch):
    clock = [0.0]
    tried, takes = TrialSetup.protect, {"mdav": 7.0, "vmdav": 22.0, "fuzzy": 100.0}

    def slow(self, masking, *given, **more):
        clock[0] += takes[masking.written_method["name"]]
        return tried(self, masking, *given, **more)

    monkeypatch.setattr(run.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(TrialSetup, "protect", slow)
    tuned = shoal.tune(frame, methods=["mdav", "vmdav", "fuzzy"], seconds=60)
    # After 3 of mdav and one of vmdav, 43 are gone: too late for fuzzy, which nobody knows, and for another vmdav.
    assert [trial.method for trial in tuned.trials] == [*["mdav"] * 3, "vmdav", *["mdav"] * 2]
    assert (tuned.fixed, tuned.fixed_left) == ((1, 2, 3, 4), 5)
    assert len(shoal.tune(frame, methods=METHODS, seconds=0).trials) == 1


def test_what_is_chosen_is_tried_again_with_other_seeds(frame, tuned):
    assert set(tuned.repeated) <= {tuned.chosen.number, tuned.best_fixed.number}
    again = tuned.repeated[tuned.chosen.number]
    assert len(again) == 3
    assert len({measures.score for measures in (*again, tuned.chosen.measures)}) == 4
    assert shoal.tune(frame, methods="mdav", k=3, trials=2).repeated == {}  # no seed has a say in MDAV
    assert shoal.tune(frame, methods="hybrid", k=3, trials=1, other_seeds=0).repeated == {}
    assert shoal.tune(frame, methods="hybrid", k=3, seconds=0).repeated == {}  # there is no time for it


def test_a_grid_ends_when_it_is_done_and_progress_adds_up(frame):
    parts = []
    with progress.listening(parts.append):
        tuned = shoal.tune(frame, methods="vmdav", k=(3, 4))
    assert len(tuned.trials) == 2 * 2 * 4  # k, blocks, gamma
    assert sum(parts) == pytest.approx(1)


def test_synthetic_data_rewrite_all_columns_or_those_named_and_all_are_measured_alike(frame):
    tuned = shoal.tune(frame, methods=["mdav", "ipso"], k=3, trials=3)
    assert tuned.release(2).plan.confidential == list(frame)
    named = shoal.tune(frame, methods=["mdav", "ipso"], k=3, trials=3, confidential=["tax"])
    mdav, ipso = named.release(1), named.release(2)
    assert ipso.plan.confidential == ["tax"]
    for trial, release in zip(named.trials, (mdav, ipso), strict=False):
        scored = shoal.evaluate(frame, release.data, columns=["tax"], measures=["score"])
        assert trial.score == scored.score


def test_optuna_goes_between_the_values_of_the_grid_and_follows_its_seed(frame):
    options = {"methods": ["vmdav", "fuzzy"], "k": (3, 20), "search": "optuna", "trials": 20}
    one, same, other = (shoal.tune(frame, **options, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert [trial.settings for trial in one.trials] != [trial.settings for trial in other.trials]
    assert {trial.request.k for trial in one.trials} - {3, 20}
    assert all(3 <= trial.request.k <= 20 for trial in one.trials)


def test_without_optuna_the_error_says_how_to_get_it(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ParameterError, match=r'pip install "shoal\[tune\]"'):
        with_optuna.OptunaSearch([], 0)
    with pytest.raises(ParameterError, match=r'pip install "shoal\[tune\]"'):
        shoal.tune(frame, search="optuna", trials=3)
    assert len(shoal.tune(frame, methods="mdav", trials=3).trials) == 3


def test_the_document_and_the_frame_have_every_trial(tuned):
    document = json.loads(json.dumps(tuned.to_dict()))
    assert [trial["trial"] for trial in document["trials"]] == list(range(1, 25))
    assert document["chosen"] == tuned.chosen.number
    assert document["front"] == [trial.number for trial in tuned.front]
    table = tuned.to_frame()
    assert table["score"].min() == tuned.chosen.score
    assert table.loc[table["on_front"], "trial"].tolist() == sorted(document["front"])


def test_the_command_has_every_option_that_decides_a_result():
    from shoal.cli import app as cli
    from shoal.cli.options import CLUSTER, DIVISION

    of_protect, of_tune = (set(inspect.signature(command).parameters) for command in (cli.protect, cli_tune.tune))
    assert of_protect - of_tune <= {
        "overwrite",
        *CLUSTER,  # a search is made on one machine
        *DIVISION,
        "method",
        "replace",
        "shuffle",
        "keep_order",
        "save_plan",
        "explain",
        "dry_run",
        "job",
        "report",
        "audience",
    }


def command(*given: str):
    app = typer.Typer()
    app.command()(cli_tune.tune)
    return CliRunner().invoke(app, given, catch_exceptions=False)


def test_the_command_writes_plans_that_protect_repeats_byte_for_byte(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shoal.write_table(frame, "data.csv")
    given = ["data.csv", "--methods", "mdav,fuzzy,hybrid", "-k", "3,5,10", "--trials", "14"]
    ran = command(*given, "--plan", "best.toml", "--plan", "4=four.toml", "--plans", "front", "--map", "map.svg")
    assert ran.exit_code == 0
    assert "chosen (*)" in ran.stdout and "best fixed choice" in ran.stdout
    tuned = shoal.tune("data.csv", methods=["mdav", "fuzzy", "hybrid"], k=(3, 5, 10), trials=14)
    for number, name in ((tuned.chosen.number, "best"), (4, "four"), (tuned.front[0].number, None)):
        plan = tmp_path / (f"{name}.toml" if name else f"front/trial-{number}.csv.plan.toml")
        release = plan.with_name(f"{name}.csv" if name else f"trial-{number}.csv")
        assert run_alone("protect", "--plan", plan, cwd="/").returncode == 0
        shoal.write_table(tuned.release(number).data, "expected.csv")
        rows, expected = (file.read_bytes().splitlines() for file in (release, tmp_path / "expected.csv"))
        assert rows[0] == expected[0] and sorted(rows) == sorted(expected)  # in random order
        first = release.read_bytes()
        assert run_shoal("protect", "--plan", plan, cwd="/").returncode == 0
        assert release.read_bytes() == first
    resumed = command(
        "data.csv", "--resume", "data-tuned.trials.jsonl", "--trials", "14", "--json", "--methods", "mdav"
    )
    assert json.loads(resumed.stdout)["trials"][:14] == [
        json.loads(line) for line in (tmp_path / "data-tuned.trials.jsonl").read_text().splitlines()[1:]
    ]
    assert "<svg" in (tmp_path / "map.svg").read_text() and "var(" not in (tmp_path / "map.svg").read_text()


def test_the_command_starts_a_new_search_but_over_no_other_file(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shoal.write_table(frame, "data.csv")
    log = tmp_path / "page.trials.jsonl"
    for trials in (4, 2):
        assert command("data.csv", "--methods", "mdav", "--trials", str(trials), "-o", "page.html", "-q").stdout == ""
        assert len(log.read_text().splitlines()) == 1 + trials
    log.write_text("something else")
    with pytest.raises(shoal.errors.WriteError, match="holds no trials"):
        command("data.csv", "--trials", "2", "-o", "page.html")
    with pytest.raises(shoal.errors.WriteError, match="never overwrites its input"):
        command("data.csv", "--trials", "2", "-o", "data.csv")
    with pytest.raises(ParameterError, match="is not there"):
        command("data.csv", "--resume", "none.jsonl")
    with pytest.raises(ParameterError, match="whole numbers"):
        command("data.csv", "-k", "3,x")


def test_a_command_that_fails_leaves_the_trials_of_before_and_a_new_search_moves_them_aside(
    frame, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shoal.write_table(frame, "data.csv")
    given = ["data.csv", "--methods", "mdav,hybrid", "-k", "3,5"]
    assert command(*given, "--trials", "3").exit_code == 0
    log, old = tmp_path / "data-tuned.trials.jsonl", tmp_path / "data-tuned.trials.1.jsonl"
    before = log.read_bytes()
    for wrong in (["--max-risk", "200"], ["--confidential", "wages"], ["--trials", "2", "--plan", "9=nine.toml"]):
        with pytest.raises(ShoalError):
            command(*given, *wrong)
        assert log.read_bytes() == before and not old.exists()
    ran = command(*given, "--trials", "2")
    assert "data-tuned.trials.1.jsonl" in ran.stdout
    assert old.read_bytes() == before and log.read_bytes().count(b"\n") == 3


def test_no_two_files_have_one_name(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shoal.write_table(frame, "data.csv")
    for wrong in (["--plan", "a.html"], ["--map", "a.html"], ["--plan", "a.trials.jsonl"], ["--plan", "3=a.html"]):
        with pytest.raises(WriteError, match="cannot be both"):
            command("data.csv", "-o", "a.html", *wrong)
    rules = tmp_path / "rules.txt"
    rules.write_text("age >= 0\n")
    with pytest.raises(WriteError, match="cannot be both the file of rules that is read and the page"):
        command("data.csv", "-o", "rules.txt", "--edits", "rules.txt")
    assert rules.read_text() == "age >= 0\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data.csv", "rules.txt"]
    given = ["data.csv", "--methods", "mdav", "--trials", "1", "-q"]
    assert command(*given, "--plan", "one.toml", "--plan", "two.toml").exit_code == 0
    assert (tmp_path / "one.toml").exists() and (tmp_path / "two.toml").exists()


def test_plans_of_the_front_are_written_even_if_nothing_is_chosen(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shoal.write_table(frame, "data.csv")
    given = ["data.csv", "--methods", "mdav", "--trials", "2", "--max-risk", "0", "--plans", "front"]
    with pytest.raises(ParameterError, match="No trial has both"):
        command(*given, "--plan", "best.toml")
    assert list((tmp_path / "front").iterdir())


def test_duplicates_make_the_file_as_it_is_score_better_than_50():
    table = pd.DataFrame({"a": [1.5, 2.5, 3.5, 4.5, 5.5] * 40, "b": [1.5, 3.5, 2.5, 5.5, 5.5] * 40})
    tuned = shoal.tune(table, methods="mdav", k=3, trials=1)
    unmasked = shoal.evaluate(table, table, measures=["score"]).score
    assert tuned.unmasked_score == unmasked < 30
    assert f"the unmasked file has {unmasked:.3g}" in tuning_page(tuned, "")
    assert "scores no worse" in tuning_page(tuned, "")
    assert "no release scores better" in tuning_text("", tuned)


def test_methods_are_called_what_they_were_asked_for(frame):
    tuned = shoal.tune(frame, methods=["fuzzy:m=1.2", "fuzzy:m=1.5", "mdav:variant=two-k"], k=5, trials=3)
    assert [trial.method for trial in tuned.trials] == ["fuzzy:m=1.2", "fuzzy:m=1.5", "mdav:variant=two-k"]


def test_what_is_confidential_must_be_protected(frame):
    with pytest.raises(ColumnError, match='"tax", which is not among the columns'):
        shoal.tune(frame, columns=["age", "wage_income"], confidential=["tax"], trials=1)
    for tried in (
        lambda: shoal.tune(frame, methods="mdav", confidential="tax", trials=1),
        lambda: shoal.compare(frame, 3, "mdav", confidential="tax"),
    ):
        with pytest.raises(ParameterError, match="confidential is for hybrid and synthetic data"):
            tried()


def test_a_search_is_one_line(tuned):
    chosen = tuned.chosen
    assert repr(tuned) == (
        f"Tuning(24 trials, {len(tuned.front)} on the Pareto front, chosen {chosen.number} "
        f"({chosen.method}, {chosen.settings_text}): score {chosen.score:.2f})"
    )
    strict = replace(tuned, max_risk=0.001)
    assert repr(strict).endswith(" on the Pareto front, none within a risk of 0.001 %)")
    assert repr(replace(tuned, trials=())) == "Tuning(0 trials, 0 on the Pareto front, none chosen)"


def test_settings_of_a_method_without_groups_have_no_k(frame):
    tuning = shoal.tune(frame, methods=["mdav", "rank-swap"], k=[3, 5], trials=6)
    for trial in tuning.trials:
        assert ("no k" in trial.settings_text) == trial.method.startswith("one-group")
        assert f"k={trial.request.k}" in trial.settings_text or "no k" in trial.settings_text
