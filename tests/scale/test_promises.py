"""What is promised of a release holds for one that was made in blocks, by counts that know nothing of shoal."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from scale.running import alike, brute_force_linkage, mixed, numbers, on_cluster, protected, released, write_parts
from shoal.errors import ShoalWarning
from shoal.read import Labels
from shoal.read.arrow_files import labels_in_schema, with_labels
from shoal.recode import Bands, Merge, TopBottom
from shoal.scale import looking
from shoal.scale.cluster import Cluster
from shoal.scale.protect import protect_parts

RECORDS = 1_500


def in_order(frame: pd.DataFrame, folder: Path, cluster: Cluster, k: int, **options: Any) -> tuple[pd.DataFrame, Any]:
    """Return what is released of every record, in the order of the input, to compare it with what it was before."""
    source = write_parts(frame, folder / "in")
    block_records = options.pop("block_records", 300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        release = protect_parts(
            source, folder / "out", cluster, k=k, options={"seed": 7, **options}, block_records=block_records,
            keep_order=True,
        )  # fmt: skip
    return released(folder / "out"), release


def without_notes(path: Path) -> pd.DataFrame:
    """Return a Parquet file in its own types, and not in those that pandas noted in it."""
    return pq.read_table(path).replace_schema_metadata(None).to_pandas()


def with_missing(records: int) -> pd.DataFrame:
    frame, generator = mixed(records), np.random.default_rng(3)
    frame["income"] = frame["income"].where(generator.random(records) > 0.1)
    frame["age"] = frame["age"].astype("Int64").mask(generator.random(records) < 0.1)
    frame["sex"] = frame["sex"].where(generator.random(records) > 0.1, None)
    frame["education"] = frame["education"].where(generator.random(records) > 0.1)
    return frame


def amounts(records: int) -> pd.DataFrame:
    generator = np.random.default_rng(5)
    wages, rents = generator.lognormal(3, 1, records), generator.lognormal(3, 1, records)
    tax = np.where(generator.random(records) < 0.3, 0.0, wages * generator.uniform(0.1, 0.4, records))
    return pd.DataFrame({"wages": wages, "rents": rents, "total": wages + rents, "tax": tax})


# Records are alike -------------------------------------------------------------------------------------------------


def test_every_record_has_k_like_it_and_numbers_keep_their_means(cluster, tmp_path):
    frame = numbers(RECORDS)
    out, release, said = on_cluster(frame, tmp_path, cluster, 7)
    sizes = alike(out, list(out))
    assert release.blocks > 3
    assert len(out) == RECORDS == release.headline["records"]
    assert sizes.min() == release.headline["k"] >= 7
    assert sizes.max() < 14  # no more than two groups in one, as MDAV makes them
    assert release.headline["uniques"] == 0
    assert list(out) == list(frame)
    assert (out.dtypes == frame.dtypes).all()
    np.testing.assert_allclose(out.mean(), frame.mean(), atol=1e-12)
    assert said == []


def test_linkage_and_losses_are_those_of_brute_force(cluster, tmp_path):
    frame = mixed(700)
    out, release = in_order(frame, tmp_path, cluster, 5)
    numeric, categories = ["age", "income", "rent"], ["sex", "education", "region", "works", "rooms"]
    expected = brute_force_linkage(frame, out, numeric, categories)
    assert release.headline["linkage"] == pytest.approx(expected, abs=1e-9)
    for name in numeric:
        before, after = frame[name].astype(float), out[name].astype(float)
        loss = 100 * ((before - after) ** 2).sum() / ((before - before.mean()) ** 2).sum()
        assert release.losses[name] == pytest.approx(loss, rel=1e-9)


def test_columns_of_every_kind_keep_their_order_types_and_categories(cluster, tmp_path):
    frame = mixed(RECORDS)
    out, release, _ = on_cluster(frame, tmp_path, cluster)
    assert alike(out, list(out)).min() == release.headline["k"] >= 5
    assert list(out) == list(frame)
    kept = [name for name in frame if name != "age"]  # a mean of whole numbers need not be one
    assert (out[kept].dtypes == frame[kept].dtypes).all()
    assert release.plan.outcome.became_float == ["age"]
    assert set(out["sex"]) <= {"f", "m"}


def test_labels_of_columns_and_values_stay(cluster, tmp_path):
    table = pq.read_table(write_parts(mixed(RECORDS), tmp_path / "plain", files=1))
    labels = Labels(variables={"rooms": "Rooms"}, values={"rooms": {1: "one", 2: "two", 99: "of nobody"}})
    write_parts(with_labels(table, labels), tmp_path / "in")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        protected(tmp_path / "in", tmp_path / "out", cluster)
    for part in (tmp_path / "out").iterdir():
        written = labels_in_schema(pq.read_schema(part))
        assert written.variables == {"rooms": "Rooms"}
        assert {1: "one", 2: "two"}.items() <= written.values["rooms"].items()


def test_parts_with_categories_of_their_own_are_one_file(cluster, tmp_path):
    generator, folder = np.random.default_rng(6), tmp_path / "in"
    folder.mkdir()
    for number, towns in enumerate(["cba", "abz", "zq"]):  # in the order in which they occur, as Arrow encodes them
        column = pa.array([*towns, *generator.choice(list(towns), 300 - len(towns))]).dictionary_encode()
        table = pa.table({"town": column, "income": generator.normal(size=300)})
        pq.write_table(table, folder / f"part-{number}.parquet")
    before = pd.concat([pq.read_table(path).to_pandas().astype({"town": str}) for path in sorted(folder.iterdir())])
    release = protected(folder, tmp_path / "out", cluster, categories="within")
    out = released(tmp_path / "out")
    assert sorted(out["town"]) == sorted(before["town"])
    assert list(out["town"].cat.categories) == sorted("abcqz")
    assert alike(out, list(out)).min() == release.headline["k"] >= 5


# Each once, in random order ----------------------------------------------------------------------------------------


def test_columns_as_they_are_show_that_each_record_leaves_once_and_in_random_order(cluster, tmp_path):
    frame = numbers(4_000).assign(number=np.arange(4_000.0))
    out, release, said = on_cluster(frame, tmp_path, cluster, block_records=1_000, as_is=["number"])
    parts = sorted((tmp_path / "out").iterdir())
    assert len(parts) > 1
    assert sorted(out["number"]) == list(range(4_000))
    for part in parts:
        leaving = pd.read_parquet(part)["number"].to_numpy()
        expected = 4_000 / len(parts)
        assert abs(len(leaving) - expected) < 6 * np.sqrt(expected)
        assert abs(np.corrcoef(leaving, np.arange(len(leaving)))[0, 1]) < 4 / np.sqrt(len(leaving))
        assert abs(leaving.mean() - 2_000) < 6 * 1_155 / np.sqrt(len(leaving))  # of the whole file, not of a block
    assert release.headline["uniques"] == 4_000
    assert release.headline["k"] == 1
    assert alike(out, ["v0", "v1", "v2", "v3"]).min() >= 5
    assert said == ["NOT PROTECTED (1): number. On these, 4,000 of 4,000 records are unique."]


def test_identifiers_with_more_digits_than_floats_have(cluster, tmp_path):
    ids = 10**17 + 3 * np.arange(RECORDS)
    frame = numbers(RECORDS).assign(person=ids, number=ids.astype("uint64"))
    out, _ = in_order(frame, tmp_path, cluster, 5, roles={"person": "identifier"}, as_is=["number"])
    assert list(out) == [*numbers(1), "number"]
    assert (out["number"].to_numpy() == ids).all()


def test_columns_as_they_are_stay_with_their_records(cluster, tmp_path):
    frame = mixed(RECORDS).assign(number=np.arange(RECORDS))
    out, _ = in_order(frame, tmp_path, cluster, 5, as_is=["number", "sex"])
    assert out["number"].tolist() == list(range(RECORDS))
    assert out["sex"].tolist() == frame["sex"].tolist()


# Strata, units, weights --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strata", [["region"], ["region", "sex"]])
def test_groups_stay_within_strata(cluster, tmp_path, strata):
    frame = mixed(RECORDS)
    out, release = in_order(frame, tmp_path, cluster, 5, strata=strata)
    assert (out[strata].astype(str) == frame[strata].astype(str)).all(axis=None)
    assert alike(out, list(out)).min() == release.headline["k"] >= 5


def households(records: int) -> pd.DataFrame:
    generator = np.random.default_rng(9)
    ids = np.repeat(np.arange(records), generator.integers(1, 5, records))[:records]
    return mixed(records).assign(household=generator.permutation(ids) * 17 + 100_000)


def test_k_units_are_behind_every_combination_and_get_new_ids(cluster, tmp_path):
    frame = households(RECORDS)
    out, release = in_order(frame, tmp_path, cluster, 5, unit="household")
    counted = [name for name in out if name != "household"]
    units = frame["household"].nunique()
    assert alike(out, counted, frame["household"]).min() == release.headline["k"] >= 5
    assert release.headline["units"] == units
    assert sorted(set(out["household"])) == list(range(1, units + 1))
    pairs = pd.DataFrame({"old": frame["household"], "new": out["household"]}).drop_duplicates()
    assert len(pairs) == units  # one new id for each unit, and no unit in two
    assert abs(np.corrcoef(pairs["old"], pairs["new"])[0, 1]) < 4 / np.sqrt(units)


def test_linkage_of_units_that_are_read_in_several_chunks_is_that_of_brute_force(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(looking, "CHUNK", 200)
    frame = numbers(700, 3).assign(household=np.random.default_rng(6).permutation(np.arange(700) // 2))
    out, release = in_order(frame, tmp_path, cluster, 5, unit="household")
    expected = brute_force_linkage(frame, out, ["v0", "v1", "v2"], [])
    assert release.headline["linkage"] == pytest.approx(expected, rel=1e-9)


def test_weights_stay_and_count_in_means_and_are_warned_of(cluster, tmp_path):
    generator = np.random.default_rng(11)
    frame = numbers(RECORDS).assign(weight=generator.uniform(1, 3, RECORDS))
    out, release, said = on_cluster(frame, tmp_path, cluster, weights="weight")
    columns = ["v0", "v1", "v2", "v3"]
    assert sorted(out["weight"]) == sorted(frame["weight"])
    for name in columns:
        assert (out[name] * out["weight"]).sum() == pytest.approx((frame[name] * frame["weight"]).sum(), abs=1e-8)
    assert alike(out, columns).min() == release.headline["k"] >= 5
    assert release.plan.outcome.uniques_with_weights == (alike(out, list(out)) == 1).sum()
    assert [line[:26] for line in said] == ["Weights single records out"]


def test_units_with_records_in_several_strata_are_not_cut_and_every_stratum_has_k_units(cluster, tmp_path):
    """Of the rare stratum no block of its own could be made: its records go where their units go."""
    generator = np.random.default_rng(8)
    frame = numbers(RECORDS).assign(home=generator.permutation(RECORDS) // 3)
    frame["town"] = generator.choice(["a", "b", "c"], RECORDS, p=[0.6, 0.37, 0.03])
    out, release = in_order(frame, tmp_path, cluster, 5, unit="home", strata=["town"])
    columns = [name for name in out if name != "home"]
    assert release.blocks > 1
    assert (out["town"] == frame["town"]).all()
    assert alike(out, columns, frame["home"]).min() == release.headline["k"] >= 5
    expected = brute_force_linkage(frame, out, ["v0", "v1", "v2", "v3"], ["town"])
    assert release.headline["linkage"] == pytest.approx(expected, abs=1e-9)


# Missing values ----------------------------------------------------------------------------------------------------


def test_missing_values_that_are_filled(cluster, tmp_path):
    out, release, _ = on_cluster(with_missing(RECORDS), tmp_path, cluster, missing="fill")
    assert not out.isna().any(axis=None)
    assert alike(out, list(out)).min() == release.headline["k"] >= 5
    assert sum(release.plan.outcome.filled.values()) == with_missing(RECORDS).isna().sum().sum()


@pytest.mark.parametrize("missing", ["keep", "fill"])
@pytest.mark.parametrize("unit", [None, "home"])
def test_a_column_that_is_observed_in_a_corner_of_the_file(cluster, tmp_path, missing, unit):
    """Blocks with fewer than k of its values are merged with others, as no fewer are behind a released value."""
    generator = np.random.default_rng(2)
    frame = numbers(RECORDS).assign(home=generator.permutation(RECORDS) // 2)
    stray = np.isin(np.arange(RECORDS), np.argsort(frame["v0"])[:2])
    frame["v3"] = frame["v3"].where((frame["v0"] > frame["v0"].quantile(0.9)) | stray)
    frame = frame if unit else frame.drop(columns="home")
    out, release = in_order(frame, tmp_path, cluster, 5, missing=missing, unit=unit)
    assert release.blocks > 1
    assert (out["v3"].isna() == (frame["v3"].isna() & (missing == "keep"))).all()
    observed = frame["v3"].notna()
    counted = frame["home"] if unit else pd.Series(range(RECORDS))
    behind = counted[observed].groupby(out["v3"][observed]).nunique()
    assert behind.min() >= 5
    assert set(out["v3"].dropna()) == set(behind.index)  # every value that is released has some behind it


def test_missing_values_that_are_kept_are_counted_and_warned_of(cluster, tmp_path):
    frame = with_missing(RECORDS)
    out, release, said = on_cluster(frame, tmp_path, cluster, missing="keep")
    sizes = alike(out, list(out))
    assert (out.isna().sum() == frame.isna().sum()).all()
    assert release.headline["uniques"] == (sizes == 1).sum() > 0
    assert release.headline["k"] == sizes.min()
    below = sizes[sizes < 5].sum()
    assert len(said) == 1
    assert f"{(sizes == 1).sum():,} of {RECORDS:,} are unique, and {below:,} have fewer" in said[0]


def test_records_of_too_few_units_by_what_is_missing_are_warned_of_in_units(cluster, tmp_path):
    frame = with_missing(RECORDS).assign(home=np.random.default_rng(4).permutation(RECORDS) // 2)
    out, release, said = on_cluster(frame, tmp_path, cluster, missing="keep", unit="home")
    columns = [name for name in out if name != "home"]
    behind = out.astype(object).fillna("missing").groupby(columns)["home"].transform("nunique")
    alone = out["home"][behind == 1].nunique()
    assert release.headline["uniques"] == alone > 0
    units = f"{alone:,} of {release.headline['units']:,} units have a record that no other unit has"
    assert f"{units}, and {(behind < 5).sum():,} of {RECORDS:,} records have fewer than 5" in said[0]


# Rules, dominance, diversity, suppressed cells ---------------------------------------------------------------------


def test_rules_hold_in_every_released_record(cluster, tmp_path):
    rules = ["total = wages + rents", "if tax > 0 then wages >= tax", "rents >= 0"]
    out, release, _ = on_cluster(amounts(RECORDS), tmp_path, cluster, edits=rules)
    np.testing.assert_allclose(out["total"], out["wages"] + out["rents"], rtol=1e-12)
    assert ((out["tax"] <= 0) | (out["wages"] >= out["tax"])).all()
    assert (out["rents"] >= 0).all()
    assert alike(out, list(out)).min() == release.headline["k"] >= 5
    assert "All 3 rules hold in the release." in release.plan.outcome.notes


def test_no_record_is_more_than_a_part_of_its_group(cluster, tmp_path):
    frame = amounts(RECORDS)
    out, _ = in_order(frame, tmp_path, cluster, 5, dominance=40)
    for name in ["wages", "rents", "total", "tax"]:  # groups are joined for one variable alone
        sums, most = frame[name].groupby(out[name]).sum(), frame[name].groupby(out[name]).max()
        assert (most <= 0.4 * sums * (1 + 1e-12)).all()


def test_no_group_has_one_value_of_a_confidential_variable(cluster, tmp_path):
    frame = mixed(RECORDS)
    out, _ = in_order(frame, tmp_path, cluster, 5, diversity=2, roles={"region": "confidential"})
    grouped = out.groupby([name for name in out if name != "region"], sort=False, observed=True).ngroup()
    assert frame["region"].astype(str).groupby(grouped).nunique().min() >= 2


def test_categories_that_keep_their_values_are_suppressed_until_k_share_them(cluster, tmp_path):
    frame = mixed(RECORDS)[["sex", "education", "region", "income"]]
    frame["town"] = np.random.default_rng(2).choice(list("abcdefgh"), RECORDS)
    out, release = in_order(frame, tmp_path, cluster, 5, categories="suppress")
    keys = ["sex", "education", "region", "town"]
    assert alike(out, list(out)).min() == release.headline["k"] >= 5
    for name in keys:
        shown = out[name].notna()
        assert (out.loc[shown, name].astype(str) == frame.loc[shown, name].astype(str)).all()
    suppressed = int(out[keys].isna().sum().sum())
    assert suppressed == sum(release.plan.outcome.suppressed.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        alone = shoal.protect(frame, 5, categories="suppress", seed=7)
    assert suppressed <= 3 * alone.data[keys].isna().sum().sum() + 10  # records with equal keys are in one block


def test_groups_stay_within_categories(cluster, tmp_path):
    frame = mixed(RECORDS)[["sex", "education", "region", "income"]]
    out, release = in_order(frame, tmp_path, cluster, 5, categories="within")
    assert (out[["sex", "education", "region"]].astype(str) == frame[["sex", "education", "region"]].astype(str)).all(
        axis=None
    )
    assert alike(out, list(out)).min() == release.headline["k"] >= 5


# One block is one machine ------------------------------------------------------------------------------------------

ALONE = {
    "numbers": (numbers(600), {}),
    "mixed": (mixed(600), {}),
    "strata": (mixed(600), {"strata": ["region"]}),
    "missing": (with_missing(600), {"missing": "fill"}),
    "missing kept": (with_missing(600), {"missing": "keep"}),
    "codes": (mixed(600), {"missing_codes": {"rooms": [5], "sex": ["m"]}, "missing": "fill"}),
    "recodes": (
        mixed(600),
        {
            "recodes": {
                "age": Bands(width=10, top=80),
                "income": TopBottom(top=60_000.0),
                "region": Merge({"coast": ["north", "west"]}),
            }
        },
    ),
    "rules": (amounts(600), {"edits": ["total = wages + rents", "if tax > 0 then wages >= tax"]}),
    "dominance": (amounts(600), {"dominance": 40}),
    "suppressed": (mixed(600)[["sex", "education", "region", "income"]], {"categories": "suppress"}),
    "large and small": (numbers(600) * [1e200, 1e-200, 1e300, 1.0], {}),
    "constant": (numbers(600).assign(c=3.5, t="x", n=np.nan), {}),
}


@pytest.mark.parametrize("name", ALONE)
def test_in_one_block_the_release_is_that_of_one_machine(cluster, tmp_path, name):
    frame, options = ALONE[name]
    out, release = in_order(frame, tmp_path, cluster, 5, block_records=10_000, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        alone = shoal.protect(frame, 5, seed=7, **options)
        alone.write(tmp_path / "alone.parquet", keep_order=True)
    assert release.blocks == 1
    pd.testing.assert_frame_equal(out, without_notes(tmp_path / "alone.parquet"), rtol=1e-12, atol=0)
    one, other = release.headline, alone.headline
    assert {**one, "linkage": round(one["linkage"], 9)} == {**other, "linkage": round(other["linkage"], 9)}
    assert one["k"] == alike(out, list(out)).min()


@pytest.mark.parametrize("name", ["recodes", "codes"])
def test_recoded_columns_have_the_types_and_values_of_one_machine(cluster, tmp_path, name):
    frame, options = ALONE[name]
    out, _ = in_order(frame, tmp_path, cluster, 5, block_records=150, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        shoal.protect(frame, 5, seed=7, **options).write(tmp_path / "alone.parquet")
    alone = without_notes(tmp_path / "alone.parquet")
    for column in out:
        if hasattr(alone[column].dtype, "categories"):
            assert out[column].dtype.ordered == alone[column].dtype.ordered
            shared = [one for one in alone[column].cat.categories if one in set(out[column].cat.categories)]
            assert [one for one in out[column].cat.categories if one in set(shared)] == shared
        else:
            assert out[column].dtype == alone[column].dtype
