"""How many whole released records are alike, where columns were grouped in several blocks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.flow.whole_records import alike_as_a_whole
from shoal.report.facts.collect import summarize


@pytest.fixture
def frame():
    rng = np.random.default_rng(4)
    return pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd")).assign(
        region=rng.choice(["north", "south"], 200), w=rng.random(200) + 1
    )


def counted(frame):
    """How many are like each record, one by one."""
    rows = [tuple("?" if cell != cell else cell for cell in row) for row in frame.to_numpy().tolist()]
    return [rows.count(row) for row in rows]


def test_several_blocks_are_counted_over_all_that_is_released(frame):
    with pytest.warns(
        DisclosureWarning, match=r"not 5 alike: .* of 200 are unique, .* k=5 holds in each of the 2 blocks"
    ):
        release = shoal.protect(frame, 5, columns=list("abcd"), blocks=2, weights="w", missing="keep", seed=1)
    alike = counted(release.data.drop(columns="w"))
    assert alike_as_a_whole(release.plan, release.masked).tolist() == alike
    assert release.plan.outcome.unique_records == alike.count(1) > 0
    assert release.plan.outcome.fewest_alike == min(alike)


def test_one_block_is_k_alike_and_says_nothing(frame):
    release = shoal.protect(frame[list("abcd")], 5, seed=1)
    assert alike_as_a_whole(release.plan, release.masked) is None
    assert release.plan.outcome.unique_records is None
    assert min(counted(release.data)) >= 5


def test_blocks_that_agree_are_not_warned_of(recwarn):
    tens = pd.DataFrame({"a": np.repeat(np.arange(10.0), 10)}).assign(b=lambda table: 2 * table.a)
    release = shoal.protect(tens, 5, blocks=1, seed=1)
    assert release.plan.outcome.fewest_alike >= 5
    assert not [one for one in recwarn if issubclass(one.category, DisclosureWarning)]


def test_a_missing_value_counts_as_a_value(frame):
    frame.loc[:40, "a"] = np.nan
    release = shoal.protect(frame[list("abcd")], 5, blocks=2, missing="keep", seed=1)
    assert alike_as_a_whole(release.plan, release.masked).tolist() == counted(release.data)


def test_variables_that_are_drawn_for_themselves_are_counted_as_blocks_are(frame):
    draw = shoal.replace.MembershipDraw(per_variable=True)
    with pytest.warns(DisclosureWarning, match="per_variable"):
        release = shoal.protect(frame[list("abcd")], 5, method="fuzzy", replace=draw, seed=1)
    unique = counted(release.data).count(1)
    assert release.plan.outcome.unique_records == unique > 0
    verdict = summarize(release, "internal", release.evaluate(measures=["information_loss"])).verdict
    assert f"{unique} of the 200 records are unique as a whole" in verdict


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_verdict_says_how_many_are_unique(frame, audience):
    release = shoal.protect(frame[list("abcd")], 5, blocks=1, seed=1)
    facts = summarize(release, audience, release.evaluate(measures=["information_loss"]))
    unique = release.plan.outcome.unique_records
    assert f"at least 5 records, but {unique} of the 200 records are unique as a whole" in facts.verdict
    assert facts.whole_records.unique == unique and not facts.whole_records.are_k_alike


def test_in_public_a_few_unique_records_are_not_counted(frame):
    few = pd.DataFrame({"a": np.repeat([0.0, 1.0], 30), "b": np.repeat([0.0, 1.0], 30)})
    few.loc[29, "b"], few.loc[30:58, "b"] = 1.0, 1.0
    release = shoal.protect(few, 5, blocks=1, replace="median", seed=1)
    summary = {who: summarize(release, who, release.evaluate(measures=[])) for who in ("internal", "public")}
    unique = summary["internal"].whole_records.unique
    assert 0 < unique < 5
    assert summary["public"].whole_records.unique is None
    assert "but some of the 60 records are unique as a whole" in summary["public"].verdict
