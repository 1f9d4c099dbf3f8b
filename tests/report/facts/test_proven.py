"""What reports say of how near groups are to the best possible ones."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.flow.release import Release
from shoal.partition import LowerBound
from shoal.report.facts.collect import summarize, summarize_files
from shoal.report.facts.proven import proven_text
from shoal.report.facts.summary import ProvenFacts, Summary, summary_schema
from shoal.report.page.html import report_html
from shoal.report.terminal.release import release_text
from shoal.report.wording import rounded_up

QUICK = ["sse", "information_loss"]
PROVING = "refine:steps=1230,random_state=1,prove=true"  # 30 groups and 40 steps for each, then 30 of the proof

BOUND = "shoal.partition.lower_bound"


@pytest.fixture
def frame() -> pd.DataFrame:
    return shoal.datasets.households(90, seed=4)[["age", "wage_income", "tax"]]


def facts(release: Release, audience: str = "internal", **options: bool) -> Summary:
    return summarize(release, audience, release.evaluate(measures=QUICK), **options)


@pytest.mark.parametrize(
    ("proven", "text"),
    [
        (
            ProvenFacts(above_best=0.4801, method="linear program", within=""),
            "The groups' squared error is at most 0.49 % above the best possible (proven by a linear program).",
        ),
        (
            ProvenFacts(above_best=37.91, method="neighbours", within="strata", note="Install shoal[prove]."),
            "The groups' squared error is at most 38.0 % above the best possible within strata (proven by the "
            "distances to nearest neighbours). Install shoal[prove].",
        ),
        (
            ProvenFacts(above_best=1e-7, method="neighbours and linear program", within=""),
            "No groups have a smaller squared error, but for rounding (proven by the distances to nearest neighbours "
            "and a linear program).",
        ),
        (
            ProvenFacts(above_best=None, method="prices", within=""),
            "How near the groups are to the best possible ones is not known: the bound by prices of the records is "
            "next to 0.",
        ),
        (
            ProvenFacts(above_best=None, method="", within="", no_bound="values are missing"),
            "How near the groups are to the best possible ones is not known: values are missing.",
        ),
    ],
)
def test_the_sentence(proven, text):
    assert proven_text(proven) == text


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_page_says_it_and_the_facts_are_as_the_schema_says(frame, audience):
    release = shoal.protect(frame, 3, seed=1)
    summary = facts(release, audience)
    jsonschema.validate(summary.to_dict(), summary_schema())
    assert summary.format == "shoal.summary/4"
    assert "squared error is at most" in report_html(summary).replace("&#39;", "'")
    exact = release.proven[0].above_best
    assert summary.proven.above_best == exact or (audience == "public" and exact < summary.proven.above_best)


def test_a_public_report_has_a_rounded_percentage_and_no_advice(frame, monkeypatch):
    bound = LowerBound({"neighbours": 1.0}, "Install more.")
    monkeypatch.setattr(BOUND, lambda X, k: bound)
    release = shoal.protect(frame, 3, seed=1)
    inside, public = facts(release).proven, facts(release, "public").proven
    assert inside.note == "Install more." and public.note == ""
    assert round(public.above_best, 1) == public.above_best != inside.above_best


def test_in_public_nothing_is_said_where_values_are_few(frame):
    release = shoal.protect(frame.assign(children=[0, 1, 2] * 30), 3, seed=1)
    assert facts(release).proven is not None and facts(release, "public").proven is None


def test_the_text_of_a_release_has_what_its_search_proved_and_computes_nothing(frame, monkeypatch):
    pytest.importorskip("highspy")
    monkeypatch.setattr(BOUND, lambda X, k: pytest.fail("a bound was computed"))
    assert facts(shoal.protect(frame, 3), distributions=False).proven is None
    assert facts(shoal.protect(frame, 3, method="refine:steps=32"), distributions=False).proven is None
    refined = shoal.protect(frame, 3, method=PROVING, seed=1)
    proven = facts(refined, distributions=False).proven
    assert proven.above_best == refined.plan.outcome.proven[0].above_best > 0


def test_terminal_report_comparison_and_plan_name_one_bound(frame, monkeypatch):
    """It is that of the search, and not one that was computed for the page or the comparison."""
    pytest.importorskip("highspy")
    monkeypatch.setattr(BOUND, lambda X, k: LowerBound({"another": 1.0}))
    release = shoal.protect(frame, 3, method=PROVING, seed=0)
    (of_plan,) = release.plan.outcome.proven
    assert release.proven == (of_plan,)
    sentence = proven_text(facts(release).proven)
    assert f"{rounded_up(of_plan.above_best):,} %" in sentence and "a linear program" in sentence
    assert sentence in report_html(facts(release)).replace("&#39;", "'")
    text = release_text(facts(release, distributions=False), Path("m.csv"), None, in_input_order=True)
    assert sentence[1:-1] in " ".join(text.split())
    (row,) = shoal.compare(frame, 3, [PROVING], seed=0).rows
    assert row.above_best == of_plan.above_best


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_without_a_bound_the_internal_report_says_why_and_without_groups_nothing(frame):
    missing = frame.astype(float)
    missing.loc[3, "tax"] = None
    release = shoal.protect(missing, 3, missing="fill", seed=1)
    assert facts(release).proven.no_bound == "values are missing" and facts(release, "public").proven is None
    assert facts(shoal.protect(frame, 3, replace="rank-swap")).proven is None


def test_two_files_say_it_only_if_they_are_those_of_the_plan(frame):
    release = shoal.protect(frame, 3, seed=1)
    files = release.recoded, release.masked, release.evaluate(measures=QUICK), release.plan
    assert summarize_files(*files).proven is None
    assert summarize_files(*files, are_of_plan=True).proven == facts(release).proven
    old = release.plan.model_copy(update={"outcome": release.plan.outcome.model_copy(update={"proven": []})})
    assert summarize_files(*files[:3], old, are_of_plan=True).proven is None


def test_the_commands_say_it(frame, tmp_path):
    shoal.write_table(frame, tmp_path / "a.csv")
    pytest.importorskip("highspy")
    protect = f"protect a.csv -k 3 --method {PROVING} -o m.csv --seed 1"
    protected = run_shoal(*protect.split(), cwd=tmp_path)
    assert protected.returncode == 0, protected.stderr
    assert "\nproven      the groups' squared error is at most" in protected.stdout
    reported = run_shoal("report", "a.csv", "m.csv", "--quick", "-o", "r.html", cwd=tmp_path)
    assert reported.returncode == 0, reported.stderr
    assert "squared error is at most" in (tmp_path / "r.html").read_text()
