"""What is said of whole released records: counted when a plan is carried out, and by scenarios that a plan names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from oracles.slow_headline import counted
from shoal.errors import DisclosureWarning, PlanError
from shoal.measure.headline import usual_scenarios
from shoal.report.facts.collect import summarize

pytestmark = pytest.mark.filterwarnings("ignore:NOT PROTECTED:shoal.errors.DisclosureWarning")


@pytest.fixture
def frame():
    rng = np.random.default_rng(4)
    return pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd")).assign(
        region=rng.choice(["north", "south"], 200), w=rng.random(200) + 1
    )


def whole(frame):
    return counted(frame.to_numpy().tolist())


def test_several_blocks_are_counted_over_all_that_is_released(frame):
    with pytest.warns(
        DisclosureWarning, match=r"not 5 alike: .* of 200 are unique, .* k=5 holds in each of the 2 blocks"
    ):
        release = shoal.protect(frame, 5, columns=list("abcd"), blocks=2, weights="w", missing="keep", seed=1)
    assert (release.plan.outcome.k, release.plan.outcome.uniques) == whole(release.data.drop(columns="w"))
    assert release.plan.outcome.uniques > 0


def test_one_block_is_k_alike(frame):
    release = shoal.protect(frame[list("abcd")], 5, seed=1)
    assert (release.plan.outcome.k, release.plan.outcome.uniques) == whole(release.data) == (5, 0)


def test_blocks_that_agree_are_not_warned_of(recwarn):
    tens = pd.DataFrame({"a": np.repeat(np.arange(20.0), 10) / 3}).assign(b=lambda table: 2 * table.a)
    release = shoal.protect(tens, 5, blocks=1, seed=1)
    assert release.plan.outcome.k >= 5
    assert not [one for one in recwarn if issubclass(one.category, DisclosureWarning)]


def test_a_missing_value_counts_as_a_value(frame):
    frame.loc[:40, "a"] = np.nan
    release = shoal.protect(frame[list("abcd")], 5, blocks=2, missing="keep", seed=1)
    assert (release.plan.outcome.k, release.plan.outcome.uniques) == whole(release.data)


def test_variables_that_are_drawn_for_themselves_promise_no_k(frame):
    draw = shoal.replace.MembershipDraw(per_variable=True)
    with pytest.warns(DisclosureWarning, match="per_variable"):
        release = shoal.protect(frame[list("abcd")], 5, method="fuzzy", replace=draw, seed=1)
    unique = whole(release.data)[1]
    assert release.plan.outcome.uniques == unique > 0
    facts = summarize(release, "internal", release.evaluate(measures=["information_loss"]))
    assert f"{unique} of 200 records are unique over all 4 released columns" in facts.verdict
    assert facts.no_k == "centres are drawn at random for every record" and facts.headline.k_promised is None


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_verdict_says_how_many_are_unique(frame, audience):
    release = shoal.protect(frame[list("abcd")], 5, blocks=1, seed=1)
    facts = summarize(release, audience, release.evaluate(measures=["information_loss"]))
    unique = release.plan.outcome.uniques
    assert facts.verdict.startswith(
        f"{unique} of 200 records are unique over all 4 released columns, though every protected value stands for at "
        "least 5 records; "
    )
    assert facts.headline.uniques == unique and not facts.headline.are_k_alike


def test_in_public_a_few_unique_records_are_not_counted():
    few = pd.DataFrame({"a": np.repeat([0.0, 1.0], 30), "b": np.repeat([0.0, 1.0], 30)})
    few.loc[29, "b"], few.loc[30:58, "b"] = 1.0, 1.0
    kinds = {"a": "continuous", "b": "continuous"}
    release = shoal.protect(few, 5, blocks=1, replace="median", kinds=kinds, seed=1)
    summary = {who: summarize(release, who, release.evaluate(measures=[])) for who in ("internal", "public")}
    unique = summary["internal"].headline.uniques
    assert 0 < unique < 5
    assert summary["public"].headline.uniques is None and summary["public"].headline.k is None
    assert summary["public"].scenarios[0].uniques is None and summary["public"].scenarios[0].k is None
    assert "Some of 60 records are unique over all 2 released columns" in summary["public"].verdict


def test_the_usual_scenarios():
    assert usual_scenarios({}) == {"everything": ["*"]}
    roles = {"age": "key", "w": "weight", "sex": "key", "tax": "confidential"}
    assert usual_scenarios(roles) == {
        "keys": ["age", "sex"],
        "everything": ["*"],
        "keys and weights": ["age", "sex", "w"],
        "everything and weights": ["*", "w"],
    }


def test_scenarios_are_in_the_plan_and_can_be_changed(frame, tmp_path):
    release = shoal.protect(frame[list("abcd")], 5, roles={"a": "key"}, seed=1)
    release.plan.to_toml(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    assert "[scenarios]" in text and "everything" in text
    (tmp_path / "plan.toml").write_text(text.replace("[scenarios]", '[scenarios]\nneighbour = ["b", "c"]'))
    plan = shoal.Plan.from_toml(tmp_path / "plan.toml")
    again = plan.run(frame[list("abcd")])
    pd.testing.assert_frame_equal(again.data, release.data)
    found = again.evaluate(measures=[]).to_dict()["scenarios"]
    assert list(found) == ["neighbour", "keys", "everything"] and found["neighbour"]["columns"] == ["b", "c"]
    assert (found["neighbour"]["k"], found["neighbour"]["uniques"]) == whole(again.data[["b", "c"]])
    (tmp_path / "plan.toml").write_text(text.replace("[scenarios]", "[scenarios]\nneighbour = 3"))
    with pytest.raises(PlanError, match=r"scenarios\.neighbour"):
        shoal.Plan.from_toml(tmp_path / "plan.toml")
