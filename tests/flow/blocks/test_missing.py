"""missing="keep": gaps stay, every observed cell gets a value made of at least k; "fill": gaps get one too."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import shoal
from shoal.describe.tied_columns import tied_columns
from shoal.errors import (
    ColumnError,
    DataError,
    DisclosureWarning,
    MethodError,
    MissingValuesError,
    RuleError,
    TooFewRecordsError,
)


def test_gaps_are_refused_by_default_and_named():
    frame = pd.DataFrame({"a": [1.0, None, 3, 4], "b": [1.0, 2, 3, 4], "c": [None, None, 1.0, 2]})
    with pytest.raises(MissingValuesError, match=r'"a" \(1\), "c" \(2\)'):
        shoal.protect(frame, 2)


@pytest.mark.parametrize("only_complete", [{"method": "mhm"}, {"method": "fuzzy"}, {"replace": "medoid"}])
def test_what_is_advised_for_missing_values_is_not_refused_afterwards(only_complete):
    """What needs complete records is named at once, with what to use instead; that is then released."""
    frame = shoal.datasets.households(100, seed=2)[["age", "tax"]].astype(float)
    frame.loc[:9, "tax"] = np.nan
    with pytest.raises(MissingValuesError) as caught:
        shoal.protect(frame, 5, **only_complete)
    (name,) = only_complete.values()
    advised = re.search(rf'"{name}" .*complete records\. Fill them, or use .*?"(\w+)",? with', str(caught.value))
    assert advised
    instead = dict.fromkeys(only_complete, advised[1])
    for missing in re.findall(r'missing="(\w+)"', str(caught.value)):
        shoal.protect(frame, 5, missing=missing, **instead)


def test_gaps_stay_where_they_are_and_nothing_else_is_suppressed():
    columns = ["wage_income", "capital_income", "transfers", "tax", "education"]
    frame = shoal.datasets.households(200, seed=2, missing=0.1)[columns]
    release = shoal.protect(frame, 5, missing="keep")
    pd.testing.assert_frame_equal(release.data.isna(), frame.isna())
    assert release.plan.outcome.smallest_support >= 5


@pytest.mark.filterwarnings("ignore::shoal.errors.DescriptionWarning")
@given(
    data=arrays(float, st.tuples(st.integers(6, 40), st.integers(1, 4)), elements=st.integers(0, 4).map(float)),
    share=st.floats(0, 0.8),
    k=st.integers(2, 6),
    seed=st.integers(0, 99),
)
def test_every_observed_cell_gets_a_mean_of_at_least_k_observed_values(data, share, k, seed):
    """Promise 1, or a refusal that names the variable: no third outcome. Checked from the release's own groups."""
    rng = np.random.default_rng(seed)
    data = data.copy()
    data[rng.random(data.shape) < share] = np.nan
    frame = pd.DataFrame(data, columns=[f"v{j}" for j in range(data.shape[1])])
    observed_in = (~np.isnan(data)).sum(axis=0)
    varying = [j for j in range(data.shape[1]) if len(np.unique(data[~np.isnan(data[:, j]), j])) > 1]
    tied = {int(name) for columns in tied_columns({str(j): data[:, j] for j in varying}) for name in columns}
    try:
        release = shoal.protect(frame, k, missing="keep", kinds=dict.fromkeys(frame, "continuous"))
    except TooFewRecordsError:
        too_few = ((observed_in > 0) & (observed_in < k)).any() or (~np.isnan(data)).any(axis=1).sum() < k
        assert len(data) < k or too_few or tied
        return
    labels = release.partitions[0].labels
    out = release.data.to_numpy()
    np.testing.assert_array_equal(np.isnan(out), np.isnan(data))
    assert ((labels < 0) == np.isnan(data[:, varying]).all(axis=1)).all() or not varying
    for j in varying:
        observed = ~np.isnan(data[:, j])
        for group in range(labels.max() + 1):
            assert len(np.unique(out[(labels == group) & observed, j])) <= 1  # a group has one value
        for value in np.unique(out[observed, j]):
            carried = observed & (out[:, j] == value)
            assert carried.sum() >= k
            if j not in tied:  # those may be over fewer records, with all tied variables observed
                np.testing.assert_allclose(data[carried, j].mean(), value, rtol=1e-12, atol=1e-12)
    assert release.plan.outcome.smallest_support >= k


def test_a_group_that_falls_short_shares_the_value_of_its_nearest_neighbour():
    """Three clear groups on x; y is observed once in the first, whose nearest neighbour is the second."""
    frame = pd.DataFrame(
        {"x": [0.0, 0.1, 0.2, 1.0, 1.1, 1.2, 9.0, 9.1, 9.2], "y": [5.0, None, None, 1, 2, 3, 100, 200, 300]}
    )
    release = shoal.protect(frame, 3, missing="keep")
    labels = release.partitions[0].labels
    assert [len(set(labels[i : i + 3])) for i in (0, 3, 6)] == [1, 1, 1]
    shared = (5 + 1 + 2 + 3) / 4
    assert release.data["y"].tolist() == pytest.approx([shared, np.nan, np.nan, *[shared] * 3, *[200] * 3], nan_ok=True)
    assert release.plan.outcome.joined == {"y": 1}


def test_a_row_with_nothing_observed_stays_empty_and_counts_for_nobody():
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4, None, None], "b": [1.0, 2, 3, None, None, None]})
    release = shoal.protect(frame, 3, missing="keep")
    assert release.partitions[0].labels.tolist() == [0, 0, 0, 0, -1, -1]
    assert release.partitions[0].sizes.tolist() == [4]
    assert release.data.iloc[4:].isna().all().all()
    assert release.plan.outcome.empty_records == 2


def test_a_variable_with_fewer_than_k_values_is_refused_by_name_and_stratum():
    frame = pd.DataFrame({"a": np.arange(8.0), "b": [1.0, 2, *[None] * 4, 3, 4], "s": list("xxxxyyyy")})
    with pytest.raises(
        TooFewRecordsError, match='k=3 needs at least 3 observed values of "b" in a stratum of s; there are 2'
    ):
        shoal.protect(frame, 3, missing="keep", strata="s")


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ([1.0, 2, *[None] * 6], "there are 2. Drop the variable (role identifier), or lower k to 2 at most."),
        ([1.0, *[None] * 7], "there is 1. Drop the variable (role identifier)."),
    ],
    ids=["two", "one"],
)
def test_a_lower_k_is_advised_only_where_it_helps(values, advice):
    frame = pd.DataFrame({"a": np.arange(8.0), "b": values})
    with pytest.raises(TooFewRecordsError) as caught:
        shoal.protect(frame, 3, missing="keep")
    assert str(caught.value).endswith(advice)


def test_a_constant_column_with_fewer_than_k_values_is_refused():
    frame = pd.DataFrame({"a": np.arange(8.0), "b": [1.0, 1, *[None] * 6]})
    with pytest.raises(TooFewRecordsError, match='observed values of "b"; there are 2'):
        shoal.protect(frame, 3, missing="keep")


def test_null_stays_null_and_nan_stays_nan_in_polars():
    frame = pl.DataFrame({"a": [1.0, None, 3, 4, float("nan"), 6], "b": [1, 2, 3, 4, 5, 6]})
    out = shoal.protect(frame, 2, missing="keep").data
    assert out["a"].is_null().to_list() == [False, True, False, False, False, False]
    assert out["a"].is_nan().to_list()[4] is True


def test_a_gap_in_a_stratum_is_a_stratum_of_its_own_when_gaps_are_kept():
    frame = pd.DataFrame({"a": np.arange(6.0), "s": ["x", "x", "x", None, None, None]})
    with pytest.raises(MissingValuesError, match='"s"'):
        shoal.protect(frame, 3, strata="s")
    release = shoal.protect(frame, 3, strata="s", missing="keep")
    assert release.partitions[0].labels.tolist() == [0, 0, 0, 1, 1, 1] or release.partitions[0].sizes.tolist() == [3, 3]


@pytest.mark.filterwarnings("ignore::shoal.errors.DescriptionWarning")
@pytest.mark.parametrize("columns", [None, ["a", "b"]])
@pytest.mark.parametrize("replace", ["mean", "median", "mode", "geometric-mean"])
def test_a_column_without_any_value_stays_empty(replace, columns):
    """It is not taken where no columns are named, and tells nothing that was to be said."""
    frame = pd.DataFrame({"a": [np.nan] * 6, "b": np.arange(1.0, 7)})
    release = shoal.protect(frame, 3, columns=columns, missing="keep", replace=replace)
    assert release.data["a"].isna().all()
    assert release.data["b"].nunique() == 2
    assert release.plan.columns == (columns or ["b"])
    assert (release.plan.outcome.unchanged, release.plan.outcome.k) == ([], 3)
    with pytest.raises(ColumnError, match=r"^There is no column to protect"):
        shoal.protect(frame[["a"]], 3, missing="keep", replace=replace)


@pytest.mark.parametrize("strata", [None, "s"])
def test_one_value_among_missing_ones_of_an_arrow_dictionary_is_not_spread(strata):
    """With the strata, the missing values are a stratum of their own, which does not mix with that of "q"."""
    table = pa.table({"s": pa.array(["q"] + [None] * 11).dictionary_encode(), "x": np.arange(12.0)})
    with pytest.raises(TooFewRecordsError):
        shoal.protect(table, 4, columns=["x"] if strata else ["s", "x"], strata=strata, missing="keep")


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize(
    "how", [{"method": "fuzzy"}, {"method": "entropy"}, {"method": "at-least-k"}, {"replace": "medoid"}, {}], ids=str
)
def test_one_value_of_a_column_that_is_otherwise_missing_is_not_released(how):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": [5.0] + [np.nan] * 39, "x": rng.normal(size=40), "y": rng.normal(size=40)})
    with pytest.raises((MethodError, TooFewRecordsError)):
        shoal.protect(frame, 3, missing="keep", seed=1, **how)


def tied_tables():
    rng = np.random.default_rng(11)
    net, tax = rng.lognormal(10, 1, 400), rng.lognormal(8, 1, 400)
    few = rng.random(400) < 0.1
    currencies = pd.DataFrame({"eur": net, "usd": np.where(few, np.nan, 1.25 * net)})
    amounts = pd.DataFrame({"net": net, "tax": np.where(few, np.nan, tax), "gross": net + tax})
    return [
        pytest.param(currencies, [1, -1 / 1.25], np.asarray, "mean", id="two currencies"),
        pytest.param(amounts, [1, 1, -1], np.asarray, "mean", id="a sum"),
        pytest.param(currencies / 1e4, [1, -1], np.log, "geometric-mean", id="geometric means"),
    ]


@pytest.mark.parametrize(("frame", "relation", "numbers", "replace"), tied_tables())
def test_no_value_follows_from_the_means_of_tied_variables(frame, relation, numbers, replace):
    """Whoever knows the relation weighs the sums by it: what is left is the one value that a mean does not count."""
    release = shoal.protect(frame, 3, missing="keep", replace=replace)
    out, labels = numbers(release.data.to_numpy()), release.partitions[0].labels
    missing = frame.isna().to_numpy()
    column = int(missing.any(axis=0).argmax())
    truth = numbers({"usd": frame.iloc[:, 0], "tax": frame.iloc[:, -1] - frame.iloc[:, 0]}[frame.columns[column]])
    attacked = disclosed = 0
    for value in np.unique(out[~missing[:, column], column]):
        rows = np.isin(labels, labels[out[:, column] == value])  # a group, or several that share this value
        if missing[rows].sum() == 1:
            attacked += 1
            sums = np.nansum(out[rows], axis=0)
            if replace == "geometric-mean":
                sums[column] -= np.log(1.25) * (~missing[rows, column]).sum()
            left = abs(float(np.dot(relation, sums)))
            disclosed += np.isclose(left, abs(truth[rows & missing[:, column]]), rtol=1e-6).item()
    assert attacked > 5
    assert disclosed == 0


def test_values_whose_squares_overflow_are_grouped_all_the_same():
    frame = pd.DataFrame({"x": [1e308, -1e308, 0.0, 0.5, 1e308] * 5 + [None], "y": np.arange(26.0) * 1e306})
    release = shoal.protect(frame, 4, missing="keep", standardize=False)
    assert np.isfinite(release.data["x"][:25]).all()
    with pytest.raises(DataError, match="Leave standardize on"):
        shoal.protect(frame.dropna(), 4, method="fuzzy:n_clusters=2", standardize=False)


def with_gaps(seed=0, n=60, share=0.3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "y": rng.lognormal(size=n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "word": rng.choice(["a", "b"], n),
        }
    )
    for name in frame:
        frame.loc[rng.random(n) < share, name] = None
    return frame


@pytest.mark.parametrize(
    "as_library", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
@pytest.mark.parametrize("replace", ["mean", "median"])
def test_filled_records_are_k_alike_as_a_whole(as_library, replace):
    frame = with_gaps()
    release = shoal.protect(as_library(frame), 4, columns=list(frame), replace=replace, missing="fill", seed=1)
    out = pd.DataFrame({name: release.masked.cells(name) for name in frame})
    assert not out.isna().any().any()
    assert out.groupby(list(frame)).size().min() >= 4
    assert release.plan.outcome.filled == frame.isna().sum().to_dict()
    assert release.plan.outcome.smallest_support >= 4
    assert release.plan.outcome.k >= 4 and release.plan.outcome.uniques == 0


def test_filled_groups_have_the_values_that_kept_ones_have():
    """Filling changes which cells have a value, and joins groups without any observed; else nothing."""
    frame = pd.DataFrame(
        {"x": [0.1, 0.2, 0.3, 5.1, 5.2, 5.3, 9.1, 9.2, 9.3], "y": [1.5, 2, 3, None, None, None, 4, 5, 9]}
    )
    kept = shoal.protect(frame, 3, columns=["x", "y"], missing="keep", seed=1)
    filled = shoal.protect(frame, 3, columns=["x", "y"], missing="fill", seed=1)
    np.testing.assert_array_equal(kept.data["x"], filled.data["x"])
    assert kept.data["y"].tolist()[6:] == [6, 6, 6]
    near = (4 + 5 + 9) / 3  # the group at 9 is the nearest to the one at 5
    assert filled.data["y"].tolist() == pytest.approx([6.5 / 3] * 3 + [near] * 6)


def test_a_record_with_nothing_observed_gets_the_values_of_the_largest_group():
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 9.1, 9.2, 9.3, 9.4, None], "y": [1.5, 2, 3, 4, 5, 6, 7, None]})
    release = shoal.protect(frame, 3, columns=["x", "y"], missing="fill", seed=1)
    labels = release.partitions[0].labels
    largest = np.bincount(labels[:-1]).argmax()
    assert labels[-1] == largest
    assert release.data.iloc[-1].tolist() == release.data[labels == largest].iloc[0].tolist()
    assert release.plan.outcome.empty_records == 0


def test_a_stratum_with_nothing_to_fill_from_is_refused():
    frame = pd.DataFrame(
        {"x": [0.1, 0.2, 0.3, 0.4, *[None] * 4], "y": [1.5, 2, 3, 4, *[None] * 4], "s": list("aaaabbbb")}
    )
    with pytest.raises(TooFewRecordsError, match="in a stratum of s to fill missing ones from"):
        shoal.protect(frame, 3, columns=["x", "y"], strata="s", missing="fill")
    frame["y"] = np.arange(8) + 0.5
    with pytest.raises(TooFewRecordsError, match='observed values of "x" in a stratum of s; there are 0'):
        shoal.protect(frame, 3, columns=["x", "y"], strata="s", missing="fill")


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_what_cannot_fill_says_so():
    frame = with_gaps()[["x", "y"]]
    with pytest.raises(RuleError, match='cannot keep the rule "x <= y"'):
        shoal.protect(frame, 3, columns=["x", "y"], missing="fill", edits=["x <= y"])
    for how in ({"method": "fuzzy"}, {"replace": "ipso", "confidential": ["x"]}):
        with pytest.raises(MethodError, match='missing="fill" gives'):
            shoal.protect(frame, 3, columns=["x", "y"], missing="fill", **how)
    with pytest.raises(MethodError, match='"vmdav" groups complete records'):
        shoal.protect(frame, 3, columns=["x", "y"], missing="fill", method="vmdav")
    with pytest.raises(MethodError, match="medoid is a complete record"):
        shoal.protect(frame, 3, columns=["x", "y"], missing="fill", replace="medoid")


def test_a_rule_on_one_variable_holds_in_filled_values():
    frame = with_gaps()[["x", "y"]].round(0)
    options = {"columns": ["x", "y"], "kinds": {"x": "continuous", "y": "continuous"}, "missing": "fill"}
    release = shoal.protect(frame, 3, **options, edits=["y >= 0", "x is integer"], seed=1)
    assert (release.data["x"] % 1 == 0).all() and (release.data["y"] >= 0).all()


def test_kept_missing_values_are_said_to_make_records_unique():
    frame = with_gaps()
    release = shoal.protect(frame, 4, columns=list(frame), missing="keep", seed=1)
    rows = [tuple("?" if pd.isna(cell) else cell for cell in row) for row in release.data.to_numpy().tolist()]
    unique = sum(rows.count(row) == 1 for row in rows)
    assert release.plan.outcome.uniques == unique > 0
    assert any(f"{unique} of 60 records are unique" in note for note in release.plan.outcome.notes)


def test_with_a_unit_the_note_on_kept_ones_counts_units():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"hid": np.repeat(np.arange(30), 2), "x": rng.normal(size=60), "y": rng.normal(size=60)})
    frame.loc[rng.random(60) < 0.3, "y"] = np.nan
    release = shoal.protect(frame, 3, unit="hid", missing="keep", seed=1)
    outcome = release.plan.outcome
    alone = f"{outcome.uniques} of 30 units have a record that no other unit has"
    assert [note for note in outcome.notes if "Missing values are kept" in note and alone in note]


def test_whole_records_of_too_few_units_are_warned_of_though_as_many_records_are_alike():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"hid": np.repeat(np.arange(20), 6), "a": rng.integers(0, 3, 120) * 1.0, "b": rng.integers(0, 2, 120) * 1.0}
    )
    frame.loc[frame["hid"] == 3, "a"] = np.nan
    kinds = {"a": "continuous", "b": "continuous"}
    with pytest.warns(DisclosureWarning) as caught:
        release = shoal.protect(frame, 3, unit="hid", missing="keep", kinds=kinds, seed=1)
    found = release.data.astype(object).fillna("missing").assign(hid=frame["hid"]).groupby(["a", "b"])["hid"]
    assert found.transform("size").min() >= 3
    alone = frame["hid"][found.transform("nunique") == 1].nunique()
    short = int((found.transform("nunique") < 3).sum())
    message = f"{alone} of 20 units have a record that no other unit has, and {short} of 120 records have fewer than 3"
    assert message in "".join(str(one.message) for one in caught)
