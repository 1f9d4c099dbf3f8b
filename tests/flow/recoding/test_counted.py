"""What recodes did is counted over the keys, and nothing of the data is said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.recode import Bands, Merge, effect
from shoal.report.facts.collect import summarize

RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(0, 90, 300),
        "job": RNG.choice([*(f"job{number}" for number in range(12))], 300, p=[0.7, *[0.3 / 11] * 11]),
        "sex": RNG.choice(["f", "m"], 300),
        "income": RNG.normal(1000, 200, 300),
    }
)
RECODES = {"age": Bands(width=20), "job": Merge({"secret group": ["job1", "job2"]}, rare=20)}


@pytest.fixture(scope="module")
def release():
    return shoal.protect(PEOPLE, 5, recodes=RECODES, seed=1)


def test_the_outcome_counts_what_each_recode_did(release):
    expected = effect(PEOPLE, RECODES, ["age", "job", "sex"], 5)
    for name, counted in release.plan.outcome.recoded.items():
        assert counted.values_before == PEOPLE[name].nunique()
        assert counted.values_after == release.recoded.to_native()[name].nunique()
        assert counted.below_k_before == expected.before.below_k
        assert counted.below_k_after == expected.alone[name].below_k
        assert counted.below_k_together == expected.together.below_k


def test_key_variables_are_those_with_the_role():
    release = shoal.protect(PEOPLE, 5, recodes=RECODES, seed=1, roles={"age": "key", "sex": "key"})
    expected = effect(PEOPLE, RECODES, ["age", "sex"], 5)
    assert release.plan.outcome.recoded["age"].below_k_after == expected.alone["age"].below_k
    assert release.plan.outcome.recoded["job"].below_k_after == expected.before.below_k
    assert [own.is_key for own in release.plan.outcome.recoded.values()] == [True, False]


def test_reports_say_what_was_recoded_and_public_ones_nothing_more(release):
    evaluation = release.evaluate(measures=["sse"])
    internal = summarize(release, "internal", evaluation)
    assert [line.partition(":")[0] for line in internal.recoded] == ["age", "job", "all together"]
    assert "records below k over the keys" in internal.recoded[0]
    public = summarize(release, "public", evaluation)
    assert public.recoded[0] == "age: bands:width=20"
    assert "job1" not in public.model_dump_json() and "below k over" not in " ".join(public.recoded)


def test_a_report_page_says_it_too(release, tmp_path):
    release.report(tmp_path / "report.html", audience="public")
    page = (tmp_path / "report.html").read_text()
    assert "bands:width=20" in page and "job1" not in page


def test_columns_are_listed_in_the_order_of_the_table_by_a_plan_run_again_too(tmp_path):
    backwards = dict(reversed(RECODES.items()))
    first = shoal.protect(PEOPLE, 5, recodes=backwards, seed=1)
    assert list(first.plan.outcome.recoded) == list(first.plan.outcome.lost_by_recoding) == ["age", "job"]
    first.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml").run(PEOPLE)
    assert list(again.plan.outcome.recoded) == list(again.plan.outcome.lost_by_recoding) == ["age", "job"]
    assert again.plan.outcome.recoded == first.plan.outcome.recoded
