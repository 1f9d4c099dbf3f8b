"""What a chain comes to as a whole: facts, reports, and what may be published of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.flow.chain.whole_chain import (
    kinds_in_chain,
    last_steps,
    no_k_in_chain,
    protected_in_chain,
    rules_in_chain,
)
from shoal.report.facts.collect import summarize
from shoal.report.page.method_sections import method_sections
from shoal.report.terminal.release import release_text
from unchanged_columns import protect_part


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.normal(50, 9, (60, 3)).round(3), columns=["a", "b", "c"])
    return frame.assign(sex=rng.choice(["f", "m"], 60), id=[f"n{row}" for row in range(60)])


@pytest.fixture(scope="module")
def release(data):
    first = protect_part(data, 3, columns=["a", "sex"], roles={"id": "identifier"}, edits=["a >= 0"], seed=11)
    return first.then(columns=["b", "c"], replace={"b": "median", "c": "mean"}, method="vmdav", k=4, seed=12)


def test_all_steps_are_told_together(release):
    plan = release.plan
    assert protected_in_chain(plan) == ["a", "sex", "b", "c"]
    assert kinds_in_chain(plan) == {"a": "continuous", "sex": "nominal", "b": "continuous", "c": "continuous"}
    assert last_steps(plan)["b"].replace["b"]["name"] == "median"
    assert [rule.text for rule in rules_in_chain(plan)] == ["a >= 0"]
    assert no_k_in_chain(plan) == ""


def test_the_method_is_known_where_one_step_groups(data, release):
    assert "method" not in release.plan.facts
    numbers = data[["a", "b", "c"]]
    one = protect_part(numbers, 3, columns=["a", "b"], seed=1)
    chain = one.then(columns=["c"], replace="ipso", confidential=["c"], method="one-group", seed=2)
    facts = chain.plan.facts
    assert (facts["method"]["name"], facts["k"], facts["blocks"]) == ("mdav", 3, [["a", "b"]])
    assert chain.evaluate().transparency_attack is not None
    assert no_k_in_chain(chain.plan) != ""
    again = chain.then(columns=["a"], replace="ipso", confidential=["a"], method="one-group", seed=3)
    assert "method" not in again.plan.facts


def test_the_method_is_known_where_the_last_step_alone_groups(data):
    with pytest.warns(DisclosureWarning, match="No k is promised|NOT PROTECTED"):
        first = shoal.protect(data[["a", "b", "c"]], 3, columns=["c"], replace="rank-swap:p=20", seed=1)
    with pytest.warns(DisclosureWarning) as warned:
        chain = first.then(columns=["a", "b"], seed=2)
    assert str(warned[0].message).startswith("No k is promised: values are exchanged or perturbed record by record.")
    assert (chain.plan.facts["method"]["name"], chain.plan.facts["blocks"]) == ("mdav", [["a", "b"]])
    assert chain.headline["k"] == 1


def test_groups_over_all_of_it_promise_k_again(data):
    numbers = data[["a", "b"]]
    chain = protect_part(numbers, 3, columns=["a"], replace="ipso", confidential=["a"], method="one-group", seed=1)
    assert no_k_in_chain(chain.plan) != ""
    assert no_k_in_chain(chain.then(columns=["a", "b"], seed=2).plan) == ""


def test_reports_show_the_steps_in_their_order(release, tmp_path):
    summary = summarize(release, "internal", release.evaluate(quick=True))
    assert [(step.k, step.method.partition(":")[0], step.columns) for step in summary.steps] == [
        (3, "mdav", ["a", "sex"]),
        (4, "vmdav", ["b", "c"]),
    ]
    text = release_text(summary, Path("out.csv"), None, False)
    assert text.index("step 1 ") < text.index("step 2 ")
    assert summary.protected == ["a", "sex", "b", "c"]
    assert [rule.holds for rule in summary.rules] == [True]
    said = summarize(release, "internal", release.evaluate()).left_out["transparency_attack"]
    assert said.startswith("several steps make groups")
    for audience in ("internal", "public"):
        release.report(tmp_path / f"{audience}.html", audience=audience)
        page = (tmp_path / f"{audience}.html").read_text()
        assert "Steps in their order" in page
        assert "Method and parameters of step 1" in page
        assert "none of them stands alone" not in page and "Those of the last step." in page


def test_reports_say_of_every_step_what_holds_of_it(data):
    """k, recodes and groups of one step are not those of another, and true values of keys are not called changed."""
    own = data[["a", "b", "sex"]]
    first = protect_part(own, 3, columns=["a", "sex"], categories="suppress", recodes={"a": "round:to=0.5"}, seed=1)
    with pytest.warns(DisclosureWarning, match="No k is promised"):
        chain = first.then(columns=["b"], replace="noise", seed=2)
    summary = summarize(chain, "public", chain.evaluate(quick=True))
    assert [(step.k, step.perturbs, step.recoded) for step in summary.steps] == [
        (3, False, ["a: round:to=0.5"]),
        (None, True, []),
    ]
    one, two = (dict(section.facts) for section in method_sections(summary) if section.id.startswith("method"))
    assert (one["k"], two["k"]) == ("3", "none: values are exchanged or perturbed record by record")
    assert "grouped by" in one and "grouped by" not in two
    assert "round:to=0.5" in one["recoded"] and "recoded" not in two
    assert not summary.key_risk.are_perturbed
    with pytest.warns(DisclosureWarning, match="No k is promised|come out as they were"):
        other = shoal.protect(own[["sex"]], 3, replace="pram", seed=1)
    assert summarize(other, "public", other.evaluate(quick=True)).key_risk.are_perturbed


def test_no_key_and_in_public_no_seed_leaves_the_plan(release, data):
    keys = [release.plan.key, release.undo().plan.key]
    for audience in ("internal", "public"):
        text = json.dumps(summarize(release, audience, release.evaluate(quick=True)).to_dict())
        assert not any(key in text for key in keys)
    public = release.plan.public()
    assert [step["k"] for step in public["before"]] == [3]
    assert "seed" not in public["before"][0] and "key" not in public["before"][0]
    assert "id" not in public["before"][0]["roles"]


def test_a_release_of_one_step_has_none(data):
    one = protect_part(data, 3, columns=["a"], roles={"id": "identifier"}, seed=1)
    assert summarize(one, "internal", one.evaluate(quick=True)).steps == []
    assert "before" not in one.plan.public()
