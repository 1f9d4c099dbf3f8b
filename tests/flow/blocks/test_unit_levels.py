"""Units: at least k different households or firms behind every released record, and new ids for them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from oracles.slow_units import fewest_units_alike, unique_compositions, units_by_group
from shoal.errors import (
    ColumnError,
    DisclosureWarning,
    MethodError,
    MissingValuesError,
    ParameterError,
    RuleError,
    TooFewRecordsError,
)
from shoal.partition import METHODS

GROUPING = [name for name, method in METHODS.items() if method.gives == "groups" and method.scope != "column"]
SETTINGS = {"refine": "refine:steps=50"}
HOUSE, PERSON = ["rent", "rooms"], ["age", "wage"]


def persons(count=40, most=5, seed=1):
    """Persons of `count` households in random order; rent and rooms are those of the household."""
    rng = np.random.default_rng(seed)
    household = np.repeat(np.arange(count), rng.integers(1, most + 1, count))
    n = len(household)
    frame = pd.DataFrame(
        {
            "hid": 1_000_000 + 7 * household,
            "rent": np.round(rng.gamma(3.0, 200.0, count), 2)[household],
            "rooms": (rng.integers(1, 7, count) + 0.5)[household],
            "age": rng.integers(0, 95, n) + 0.5,
            "wage": np.round(rng.gamma(2.0, 800.0, n), 2),
        }
    )
    return frame.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def protect(frame, k=3, **options):
    return shoal.protect(frame, k, **{"unit": "hid", "seed": 1, **options})


@pytest.mark.filterwarnings("ignore:All values of:shoal.errors.DescriptionWarning")
@pytest.mark.parametrize("method", GROUPING)
@settings(max_examples=12)
@given(
    count=st.integers(3, 30),
    most=st.integers(1, 7),
    seed=st.integers(0, 10_000),
    columns=st.sampled_from([[*HOUSE, *PERSON], PERSON, HOUSE, ["rent", "age"]]),
    data=st.data(),
)
def test_at_least_k_units_are_alike_with_every_partitioner(method, count, most, seed, columns, data):
    frame = persons(count, most, seed)[["hid", *columns]]
    k = data.draw(st.integers(2, min(count, 6)))
    release = protect(frame, k, method=SETTINGS.get(method, method))
    released = release.data.drop(columns="hid")
    assert fewest_units_alike(released, frame["hid"]) >= k
    for partition in release.partitions:
        assert min(units_by_group(partition.labels.tolist(), frame["hid"].tolist()).values()) >= k
    assert release.plan.outcome.smallest_support >= k
    assert release.plan.outcome.unique_units == unique_compositions(released, frame["hid"])


@settings(max_examples=25)
@given(count=st.integers(4, 30), seed=st.integers(0, 10_000), column=st.sampled_from(["age", "rent"]))
def test_one_column_in_optimal_groups(count, seed, column):
    frame = persons(count, 4, seed)[["hid", column]]
    release = protect(frame, 4, method="optimal-univariate")
    assert fewest_units_alike(release.data[[column]], frame["hid"]) >= 4


@settings(max_examples=40)
@given(count=st.integers(6, 40), seed=st.integers(0, 10_000), k=st.integers(2, 4))
def test_categories_of_units_and_of_persons(count, seed, k):
    rng = np.random.default_rng(seed)
    frame = persons(count, 5, seed)
    region = dict(zip(frame["hid"].unique(), rng.choice(["north", "south", "east"], count), strict=True))
    frame["region"] = frame["hid"].map(region)
    frame["sex"] = rng.choice(["f", "m"], len(frame))
    release = protect(
        frame, k, columns=["rent", "region", "age", "sex"], roles={"rooms": "identifier", "wage": "identifier"}
    )
    assert release.plan.blocks[0] == (["rent", "region"] if frame["region"].nunique() > 1 else ["rent"])
    assert fewest_units_alike(release.data.drop(columns="hid"), frame["hid"]) >= k


def test_variables_of_units_stay_constant_within_them_and_are_their_means():
    frame = persons()
    release = protect(frame)
    assert release.plan.blocks == [HOUSE, PERSON]
    assert (release.data.groupby("hid")[HOUSE].nunique() == 1).all().all()
    rows = frame.assign(group=release.partitions[0].labels).drop_duplicates("hid")
    means = rows.groupby("group")["rent"].mean()  # every household counts once, however large it is
    assert release.data["rent"].to_numpy() == pytest.approx(means[release.partitions[0].labels].to_numpy())


def test_units_of_equal_values_are_one_part():
    """Regions of many households: persons are grouped inside the region, not inside a few households."""
    frame = persons(200)
    frame["region"] = np.where(frame["hid"] % 2, "north", "south")
    release = protect(frame[["hid", "region", *PERSON]], 5, columns=["region", *PERSON])
    assert (release.data["region"] == frame["region"]).mean() > 0.98
    assert release.evaluate(measures=["information_loss"]).information_loss < 10


def test_a_weight_of_the_unit_counts_in_its_mean():
    frame = persons()
    frame["w"] = 1.0 + frame["hid"] % 5 / 10
    release = protect(frame, weights="w")
    rows = frame.assign(group=release.partitions[0].labels).drop_duplicates("hid")
    for group, members in rows.groupby("group"):
        mean = np.average(members["rent"], weights=members["w"])
        assert release.data["rent"][release.partitions[0].labels == group].to_numpy() == pytest.approx(mean)


@settings(max_examples=25)
@given(count=st.integers(20, 40), seed=st.integers(0, 10_000), share=st.sampled_from([0.1, 0.4, 0.6]))
def test_with_missing_values_k_units_are_behind_every_value(count, seed, share):
    frame = persons(count, 4, seed)
    rng = np.random.default_rng(seed)
    for name in PERSON:
        frame.loc[rng.random(len(frame)) < share, name] = np.nan
    without_rent = rng.random(count) < share / 2
    frame.loc[without_rent[np.unique(frame["hid"], return_inverse=True)[1]], "rent"] = np.nan
    released = protect(frame, 3, missing="keep").data
    for name in [*HOUSE, *PERSON]:
        there = released[name].notna()
        assert (there == frame[name].notna()).all()
        assert min(units_by_group(released.loc[there, name].tolist(), frame.loc[there, "hid"].tolist()).values()) >= 3


def test_groups_stay_within_strata():
    frame = persons(120)
    frame["region"] = np.where(frame["hid"] % 3 == 0, "north", "south")
    release = protect(frame, strata="region")
    assert fewest_units_alike(release.data.drop(columns="hid"), frame["hid"]) >= 3
    for partition in release.partitions:
        assert max(units_by_group(partition.labels.tolist(), frame["region"].tolist()).values()) == 1


def test_strata_that_divide_units_are_refused_for_variables_of_units():
    frame = persons(60)
    frame["sex"] = np.where(frame["wage"] > frame["wage"].median(), "f", "m")
    with pytest.raises(ColumnError, match=r"Strata of sex divide \d+ of 60 units, whose values of \"rent\""):
        protect(frame, strata="sex")
    release = protect(frame[["hid", "sex", *PERSON]], strata="sex")
    assert fewest_units_alike(release.data.drop(columns="hid"), frame["hid"]) >= 3


def test_fewer_than_k_units_are_refused():
    with pytest.raises(TooFewRecordsError, match=r'6 different units in "hid"; there are 5. Lower k to 5 at most'):
        protect(persons(5), 6)
    frame = persons(30)
    frame["region"] = np.where(frame["hid"] < frame["hid"].min() + 14, "north", "south")
    with pytest.raises(TooFewRecordsError, match=r"2 have fewer, the smallest has 2\. Merge strata or lower k to 2"):
        protect(frame, 3, strata="region")


def test_missing_ids_are_refused_and_counted():
    frame = persons().astype({"hid": float})
    frame.loc[:6, "hid"] = np.nan
    with pytest.raises(MissingValuesError, match=r'"hid" \(7\). Every record needs its unit'):
        protect(frame)


def test_rules_within_a_level_hold_and_rules_between_levels_are_refused():
    frame = persons()
    frame["cold"] = np.round(frame["rent"] * 0.8, 2)
    frame["extra"] = frame["rent"] - frame["cold"]
    frame["net"] = np.round(frame["wage"] * 0.7, 2)
    release = protect(frame, edits=["cold + extra == rent", "net <= wage"])
    assert release.data.eval("cold + extra").to_numpy() == pytest.approx(release.data["rent"].to_numpy())
    assert (release.data["net"] <= release.data["wage"]).all()
    assert fewest_units_alike(release.data.drop(columns="hid"), frame["hid"]) >= 3
    frame["wage"] += frame["rent"].max()
    with pytest.raises(RuleError, match=r'ties "rent", which has one value within every unit, to "wage"'):
        protect(frame, edits=["rent <= wage"])


def test_decimals_and_rules_together():
    frame = persons()
    frame["net"] = np.round(frame["wage"] * 0.7, 2)
    frame["tax"] = frame["wage"] - frame["net"]
    release = protect(frame, edits=["net + tax == wage"], decimals=2, repair=True)
    assert fewest_units_alike(release.data.drop(columns="hid"), frame["hid"]) >= 3
    assert (release.data.groupby("hid")["rent"].nunique() == 1).all()


@pytest.mark.parametrize(("method", "replace"), [("fuzzy", "mean"), ("entropy", "mean"), ("mdav", "hybrid")])
def test_what_cannot_be_promised_is_refused(method, replace):
    confidential = {"confidential": ["wage"]} if replace == "hybrid" else {}
    with pytest.raises(MethodError, match="At least 3 different units in every group cannot be promised"):
        protect(persons()[["hid", *PERSON]], method=method, replace=replace, **confidential)


def test_diversity_is_refused_inside_groups_of_units_and_kept_elsewhere():
    frame = persons()
    with pytest.raises(MethodError, match="diversity is not kept inside groups of units"):
        protect(frame, diversity=2, roles={"wage": "confidential"})
    release = protect(frame[["hid", *PERSON]], diversity=2, roles={"wage": "confidential"})
    assert fewest_units_alike(release.data.drop(columns="hid"), frame["hid"]) >= 3


def test_new_ids_are_one_to_u_and_come_from_the_key():
    frame = persons()
    release = protect(frame)
    ids = release.data["hid"]
    assert ids.dtype == frame["hid"].dtype
    assert sorted(ids.unique()) == list(range(1, 41))
    assert (frame.groupby("hid").ngroup().groupby(ids).nunique() == 1).all()
    assert not (release.plan.run(frame).data["hid"] != ids).any()
    assert (protect(frame).data["hid"] != ids).any()  # the same seed, another key
    order = frame.assign(new=ids).drop_duplicates("hid").sort_values("hid")["new"]
    assert not order.is_monotonic_increasing


@pytest.mark.parametrize(
    "as_ids",
    [
        lambda hid: hid.astype(str),
        lambda hid: hid.astype("string"),
        lambda hid: hid.astype(str).astype("category"),
        lambda hid: hid.astype(float),
        lambda hid: hid.astype("Int64"),
        lambda hid: (hid % 101).astype("int8"),
    ],
    ids=["text", "string", "category", "float", "nullable", "small"],
)
def test_ids_of_every_type_get_new_ones_and_no_old_one_is_left(as_ids):
    frame = persons()
    units = frame["hid"]
    frame["hid"] = as_ids(frame["hid"])
    release = protect(frame)
    ids = release.data["hid"]
    assert {int(one) for one in ids} == set(range(1, 41))
    assert isinstance(ids.iloc[0], str) == isinstance(frame["hid"].iloc[0], str)
    assert min(units_by_group(ids.tolist(), units.tolist()).values()) == 1
    assert getattr(ids.dtype, "categories", None) is None
    assert "1000007" not in repr(ids.dtype)


def test_frames_of_other_libraries_keep_their_type():
    frame = pl.from_pandas(persons())
    released = protect(frame).data
    assert released.schema["hid"] == pl.Int64
    assert set(released["hid"]) == set(range(1, 41))
    arrow = protect(frame.with_columns(pl.col("hid").cast(pl.String)).to_arrow()).data
    assert {one.as_py() for one in arrow["hid"]} == {str(number) for number in range(1, 41)}


def test_a_unit_can_be_dropped():
    frame = persons()
    release = protect(frame, drop_unit=True)
    assert list(release.data) == [*HOUSE, *PERSON]
    assert fewest_units_alike(release.data, frame["hid"]) >= 3
    assert release.plan.outcome.units == 40
    assert release.plan.outcome.unique_units is None
    assert release.plan.public()["roles"] == {}
    with pytest.raises(ParameterError, match="name its column in unit"):
        shoal.protect(frame[PERSON], 3, drop_unit=True)


def test_a_plan_with_a_unit_is_repeated_byte_for_byte(tmp_path):
    persons().to_csv(tmp_path / "in.csv", index=False)
    release = protect(tmp_path / "in.csv", 4, drop_unit=False)
    release.write(tmp_path / "out.csv", plan=tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert again.unit == "hid"
    again.run().write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_only_one_column_can_be_the_unit():
    with pytest.raises(ColumnError, match='Only one column can be the unit; got "rent", "hid"'):
        protect(persons(), roles={"rent": "unit"})


def test_a_column_that_looks_like_a_unit_is_warned_of_with_counts():
    frame = persons(100, 6).sort_values("hid", ignore_index=True)
    with pytest.warns(DisclosureWarning, match='unit="hid"') as caught:
        release = shoal.protect(frame, 3, columns=[*HOUSE, *PERSON], roles={"hid": "identifier"}, seed=1)
    counts = list(units_by_group(release.partitions[0].labels.tolist(), frame["hid"].tolist()).values())
    few, alone = sum(count < 3 for count in counts), counts.count(1)
    message = next(str(one.message) for one in caught if "looks like" in str(one.message))
    assert f"{few} of {len(counts)} groups have fewer than 3 of them, {alone} only one" in message


def test_nothing_is_said_where_the_groups_have_k_units_or_the_role_says_no(recwarn):
    frame = persons(100, 6).sort_values("hid", ignore_index=True)
    shoal.protect(frame, 3, columns=[*HOUSE, *PERSON], roles={"hid": "other"}, seed=1)
    shoal.protect(frame, 3, columns=[*HOUSE, *PERSON], unit="hid", seed=1)
    assert not [one for one in recwarn if "looks like the number of" in str(one.message)]


@settings(max_examples=25)
@given(count=st.integers(20, 40), seed=st.integers(0, 10_000), share=st.sampled_from([0.1, 0.3, 0.6]))
def test_filled_records_are_alike_in_k_units(count, seed, share):
    """Persons of whom nothing is known get the values of a group inside that of their household."""
    frame = persons(count, 4, seed)[["hid", "rent", *PERSON]]
    rng = np.random.default_rng(seed)
    frame.loc[rng.random(len(frame)) < share, PERSON] = np.nan
    frame.loc[rng.random(len(frame)) < share / 2, "wage"] = np.nan
    without_rent = rng.random(count) < share / 2
    frame.loc[without_rent[np.unique(frame["hid"], return_inverse=True)[1]], "rent"] = np.nan
    released = protect(frame, 3, missing="fill").data[["rent", *PERSON]]
    assert not released.isna().any().any()
    assert fewest_units_alike(released, frame["hid"]) >= 3


def test_a_unit_counts_once_in_the_sum_of_what_it_has_one_value_of():
    """A household of thirty has thirty rows of its rent, and one rent among eleven."""
    sizes = [30, *[2] * 10]
    frame = pd.DataFrame({"hid": np.repeat(np.arange(11), sizes), "rent": np.repeat(np.arange(11) + 500.5, sizes)})
    release = protect(frame, columns=["rent"], dominance=40, seed=1)
    assert set(np.bincount(release.partitions[0].labels[frame["hid"].drop_duplicates().index])) <= {3, 4, 5}
    assert release.plan.outcome.dominated == {}
