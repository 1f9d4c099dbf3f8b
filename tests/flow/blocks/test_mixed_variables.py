"""Synthetic and hybrid data of mixed tables: kept categories as indicators, confidential ones dealt anew."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, DisclosureWarning, MissingValuesError, ParameterError
from shoal.replace import MuralidharSarathy
from unchanged_columns import protect_part, run_part

EXACT = ["ipso", "ipso:orthogonal=true", "hybrid:small_groups=merge", "muralidhar-sarathy"]
OTHERS = ["ipso:variant=A", "ipso:variant=B", "fuzzy-regression:n_clusters=3"]
NUMBERS, CATEGORIES = ["income", "tax", "visits"], ["illness", "grade", "insured"]
KEPT = ["sex", "region", "level"]


def mixed_table(seed, records=400):
    """Return a table with kept and confidential variables of every kind: ties, duplicates, rare categories."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    region = rng.choice(["North", "East", "South", "West"], records, p=shares).astype(object)
    region[: rng.integers(0, 4)] = "Isle"  # none, or one to three records alone
    if seed % 2:
        region[-1] = "Rock"
    sex, level = rng.choice(["f", "m"], records), rng.integers(1, 4, records)
    age = rng.integers(20, 40, records).astype(float)
    income = np.round(np.exp(8 + 0.3 * (sex == "m") + 0.02 * age + 0.5 * rng.normal(size=records)), 2)
    tax = 0.2 * income + 50 * level + rng.normal(0, 80, records)
    visits = rng.poisson(6, records).astype(float)
    score = (age - 30) / 5 + (income - income.mean()) / income.std() + (sex == "f")
    illness = np.where(score + rng.logistic(size=records) > 0, "yes", "no").astype(object)
    illness[rng.integers(0, records)] = "rare"
    grade = pd.Categorical.from_codes(np.clip(np.digitize(score, [-1, 1]), 0, 2), ["low", "mid", "high"], ordered=True)
    table = pd.DataFrame({"sex": sex, "region": region, "level": level, "age": age, "income": income, "tax": tax})
    return table.assign(visits=visits, illness=illness, grade=grade, insured=rng.random(records) < 0.6)


def protect(table, k, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return protect_part(
            table,
            k,
            **{"columns": list(table.columns), "kinds": {"level": "nominal"}, "confidential": [*NUMBERS, *CATEGORIES]}
            | {"seed": 5}
            | options,
        )


def with_exact_means(column, k):
    """Return the categories of k records or more, without the one that rare ones are taken together with."""
    counts = column.value_counts().sort_values(kind="stable")
    rare, frequent = counts[counts < k], counts[counts >= k]
    return list(frequent.index[int(0 < rare.sum() < k) :])


def covariances_off(before, after, others):
    """Return the largest deviation of a mean or a covariance of rewritten numbers, in standard deviations."""
    X, new = (one[NUMBERS].to_numpy(float) for one in (before, after))
    sd = X.std(axis=0)
    others = others / others.std(axis=0)
    old, now = (np.cov(np.column_stack([V / sd, others]).T) for V in (X, new))
    return max(np.abs((X.mean(axis=0) - new.mean(axis=0)) / sd).max(), np.abs(old - now).max())


@pytest.mark.parametrize("replace", EXACT)
@pytest.mark.parametrize("seed", range(4))
def test_means_and_covariances_are_exact_with_kept_numbers_and_kept_categories(replace, seed):
    k = 8
    table = mixed_table(seed)
    released = protect(table, k, replace=replace).data
    exact = {name: with_exact_means(table[name], k) for name in KEPT}
    assert len(exact["region"]) >= 3
    others = [table["age"], *(table[name] == one for name, own in exact.items() for one in own)]
    assert covariances_off(table, released, np.column_stack(others).astype(float)) < 1e-9
    for name, own in exact.items():
        means, new = (frame.groupby(name)[NUMBERS].mean().loc[own] for frame in (table, released))
        assert ((means - new).abs() / table[NUMBERS].std()).to_numpy().max() < 1e-9
    pd.testing.assert_frame_equal(table[[*KEPT, "age"]], released[[*KEPT, "age"]])


@pytest.mark.parametrize("replace", [*EXACT, *OTHERS])
@pytest.mark.parametrize("seed", range(3))
def test_margins_are_exact_in_every_group_and_no_record_is_unchanged(replace, seed):
    table = mixed_table(seed)
    release = protect(table, 8, replace=replace)
    groups = release.partitions[0].labels
    for name in CATEGORIES:
        assert table[name].dtype == release.data[name].dtype
        assert pd.crosstab(groups, table[name]).equals(pd.crosstab(groups, release.data[name]))
    assert not ((table[NUMBERS] - release.data[NUMBERS]).abs() < 1e-9 * table[NUMBERS].std()).all(axis=1).any()


def test_the_same_plan_gives_the_same_bytes_from_a_file_too(tmp_path):
    table = mixed_table(1)
    release = protect(table, 8, replace="hybrid:small_groups=merge")
    release.plan.to_toml(tmp_path / "plan.toml")
    again = run_part(shoal.Plan.from_toml(tmp_path / "plan.toml"), table)
    pd.testing.assert_frame_equal(release.data, again.data, check_exact=True)
    other = protect(table, 8, replace="hybrid:small_groups=merge", seed=6).data
    assert all((release.data[name] != other[name]).any() for name in [*NUMBERS, *CATEGORIES])
    level = pl.Series("grade", table["grade"].astype(str), dtype=pl.Enum(["low", "mid", "high"]))
    polars = protect(pl.from_pandas(table).with_columns(level), 8, replace="hybrid:small_groups=merge").data
    assert polars["illness"].to_list() == release.data["illness"].to_list()
    assert polars["grade"].to_list() == release.data["grade"].astype(str).tolist()


def test_tables_with_kept_categories_of_enough_records_are_exact():
    table = mixed_table(0).query("region != 'Isle'").reset_index(drop=True)
    release = protect(table, 5, replace="ipso", columns=["sex", "region", "age", *CATEGORIES], confidential=CATEGORIES)
    for kept in ("sex", "region", ["sex", "region"]):
        own = [table[name] for name in ([kept] if isinstance(kept, str) else kept)]
        for name in CATEGORIES:
            assert pd.crosstab(own, table[name]).equals(pd.crosstab(own, release.data[name]))
    assert 'Tables of rewritten categories with "sex", "region" are exact.' in release.plan.outcome.notes


@pytest.mark.parametrize("replace", ["ipso", "muralidhar-sarathy", "hybrid:small_groups=merge"])
def test_rewritten_categories_keep_their_relation_to_kept_and_rewritten_variables(replace):
    """In expectation: over releases, means by category come near those of the file."""
    table = mixed_table(2, 1200).query("illness != 'rare'").reset_index(drop=True)
    releases = [protect(table, 20, replace=replace, seed=seed).data for seed in range(5)]
    for number in ("age", "income", "tax"):
        means = table.groupby("illness")[number].mean()
        new = np.mean([one.groupby("illness")[number].mean() for one in releases], axis=0)
        assert abs(means.diff().iloc[1]) > 0.4 * table[number].std()
        assert np.abs(new - means).max() < 0.1 * table[number].std()
    shares = pd.crosstab(table["grade"], table["illness"], normalize=True).to_numpy()
    new = np.mean([pd.crosstab(one["grade"], one["illness"], normalize=True).to_numpy() for one in releases], axis=0)
    assert np.abs(new - shares).max() < 0.03


def test_with_categories_alone_the_plan_says_how_many_stay_and_how_many_would_by_chance():
    table = mixed_table(3)
    release = protect(table, 5, replace="ipso", confidential=["illness", "insured"])
    notes = " ".join(release.plan.outcome.notes)
    same = {name: table[name] == release.data[name] for name in ("illness", "insured")}
    for name in same:
        by_chance = (table[name].value_counts() ** 2).sum() / len(table)
        count = f'{same[name].sum()} of 400 records keep their category of "{name}"; about {by_chance:.0f} would by'
        assert count in notes
    both = table["illness"].map(table["illness"].value_counts()) * table["insured"].map(table["insured"].value_counts())
    count = int((same["illness"] & same["insured"]).sum())
    assert f"{count} of 400 records keep all their categories; about {both.sum() / 400**2:.0f} would by" in notes
    assert not [note for note in release.plan.outcome.notes if "confidential values" in note]
    for number in NUMBERS:
        assert table[number].equals(release.data[number])


def test_groups_are_not_made_by_the_categories_that_are_dealt_in_them():
    """By chance half would stay; groups made by the category itself would have nothing else to deal."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"x": rng.normal(size=300), "y": rng.normal(size=300), "c": rng.choice(["a", "b"], 300)})
    release = protect_part(table, 5, columns=["x", "y", "c"], replace="hybrid", confidential=["c"], seed=1)
    assert (release.data["c"] == table["c"]).mean() < 0.65
    assert release.plan.outcome.groups == [60]
    again = protect_part(
        table, 5, columns=["x", "y", "c"], method="vmdav", replace="hybrid", confidential=["c"], seed=1
    )
    assert again.partitions[0].k == 5
    with pytest.raises(ParameterError, match=r'nothing to group records by.*"one-group"'):
        protect_part(table, 5, columns=["c"], replace="hybrid", confidential=["c"])
    assert (
        protect_part(table, 5, columns=["c"], replace="ipso", confidential=["c"], seed=1).data["x"].equals(table["x"])
    )


def test_rare_kept_categories_are_said_to_be_taken_together():
    table = mixed_table(1)
    count = int((table["region"].value_counts() < 8).sum())
    notes = protect(table, 8, replace="ipso").plan.outcome.notes
    assert count >= 1
    assert any(note.startswith(f"Kept categories of fewer than k=8 records: {count} of ") for note in notes)


def test_columns_of_nearly_as_many_categories_as_records_are_served_or_refused():
    rng = np.random.default_rng(0)
    own = [f"name {place}" for place in range(2100)]
    table = pd.DataFrame({"x": rng.normal(size=2100), "y": rng.normal(size=2100), "c": rng.permutation(own)})
    options = {"columns": ["x", "y", "c"], "kinds": {"c": "nominal"}, "roles": {"c": "other"}, "seed": 1}
    released = protect_part(table, 2, replace="ipso", confidential=["c", "x"], **options).data
    assert sorted(released["c"]) == sorted(own)
    assert (released["c"] == table["c"]).mean() < 0.01
    kept = protect_part(table, 2, replace="ipso", confidential=["x"], **options)  # all rare: one category
    assert kept.data["c"].equals(table["c"])
    table["c"] = np.repeat(own[:1050], 2)
    with pytest.raises(DataError, match=r'"c" has 1050 categories of at least k=2 records, too many'):
        protect_part(table, 2, replace="ipso", confidential=["x"], **options)


def test_a_category_that_follows_from_kept_ones_is_refused():
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 200)
    table = pd.DataFrame({"town": town, "area": np.where(town == "a", "rural", "urban"), "x": rng.normal(size=200)})
    with pytest.raises(DataError, match=r'"area" comes out as it was: the categories that stay determine it'):
        protect_part(table, 5, columns=list(table), replace="ipso", confidential=["area"], seed=1)
    with pytest.raises(DataError, match=r'All values of "area" are the same'):
        protect_part(table.assign(area="urban"), 5, columns=list(table), replace="ipso", confidential=["area"], seed=1)
    nearly = table.assign(area=np.where(table.index.isin(np.flatnonzero(town == "a")[:2]), "urban", table["area"]))
    with pytest.warns(DisclosureWarning, match=r'records keep their category of "area"; by chance'):
        protect_part(nearly, 5, columns=list(table), replace="ipso", confidential=["area"], seed=1)
    with pytest.warns(DisclosureWarning, match=r'"area" is released as it is, which was accepted'):
        protect_part(table, 5, columns=list(table), replace="ipso:accept_unchanged=true", confidential=["area"], seed=1)


def test_a_number_that_follows_from_kept_categories_is_refused():
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 200)
    table = pd.DataFrame({"town": town, "x": pd.Series(town).map({"a": 1.0, "b": 7.0, "c": 3.5})})
    with pytest.raises(DataError, match=r'"x" follows from the variables that stay'):
        protect_part(table, 5, columns=["town", "x"], replace="ipso", confidential=["x"], seed=1)


def test_groups_with_too_many_categories_are_refused_by_name_of_what_to_do():
    with pytest.raises(shoal.errors.TooFewRecordsError, match=r'small_groups="merge"'):
        protect(mixed_table(0), 8, replace="hybrid")
    release = protect(mixed_table(0), 8, replace="hybrid:small_groups=drop-others")
    assert any(
        note.startswith("Groups in which the other variables were ignored") for note in release.plan.outcome.notes
    )


def test_strata_blocks_and_decimals_go_with_categories():
    table = mixed_table(4, 900)
    table["area"] = np.where(np.arange(900) % 3, "town", "land")
    blocks = [["sex", "age", "income", "illness"], ["region", "level", "tax", "insured"], ["visits", "grade"]]
    release = protect(
        table, 10, replace="ipso", columns=None, blocks=blocks, strata=["area"], decimals={"income": 0},
        confidential=["insured", "tax", "illness", "income", "grade"],
    )  # fmt: skip
    for name in ("illness", "insured", "grade"):
        assert (release.data[name] != table[name]).any()
        assert pd.crosstab(table["area"], table[name]).equals(pd.crosstab(table["area"], release.data[name]))
    assert (release.data["income"] % 1 == 0).all()
    means, new = (one.groupby(["area", "sex"])["income"].mean() for one in (table, release.data))
    assert (means - new).abs().max() < 0.5
    assert (table.groupby("level")["tax"].mean() - release.data.groupby("level")["tax"].mean()).abs().max() < 1e-6


def test_alpha_goes_by_the_numbers_that_are_rewritten():
    table = mixed_table(2)
    confidential = ["illness", "tax", "grade", "visits"]
    masked = protect(table, 8, replace=MuralidharSarathy(alpha=[0.9, 0.0]), confidential=confidential).data
    residual = [np.corrcoef(table[name], masked[name])[0, 1] for name in ("tax", "visits")]
    assert residual[0] > 0.9 > 0.3 > abs(residual[1])
    with pytest.raises(ParameterError, match=r"each of the 2 confidential variables; it has 4"):
        protect(table, 8, replace=MuralidharSarathy(alpha=[0.5] * 4), confidential=confidential)


def test_confidential_columns_of_any_kind_take_part_where_columns_are_left_open():
    table = mixed_table(0).drop(columns="level")
    for options in (
        {"confidential": ["tax", "illness"]},
        {"roles": {"tax": "confidential", "illness": "confidential"}},
    ):
        release = protect_part(table, 8, replace="ipso", seed=1, **options)
        assert release.plan.columns == ["age", "income", "tax", "visits", "illness"]
        assert (release.data["illness"] != table["illness"]).any()


def test_missing_categories_are_refused():
    table = mixed_table(0)
    table.loc[3, "illness"] = None
    for confidential in (["income"], ["illness"]):
        for missing in ("error", "keep"):
            with pytest.raises(MissingValuesError, match=r'"illness" \(1\).*complete records'):
                protect(table, 8, replace="ipso", confidential=confidential, missing=missing)


def test_measures_and_reports_serve_such_releases(tmp_path):
    table = mixed_table(0)
    release = protect(table, 8, replace="hybrid:small_groups=merge")
    found = release.evaluate().to_dict()
    assert found["utility"] and found["risk"]
    for audience in ("internal", "public"):
        release.report(tmp_path / "report.html", audience=audience)
        text = (tmp_path / "report.html").read_text()
        assert re.search("illness", text)
