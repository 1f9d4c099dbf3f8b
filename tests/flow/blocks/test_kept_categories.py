"""Categories that keep their values: what is released is true or missing, and whole records are k alike."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import (
    ColumnError,
    DisclosureWarning,
    MethodError,
    MissingValuesError,
    ParameterError,
    TooFewRecordsError,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:All values of:shoal.errors.DescriptionWarning"),
    pytest.mark.filterwarnings("ignore:Column :shoal.errors.ShoalWarning"),
]

KINDS = {"region": "nominal", "water": "nominal", "code": "nominal", "income": "continuous", "age": "continuous"}


def mixed(seed: int, records: int, units: int = 0) -> pd.DataFrame:
    """Draw a table of three columns of categories, one with missing values, and two of numbers."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "region": rng.choice(["N", "S", "E"], records, p=[0.6, 0.3, 0.1]),
            "water": rng.choice(np.array(["tap", "well", "lake", None], dtype=object), records, p=[0.5, 0.3, 0.1, 0.1]),
            "code": rng.choice([1, 2, 9], records),
            "income": rng.lognormal(3, 1, records).round(2),
            "age": rng.integers(18, 80, records),
        }
    )
    if units:
        frame["hid"] = np.sort(np.r_[np.arange(units), rng.integers(0, units, records - units)])
        for name in ("region", "water"):
            frame[name] = frame.groupby("hid")[name].transform(lambda own: own.iloc[0])
    return frame


def rows_of(frame: pd.DataFrame, columns: list[str]) -> list[tuple[object, ...]]:
    """Return the rows as plain cells, None for a missing value."""
    cells = [[None if pd.isna(cell) else cell for cell in frame[name]] for name in columns]
    return list(zip(*cells, strict=True))


def fewest_units(rows: list[tuple[object, ...]], units: list[object]) -> int:
    behind = defaultdict(set)
    for row, unit in zip(rows, units, strict=True):
        behind[row].add(unit)
    return min(map(len, behind.values()))


ways = st.dictionaries(st.sampled_from(["region", "water", "code"]), st.sampled_from(["group", "suppress"]), min_size=1)


@pytest.mark.randomised
@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10**6), k=st.integers(2, 6), records=st.integers(12, 70), units=st.booleans(), by_column=ways
)
def test_whole_records_are_k_alike_and_kept_cells_are_true_or_missing(seed, k, records, units, by_column):
    count = max(k, records // 2) if units else 0
    frame = mixed(seed, records, count)
    unit = "hid" if units else None
    grouped = [name for name in ("water",) if by_column.get(name, "group") == "group"]
    frame[grouped] = frame[grouped].fillna("none")
    release = shoal.protect(frame, k, kinds=KINDS, categories=by_column, unit=unit, seed=1)
    columns = list(KINDS)
    units_of = frame["hid"].tolist() if units else list(range(records))
    after, before = rows_of(release.data, columns), rows_of(frame, columns)
    assert fewest_units(after, units_of) >= k
    assert release.headline["k"] == fewest_units(after, units_of)
    for place, name in enumerate(columns):
        if by_column.get(name) != "suppress":
            continue
        pairs = [(one[place], other[place]) for one, other in zip(before, after, strict=True)]
        assert all(new is None or new == old for old, new in pairs)
        gone = sum(new is None and old is not None for old, new in pairs)
        assert release.plan.outcome.suppressed.get(name, 0) == gone
        if units and name in ("region", "water"):  # otherwise a suppressed cell is read from another member
            assert len(set(zip(units_of, (row[place] for row in after), strict=True))) == len(set(units_of))
    labels = release.partitions[-1].labels
    for name in ("income", "age"):
        means = frame[name].groupby(labels).mean()
        np.testing.assert_allclose(release.data[name], means[labels], rtol=1e-12)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "numpy"])
def test_every_library_keeps_its_types(library):
    frame = mixed(3, 80)
    frame["yes"] = frame["age"] > 60
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}
    data = given.get(library, frame[["code", "income", "age"]].to_numpy())
    kinds = {"0": "nominal"} if library == "numpy" else KINDS
    release = shoal.protect(data, 6, kinds=kinds, categories="suppress", seed=1)
    assert type(release.data) is type(data)
    if library == "pandas":
        assert release.plan.outcome.suppressed.keys() >= {"code", "yes"}
        assert release.data.dtypes.astype(str).to_dict() | {"income": 0, "age": 0} == {
            **frame.dtypes.astype(str).to_dict(), "code": "Int64", "yes": "boolean", "income": 0, "age": 0
        }  # fmt: skip
    elif library == "polars":
        assert release.data.schema["code"] == data.schema["code"]
    elif library == "arrow":
        assert release.data.schema.field("code").type == data.schema.field("code").type


def test_within_leaves_the_columns_as_they_are_and_groups_inside_them():
    frame = mixed(5, 300)
    release = shoal.protect(frame, 3, kinds=KINDS, categories={"region": "within", "water": "suppress"}, seed=1)
    assert release.data["region"].tolist() == frame["region"].tolist()
    assert len(set(zip(release.partitions[0].labels, frame["region"], strict=True))) == len(release.partitions[0].sizes)
    assert "region" not in release.plan.replace and release.plan.categories["region"] == "within"
    assert release.plan.outcome.unchanged == []


def test_within_refuses_small_combinations_with_their_number_and_what_would_help():
    frame = mixed(5, 200)
    frame.loc[:3, "water"] = ["spring", "spring", "pond", "pond"]
    sizes = Counter(rows_of(frame, ["region", "water"]))
    below = {combination: count for combination, count in sizes.items() if count < 5}
    with pytest.raises(TooFewRecordsError) as refused:
        shoal.protect(frame, 5, kinds=KINDS, categories={"region": "within", "water": "within"})
    message = str(refused.value)
    assert f"{len(below)} of {len(sizes)} combinations of region, water have fewer than 5 records" in message
    assert f"({sum(below.values())} records)" in message
    assert '--recode "water=merge:rare=' in message
    assert message.endswith('eave water to "suppress" (--categories "region=within,water=suppress"), or lower k.')
    assert not {"spring", "pond"} & set(message.replace("(", " ").split())


def test_a_missing_value_is_a_category_and_no_reason_to_refuse():
    frame = mixed(5, 200)
    release = shoal.protect(frame, 4, kinds=KINDS, categories="suppress", seed=1)
    assert release.data["water"].isna().sum() > frame["water"].isna().sum()
    with pytest.raises(MissingValuesError, match='"water"'):
        shoal.protect(frame, 4, kinds=KINDS, categories={"region": "suppress"})
    frame.loc[3, "income"] = np.nan
    with pytest.raises(MissingValuesError, match='"income"'):
        shoal.protect(frame, 4, kinds=KINDS, categories="suppress")


@pytest.mark.parametrize("missing", ["keep", "fill"])
def test_missing_numbers_are_kept_or_filled_inside_combinations(missing):
    frame = mixed(9, 150)
    frame.loc[::4, "income"] = np.nan
    frame.loc[::4, "age"] = 40
    frame.loc[frame.region == "E", "income"] = np.nan
    frame["age"] = frame["income"].isna().map({True: np.nan, False: 1.0}) * frame["age"]
    release = shoal.protect(frame, 3, kinds=KINDS, categories="suppress", missing=missing, seed=1)
    if missing == "fill":
        assert not release.data["income"].isna().any()
        assert release.headline["k"] >= 3
    else:
        assert (release.data["income"].isna() == frame["income"].isna()).all()
        behind = frame["income"].dropna().groupby(release.data["income"].dropna()).count()
        assert behind.min() >= 3


def test_a_block_of_kept_columns_alone_has_the_combinations_as_groups(tmp_path):
    frame = mixed(2, 100)[["region", "water", "code"]]
    release = shoal.protect(frame, 5, kinds={"code": "nominal"}, categories="suppress", seed=1)
    assert release.plan.replace == {}
    sizes = Counter(rows_of(release.data, ["region", "water", "code"]))
    assert sorted(sizes.values()) == sorted(release.partitions[0].sizes.tolist())
    assert min(sizes.values()) >= 5
    assert release.evaluate(measures=["k_anonymity"]).k_anonymity >= 5
    release.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert again.replace == {}
    pd.testing.assert_frame_equal(again.run(frame).data, release.data)


def test_rules_hold_and_do_not_apply_where_a_cell_is_suppressed():
    frame = mixed(4, 300)
    frame["water"] = frame["water"].fillna("none")
    frame["tax"] = (frame["income"] / 4).round(2)
    frame["gross"] = (frame["income"] + frame["tax"]).round(2)
    frame.loc[frame["water"] == "lake", ["income", "tax", "gross"]] = 0.0
    rules = ["income + tax == gross", 'if water == "lake" then gross == 0', "if age < 30 then income >= 0"]
    release = shoal.protect(
        frame, 4, kinds=KINDS, categories="suppress", edits=rules, decimals={"income": 2, "tax": 2, "gross": 2}, seed=1
    )
    data = release.data
    assert release.plan.outcome.suppressed
    assert (data["income"] + data["tax"] - data["gross"]).abs().max() < 1e-9
    assert (data.loc[data["water"] == "lake", "gross"] == 0).all()
    assert release.headline["k"] >= 4


def test_a_rule_on_numbers_that_parts_small_combinations_is_kept_by_suppressing_inside_its_parts():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"region": np.repeat(list("ABCDEFGHIJ"), 8), "sex": rng.choice(["m", "f"], 80)})
    frame["age"] = rng.integers(10, 60, 80).astype(float)
    frame["income"] = np.where(frame["age"] < 30, 0.0, rng.lognormal(3, 1, 80).round(2) + 1)
    rules = ["if age < 30 then income == 0", "if age >= 30 then income >= 1"]
    release = shoal.protect(frame, 4, categories="suppress", edits=rules, seed=1)
    data = release.data
    assert (data.loc[data["age"] < 30, "income"] == 0).all() and (data.loc[data["age"] >= 30, "income"] >= 1).all()
    assert release.headline["k"] >= 4


def test_a_rule_between_a_kept_column_of_units_and_a_changed_one_of_records_is_kept():
    frame = mixed(6, 240, units=90)
    frame["water"] = frame["water"].fillna("none")
    frame.loc[frame["water"] == "lake", "income"] = 0.0
    rule = 'if water == "lake" then income == 0'
    release = shoal.protect(frame, 3, kinds=KINDS, categories="suppress", unit="hid", edits=[rule], seed=1)
    data = release.data
    assert (data.loc[data["water"] == "lake", "income"] == 0).all()
    assert release.headline["k"] >= 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"categories": "merge"}, ParameterError, "categories must be one of"),
        ({"categories": {"region": "merge"}}, ParameterError, 'categories of "region" must be one of'),
        ({"categories": {"regoin": "within"}}, ColumnError, 'Did you mean "region"'),
        ({"categories": {"age": "suppress"}}, ColumnError, "which is continuous"),
        ({"categories": "suppress", "replace": {"region": "mode"}}, ParameterError, "whose values are kept"),
        (
            {"categories": {"region": "suppress"}, "method": "fuzzy", "columns": ["region", "age"]},
            MethodError,
            '"fuzzy"',
        ),
        (
            {
                "categories": {"region": "within"},
                "replace": "ipso",
                "confidential": ["income"],
                "columns": ["region", "income", "age"],
            },
            MethodError,
            '"ipso"',
        ),
        (
            {"categories": "suppress", "roles": {"region": "confidential"}, "diversity": 2},
            ParameterError,
            "region=group",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options, error, message):
    with pytest.raises(error, match=message):
        shoal.protect(mixed(1, 60), 3, kinds={name: KINDS[name] for name in options.get("columns", KINDS)}, **options)


def test_the_default_is_not_written_and_a_plan_says_how_each_column_is_kept(tmp_path):
    frame = mixed(8, 120)
    frame["water"] = frame["water"].fillna("none")
    assert shoal.protect(frame, 3, kinds=KINDS, categories="group", seed=1).plan.categories == {}
    release = shoal.protect(frame, 3, kinds=KINDS, categories={"region": "suppress", "code": "group"}, seed=1)
    release.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert again.categories == {"region": "suppress"} and "region" not in again.replace
    pd.testing.assert_frame_equal(again.run(frame).data, release.data)


def test_a_search_is_repeated_step_by_step_inside_combinations():
    frame = mixed(8, 120)
    release = shoal.protect(frame, 3, kinds=KINDS, categories="suppress", method="refine:steps=10", seed=1)
    pd.testing.assert_frame_equal(release.plan.run(frame).data, release.data)


def test_diversity_holds_among_records_that_are_alike_in_what_is_kept():
    frame = mixed(10, 600)
    options = {"roles": {"code": "confidential"}, "categories": {"region": "suppress", "water": "suppress"}}
    release = shoal.protect(frame, 8, kinds=KINDS, diversity=2, seed=1, **options)
    seen = defaultdict(set)
    for row, code in zip(rows_of(release.data, ["region", "water", "income", "age"]), frame["code"], strict=True):
        seen[row].add(code)
    assert min(map(len, seen.values())) >= 2


def test_weights_and_dominance_join_groups_of_other_combinations_and_k_holds():
    frame = mixed(11, 160)
    frame["w"] = np.random.default_rng(1).choice([1.0, 1.0, 1.0, 6.0], len(frame))
    release = shoal.protect(frame, 3, kinds=KINDS, weights="w", dominance=60, categories="suppress", seed=1)
    assert release.headline["k"] >= 3
    behind = frame["w"].groupby(release.data["income"])
    assert (behind.max() <= behind.sum() / 2).all()


@pytest.mark.parametrize("slip", ["differs", "misses"])
def test_suppressed_cells_that_other_members_of_a_unit_show_are_warned_of(slip):
    rng = np.random.default_rng(4)
    house = np.repeat(np.arange(80), 3)
    frame = pd.DataFrame({"house": house, "roof": rng.choice(["tin", "tile", "straw", "slate"], 80)[house]})
    frame["job"] = rng.choice(list("abcdefghijklmnop"), 240)
    shoal.protect(frame, 3, unit="house", categories="suppress", seed=1)  # whole units: nothing to read
    frame.loc[0, "roof"] = None if slip == "misses" else "tin" if frame["roof"][0] != "tin" else "tile"
    with pytest.warns(DisclosureWarning, match='of "roof" can be read from other records of the unit') as warned:
        release = shoal.protect(frame, 3, unit="house", categories="suppress", seed=1)
    lost = release.data["roof"].isna() & frame["roof"].notna()
    shown = release.data["roof"].groupby(house).nunique() == 1
    readable = int((lost & shown[house].to_numpy()).sum())
    assert readable > 0 and f"{readable} of {lost.sum()}" in str(warned[0].message)
    shoal.protect(frame, 3, unit="house", drop_unit=True, categories="suppress", seed=1)


@pytest.mark.parametrize("way", ["suppress", "within"])
def test_groups_are_close_to_the_file_inside_what_is_kept(way):
    rng = np.random.default_rng(0)
    town, age, pay = rng.choice(list("abc"), 200), rng.normal(40, 9, 200), rng.normal(9, 2, 200)
    data = pd.DataFrame({"town": town, "age": age, "pay": pay})
    release = shoal.protect(data, 3, categories=way, closeness=0.2, roles={"pay": "confidential"}, seed=1)
    assert release.plan.outcome.k >= 3
    assert (release.data["town"] == data["town"]).all()
    assert release.plan.outcome.closeness <= 0.2


@pytest.mark.parametrize("asked", [{"diversity": 2}, {"closeness": 0.4}])
def test_diversity_and_closeness_refuse_kept_columns_with_words_that_work(asked):
    frame = mixed(5, 200)
    roles = {"water": "confidential", "code": "confidential"}
    options = {"kinds": KINDS, "roles": roles, "missing": "keep", "seed": 1, **asked}
    with pytest.raises(ParameterError) as refused:
        shoal.protect(frame, 4, categories="suppress", **options)
    words = str(refused.value).partition('--categories "')[2].partition('"')[0]
    assert words == "region=suppress,water=group,code=group"
    release = shoal.protect(frame, 4, categories=dict(pair.split("=") for pair in words.split(",")), **options)
    assert release.plan.categories == {"region": "suppress"}


@pytest.mark.parametrize("asked", [{"diversity": 2}, {"closeness": 0.9}])
def test_diversity_and_closeness_say_that_a_combination_has_too_few_values(asked):
    """Nobody named a stratum, and none is to be merged: the option is what stands in the way."""
    frame = pd.DataFrame({"town": ["a"] * 40 + ["b"] * 6, "pay": [float(row) for row in range(46)]})
    frame.loc[42:, "pay"] = np.nan
    options = {"roles": {"pay": "confidential"}, "categories": "suppress", "missing": "fill", "seed": 1}
    with pytest.raises(TooFewRecordsError) as refused:
        shoal.protect(frame, 5, **options, **asked)
    said = (
        f"5 records alike in town with a value in one of pay; there are 2. Recode these, leave {next(iter(asked))} out"
    )
    assert said in str(refused.value) and "strat" not in str(refused.value)
    assert shoal.protect(frame, 5, **options).headline["k"] >= 5
