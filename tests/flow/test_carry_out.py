"""protect(): what goes in, what comes out, what is promised in between."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DescriptionWarning, DisclosureWarning, IdentifierWarning, ParameterError
from unchanged_columns import not_protected, protect_part

COLUMNS = ["wage_income", "capital_income", "tax"]


@pytest.fixture
def survey() -> pd.DataFrame:
    return shoal.datasets.households(500, seed=3).drop(columns="household_id")


def protect(data, k=5, **more):
    return protect_part(data, k, **more)


def test_every_group_shares_its_mean(survey):
    release = protect(survey, columns=COLUMNS)
    labels = release.partitions[0].labels
    expected = survey[COLUMNS].astype(float).groupby(labels).transform("mean")
    pd.testing.assert_frame_equal(release.data[COLUMNS], expected, rtol=1e-12)
    assert release.partitions[0].k >= 5
    assert release.partitions[0].sizes.sum() == 500


def test_the_input_is_not_changed(survey):
    before = survey.copy(deep=True)
    protect(survey, columns=COLUMNS)
    pd.testing.assert_frame_equal(survey, before)


def test_pandas_keeps_index_columns_and_untouched_types(survey):
    survey.index = pd.Index(np.arange(500) * 7, name="row")
    with pytest.warns(IdentifierWarning, match='index "row" of the table'):
        out = protect(survey, columns=COLUMNS).data
    assert isinstance(out, pd.DataFrame)
    assert out.index.equals(survey.index)
    assert list(out.columns) == list(survey.columns)
    rest = [name for name in survey.columns if name not in COLUMNS]
    pd.testing.assert_frame_equal(out[rest], survey[rest])


@pytest.mark.parametrize("kind", ["polars", "arrow", "array"])
def test_the_same_kind_of_table_comes_back_with_the_same_numbers(survey, kind):
    plain = survey[COLUMNS]
    expected = shoal.protect(plain, 5).data.to_numpy()
    if kind == "polars":
        out = shoal.protect(pl.from_pandas(plain), 5).data
        assert isinstance(out, pl.DataFrame)
        found = out.to_numpy()
    elif kind == "arrow":
        out = shoal.protect(pa.Table.from_pandas(plain), 5).data
        assert isinstance(out, pa.Table)
        found = out.to_pandas().to_numpy()
    else:
        found = shoal.protect(plain.to_numpy(), 5).data
        assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("strata", [None, "area"])
def test_with_nothing_said_whole_records_of_every_kind_are_k_alike(survey, strata):
    release = shoal.protect(survey, 3, weights="survey_weight", strata=strata)
    assert set(release.plan.columns) == set(survey.columns) - {"survey_weight", strata}
    assert set(release.plan.kinds.values()) == {"continuous", "ordinal", "nominal"}
    assert release.plan.outcome.unchanged == []
    records = release.data.drop(columns="survey_weight").astype(str).agg("|".join, axis=1)
    assert records.value_counts().min() >= 3
    assert not release.data["survey_weight"].duplicated().all()  # which tells records apart, and is no part of k


def test_roles_that_say_nothing_about_protection_leave_a_column_protected(survey):
    roles = {"gross_income": "confidential", "tenure": "key", "region": "other"}
    release = shoal.protect(survey[["age", *roles]], 3, roles=roles)
    assert release.plan.columns == ["age", *roles]


@pytest.mark.parametrize("by", ["columns", "as_is"])
def test_columns_released_unchanged_are_counted_and_warned_of(survey, by):
    rest = [name for name in survey.columns if name not in COLUMNS]
    unique = int((survey.groupby(rest, dropna=False, observed=True)["tax"].transform("size") == 1).sum())
    said = rf"^NOT PROTECTED \({len(rest)}\): {', '.join(rest)}\. On these, {unique} of 500 records are unique\.$"
    with pytest.warns(DisclosureWarning, match=said):
        release = shoal.protect(survey, 3, **{by: COLUMNS if by == "columns" else rest})
    assert release.plan.columns == [name for name in survey.columns if name in COLUMNS]
    assert (release.plan.outcome.unchanged, release.plan.outcome.unique_by_unchanged) == (rest, unique)
    with pytest.warns(DisclosureWarning, match=said):
        pd.testing.assert_frame_equal(release.plan.run(survey).data, release.data)


def test_strata_and_weights_are_not_among_the_columns_released_unchanged(survey):
    frame = survey[[*COLUMNS, "area", "survey_weight"]]
    assert shoal.protect(frame, 3, strata="area", weights="survey_weight").plan.outcome.unchanged == []
    as_one = protect(frame, 3, columns=COLUMNS)
    assert as_one.plan.outcome.unchanged == ["area", "survey_weight"]


def test_identifiers_are_dropped(survey):
    frame = survey[COLUMNS].assign(household_id=np.arange(500))
    release = shoal.protect(frame, 3, roles={"household_id": "identifier"})
    assert list(release.data.columns) == COLUMNS


def test_a_column_that_looks_like_an_identifier_is_warned_of(survey):
    frame = survey[COLUMNS].assign(household_id=np.arange(500))
    with pytest.warns(IdentifierWarning, match="household_id"), not_protected():
        shoal.protect(frame, 3, columns=COLUMNS)


@pytest.mark.parametrize("role", ["identifier", "other"])
def test_a_given_role_silences_the_warning(survey, role):
    frame = survey[COLUMNS].assign(household_id=np.arange(500))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.protect(frame, 3, roles={"household_id": role})


def test_groups_stay_within_strata(survey):
    release = protect(survey, k=2, columns=COLUMNS, strata="region")
    regions = survey["region"].groupby(release.partitions[0].labels).nunique()
    assert (regions == 1).all()
    assert release.partitions[0].k >= 2
    assert release.data["region"].equals(survey["region"])


def test_strata_of_two_columns(survey):
    survey["half"] = np.arange(500) % 2
    release = protect(survey, k=3, columns=COLUMNS, strata=["half", "area"])
    both = survey["area"].astype(str) + survey["half"].astype(str)
    assert (both.groupby(release.partitions[0].labels).nunique() == 1).all()


def test_weights_enter_the_mean_and_not_the_groups(survey):
    plain = protect(survey, columns=COLUMNS)
    weighted = protect(survey, columns=COLUMNS, weights="survey_weight")
    np.testing.assert_array_equal(plain.partitions[0].labels, weighted.partitions[0].labels)
    labels, w = plain.partitions[0].labels, survey["survey_weight"]
    expected = (survey["tax"] * w).groupby(labels).sum() / w.groupby(labels).sum()
    np.testing.assert_allclose(weighted.data["tax"], expected.loc[labels].to_numpy(), rtol=1e-12)


def test_a_whole_number_cuts_blocks_in_file_order(survey):
    names = ["tax", "wage_income", "age", "capital_income", "net_income"]
    release = protect(survey, columns=names, blocks=2)
    in_file = [name for name in survey.columns if name in names]
    assert release.plan.blocks == [in_file[:2], in_file[2:4], in_file[4:]]
    assert [partition.columns for partition in release.partitions] == [tuple(block) for block in release.plan.blocks]


def test_blocks_are_grouped_each_for_itself(survey):
    both = protect(survey, blocks=[["age", "tax"], ["wage_income"]])
    alone = protect(survey, columns=["wage_income"])
    np.testing.assert_array_equal(both.partitions[1].labels, alone.partitions[0].labels)
    assert both.data["wage_income"].equals(alone.data["wage_income"])


def test_the_order_in_which_columns_are_named_does_not_matter(survey):
    one, other = protect(survey, columns=COLUMNS), protect(survey, columns=COLUMNS[::-1])
    pd.testing.assert_frame_equal(one.data, other.data)


def test_standardize_decides_the_scale(survey):
    frame = survey[["age", "gross_income"]]
    raw = shoal.partition.MDAV(k=5).fit(frame.to_numpy()).labels_
    scores = ((frame - frame.mean()) / frame.std()).to_numpy()
    np.testing.assert_array_equal(shoal.protect(frame, 5, standardize=False).partitions[0].labels, raw)
    np.testing.assert_array_equal(
        shoal.protect(frame, 5).partitions[0].labels, shoal.partition.MDAV(k=5).fit(scores).labels_
    )


def test_a_constant_column_is_reported_and_left_out_of_distances(survey):
    frame = survey[COLUMNS].assign(same=4)
    with pytest.warns(DescriptionWarning, match='All values of "same" are the same'):
        release = shoal.protect(frame, 5)
    assert release.plan.outcome.constant == ["same"]
    np.testing.assert_array_equal(release.partitions[0].labels, shoal.protect(survey[COLUMNS], 5).partitions[0].labels)
    assert (release.data["same"] == 4).all()


def test_nothing_but_constant_columns():
    with pytest.warns(DescriptionWarning):
        release = shoal.protect(pd.DataFrame({"a": [1.0] * 7}), 3)
    assert release.partitions[0].k >= 2
    assert (release.data["a"] == 1).all()


@pytest.mark.parametrize(
    ("replace", "stays"), [("mean", False), ("median", True), ("mode", True), ("geometric-mean", False)]
)
def test_integers_stay_integers_only_where_the_replacement_keeps_them(survey, replace, stays):
    frame = survey[["age", "gross_income"]] + 1
    release = shoal.protect(frame, 3, replace=replace)
    assert all(pd.api.types.is_integer_dtype(dtype) == stays for dtype in release.data.dtypes)
    assert release.plan.outcome.became_float == ([] if stays else ["age", "gross_income"])


def test_a_replacement_per_column(survey):
    release = protect(survey, columns=["age", "tax"], replace={"age": "median"})
    assert release.plan.replace == {"age": {"name": "median"}, "tax": {"name": "mean"}}


def test_a_mixed_table_takes_mean_median_and_mode(survey):
    release = protect(survey, k=4, columns=["wage_income", "education", "tenure"])
    labels = release.partitions[0].labels
    assert np.bincount(labels).min() >= 4
    assert {name: spelled["name"] for name, spelled in release.plan.replace.items()} == {
        "education": "median",
        "tenure": "mode",
        "wage_income": "mean",
    }
    assert release.data["education"].dtype == survey["education"].dtype
    for group in range(labels.max() + 1):
        inside = labels == group
        assert release.data.loc[inside, "tenure"].nunique() == 1
        counts = survey.loc[inside, "tenure"].value_counts()
        assert counts[release.data.loc[inside, "tenure"].iloc[0]] == counts.max()
        middle = sorted(survey.loc[inside, "education"].cat.codes)[(inside.sum() - 1) // 2]
        assert (release.data.loc[inside, "education"].cat.codes == middle).all()


def test_a_convex_median_can_be_between_the_values_of_its_group():
    grades = [*["low"] * 2, *["high"] * 2, *["mid"] * 4, "low", *["high"] * 3, "peak", *["low"] * 3]
    kind = pd.CategoricalDtype(["low", "mid", "peak", "high", "unused"], ordered=True)
    frame = pd.DataFrame({"grade": pd.Series(grades, dtype=kind), "school": np.repeat(list("abcd"), 4)})
    release = shoal.protect(frame, 4, columns=["grade"], strata="school", replace="convex-median")
    # 2 0 2 becomes 2 2 2; 1 0 3 becomes 1 1 3. One record has "peak", which is no part of the scale of others.
    assert release.data["grade"].tolist() == ["mid"] * 8 + ["high"] * 4 + ["low"] * 4
    assert release.data["grade"].dtype.categories.tolist() == ["low", "mid", "high"]
    assert release.plan.replace["grade"] == {"name": "convex-median"}
    median = shoal.protect(frame, 4, columns=["grade"], strata="school", replace="median")
    assert median.data["grade"].tolist() == ["low"] * 4 + ["mid"] * 4 + ["high"] * 4 + ["low"] * 4


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_few_whole_numbers_are_nominal_unless_their_kind_is_given(survey, dtype):
    frame = survey[["wage_income", "household_size"]].astype({"household_size": dtype})
    assert frame["household_size"].nunique() <= 12
    release = shoal.protect(frame, 4)
    assert release.plan.replace["household_size"] == {"name": "mode"}
    assert set(release.data["household_size"]) <= set(frame["household_size"])
    assert any('--kind "household_size=continuous"' in note for note in release.plan.outcome.notes)
    amounts = shoal.protect(frame, 4, kinds={"household_size": "continuous"})
    assert amounts.plan.replace["household_size"] == {"name": "mean"}
    assert not any("household_size=continuous" in note for note in amounts.plan.outcome.notes)


def test_the_seed_breaks_ties_of_the_mode_and_is_recorded():
    frame = pd.DataFrame({"x": np.arange(10.0), "t": list("abcdefghij")})
    with pytest.warns(DisclosureWarning, match='that of one record alone: "t" .5 of 5.'):
        drawn = {tuple(shoal.protect(frame, 2, kinds={"t": "nominal"}, seed=seed).data["t"]) for seed in range(8)}
        release = shoal.protect(frame, 2, kinds={"t": "nominal"})
        again = shoal.protect(frame, 2, kinds={"t": "nominal"}, seed=release.plan.seed)
    assert len(drawn) > 1
    pd.testing.assert_frame_equal(release.data, again.data)


@pytest.mark.parametrize("method", ["k-means", {"name": "k-means"}, "refine:steps=32"])
def test_the_seed_reaches_a_method_that_is_named(survey, method):
    frame = survey[COLUMNS]
    one, same, other = (shoal.protect(frame, 5, method=method, seed=seed) for seed in (2**40 + 7, 2**40 + 7, 8))
    assert one.plan.method["random_state"] not in (2**40 + 7, 7)  # it does not give the seed away
    pd.testing.assert_frame_equal(one.data, same.data)
    assert not one.data.equals(other.data)
    pd.testing.assert_frame_equal(one.plan.run(frame).data, one.data)
    drawn = shoal.protect(frame, 5, method=method)
    pd.testing.assert_frame_equal(shoal.protect(frame, 5, method=method, seed=drawn.plan.seed).data, drawn.data)


@pytest.mark.parametrize(
    "method", ["k-means:random_state=3", {"name": "k-means", "random_state": 3}, shoal.partition.KMeansMicro(5)]
)
def test_a_random_state_that_is_given_stays(survey, method):
    plan = protect(survey, columns=COLUMNS, method=method, seed=8).plan
    assert plan.method["random_state"] == getattr(method, "random_state", 3)


def test_strata_and_blocks_share_the_seconds_of_a_search(survey, monkeypatch):
    seconds, fit = [], shoal.partition.Refine.fit

    def noted(self, X):
        seconds.append(self.seconds)
        return fit(self, X)

    monkeypatch.setattr(shoal.partition.Refine, "fit", noted)
    release = protect(survey, columns=COLUMNS, strata="area", blocks=2, method="refine:seconds=0.2")
    assert len(seconds) == 2 * survey["area"].nunique()
    assert sum(seconds) == pytest.approx(0.2)
    assert release.plan.method["seconds"] == 0.2
    assert [len(steps) for steps in release.plan.steps] == [survey["area"].nunique()] * 2


def test_an_estimator_and_its_k_must_agree(survey):
    release = protect(survey, columns=COLUMNS, method=shoal.partition.MDAV(k=5, variant="two-k"))
    assert release.plan.method == {"name": "mdav", "variant": "two-k", "distance": "euclidean"}
    with pytest.raises(ParameterError, match="k=5 and the method's k=4"):
        protect(survey, columns=COLUMNS, method=shoal.partition.MDAV(k=4))


def test_a_method_with_parameters_by_name(survey):
    assert protect(survey, columns=COLUMNS, method="mdav:variant=two-k").plan.method["variant"] == "two-k"


def test_evaluate_says_what_it_cost(survey):
    release = protect(survey, columns=COLUMNS)
    evaluation = release.evaluate().to_dict()
    assert 0 < evaluation["utility"]["information_loss"] < 100
    fewest = release.data.groupby(list(survey), dropna=False, observed=True).size().min()
    assert evaluation["risk"]["k_anonymity"] == fewest == 1  # over all columns, most of which stay as they are
    assert evaluation["risk_protected"]["k_anonymity"] >= 5


@pytest.mark.parametrize("label", [0, ("a", 1)])
def test_column_labels_that_are_not_text_come_back(label):
    frame = pd.DataFrame({label: np.arange(9.0), "b": np.arange(9.0) ** 2})
    assert list(shoal.protect(frame, 3).data.columns) == [label, "b"]


def test_very_large_and_very_small_numbers():
    frame = pd.DataFrame({"large": np.array([1, 2, 3, -1, -2, -3]) * 5e307, "small": np.arange(6) * 5e-324})
    release = shoal.protect(frame, 3)
    assert np.isfinite(release.data.to_numpy()).all()
    assert release.evaluate().information_loss < 100


def test_a_column_that_lost_categories_is_not_said_to_be_float_now():
    grades = pd.Categorical(["lo", "mid"] * 10, categories=["lo", "mid", "hi"], ordered=True)
    frame = pd.DataFrame({"x": np.arange(20.0) ** 2, "count": np.arange(20) ** 2, "grade": grades})
    release = shoal.protect(frame, 4, columns=["x", "count", "grade"])
    assert list(release.data["grade"].cat.categories) == ["lo", "mid"]
    assert release.plan.outcome.became_float == ["count"]
