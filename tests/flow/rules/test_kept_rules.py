"""Rules before and after: whatever the rules and the data, a release keeps them or there is none."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import (
    DataError,
    DescriptionWarning,
    DisclosureWarning,
    MethodError,
    ParameterError,
    RuleError,
    ShoalError,
    TooFewRecordsError,
)
from shoal.flow.explained_rules import explain
from shoal.flow.settle import settle
from unchanged_columns import not_protected, protect_part


def worked():
    """The worked example of METHODS 11, once as one group of three."""
    frame = pd.DataFrame({"a": [2.0, 4, 6], "b": [3.0, 5, 10], "d": [2.0, 1, 0.5]})
    frame["c"] = frame.a + frame.b
    frame["e"] = frame.c * frame.d
    return frame


def test_a_product_that_meets_a_sum_is_computed():
    found = shoal.protect(worked(), 3, edits=["a + b == c", "c * d == e"]).data.iloc[0]
    assert found[list("abcde")].tolist() == pytest.approx([4, 6, 10, 1, 10])


def test_sums_and_products_in_a_circle_are_projected():
    frame = worked()
    frame["f"] = frame.d + frame.e
    frame["g"] = frame.d * frame.a
    rules = ["a + b == c", "c * d == e", "d + e == f", "d * a == g", "f >= g"]
    found = shoal.protect(frame, 3, edits=rules).data.iloc[0]
    assert found.a + found.b == pytest.approx(found.c, rel=1e-12)
    assert found.c * found.d == pytest.approx(found.e, rel=1e-12)
    assert found.d + found.e == pytest.approx(found.f, rel=1e-12)


def test_the_medoid_is_a_record_and_keeps_everything():
    with pytest.warns(DisclosureWarning, match="medoid"):
        release = shoal.protect(worked(), 3, replace="medoid", edits=["a + b == c", "c * d == e", "e in original"])
    assert release.data.iloc[0][list("abcde")].tolist() == [4, 5, 9, 1, 9]


def test_rules_leave_one_block_unless_blocks_are_cut_by_them():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 8)), columns=list("abcdefgh"))
    frame["s"] = frame.a + frame.h
    assert shoal.protect(frame, 4, edits="a + h == s").plan.blocks == [list(frame.columns)]
    by_rules = shoal.protect(frame, 4, edits="a + h == s", blocks="rules")
    assert by_rules.plan.blocks == [["a", "h", "s"], ["b", "c", "d"], ["e", "f", "g"]]
    assert shoal.protect(frame, 4, edits="a + h == s", blocks=2).plan.blocks[1:] == [["b", "c"], ["d", "e"], ["f", "g"]]
    listed = shoal.protect(frame, 4, edits="a + h == s", blocks=(block for block in (list("ahs"), list("bcdefg"))))
    assert listed.plan.blocks == [list("ahs"), list("bcdefg")]
    with pytest.raises(ParameterError, match="there are no rules"):
        shoal.protect(frame, 4, blocks="rules")
    with pytest.raises(ParameterError, match="or for protect \"rules\"; got 'rule'"):
        shoal.protect(frame, 4, blocks="rule", edits="a + h == s")


def test_blocks_that_cut_a_rule_are_refused():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 3], "s": [2.0, 4, 6]})
    with pytest.raises(RuleError, match="another block"):
        shoal.protect(frame, 3, edits="a + b == s", blocks=[["a"], ["b", "s"]])


def test_the_plan_repeats_the_release(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(0, 90, 80), "wage": 0.0})
    frame.loc[frame.age >= 15, "wage"] = rng.lognormal(7, 1, (frame.age >= 15).sum())
    frame["tax"] = 0.3 * frame.wage
    frame["net"] = frame.wage - frame.tax
    rules = ["wage - tax == net", "if age < 15 then wage == 0", "age is integer", "`net` <= wage"]
    release = shoal.protect(frame, 3, edits=rules, seed=5)
    release.plan.to_toml(tmp_path / "plan.toml")
    plan = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert [rule.text for rule in plan.edits] == [
        "wage - tax == net",
        "if age < 15 then wage == 0",
        "age is integer",
        "net <= wage",
    ]
    pd.testing.assert_frame_equal(plan.run(frame).data, release.data)
    assert (release.data.wage[release.data.age < 15] == 0).all()
    assert release.data.age.dtype == frame.age.dtype


def test_searches_record_their_steps_for_every_part(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    frame["c"] = np.where(frame.a < 0, frame.b + 1, frame.b - 1)
    release = shoal.protect(frame, 3, method="refine:seconds=0.2", edits="if a < 0 then b <= c", seed=1)
    assert [len(steps) for steps in release.plan.steps] == [2]
    release.plan.to_toml(tmp_path / "plan.toml")
    pd.testing.assert_frame_equal(shoal.Plan.from_toml(tmp_path / "plan.toml").run(frame).data, release.data)


def test_a_condition_on_a_column_that_stays_splits_the_file():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["male", "female"], 60), "age": rng.integers(20, 60, 60)})
    frame["births"] = np.where(frame.sex == "male", 0, rng.integers(0, 5, 60))
    release = protect_part(frame, 4, as_is="sex", edits=['if sex == "male" then births == 0'], seed=1)
    assert (release.data.births[frame.sex == "male"] == 0).all()


def test_whole_numbers_in_a_sum_stay_whole():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"girls": rng.integers(0, 9, 50), "boys": rng.integers(0, 9, 50)})
    frame["children"] = frame.girls + frame.boys
    rules = ["girls + boys == children", "girls is integer", "boys is integer", "children is integer"]
    data = shoal.protect(frame, 4, edits=rules, seed=1).data
    assert (data.girls + data.boys == data.children).all()
    assert (data == data.round()).all().all()


def test_signs_in_products_stay():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"price": rng.lognormal(size=90), "amount": rng.choice([-2.0, -1.0, 0.0, 1.0, 3.0], 90)})
    frame["value"] = frame.price * frame.amount
    data = shoal.protect(frame, 3, edits="price * amount == value", seed=1).data
    assert (data.price * data.amount == data["value"]).all()
    assert (np.sign(data.amount) == np.sign(frame.amount)).mean() > 0.9


def test_rules_hold_in_every_stratum_and_with_weights():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"region": rng.choice(list("NS"), 80), "w": rng.uniform(1, 5, 80), "a": rng.normal(size=80)})
    frame["b"] = rng.normal(size=80)
    frame["s"] = frame.a + frame.b
    release = shoal.protect(frame, 4, edits=["a + b == s", "if a > 0 then s >= b"], strata="region", weights="w")
    data = release.data
    assert (data.a + data.b == data.s).all()
    assert (data.s >= data.b)[data.a > 0].all()
    for label in np.unique(release.partitions[0].labels):
        assert frame.region[release.partitions[0].labels == label].nunique() == 1


def broken_file():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(10, 2, 60), "b": rng.normal(10, 2, 60)})
    frame["s"] = frame.a + frame.b + np.where(np.arange(60) < 7, 1.0, 0.0)
    return frame


def test_a_file_that_breaks_a_rule_is_refused_with_counts_and_no_values():
    with pytest.raises(DataError) as error:
        shoal.protect(broken_file(), 3, edits="a + b == s")
    assert '7 of 60 records break the rule "a + b == s", first 1, 2, 3, 4, 5' in str(error.value)
    assert "repair=True" in str(error.value)
    assert str(broken_file().a[0])[:6] not in str(error.value)


def test_repair_moves_representatives_onto_the_rule():
    data = shoal.protect(broken_file(), 3, edits=["a + b == s", "a >= 0"], repair=True).data
    assert (data.a + data.b == data.s).all()
    assert data.nunique()["a"] == 20


def test_repair_changes_nothing_where_the_rule_holds():
    frame = broken_file().iloc[7:]
    plain, repaired = (shoal.protect(frame, 3, edits="a + b == s", repair=repair).data for repair in (False, True))
    assert np.abs(plain - repaired).max().max() < 1e-9


def test_repair_does_not_mend_what_is_no_sum():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 3], "p": [1.0, 4, 8]})
    with pytest.raises(DataError, match=r'1 of 3 records break the rule "a \* b == p".*leave the rule out'):
        shoal.protect(frame, 3, edits="a * b == p", repair=True)


def test_fuzzy_methods_mend_and_keep_sums_without_tolerance():
    data = shoal.protect(broken_file(), 3, method="fuzzy", edits=["a + b == s", "a <= 14"], seed=1).data
    assert (data.a + data.b == data.s).all()
    assert (data.a <= 14).all()


def test_fuzzy_methods_refuse_lists_of_values_by_name():
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 2, 3, 4]})
    with pytest.raises(RuleError, match=r'No average keeps the rule "a in \{1, 2, 3, 4\}".*use the method "mdav"'):
        shoal.protect(frame, 2, method="fuzzy", edits=["a in {1, 2, 3, 4}", "if a < 3 then b < 3"])


def test_gaps_and_rules_between_variables_do_not_go_together():
    frame = broken_file().iloc[7:].reset_index(drop=True)
    frame.loc[3, "a"] = np.nan
    with pytest.raises(MethodError, match="missing values"):
        shoal.protect(frame, 3, edits="a + b == s", missing="keep")
    data = shoal.protect(frame, 3, edits=["a <= 20", "b >= 0"], missing="keep").data
    assert np.isnan(data.a[3])


def test_a_rule_that_not_every_group_can_keep_is_tried_on_the_groups():
    x = np.arange(1.0, 13.0)
    frame = pd.DataFrame({"a": x, "b": 2 - x * x, "c": 1 / x, "d": 1 + 1e-6 * x})
    settled = settle(frame, 3, edits="a * a + b == 2", seed=1)
    for refused in (lambda: explain(settled.plan, settled.table), lambda: settled.plan.run(frame)):
        with pytest.raises(RuleError, match=r'In 4 groups no values near the averages keep the rule "a \* a \+ b'):
            refused()
    easy = shoal.protect(frame, 3, edits="a * a + b <= 100")
    assert (easy.data.a * easy.data.a + easy.data.b <= 100).all()
    moved = shoal.protect(frame, 3, edits="a * c <= d").data  # d is moved, because no equality names it
    assert (moved.a * moved.c <= moved.d).all()


def test_a_variable_that_stands_alone_is_computed_from_what_is_released():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.lognormal(size=60), "b": rng.lognormal(size=60), "c": rng.normal(size=60)})
    frame["d"] = frame.a * frame.b + frame.c
    frame["e"] = frame.d - frame.a
    frame["share"] = frame.a / (frame.a + frame.b)
    rules = ["d == a * b + c", "e == d - a", "share == a / (a + b)", "0 <= share <= 1"]
    release = shoal.protect(frame, 3, edits=rules, seed=1)
    data = release.data
    assert (data.d == data.a * data.b + data.c).all()
    assert (data.e == data.d - data.a).all()
    assert (data.share == data.a / (data.a + data.b)).all()
    assert data.a.mean() == pytest.approx(frame.a.mean())
    assert release.plan.outcome.notes[0] == "All 4 rules hold in the release."


def test_multiples_of_whole_numbers_stay_multiples():
    t = np.random.default_rng(0).integers(-20, 90, 60)
    frame = pd.DataFrame({"a": 3 * t, "b": 2 * t, "z": np.random.default_rng(1).normal(size=60)})
    data = shoal.protect(frame, 4, edits=["2 * a == 3 * b", "a is integer", "b is integer", "a <= 267"], seed=1).data
    assert (2 * data.a == 3 * data.b).all()
    assert (data.a % 3 == 0).all()
    assert np.abs(data.a.mean() - frame.a.mean()) < 1.5  # a value moves by half a step of 3 at most


def test_a_computed_value_beyond_its_bounds_is_brought_back():
    # The product of the means is above all products of the group: 5.5 * 5.5 > 11.
    frame = pd.DataFrame({"a": [1.0, 10.0] * 10, "b": [10.0, 1.1] * 10})
    frame["d"] = frame.a * frame.b + 1
    data = shoal.protect(frame, 20, edits=["d == a * b + 1", "d <= 28"], seed=1).data
    assert (data.d == data.a * data.b + 1).all()
    assert (data.d <= 28).all()
    with pytest.raises(RuleError, match='In 1 group no values near the averages keep the rule "d <= 12"'):
        shoal.protect(frame, 20, edits=["d == a * b + 1", "d <= 12"], seed=1)


def educated():
    levels = ["none", "primary", "secondary", "bachelor", "master"]
    rng = np.random.default_rng(0)
    parent = rng.integers(0, 5, 80)
    child = (rng.random(80) * (parent + 1)).astype(int)
    frame = pd.DataFrame({"age": np.where(child < 3, rng.integers(5, 90, 80), rng.integers(18, 90, 80))})
    for name, codes in {"child": child, "parent": parent}.items():
        frame[name] = pd.Categorical.from_codes(codes, levels, ordered=True)
    return frame, levels


def test_ordered_categories_keep_their_order():
    frame, levels = educated()
    rules = ["child <= parent", 'if age < 18 then child <= "secondary"']
    release = shoal.protect(frame, 4, columns=list(frame), edits=rules, seed=1)
    child, parent = (release.data[name].astype(str).map(levels.index) for name in ("child", "parent"))
    assert (child <= parent).all()
    assert (child[release.data.age < 18] <= levels.index("secondary")).all()
    assert {release.plan.replace[name]["name"] for name in ("child", "parent")} == {"median"}
    with pytest.raises(RuleError, match=r'replace "mode" does not keep the rule "child <= parent"'):
        shoal.protect(frame, 4, columns=list(frame), edits=rules, replace={"child": "mode", "parent": "mode"})


def test_orders_that_differ_are_refused_before_anything_is_masked():
    frame, levels = educated()
    frame["parent"] = frame.parent.cat.reorder_categories(levels[::-1])
    with pytest.raises(RuleError, match='categories of "child" and "parent" have different orders'):
        shoal.protect(frame, 4, columns=list(frame), edits="child <= parent")
    frame["parent"] = frame.child.where(frame.index > 0, "none")
    frame["child"] = frame.child.where(frame.index > 0, "master")
    with pytest.raises(DataError, match=r"1 of 80 records break .* Correct them, or leave the rule out\."):
        shoal.protect(frame, 4, columns=list(frame), edits="child <= parent")
    with pytest.raises(RuleError, match='"town" has no ordered categories'):
        shoal.protect(frame.assign(town="A"), 4, columns=["age"], edits='town <= "B"')


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        (["a <= 3", "a >= 4"], "No record can satisfy"),
        (["a + bb == s"], 'names "bb", which is no column. Did you mean'),
        (["a / 0 == b"], "divides by zero"),
        ([3], "A rule is a line of text; got int"),
        (["a + b"], "must compare something"),
        (["a + " * 3000 + "b == s"], "at most 10,000"),
        (["a in original", "b in original", "s in original", "a + b == s"], "No average keeps the rule"),
    ],
)
def test_rules_that_make_no_sense_are_one_line(rules, error):
    frame = broken_file().iloc[7:]
    with pytest.raises(ShoalError) as raised:
        shoal.protect(frame, 3, edits=rules)
    assert error in str(raised.value)
    assert "\n" not in str(raised.value)


def test_too_few_records_for_a_condition_are_refused_before_anything_is_written(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 1, 8, 7, 9, 9], "b": [0.0, 0, 9, 9, 9, 9], "c": [1.0] * 6})
    with pytest.raises(TooFewRecordsError, match=r'"if a < 5 then b <= c" separates 2 records from the others'):
        shoal.protect(frame, 3, edits="if a < 5 then b <= c").write(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


# Whatever the rules and the data: each rule is a text and what it means, in plain Python.
def _close(one, other, size):
    return abs(one - other) <= 1e-9 * size


def _number(name, frame, draw):
    return float(draw(st.sampled_from(frame[name].tolist())))


_NAMES = list("abcdspq")


@st.composite
def satisfied(draw):
    """Return a table and rules that it satisfies."""
    n = draw(st.integers(8, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    makers = {
        "skewed": lambda: rng.lognormal(3, 1, n),
        "signed": lambda: rng.normal(0, 10, n),
        "counts": lambda: rng.integers(0, 6, n).astype(float),
        "zeros": lambda: np.round(rng.exponential(50, n), 2) * (rng.random(n) < 0.7),
        "ties": lambda: rng.choice([1.0, 2.5], n),
    }
    frame = pd.DataFrame({name: makers[draw(st.sampled_from(sorted(makers)))]() for name in "abcd"})
    frame["s"] = frame.a + frame.b
    frame["p"] = frame.a * frame.d
    frame["q"] = frame.s - 2 * frame.c
    frame["g"] = rng.choice(["x", "y"], n)
    rules = []
    for _ in range(draw(st.integers(1, 5))):
        text, test = draw(_rule(frame))
        if all(test(row, frame) for row in frame.to_dict("records")):
            rules.append((text, test))
    return frame, rules


@st.composite
def _comparison(draw, frame):
    name = draw(st.sampled_from(_NAMES))
    bound = _number(name, frame, draw)
    sign, test = draw(
        st.sampled_from(
            [
                ("<", lambda x: x < bound),
                ("<=", lambda x: x <= bound),
                (">=", lambda x: x >= bound),
                ("==", lambda x: x == bound),
                ("!=", lambda x: x != bound),
            ]
        )
    )
    return f"{name} {sign} {bound!r}", lambda row, _: test(row[name])


@st.composite
def _order(draw, frame):
    one, other = draw(st.permutations(_NAMES))[:2]
    return f"{one} <= {other}", lambda row, _: row[one] <= row[other]


@st.composite
def _rule(draw, frame):
    kind = draw(
        st.sampled_from(["sum", "difference", "product", "plain", "order", "if", "or", "domain", "whole", "sex"])
    )
    if kind == "sum":
        return "a + b == s", lambda r, _: _close(r["a"] + r["b"], r["s"], abs(r["a"]) + abs(r["b"]) + abs(r["s"]))
    if kind == "difference":
        return "s - 2 * c == q", lambda r, _: _close(
            r["s"] - 2 * r["c"], r["q"], abs(r["s"]) + 2 * abs(r["c"]) + abs(r["q"])
        )
    if kind == "product":
        return "a * d == p", lambda r, _: _close(r["a"] * r["d"], r["p"], abs(r["a"] * r["d"]) + abs(r["p"]))
    if kind == "plain":
        return draw(_comparison(frame))
    if kind == "order":
        return draw(_order(frame))
    if kind == "domain":
        name = draw(st.sampled_from(_NAMES))
        return f"{name} in original", lambda r, frame: r[name] in set(frame[name])
    if kind == "whole":
        name = draw(st.sampled_from(_NAMES))
        return f"{name} is integer", lambda r, _: math.isfinite(r[name]) and r[name] == math.floor(r[name])
    then_text, then = draw(st.one_of(_comparison(frame), _order(frame)))
    if kind == "sex":
        return f'if g == "x" then {then_text}', lambda r, frame: r["g"] != "x" or then(r, frame)
    when_text, when = draw(_comparison(frame))
    if kind == "if":
        return f"if {when_text} then {then_text}", lambda r, frame: not when(r, frame) or then(r, frame)
    return f"{when_text} or {then_text}", lambda r, frame: when(r, frame) or then(r, frame)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(satisfied(), st.integers(2, 5), st.booleans(), st.booleans())
def test_a_release_keeps_the_rules_or_there_is_none(given_data, k, with_text, as_amounts):
    frame, rules = given_data
    if not rules:
        return
    options = {"kinds": dict.fromkeys(frame.columns[:-1], "continuous") if as_amounts else None}
    options |= {} if with_text else {"as_is": "g"}
    try:
        with warnings.catch_warnings(), nullcontext() if with_text else not_protected():
            warnings.simplefilter("ignore", DescriptionWarning)  # of constant columns
            warnings.filterwarnings("ignore", "In most groups the released value", DisclosureWarning)
            release = shoal.protect(frame, k, edits=[text for text, _ in rules], seed=1, **options)
    except ShoalError:
        return
    for partition in release.partitions:
        assert partition.sizes.min() >= k
    for row in release.data.to_dict("records"):
        for text, test in rules:
            assert test(row, frame), text


def test_fuzzy_methods_keep_strict_bounds():
    frame = pd.DataFrame({"a": np.arange(60) * 1.5, "b": np.arange(60.0) ** 2})
    data = shoal.protect(frame, 3, method="fuzzy", edits=["a < 30", "a < b + 100"], seed=1).data
    assert (data.a < 30).all()


def test_a_rule_about_what_is_not_protected_does_not_disturb_a_fuzzy_method():
    frame = pd.DataFrame({"a": np.arange(60) * 1.5, "b": np.arange(60) % 7 * 1.5, "w": np.ones(60)})
    protect_part(frame, 3, columns=["a", "b"], method="fuzzy", edits="w >= 0", seed=1)


def test_whole_numbers_are_rounded_in_every_part():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"t": rng.choice(["car", "bus"], 60), "a": rng.integers(0, 9, 60), "b": rng.integers(0, 9, 60)}
    )
    frame["c"] = np.where(frame.t == "car", frame.a + frame.b, 3)
    rules = ['if t == "car" then a + b == c', *(f"{name} is integer" for name in "abc")]
    data = protect_part(frame, 4, as_is="t", edits=rules, seed=1).data
    assert (data[list("abc")] == data[list("abc")].round()).all().all()
    assert (data.a + data.b == data.c)[frame.t == "car"].all()
    kinds = {"a": "continuous"}
    given = shoal.protect(frame[["a"]], 4, kinds=kinds, edits=["a is integer"], replace="mean").data
    assert (given.a == given.a.round()).all()


def test_the_variable_that_need_not_be_whole_follows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"n": rng.normal(size=60)})
    frame["total"] = rng.integers(1, 9, 60)
    frame["x"] = frame.total - frame.n
    data = shoal.protect(frame, 4, edits=["n + x == total", "total is integer"], seed=1).data
    assert (data.total == data.total.round()).all()
    whole = pd.DataFrame({"a": rng.integers(0, 9, 60), "b": rng.integers(0, 9, 60)})
    whole["q"] = 3 * whole.b + 2 * whole.a
    rules = ["b == (q - 2 * a) / 3", *(f"{name} is integer" for name in "abq")]
    found = shoal.protect(whole, 4, edits=rules, seed=1).data
    assert (found == found.round()).all().all()
    assert (found.q == 3 * found.b + 2 * found.a).all()


def test_repair_reaches_whole_numbers_and_says_what_it_does_not_reach():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 100, 60), "b": rng.integers(0, 100, 60)})
    frame["c"] = frame.a + frame.b
    frame.loc[:2, "a"] = 900
    rules = ["a <= 100", "a + b == c", *(f"{name} is integer" for name in "abc")]
    data = shoal.protect(frame, 3, edits=rules, repair=True, seed=1).data
    assert (data.a <= 100).all()
    assert (data.a + data.b == data.c).all()
    alone = shoal.protect(frame[["a", "b"]], 3, edits=["a <= 100", "a is integer"], repair=True, seed=1).data
    assert ((alone.a <= 100) & (alone.a == alone.a.round())).all()
    with pytest.raises(DataError, match=r'only averages of variables without missing values can .* "a" is none'):
        shoal.protect(frame, 3, edits=["a <= 100"], replace={"a": "median"}, repair=True)


def test_an_order_statistic_keeps_an_order_only_with_the_same_share():
    frame = pd.DataFrame({"a": np.arange(30) * 1.5, "b": np.arange(30) * 1.5 + 0.5})
    shoal.protect(frame, 5, edits="a <= b", replace="order-statistic:q=0.9")
    with pytest.raises(RuleError, match=r"order-statistic:q=0.9 and order-statistic:q=0.1"):
        shoal.protect(frame, 5, edits="a <= b", replace={"a": "order-statistic:q=0.9", "b": "order-statistic:q=0.1"})


def test_a_convex_median_keeps_bounds_and_nothing_else():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"a": rng.choice([1, 2, 5, 6], 60)})
    frame["b"] = frame.a + rng.integers(0, 3, 60)
    ordinal = {"columns": ["a", "b"], "kinds": {"a": "ordinal", "b": "ordinal"}, "replace": "convex-median"}
    kept = shoal.protect(frame, 5, edits=["a >= 1", "if b >= 5 then a >= 2"], seed=1, **ordinal).data
    assert (kept.a >= 1).all() and ((kept.b < 5) | (kept.a >= 2)).all()
    for rule in ("a <= b", "a in {1, 2, 5, 6}", "a in original"):
        with pytest.raises(RuleError, match=r'^replace "convex-median" does not keep the rule'):
            shoal.protect(frame, 5, edits=rule, **ordinal)


def test_a_path_that_is_not_there_is_no_rule():
    with pytest.raises(RuleError, match=r'"nofile.txt" cannot be read: No such file'):
        shoal.protect(broken_file(), 3, edits="nofile.txt")


def test_a_constant_column_with_gaps_loses_no_value_to_a_rule():
    a = np.random.default_rng(0).normal(size=30)
    q = np.zeros(30)
    q[[2, 4]] = np.nan
    frame = pd.DataFrame({"a": a, "b": a, "q": q})
    with pytest.warns(DescriptionWarning):
        data = shoal.protect(frame[["a", "q"]], 3, edits="q <= 5", missing="keep", seed=1).data
    assert data.q.isna().sum() == 2
    with pytest.raises(MethodError, match="missing values"):
        shoal.protect(frame, 3, edits="a + q == b", missing="keep", seed=1)


@pytest.mark.parametrize("bound", ["a < 100", "a <= 99.5", "a <= 100"])
def test_repair_moves_whole_numbers_to_whole_numbers(bound):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 99, 60).astype(float), "b": rng.integers(0, 99, 60).astype(float)})
    frame.loc[:4, "a"] = 120.0
    data = shoal.protect(frame, 3, edits=[bound, "a is integer"], repair=True, seed=1).data
    assert (data.a == data.a.round()).all()
    assert (data.a <= 100).all()


def test_whole_numbers_stay_whole_beside_gaps():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 99, 60).astype(float), "b": rng.normal(size=60)})
    frame.loc[:3, "b"] = np.nan
    options = {"edits": ["a <= 100", "a is integer"], "missing": "keep", "seed": 1}
    for more in ({}, {"repair": True}, {"replace": {"a": "mean"}}):
        data = shoal.protect(frame, 3, **options, **more).data
        assert (data.a == data.a.round()).all()
    frame.loc[:4, "a"] = 120.0
    repaired = shoal.protect(frame, 3, **options, repair=True).data
    assert ((repaired.a <= 100) & (repaired.a == repaired.a.round())).all()
    frame.loc[7, "a"] = np.nan
    with pytest.raises(DataError, match="variables without missing values"):
        shoal.protect(frame, 3, **options, repair=True)


@pytest.mark.parametrize("seed", range(12))
def test_gaps_elsewhere_in_the_block_leave_rules_between_complete_variables(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    frame = pd.DataFrame({"a": rng.integers(0, 50, n), "b": rng.integers(0, 50, n)})
    frame["s"] = frame.a + frame.b
    frame["half"] = frame.a / 2 + rng.normal(0, 1e-6, n)  # tied to a, which the rules name
    frame["top"] = frame.a + rng.integers(0, 9, n)
    frame["p"] = rng.choice([-2.0, 3.0], n)
    frame["r"] = rng.lognormal(size=n)
    frame["q"] = frame.p * frame.r
    frame["x"] = rng.normal(size=n)
    for name in ("half", "x"):
        frame.loc[rng.random(n) < 0.3, name] = np.nan
    rules = ["a + b == s", "a <= top", "p * r == q", "a is integer", "if b > 25 then s > 25"]
    release = shoal.protect(frame, 3, edits=rules, missing="keep", seed=seed)
    assert len(release.partitions) == 1
    found = release.data
    assert found.isna().equals(frame.isna())
    assert (found.a + found.b == found.s).all() and (found.a <= found.top).all() and (found.a == found.a.round()).all()
    assert (found.p * found.r == found.q).all() and (found.s[found.b > 25] > 25).all()


def test_rules_about_what_stays_do_not_disturb_a_fuzzy_method():
    frame = pd.DataFrame({"a": np.arange(60) * 1.5, "b": np.arange(60) % 7 * 1.5, "t": ["car"] * 60})
    protect_part(frame, 3, as_is="t", method="fuzzy", edits=["t in {car}", 't == "car"'], seed=1)


def test_rules_that_separate_too_few_only_together_can_be_kept_apart():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(2, 9, (80, 4)), columns=list("abcd"))
    frame.loc[:3, ["a", "b"]] = 0, 1  # b > a only here
    frame.loc[4:, "b"] = frame.a[4:] - 1
    frame.loc[2:5, ["c", "d"]] = 0, 1
    frame.loc[[0, 1, *range(6, 80)], "d"] = frame.c - 1
    rules = ["if a == 0 then b > 0", "if a > 0 then b < a", "if c == 0 then d > 0", "if c > 0 then d < c"]
    with pytest.raises(
        TooFewRecordsError, match=r'blocks="rules" \(--blocks rules\) keeps rules that share no variable'
    ):
        shoal.protect(frame, 4, edits=rules, seed=1)
    found = shoal.protect(frame, 4, edits=rules, blocks="rules", seed=1).data
    assert shoal.edits.check(found, rules).holds


@pytest.mark.parametrize(
    "rules",
    [
        ["value == price * amount", "price + amount <= 200"],
        ["value == price * amount", "2 * price + 1 <= g"],
        ["rate == price / amount", "price + amount <= g", "rate >= 0"],
    ],
)
def test_a_product_beside_bounds_that_geometric_means_do_not_keep_is_computed(rules, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"price": rng.uniform(1, 100, 60), "amount": rng.uniform(1, 99, 60)})
    frame = frame.assign(value=frame.price * frame.amount, rate=frame.price / frame.amount)
    frame["g"] = 2 * frame.price + frame.amount + 3
    release = shoal.protect(frame, 3, edits=rules, seed=1)
    assert shoal.edits.check(release.data, rules, tolerance=0.0).holds
    assert {release.plan.replace[name]["name"] for name in ("price", "amount")} == {"mean"}
    release.plan.to_toml(tmp_path / "plan.toml")
    assert shoal.Plan.from_toml(tmp_path / "plan.toml").run(frame).data.equals(release.data)
