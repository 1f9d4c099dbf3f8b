"""Recodes in a release: made first, protected like other columns, written into the plan, measured with."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import ColumnError, DataError, DisclosureWarning, ParameterError, PlanError
from shoal.recode import Bands, DatePart, Hierarchy, Merge, Round, TopBottom

RNG = np.random.default_rng(7)
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(0, 100, 200),
        "region": RNG.choice(["n1", "n2", "s1", "s2"], 200),
        "born": [datetime.date(1950, 1, 1) + datetime.timedelta(days=int(one)) for one in RNG.integers(0, 18000, 200)],
        "income": np.where(RNG.random(200) < 0.1, -9, RNG.integers(500, 5000, 200)),
        "weight": RNG.random(200) + 0.5,
        "house": RNG.integers(0, 70, 200),
    }
)
NUTS = pd.DataFrame({"region": ["n1", "n2", "s1", "s2"], "part": ["n", "n", "s", "s"]})
RECODES = {
    "age": [TopBottom(top=90), Bands(width=10, top=80)],
    "region": Hierarchy(NUTS),
    "born": "date-part:year",
    "income": Round(to=100),
}


def protected(data=PEOPLE, k=3, **options):
    chosen = {"columns": ["age", "region", "born", "income"], "seed": 1, "missing": "fill"}
    chosen |= {"roles": {"weight": "identifier", "house": "identifier"}, "recodes": RECODES}
    return shoal.protect(data, k, **(chosen | {"missing_codes": {"income": [-9]}} | options))


def test_columns_are_recoded_and_then_protected():
    release = protected()
    assert release.plan.kinds == {"age": "ordinal", "region": "nominal", "born": "ordinal", "income": "continuous"}
    recoded = release.recoded.to_native()
    assert set(recoded["region"]) == {"n", "s"} and set(recoded["born"]) <= set(range(1950, 2000))
    assert recoded["income"].isna().sum() == (PEOPLE["income"] == -9).sum()
    assert set(release.data["age"]) <= set(recoded["age"]) and release.headline["k"] >= 3
    assert release.original.to_native().equals(PEOPLE)
    assert "-9" not in release.data["income"].astype(str).tolist()
    assert any("income (" in note and "made missing" in note for note in release.plan.outcome.notes)


def test_a_release_is_measured_with_the_recoded_table():
    release = protected()
    by_hand = shoal.evaluate(release.recoded.to_native(), release.data, **release.plan.facts, aligned=True)
    assert release.evaluate().to_dict() == by_hand.to_dict()


def test_without_recodes_the_recoded_table_is_the_original():
    release = protected(
        columns=["age", "region"],
        recodes=None,
        missing_codes=None,
        as_is=None,
        roles=dict.fromkeys(("born", "income", "weight", "house"), "identifier"),
    )
    assert release.recoded is release.original and not release.plan.recodes and not release.plan.outcome.recoded


def test_the_plan_repeats_it_byte_for_byte_without_the_hierarchy(tmp_path):
    source, nuts = tmp_path / "people.csv", tmp_path / "nuts.csv"
    PEOPLE.to_csv(source, index=False)
    NUTS.to_csv(nuts, index=False)
    release = protected(source, recodes=RECODES | {"region": Hierarchy(nuts)})
    release.write(tmp_path / "masked.csv")
    written = (tmp_path / "masked.csv").read_bytes()
    nuts.unlink()
    plan = shoal.Plan.from_toml(tmp_path / "masked.csv.plan.toml")
    assert plan.recodes == release.plan.recodes and plan.missing_codes == {"income": [-9]}
    again = plan.run()
    again.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == written
    assert again.plan.outcome.recoded == release.plan.outcome.recoded


def test_a_plan_by_hand_may_have_recodes_as_text(tmp_path):
    plan = protected(recodes={"age": Bands(width=10), "born": "date-part:year"}).plan
    plan.to_toml(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    start = text.index("[recodes]")
    by_hand = '[recodes]\nage = "bands:width=10"\nborn = ["date-part"]\n\n'
    (tmp_path / "plan.toml").write_text(text[:start] + by_hand + text[text.index("[missing_codes]") :])
    assert shoal.Plan.from_toml(tmp_path / "plan.toml").recodes == plan.recodes
    (tmp_path / "plan.toml").write_text(text[:start] + '[recodes]\nage = "bands:width=0"\n')
    with pytest.raises(PlanError, match="recodes: width must be a number above 0"):
        shoal.Plan.from_toml(tmp_path / "plan.toml")


def test_libraries_give_the_same_release():
    one, other = protected(), protected(pl.from_pandas(PEOPLE))
    for name in one.data.columns:
        assert one.masked.cells(name).tolist() == other.masked.cells(name).tolist()


def test_what_the_user_says_a_column_is_wins():
    assert protected(kinds={"born": "continuous"}).plan.kinds["born"] == "continuous"
    with pytest.raises(DataError, match="not numeric"):
        protected(kinds={"age": "continuous"})


@pytest.mark.parametrize("role", ["identifier", "weight", "unit"])
def test_what_is_dropped_a_weight_or_a_unit_is_not_recoded(role):
    column = {"identifier": "house", "weight": "weight", "unit": "house"}[role]
    with pytest.raises(ColumnError, match=f'recodes names "{column}", which has the role {role}'):
        protected(roles={"weight": "identifier", "house": "identifier"} | {column: role}, recodes={column: "round:10"})
    with pytest.raises(ColumnError, match="role identifier"):
        protected().plan.model_copy(update={"recodes": {"house": [{"name": "round", "to": 10}]}})


def test_strata_and_columns_as_they_are_can_be_recoded():
    release = protected(
        columns=["income"],
        strata="region",
        roles=dict.fromkeys(("weight", "house", "born", "age"), "identifier"),
        recodes={"region": Hierarchy(NUTS)},
    )
    assert set(release.data["region"]) == {"n", "s"}
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED"):
        release = protected(columns=None, as_is="age")
    assert release.data["age"].astype(str).tolist() == release.recoded.to_native()["age"].astype(str).tolist()


def test_a_top_code_by_mean_has_k_records_behind_it():
    incomes = pd.DataFrame({"income": [*range(50), 1000.0, 2000.0], "sex": ["f", "m"] * 26})
    with pytest.raises(DataError, match="only 2 records"):
        shoal.protect(incomes, 3, recodes={"income": TopBottom(top=500, value="mean")})
    release = shoal.protect(incomes, 2, recodes={"income": TopBottom(top=500, value="mean")})
    assert release.recoded.numbers("income").max() == 1500


def test_mistakes_are_said_before_anything_is_done():
    with pytest.raises(ColumnError, match='recodes names "agee"'):
        protected(recodes={"agee": Bands()})
    with pytest.raises(ParameterError, match='There is no recode "banda"'):
        protected(recodes={"age": "banda"})
    with pytest.raises(DataError, match='recode "bands" is for numbers'):
        protected(recodes={"region": Bands()})


def test_searches_take_recodes():
    table = shoal.compare(
        PEOPLE,
        [3],
        ["mdav", "mst"],
        columns=["age", "region", "income"],
        recodes={"age": Bands(width=10), "region": Merge({"n": ["n1", "n2"]}), "income": Round(100)},
        as_is=["born", "weight", "house"],
    ).to_frame()
    assert len(table) == 2 and table["score"].notna().all()


def test_dates_are_decided_by_a_recode():
    dates = PEOPLE[["born", "age"]]
    with pytest.raises(DataError, match='"born"'):
        shoal.protect(dates, 3)
    release = shoal.protect(dates, 3, recodes={"born": DatePart("month")})
    assert release.plan.kinds["born"] == "ordinal" and release.headline["k"] >= 3


def test_names_of_which_two_were_merged_are_still_names():
    names = pd.DataFrame({"name": [f"person {number}" for number in range(40)], "age": range(40)})
    with pytest.raises(DataError, match=r'"name" .texts nearly all different'):
        shoal.protect(names, 3, recodes={"name": Merge({"other": ["person 1", "person 2"]})})
