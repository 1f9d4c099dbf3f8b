"""Weights and sums: no record carries too much of what is behind a released value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from oracles.slow_shares import largest_share
from shoal.errors import ColumnError, DataError, MethodError, ParameterError, ShoalError


def drawn(seed, n, *, parts=1, missing=0.0):
    """Amounts with zeros and heavy tails, an order, categories, weights and strata."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "amount": np.where(rng.random(n) < 0.4, 0.0, rng.lognormal(3, 1.5, n).round(2) + 0.01),
            "other": rng.normal(size=n).round(3) + 0.0005,
            "word": rng.choice(["a", "b", "c"], n),
            "w": rng.lognormal(0, 1, n).round(3) + 0.001,
            "part": rng.integers(0, parts, n),
        }
    )
    for name in ("amount", "other", "word"):
        frame.loc[rng.random(n) < missing, name] = None
    return frame


COLUMNS = ["amount", "other", "word"]
KINDS = {"amount": "continuous", "other": "continuous", "word": "nominal"}


def values_behind(frame, release, name):
    """Give the records behind every released value: all that share it in a stratum, where it is observed."""
    shared = pd.DataFrame({"part": frame["part"], "value": release.data[name]})[frame[name].notna()]
    return [rows.index.to_numpy() for _, rows in shared.groupby(["part", "value"])]


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(8, 70),
    k=st.integers(2, 4),
    parts=st.integers(1, 2),
    missing=st.sampled_from(["error", "keep", "fill"]),
    weighted=st.booleans(),
    dominance=st.sampled_from([None, 40, 75.5]),
    replace=st.sampled_from(["mean", "median"]),
)
def test_no_record_counts_too_much_in_a_released_value(seed, n, k, parts, missing, weighted, dominance, replace):
    """Or it is refused: because of a whole stratum, or of too few values. No third outcome."""
    frame = drawn(seed, n, parts=parts, missing=0.0 if missing == "error" else 0.25)
    options = {"replace": {"amount": "mean", "other": replace, "word": "mode"}, "strata": "part", "seed": 1}
    options |= {"columns": COLUMNS, "kinds": KINDS, "missing": missing, "dominance": dominance}
    options |= {"weights": "w"} if weighted else {}
    try:
        release = shoal.protect(frame, k, **options)
    except DataError:
        stratum = [rows for _, rows in frame.groupby("part")]
        few = any(rows[name].notna().sum() < 2 * k for rows in stratum for name in COLUMNS)
        heavy = [
            largest_share(rows.w[rows[name].notna()], rows.index[rows[name].notna()])
            for rows in stratum
            for name in COLUMNS
            if rows[name].notna().any()
        ]
        large = [
            largest_share(rows[name].dropna().abs(), rows.index[rows[name].notna()])
            for rows in stratum
            for name in COLUMNS[:2]
        ]
        tied = missing != "error"  # over the same records, which are fewer
        assert few or tied or (weighted and max(heavy) > 0.5) or (dominance and max(large) > dominance / 100)
        return
    for name in COLUMNS:
        for rows in values_behind(frame, release, name):
            assert len(rows) >= k
            if weighted:
                assert largest_share(frame.w[rows], rows) <= 0.5 + 1e-9
            if dominance and (name == "amount" or (name == "other" and replace == "mean")):
                assert largest_share(frame[name].abs()[rows], rows) <= dominance / 100 + 1e-9
    if missing == "fill":
        assert not release.data[COLUMNS].isna().any().any()
        assert release.data.groupby([*COLUMNS, "part"]).size().min() >= k
        assert sum(release.plan.outcome.filled.values()) == frame[COLUMNS].isna().sum().sum()


def test_groups_are_joined_until_no_weight_is_more_than_half():
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 1.1, 1.2, 1.3, 9.1, 9.2, 9.3], "w": [9.0, 1, 1, 4, 4, 4, 1, 1, 1]})
    release = shoal.protect(frame, 3, columns=["x"], kinds={"x": "continuous"}, weights="w", seed=1)
    shared = (0.9 + 0.2 + 0.3 + 4.4 + 4.8 + 5.2) / 23
    assert release.data["x"].tolist() == pytest.approx([shared] * 6 + [9.2] * 3)
    assert release.plan.outcome.joined == {"x": 1}
    assert release.plan.outcome.effective_number == 3.0
    assert any("effective number of records is 3.0" in note for note in release.plan.outcome.notes)


@pytest.mark.filterwarnings("ignore:A medoid:shoal.errors.DisclosureWarning")
def test_a_medoid_is_of_a_group_in_which_no_weight_is_more_than_half():
    """One of ten records has 300 times the weight of the others: 98.7 % of that of its group of five."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "w": [300.0, *[1.0] * 9] * 6})
    release = shoal.protect(frame, 5, columns=["x", "y"], replace="medoid", weights="w", seed=1)
    for rows in release.data.groupby(["x", "y"]).groups.values():
        assert len(rows) >= 5
        assert largest_share(frame.w[rows], rows) <= 0.5
    assert release.plan.outcome.joined["x"] == release.plan.outcome.joined["y"] > 0
    assert release.plan.outcome.effective_number >= 2


def test_a_weight_that_is_more_than_half_of_a_stratum_is_refused_before_masking():
    frame = drawn(1, 40, parts=2)
    frame.loc[frame.index[frame.part == 1][0], "w"] = 98765.4
    with pytest.raises(DataError, match=r'in 1 of 2 strata of part one has more than half of "w"') as refused:
        shoal.protect(frame, 3, columns=COLUMNS, kinds=KINDS, strata="part", weights="w")
    assert "98765" not in str(refused.value)


def weighted_means(frame, labels, name):
    """The mean of each record's group, as a user computes it from labels; NaN in no group."""
    rows = frame.assign(wx=frame[name] * frame.w, group=labels)[lambda table: table.group >= 0]
    sums = rows.groupby("group")[["wx", "w"]].sum()
    return (sums.wx / sums.w).reindex(labels).to_numpy()


def test_a_group_by_on_the_labels_gives_the_released_values_with_weights():
    frame = drawn(11, 90)
    release = shoal.protect(
        frame[[*COLUMNS, "w"]].assign(w=frame.w**2), 3, columns=COLUMNS, kinds=KINDS, weights="w", seed=1
    )
    (partition,), outcome = release.partitions, release.plan.outcome
    assert outcome.joined["amount"] > 0
    for name in ("amount", "other"):
        expected = weighted_means(frame.assign(w=frame.w**2), partition.labels, name)
        np.testing.assert_allclose(release.data[name], expected, rtol=1e-12)
        np.testing.assert_array_equal(partition.behind(name), partition.labels)
    alike = release.data.groupby(COLUMNS).size()
    assert sorted(partition.sizes) == sorted(alike)
    assert (outcome.groups, outcome.smallest_group, outcome.largest_group) == ([len(alike)], alike.min(), alike.max())
    assert release.headline["k"] == partition.k == alike.min()


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize(
    "options",
    [
        {"dominance": 55},
        {"missing": "keep"},
        {"missing": "fill"},
        {"missing": "keep", "weights": "w", "dominance": 70},
        {"roles": {"word": "confidential"}, "diversity": 2},
        {"categories": {"word": "suppress"}, "weights": "w"},
        {"unit": "unit", "weights": "w"},
    ],
    ids=lambda options: "+".join(options),
)
def test_groups_are_shown_as_they_are_behind_released_values(options):
    """Records of a group share the values of every column, and those behind a column have its mean."""
    frame = drawn(12, 120, missing=0.2 if "missing" in options else 0.0)
    frame = frame.assign(unit=np.arange(120) // 2, w=frame.w**2 if "weights" in options else 1.0)
    columns = [*COLUMNS, *(name for name in ("unit", "w") if name in options.values())]
    release = shoal.protect(frame[columns], 4, columns=COLUMNS, kinds=KINDS, seed=1, **options)
    (partition,) = release.partitions
    for name in COLUMNS:
        there = frame[name].notna() | (options.get("missing") == "fill")
        assert release.data[name][there].groupby(partition.labels[there]).nunique(dropna=False).max() == 1
        behind = partition.behind(name)
        assert np.bincount(behind[behind >= 0])[np.unique(behind[behind >= 0])].min() >= 4
        if KINDS[name] == "continuous":
            counted = behind >= 0
            expected = weighted_means(frame, behind, name)[counted]
            np.testing.assert_allclose(release.data[name][counted], expected, rtol=1e-12)
    assert len(set(partition.labels.tolist()) - {-1}) == release.plan.outcome.groups[0]
    assert partition.k == release.plan.outcome.smallest_group


def test_groups_of_units_have_the_mean_of_their_units():
    """A column of units is grouped with one row for each, and so is what a user computes."""
    frame = drawn(13, 120).assign(unit=np.repeat(np.arange(40), 3))
    frame["amount"] = frame.groupby("unit")["amount"].transform("first")
    frame["w"] = np.where(frame.unit % 7 == 0, 12.0, 1.0)
    options = {"columns": COLUMNS, "kinds": KINDS, "unit": "unit", "weights": "w", "seed": 1}
    release = shoal.protect(frame[[*COLUMNS, "w", "unit"]], 4, **options)
    upper = next(one for one in release.partitions if one.columns == ("amount",))
    first = frame.unit.drop_duplicates().index
    expected = weighted_means(frame.loc[first], upper.behind("amount")[first], "amount")
    np.testing.assert_allclose(release.data["amount"][first], expected, rtol=1e-12)
    assert release.plan.outcome.joined["amount"] > 0


def test_a_column_of_another_block_has_no_records_behind_it():
    release = shoal.protect(drawn(1, 40)[["amount", "other"]], 3, columns=["amount", "other"], seed=1)
    with pytest.raises(ColumnError, match='There is no column "othr" in this block'):
        release.partitions[0].behind("othr")


def lone():
    """Four groups on x; in the first one record has all of the sum of y, in the second one has 85 %."""
    x = np.repeat([0.0, 10, 20, 30], 3) + np.tile([0.1, 0.2, 0.3], 4)
    return pd.DataFrame({"x": x, "y": [7.5, 0, 0, 85, -10, 5, 7, 8, 9.5, 6, 7, 8]})


@pytest.mark.filterwarnings("ignore:All values:shoal.errors.DescriptionWarning")
def test_lone_and_dominant_contributors_are_counted_by_column():
    frame = lone()
    release = shoal.protect(frame, 3, columns=["x", "y"], kinds=dict.fromkeys("xy", "continuous"), seed=1, blocks=None)
    labels = release.partitions[0].labels
    shares = [largest_share(frame.y.abs()[labels == g], range((labels == g).sum())) for g in np.unique(labels)]
    assert release.plan.outcome.dominated.get("y", 0) == sum(one > 0.8 for one in shares) > 0
    assert release.plan.outcome.lone.get("y", 0) == sum(one == 1 for one in shares)
    again = shoal.protect(frame, 3, columns=["x", "y"], kinds=dict.fromkeys("xy", "continuous"), seed=1, dominance=100)
    assert again.plan.outcome.dominated == {}  # nothing is more than the whole
    pd.testing.assert_frame_equal(again.data, release.data)


def test_dominance_that_cannot_be_kept_is_refused_by_column_and_count():
    frame = drawn(2, 60, parts=2)
    frame.loc[frame.index[frame.part == 0][0], "amount"] = 987654.5
    options = {"columns": COLUMNS, "kinds": KINDS, "strata": "part"}
    with pytest.raises(DataError, match=r'dominance=50 .* in 1 of 2 strata of part .* "amount"') as refused:
        shoal.protect(frame, 3, dominance=50, **options)
    assert "987654" not in str(refused.value)
    with pytest.raises(DataError, match="dominance=1 cannot be kept"):  # below 100 / n
        shoal.protect(frame, 3, dominance=1, **options)


def test_variables_that_a_sum_ties_are_joined_alike():
    """Else the sum of the terms would give back what the total was joined for."""
    rng = np.random.default_rng(5)
    net, tax = np.where(rng.random(120) < 0.6, 0.0, rng.lognormal(3, 1, 120)), rng.lognormal(3, 1, 120)
    frame = pd.DataFrame({"net": net, "tax": tax, "gross": net + tax, "x": rng.normal(size=120)})
    options = {"columns": list(frame), "kinds": dict.fromkeys(frame, "continuous"), "seed": 1, "dominance": 60}
    for more in ({}, {"edits": ["net + tax == gross"]}):
        release = shoal.protect(frame, 3, **options, **more)
        joined = release.plan.outcome.joined
        assert joined["net"] == joined["tax"] == joined["gross"] > joined.get("x", 0)
        out = release.data
        np.testing.assert_allclose(out.net + out.tax, out.gross, rtol=1e-9)


def test_products_of_any_sign_are_joined_too():
    rng = np.random.default_rng(8)
    a, b = rng.choice([-1, 1], 90) * rng.lognormal(0, 2, 90), rng.lognormal(0, 0.2, 90)
    frame = pd.DataFrame({"a": a, "b": b, "c": a * b})
    kinds = dict.fromkeys("abc", "continuous")
    release = shoal.protect(frame, 3, columns=list("abc"), kinds=kinds, edits=["c == a * b"], dominance=70, seed=1)
    np.testing.assert_allclose(release.data.a * release.data.b, release.data.c, rtol=1e-9)


@pytest.mark.parametrize("bad", [0, -1, 100.5, "50", True, float("nan")])
def test_dominance_is_a_percentage(bad):
    with pytest.raises(ParameterError, match="dominance must be a number above 0, 100 at most"):
        shoal.protect(lone(), 3, dominance=bad)


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_dominance_needs_groups_and_means():
    frame = drawn(4, 60)
    with pytest.raises(MethodError, match="dominance is for methods that put records into groups"):
        shoal.protect(frame, 3, columns=["amount", "other"], method="fuzzy", dominance=50)
    with pytest.raises(ParameterError, match="dominance is about means"):
        shoal.protect(frame, 3, columns=["amount", "other"], replace="median", dominance=50)


def test_the_plan_repeats_it(tmp_path):
    frame = drawn(6, 80, missing=0.2)
    options = {"columns": COLUMNS, "kinds": KINDS, "weights": "w", "dominance": 60, "missing": "fill", "seed": 3}
    release = shoal.protect(frame[[*COLUMNS, "w"]], 3, **options)
    release.plan.to_toml(tmp_path / "plan.toml")
    plan = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert (plan.dominance, plan.missing, plan.outcome) == (60, "fill", release.plan.outcome)
    assert plan.public()["dominance"] == 60
    pd.testing.assert_frame_equal(plan.run(frame[[*COLUMNS, "w"]]).data, release.data)


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_value_of_one_record_is_counted_for_medoids_too():
    frame = drawn(7, 30)[["amount", "other"]]
    release = shoal.protect(frame, 3, columns=["amount", "other"], replace="medoid", seed=1)
    labels = release.partitions[0].labels
    for name in ("amount", "other"):
        alone = sum(
            (frame[name][labels == group] == release.data[name][labels == group]).sum() == 1
            for group in range(labels.max() + 1)
        )
        assert release.plan.outcome.held_by_one.get(name, 0) == alone
    assert release.plan.outcome.held_by_one["other"] > 0


def test_compare_passes_it_on():
    frame = drawn(9, 60)[["amount", "other"]]
    table = shoal.compare(frame, 3, ["mdav", "vmdav", "fuzzy"], columns=["amount", "other"], dominance=50).to_frame()
    assert len(table) >= 2
    with pytest.raises(ShoalError):
        shoal.compare(frame, 3, ["mdav"], columns=["amount", "other"], dominance=101)
