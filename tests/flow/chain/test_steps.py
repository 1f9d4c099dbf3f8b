"""A chain of steps: each starts from what the one before released, and the plan repeats them all, byte for byte."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from command_line import run_shoal
from shoal.errors import ColumnError, DisclosureWarning, ParameterError, PlanError, RuleError
from unchanged_columns import not_protected, protect_part, run_part


def table(records: int = 90, *, unit: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    data = pd.DataFrame(
        {
            "household": np.repeat(np.arange(records // 2 + 1), 2)[:records] * 3 + 5,
            "region": pd.Categorical(rng.choice(["north", "south"], records)),
            "age": rng.integers(18, 90, records),
            "sex": rng.choice(["f", "m"], records),
            "wage": rng.normal(1000, 200, records).round(2),
            "tax": rng.normal(100, 20, records).round(2),
        },
        index=pd.Index(np.arange(records)[::-1] // 3, name="page"),  # an index may have values more than once
    )
    return data if unit else data.assign(household=[f"h{row}" for row in range(records)])


KEYS, AMOUNTS = ["region", "age", "sex"], ["wage", "tax"]
NO_UNIT = {"roles": {"household": "identifier"}}


def two_steps(data, **first):
    release = protect_part(data, 3, columns=KEYS, seed=1, **(NO_UNIT | first))
    return release, release.then(columns=AMOUNTS, method="vmdav", seed=2)


def test_a_step_does_to_the_release_what_protect_does_to_it():
    first, second = two_steps(table())
    alone = protect_part(first.data, 3, columns=AMOUNTS, method="vmdav", seed=2)
    pd.testing.assert_frame_equal(second.data, alone.data)
    pd.testing.assert_frame_equal(second.data[KEYS], first.data[KEYS])


def test_the_original_is_that_of_the_first_step():
    data = table()
    _, release = two_steps(data)
    pd.testing.assert_frame_equal(release.original.to_native(), data)
    assert release.evaluate(quick=True).records == len(data)
    assert release.headline["k"] == release.plan.outcome.k


def test_undo_returns_the_release_before():
    first, second = two_steps(table())
    third = second.then(columns=["age"], k=4, seed=3)
    assert third.undo() is second
    assert third.undo().undo() is first
    with pytest.raises(ParameterError, match="There is no step to undo"):
        first.undo()


def test_a_step_after_undo_is_the_same_step():
    first, second = two_steps(table())
    again = second.undo().then(columns=AMOUNTS, method="vmdav", seed=2)
    pd.testing.assert_frame_equal(again.data, second.data)
    assert first.plan.before == []


@pytest.mark.parametrize("unit", [False, True])
def test_the_plan_repeats_three_steps_byte_for_byte(tmp_path, unit):
    table(unit=unit).to_csv(tmp_path / "in.csv", index=False)
    roles = {"unit": "household", "roles": {}} if unit else {}
    _, second = two_steps(tmp_path / "in.csv", **roles)
    third = second.then(columns=["age", "sex"], k=4, seed=3)
    third.write(tmp_path / "out.csv")
    (tmp_path / "kept.csv").write_bytes((tmp_path / "out.csv").read_bytes())
    plan = shoal.Plan.from_toml(tmp_path / "out.csv.plan.toml")
    assert plan.model_copy(update={"output": None}) == third.plan
    assert [step.columns for step in plan.before] == [second.plan.before[0].columns, second.plan.columns]
    ran = run_shoal("protect", "--plan", "out.csv.plan.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "kept.csv").read_bytes()
    again = plan.run()
    pd.testing.assert_frame_equal(again.data, third.data)
    pd.testing.assert_frame_equal(again.undo().data, second.data)
    pd.testing.assert_frame_equal(again.undo().undo().data, second.undo().data)


def test_rows_are_put_back_in_order_by_the_plan_of_a_chain(tmp_path):
    table().to_csv(tmp_path / "in.csv", index=False)
    _, release = two_steps(tmp_path / "in.csv")
    release.write(tmp_path / "out.csv")
    ran = run_shoal("measure", "in.csv", "out.csv", "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    expected = release.evaluate().to_dict()
    assert f'"information_loss": {expected["utility"]["information_loss"]}' in ran.stdout
    assert run_shoal("report", "in.csv", "out.csv", "-q", cwd=tmp_path).returncode == 0


FRAMES = {
    "pandas": lambda data: data,
    "polars": lambda data: pl.from_pandas(data),
    "arrow": lambda data: pa.Table.from_pandas(data, preserve_index=False),
    "numpy": lambda data: data[["age", "wage", "tax"]].to_numpy(dtype=np.float64),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_every_type_of_frame_is_returned_and_repeated(frame):
    data = FRAMES[frame](table(unit=True))
    if frame == "numpy":
        release = protect_part(data, 3, columns=["0"], seed=1).then(columns=[1, 2], seed=2)
    else:
        release = two_steps(data, unit="household", roles={})[1]
    assert type(release.data) is type(data)
    again = release.plan.run(data).data
    same = again.equals(release.data) if frame != "numpy" else np.array_equal(again, release.data)
    assert same


def test_units_stay_together_and_get_new_ids_once():
    data = table(unit=True)
    first, second = two_steps(data, unit="household", roles={})
    for release in (first, second):
        new = release.data["household"]
        assert sorted(new.unique()) == list(range(1, data["household"].nunique() + 1))
        assert len(pd.DataFrame({"old": data["household"], "new": new}).drop_duplicates()) == new.nunique()
    for partition in second.partitions:
        units = pd.DataFrame({"group": partition.labels, "unit": data["household"].to_numpy()})
        assert units.groupby("group")["unit"].nunique().min() >= 3
    assert list(second.data.columns) == list(data.columns)


def test_a_unit_that_was_left_out_is_counted_and_stays_out():
    first, second = two_steps(table(unit=True), unit="household", drop_unit=True, roles={})
    assert "household" not in first.data and "household" not in second.data
    assert second.headline["units"] == 45
    assert second.plan.drop_unit


def test_a_dropped_identifier_is_gone():
    first, second = two_steps(table())
    assert "household" not in second.data
    with pytest.raises(ColumnError, match='There is no column "household"'):
        first.then(columns=["household"])


def test_only_columns_that_no_step_protects_are_warned_of():
    first = protect_part(table(), 3, columns=["age"], seed=1, **NO_UNIT)
    with pytest.warns(DisclosureWarning, match=r"NOT PROTECTED \(2\): region, sex\.") as caught:
        second = first.then(columns=AMOUNTS, seed=2)
    assert not [one for one in caught if "Whole records" in str(one.message)]
    assert second.plan.outcome.unchanged == ["region", "sex"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        third = second.then(columns=["region", "sex"], seed=3)
    assert not [one for one in caught if "NOT PROTECTED" in str(one.message)]
    assert third.plan.outcome.unchanged == []


def test_a_step_that_breaks_whole_record_k_is_counted_and_warned_of():
    data = table().drop(columns=["household"])
    first = shoal.protect(data, 5, seed=1)
    assert first.headline["k"] >= 5
    with pytest.warns(DisclosureWarning, match="Whole records are not 5 alike after 2 steps") as caught:
        second = first.then(columns=["age"], k=2, method="mdav", seed=2)
    sizes = second.data.groupby(list(second.data.columns), observed=True).size()
    message = next(str(one.message) for one in caught if "Whole records" in str(one.message))
    assert f"{int((sizes == 1).sum())} of 90 records are unique, and the fewest alike are {sizes.min()}" in message
    assert (second.headline["k"], second.headline["uniques"]) == (sizes.min(), (sizes == 1).sum())


def test_grouping_everything_last_keeps_k():
    release = protect_part(table(), 3, columns=AMOUNTS, seed=1, **NO_UNIT)
    last = release.then(columns=[*KEYS, *AMOUNTS], k=4, seed=2)
    assert last.headline["k"] >= 4


def test_running_a_chain_says_nothing_of_columns_that_a_later_step_protects():
    _, release = two_steps(table())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release.plan.run(table())
    assert not [one for one in caught if "NOT PROTECTED" in str(one.message)]
    partly = protect_part(table(), 3, columns=["age"], seed=1, **NO_UNIT)
    with not_protected():
        partly = partly.then(columns=["wage"], seed=2)
    assert run_part(partly.plan, table()).plan.outcome.unchanged == ["region", "sex", "tax"]


@contextmanager
def unwarned():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        yield


def rules_table() -> pd.DataFrame:
    data = table()[["age", "wage", "tax"]]
    return data.assign(total=data["wage"] + data["tax"])


def test_rules_of_an_earlier_step_hold_in_the_end():
    rules = ["wage + tax == total", "wage >= 0"]
    first = protect_part(rules_table(), 3, columns=["wage", "tax", "total"], edits=rules, seed=1)
    second = first.then(columns=["age"], seed=2)
    assert np.allclose(second.data["wage"] + second.data["tax"], second.data["total"])
    with pytest.raises(RuleError, match=r'This step breaks the rule "wage \+ tax == total" of a step before it'):
        second.then(columns=["wage"], k=7, seed=3)
    with unwarned():
        kept = second.then(columns=["wage", "tax", "total"], edits=rules, k=4, seed=3)
    assert np.allclose(kept.data["wage"] + kept.data["tax"], kept.data["total"])
    assert kept.plan.run(rules_table()).data.equals(kept.data)


def test_a_rule_about_a_column_that_is_dropped_applies_no_more():
    first = protect_part(rules_table(), 3, columns=["wage", "tax", "total"], edits=["wage + tax == total"], seed=1)
    second = first.then(columns=["age", "wage"], roles={"total": "identifier"}, seed=2)
    assert "total" not in second.data
    facts = second.evaluate(quick=True)
    assert set(facts.columns) == {"age", "wage", "tax"}


def test_synthetic_values_can_follow_groups_and_groups_synthetic_values():
    data = table().drop(columns=["household", "region", "sex"])
    grouped = protect_part(data, 3, columns=["age"], seed=1)
    with unwarned():
        synthetic = grouped.then(confidential=["wage"], replace="ipso", columns=["age", "wage"], seed=2)
        last = synthetic.then(columns=["tax"], replace="median", seed=3)
    assert last.plan.before[1].family.rewrites
    again = last.plan.run(data)
    pd.testing.assert_frame_equal(again.data, last.data)


def test_no_two_steps_share_a_plan_of_their_own(tmp_path):
    _, release = two_steps(table())
    release.plan.to_toml(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    assert text.count("[[before]]") == 1
    for section in ("before.input", "before.output", "before.outcome", "before.versions"):
        assert f"[{section}]" not in text


HOSTILE = {
    "an unknown key in a step": ('[[before]]\nk = 3\nmethd = "mdav"', "before.0"),
    "a step that is no table": ("before = [3]", "before.0"),
    "a step in a step": ("[[before]]\nk = 3\n[[before.before]]\nk = 3", "before.0"),
    "steps that are a table": ("[before]\nk = 3", "before"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_steps_are_refused_in_one_line(tmp_path, case):
    text, where = HOSTILE[case]
    release = protect_part(table(), 3, columns=KEYS, seed=1, **NO_UNIT)
    release.plan.to_toml(tmp_path / "plan.toml")
    own = (tmp_path / "plan.toml").read_text()
    place = own.index("[kinds]") if text.startswith("before") else len(own)
    (tmp_path / "plan.toml").write_text(f"{own[:place]}\n{text}\n{own[place:]}")
    with pytest.raises(PlanError, match=where) as error:
        shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("part", ["input", "outcome", "before"])
def test_a_step_has_nothing_that_the_chain_has_once(part):
    first, second = two_steps(table())
    step = first.plan.model_copy(update={"input": None, "outcome": None})
    extra = {"input": first.plan.input, "outcome": first.plan.outcome, "before": [step]}[part]
    with pytest.raises(ParameterError, match=f"a step has no {part} of its own"):
        second.plan.model_copy(update={"before": [step.model_copy(update={part: extra})]})


def test_a_chain_has_a_last_step():
    _, release = two_steps(table())
    with pytest.raises(ParameterError, match="at most 50"):
        release.plan.model_copy(update={"before": release.plan.before * 51})


def test_counts_of_earlier_steps_are_kept_for_columns_that_stay():
    data = table().astype({"wage": "float64"})
    data["wage"] = data["wage"].where(np.arange(len(data)) > 3)
    first = protect_part(data, 3, columns=["wage"], missing="fill", seed=1, **NO_UNIT)
    assert first.plan.outcome.filled == {"wage": 4}
    with not_protected():
        second = first.then(columns=["tax"], seed=2)
    assert second.plan.outcome.filled == {"wage": 4}
    assert any(note.startswith("Step 1: ") for note in second.plan.outcome.notes)


STEPS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([*KEYS, *AMOUNTS]), min_size=1, max_size=4, unique=True),
        st.sampled_from(["mdav", "vmdav", "md"]),
        st.integers(2, 6),
    ),
    min_size=2,
    max_size=4,
)


@settings(max_examples=25)
@given(steps=STEPS, unit=st.booleans(), seed=st.integers(0, 1000))
def test_any_chain_changes_what_it_names_and_is_repeated(tmp_path_factory, steps, unit, seed):
    data = table(40, unit=unit)
    path = tmp_path_factory.mktemp("chain") / "plan.toml"
    roles = {"unit": "household"} if unit else NO_UNIT
    with unwarned():
        release = None
        for columns, method, k in steps:
            before, options = release, {"columns": columns, "method": method, "k": k, "seed": seed}
            release = shoal.protect(data, **options, **roles) if before is None else before.then(**options)
            same = [name for name in [*KEYS, *AMOUNTS] if name not in columns]
            pd.testing.assert_frame_equal(release.data[same], (data if before is None else before.data)[same])
        release.plan.to_toml(path)
        again = shoal.Plan.from_toml(path).run(data)
    pd.testing.assert_frame_equal(again.data, release.data)
    assert again.plan == release.plan
    named = {name for columns, _, _ in steps for name in columns}
    assert set(release.plan.outcome.unchanged) == {*KEYS, *AMOUNTS} - named
    counted = release.data.drop(columns="household", errors="ignore")
    if not unit:
        assert release.headline["k"] == counted.groupby(list(counted.columns), observed=True).size().min()
    columns, _, k = steps[-1]
    alike = release.data.assign(unit=data["household"].to_numpy()).groupby(columns, observed=True)["unit"].nunique()
    assert alike.min() >= k
