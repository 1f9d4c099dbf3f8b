"""What is decided before anything is masked: the method, the replacements, the blocks, the seed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.errors import ColumnError, MethodError, ParameterError, RuleError
from shoal.flow.settle import settle
from shoal.partition import MDAV
from shoal.partition.fuzzy import FuzzyCMeans
from shoal.replace import MembershipDraw, OrderStatistic


@pytest.fixture
def numbers():
    return pd.DataFrame(np.random.default_rng(4).normal(50, 9, size=(40, 5)), columns=list("abcde"))


@pytest.fixture
def frame(numbers):
    return numbers.assign(town=pd.Categorical(["x", "y"] * 20), size=pd.Categorical([1, 2] * 20, ordered=True))


def plan_of(frame, k=3, **options):
    return settle(frame, k, **options).plan


def test_nothing_said_is_mdav_over_all_columns_with_means_medians_and_modes(frame):
    plan = plan_of(frame.assign(code=[1, 2, 3, 9] * 10, sex=["f", "m"] * 20))
    assert plan.method == {"name": "mdav", "variant": "classic", "distance": "euclidean"}
    assert plan.blocks == [[*"abcde", "town", "size", "code", "sex"]]
    used = {name: spelled["name"] for name, spelled in plan.replace.items()}
    assert used == dict.fromkeys("abcde", "mean") | {"town": "mode", "size": "median", "code": "mode", "sex": "mode"}
    assert (plan.missing, plan.standardize, plan.repair) == ("error", True, False)


def test_a_replacement_that_does_not_serve_a_kind_gives_way_to_one_that_does(frame):
    plan = plan_of(frame, columns=["a", "town", "size"])
    assert [plan.replace[name]["name"] for name in ("a", "town", "size")] == ["mean", "mode", "median"]
    with pytest.raises(ParameterError, match='does not serve "town"') as caught:
        plan_of(frame, columns=["a", "town"], replace={"town": "mean"})
    assert caught.value.parameter == "replace"


def test_every_parameter_is_written_out_and_k_stands_once(frame):
    assert plan_of(frame, method=MDAV(k=3)).method == {"name": "mdav", "variant": "classic", "distance": "euclidean"}
    with pytest.raises(ParameterError, match="differ") as caught:
        plan_of(frame, k=4, method=MDAV(k=3))
    assert caught.value.parameter == "k"
    with pytest.raises(ParameterError, match='no parameter "k"'):
        plan_of(frame, method="mdav:k=3")


def test_the_seed_reaches_a_method_that_draws_without_being_given_away(numbers):
    drawn = [plan_of(numbers, method="fuzzy", seed=seed).method["random_state"] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2] and 1 not in drawn
    assert plan_of(numbers, method="fuzzy:random_state=5", seed=1).method["random_state"] == 5
    assert plan_of(numbers).seed != plan_of(numbers).seed


def test_a_replacement_that_rewrites_brings_its_default_method_unless_one_is_chosen(frame):
    options = {"confidential": ["a", "b"], "columns": list("abcde")}
    assert plan_of(frame, replace="ipso", **options).masking.method.name == "one-group"
    assert plan_of(frame, replace="hybrid", **options).masking.method.name == "mdav"
    assert plan_of(frame, replace="ipso", method="mdav", **options).masking.method.name == "mdav"
    assert plan_of(frame, replace="ipso", **options).confidential == ["a", "b"]


def test_a_fuzzy_method_draws_by_its_own_parameter(numbers):
    assert {one["m2"] for one in plan_of(numbers, method="fuzzy:m=1.4").replace.values()} == {1.4}
    plan = plan_of(numbers, method=FuzzyCMeans(5, m=1.3), replace=MembershipDraw(m2=1.6))
    assert plan.replace["a"]["m2"] == 1.6 and plan.method["n_clusters"] == 5
    with pytest.raises(ParameterError, match="has m2, not lam2"):
        plan_of(numbers, method="fuzzy", replace="membership-draw:lam2=4")
    with pytest.raises(MethodError, match="must be membership-draw") as caught:
        plan_of(numbers, method="entropy", replace="median")
    assert caught.value.method == "entropy"
    with pytest.raises(ParameterError, match="needs fuzzy clusters"):
        plan_of(numbers, replace="membership-draw")


def test_rules_choose_blocks_and_replacements_and_are_planned_once(numbers):
    table = numbers.assign(c=numbers.a + numbers.b)
    assert settle(table, 3, edits=["a + b == c", "d >= 0"]).plan.blocks == [["a", "b", "c", "d", "e"]]
    settled = settle(table, 3, edits=["a + b == c", "d >= 0"], blocks="rules")
    assert settled.plan.blocks[0] == ["a", "b", "c"]
    assert [rule.text for rule in settled.plan.edits] == ["a + b == c", "d >= 0"]
    assert [edits.columns for edits in settled.edits] == [tuple(block) for block in settled.plan.blocks]
    assert settle(table, 3).edits is None
    kept = settle(table, 3, edits=["d >= 0"], replace={"d": OrderStatistic(0.25)})
    assert kept.plan.replace["d"] == {"name": "order-statistic", "q": 0.25}


def test_few_whole_numbers_that_a_rule_computes_with_are_amounts(numbers):
    few = numbers.assign(girls=[0, 1, 2, 3] * 10, boys=[1, 2, 0, 2] * 10, area=[1, 2] * 20)
    few["children"] = few.girls + few.boys
    rules = ["girls + boys == children", "area in {1, 2}", "if area == 1 then a >= 0"]
    kinds = plan_of(few, edits=rules).kinds
    assert [kinds[name] for name in ("girls", "boys", "children", "area")] == [*["continuous"] * 3, "nominal"]
    assert plan_of(few).kinds["girls"] == "nominal"
    assert plan_of(few, edits=rules[1:], kinds={"girls": "ordinal"}).kinds["girls"] == "ordinal"
    with pytest.raises(ParameterError, match="kinds must be a mapping"):
        plan_of(few, edits=rules, kinds=["girls"])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"edits": ["z == a"]}, RuleError),
        ({"edits": ["a < 1", "a > 2"]}, RuleError),
        ({"columns": ["z"]}, ColumnError),
        ({"replace": {"z": "mean"}}, ParameterError),
        ({"replace": {"a": "hybrid"}}, ParameterError),
        ({"confidential": ["a"]}, ParameterError),
        ({"replace": "ipso"}, ParameterError),
        ({"replace": "ipso", "confidential": ["a"], "edits": ["a * a < 1"]}, RuleError),
        ({"missing": "drop"}, ParameterError),
        ({"seed": -1}, ParameterError),
    ],
)
def test_what_cannot_be_decided_is_refused_before_anything_is_masked(frame, options, error):
    with pytest.raises(error):
        settle(frame, 3, **options)
