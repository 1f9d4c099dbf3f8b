"""Files protected on small clusters by methods that iterate: what they promise, for any workers and chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.unchanged_columns import not_protected, protect_part

import shoal
from scale.running import InThisProcess
from shoal.errors import DataError, DisclosureWarning, MethodError, WriteError
from shoal.scale.cluster import Cluster
from shoal.scale.protect import protect_parts
from shoal.scale.release import ClusterRelease

RECORDS = 1_500
NUMBERS = ["a", "b", "c"]
ALONE = {"region": "identifier", "income": "identifier"}


def _file() -> pd.DataFrame:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(RECORDS, 3)) @ rng.normal(size=(3, 3)) + [10.0, 0.0, -50.0]
    frame = pd.DataFrame(X, columns=NUMBERS)
    frame["region"] = rng.choice(["north", "south", "west"], RECORDS)
    frame["income"] = np.rint(3_000 + 200 * X[:, 1] + 300 * rng.normal(size=RECORDS)).astype(int)
    return frame


def _parts(frame: pd.DataFrame, folder: Path, cuts: list[int]) -> Path:
    folder.mkdir()
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(frame)], strict=True)):
        frame.iloc[start:end].to_parquet(folder / f"part-{number}.parquet")
    return folder


def _protected(source: Path, output: Path, cluster: Cluster, **options: Any) -> tuple[ClusterRelease, pd.DataFrame]:
    release = protect_parts(
        source, output, cluster, k=8, options={"seed": 5, **options}, block_records=400, keep_order=True
    )
    return release, pd.read_parquet(output)


METHODS = {
    "fuzzy": {"method": "fuzzy:n_clusters=9,max_iter=15", "columns": NUMBERS, "roles": ALONE},
    "strata and a rule": {
        "method": "entropy:n_clusters=5,max_iter=10",
        "columns": NUMBERS,
        "strata": ["region"],
        "roles": {"income": "identifier"},
        "edits": ["a >= 0"],
    },
    "fuzzy in parts": {"method": "fuzzy:part=200,max_iter=10", "columns": NUMBERS, "roles": ALONE},
    "ipso": {"replace": "ipso", "confidential": ["income", "a"]},
    "fuzzy regression": {"replace": "fuzzy-regression:n_clusters=3,max_iter=5", "confidential": ["income", "a"]},
    "hybrid": {"replace": "hybrid", "confidential": ["income", "a"], "strata": ["region"]},
}


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
@pytest.mark.filterwarnings("ignore:NOT PROTECTED:shoal.errors.DisclosureWarning")
def test_the_same_bytes_for_any_workers_and_chunks(cluster, dask_cluster, tmp_path, options):
    frame = _file()
    few, many = _parts(frame, tmp_path / "few", [700]), _parts(frame, tmp_path / "many", [90, 411, 412, 1_300])
    plan = protect_parts(few, tmp_path / "one", cluster, k=8, options={"seed": 5, **options}, block_records=400).plan
    again = plan.model_copy(update={"outcome": None, "output": None})
    protect_parts(many, tmp_path / "two", dask_cluster, plan=again)
    for name in sorted(path.name for path in (tmp_path / "one").iterdir()):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_released_centres_are_those_of_one_machine(cluster, tmp_path):
    frame = _file()
    options = METHODS["fuzzy"]
    release, data = _protected(_parts(frame, tmp_path / "in", [600]), tmp_path / "out", cluster, **options)
    in_memory = shoal.protect(frame, 8, seed=5, **options)
    ours, theirs = (np.unique(one[NUMBERS].to_numpy(), axis=0) for one in (data, in_memory.data))
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-9
    assert release.headline["k"] == data.groupby(NUMBERS).size().min() >= 8
    assert release.plan.outcome.smallest_support == in_memory.plan.outcome.smallest_support
    assert release.plan.outcome.groups == [len(ours)]
    assert any("smallest expected number" in note for note in release.plan.outcome.notes)


def test_every_block_of_variables_has_the_centres_of_one_machine(cluster, tmp_path):
    frame = _file()
    options = METHODS["fuzzy"] | {"blocks": [["c"], ["a", "b"]], "standardize": False}
    release, data = _protected(_parts(frame, tmp_path / "in", [600]), tmp_path / "out", cluster, **options)
    in_memory = shoal.protect(frame, 8, seed=5, **options)
    for block in (["c"], ["a", "b"]):
        ours, theirs = (np.unique(one[block].to_numpy(), axis=0) for one in (data, in_memory.data))
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < 1e-9
    assert release.plan.outcome.groups == in_memory.plan.outcome.groups


def test_centres_of_every_stratum_keep_a_sum_and_are_shared_by_k(cluster, tmp_path):
    frame = _file()
    frame["c"] = frame["a"] + frame["b"]
    _, data = _protected(
        _parts(frame, tmp_path / "in", [600]),
        tmp_path / "out",
        cluster,
        method="fuzzy:n_clusters=4,max_iter=10",
        columns=NUMBERS,
        strata=["region"],
        roles={"income": "identifier"},
        edits=["c == a + b"],
    )
    assert np.abs(data["c"] - data["a"] - data["b"]).max() < 1e-9
    assert (data["region"] == frame["region"]).all()
    assert data.groupby(["region", *NUMBERS]).size().min() >= 8


def test_groups_with_one_confidential_value_are_counted_over_the_whole_file(cluster, tmp_path):
    frame = _file()[NUMBERS]
    frame["illness"] = np.where(frame["a"] > 10.0, "yes", "no")
    frame.loc[:, "a"] += np.where(frame["a"] > 10.0, 100.0, 0.0)  # so that groups do not mix the two
    with pytest.warns(DisclosureWarning, match="illness"):
        release, data = _protected(
            _parts(frame, tmp_path / "in", [600]),
            tmp_path / "out",
            cluster,
            method="fuzzy:n_clusters=4,max_iter=10,m=1.2",
            columns=NUMBERS,
            roles={"illness": "confidential"},
        )
    same = data.groupby(NUMBERS)["illness"].nunique() == 1
    assert release.plan.outcome.alike == {"illness": int(same.sum())}


def test_published_algorithm_says_whom_it_releases(cluster, tmp_path):
    frame = _file()
    with pytest.warns(DisclosureWarning, match="at_least=None releases centres"):
        _protected(
            _parts(frame, tmp_path / "in", [600]),
            tmp_path / "out",
            cluster,
            **METHODS["fuzzy"],
            replace="membership-draw:at_least=none",
        )


def test_ipso_keeps_means_and_covariances_of_every_stratum(cluster, tmp_path):
    frame = _file()
    with not_protected():
        _, data = _protected(
            _parts(frame, tmp_path / "in", [600]),
            tmp_path / "out",
            cluster,
            replace="ipso",
            confidential=["income", "a"],
            strata=["region"],
        )
    _assert_moments_kept(frame, data, frame["region"])
    assert (data[["b", "c", "region"]] == frame[["b", "c", "region"]]).all(axis=None)
    assert ((data["income"].round() != frame["income"]) | (data["a"] != frame["a"])).all()


def test_ipso_keeps_means_by_category_that_stays(cluster, tmp_path):
    frame = _file()
    with not_protected():
        release, data = _protected(
            _parts(frame, tmp_path / "in", [600]),
            tmp_path / "out",
            cluster,
            replace="ipso",
            confidential=["income"],
            columns=["income", "a", "region"],
        )
    before, after = (one.groupby("region")["income"].mean() for one in (frame, data))
    assert np.abs(before - after).max() < 1e-9 * frame["income"].std()
    assert not any("Kept categories" in note for note in release.plan.outcome.notes)


def test_fuzzy_regression_has_the_values_of_one_machine(cluster, tmp_path):
    frame = _file()
    options = METHODS["fuzzy regression"]
    with not_protected():
        release, data = _protected(_parts(frame, tmp_path / "in", [600]), tmp_path / "out", cluster, **options)
    in_memory = protect_part(frame, 8, seed=5, **options)
    for name in ("income", "a"):
        assert np.abs(data[name] - in_memory.data[name]).max() < 1e-9 * frame[name].std()
    assert release.plan.outcome.notes == in_memory.plan.outcome.notes
    assert release.plan.outcome.outside == in_memory.plan.outcome.outside


def test_hybrid_keeps_the_moments_of_every_group_and_no_record(cluster, tmp_path):
    frame = _file()
    options = METHODS["hybrid"]
    with not_protected():
        release, data = _protected(_parts(frame, tmp_path / "in", [600]), tmp_path / "out", cluster, **options)
    groups = protect_part(frame, 8, seed=5, **options).partitions[0].labels  # a stratum is a block: the same groups
    assert release.blocks == 3
    assert release.plan.outcome.groups == [groups.max() + 1]
    _assert_moments_kept(frame, data, groups)
    assert ((data["income"].round() != frame["income"]) | (data["a"] != frame["a"])).all()


def test_blocks_with_the_same_records_draw_other_numbers(cluster, tmp_path):
    half = _file().iloc[:400]
    frame = pd.concat([half.assign(region=place) for place in ("north", "south")], ignore_index=True)
    with not_protected():
        _, data = _protected(_parts(frame, tmp_path / "in", [600]), tmp_path / "out", cluster, **METHODS["hybrid"])
    assert (data["income"].to_numpy()[:400] != data["income"].to_numpy()[400:]).mean() > 0.9


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"replace": "ipso", "confidential": ["income"], "weights": "a"}, 'replace "ipso" does not support sampling'),
        (
            {"method": "fuzzy:n_clusters=9", "columns": ["b", "c"], "roles": ALONE, "weights": "a"},
            'method "fuzzy" does not support sampling',
        ),
        ({"replace": "ipso", "confidential": ["income", "region"]}, 'Categories such as "region"'),
        ({"replace": "ipso", "confidential": ["income"], "edits": ["income >= 0"]}, "Rules are not kept"),
        ({"replace": "ipso", "confidential": ["income"], "bounds": True}, "bounds is not kept"),
        ({"method": "fuzzy:n_clusters=9,part=200", "columns": NUMBERS, "roles": ALONE}, "n_clusters together with"),
        (
            {"method": "fuzzy:n_clusters=9", "replace": "membership-draw:per_variable=true", "columns": NUMBERS}
            | {"roles": ALONE},
            "per_variable",
        ),
        (
            {"method": "fuzzy:n_clusters=9", "columns": NUMBERS, "roles": ALONE, "edits": ["if a > 0 then b < 99"]},
            "sums and bounds, and no other",
        ),
    ],
)
def test_what_is_not_done_on_a_cluster_is_refused_and_nothing_is_written(cluster, tmp_path, options, reason):
    with pytest.raises(MethodError, match=reason):
        _protected(_parts(_file(), tmp_path / "in", [600]), tmp_path / "out", cluster, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_variable_that_follows_from_others_is_refused_and_nothing_is_written(cluster, tmp_path):
    frame = _file()
    frame["income"] = 3.0 * frame["b"] + 1.0
    with pytest.raises(DataError, match='"income" follows from the variables that stay'):
        _protected(
            _parts(frame, tmp_path / "in", [600]),
            tmp_path / "out",
            cluster,
            replace="ipso",
            confidential=["income"],
        )
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("replace", ["ipso", "ipso:variant=A", "fuzzy-regression:n_clusters=3,max_iter=5"])
@pytest.mark.parametrize("shared", [1, 2], ids=["one outlier", "two that share a direction"])
def test_records_that_stand_alone_are_refused_and_nothing_is_written(cluster, tmp_path, replace, shared):
    """They would be released nearly as they are, as they were before: in memory they are rewritten with others."""
    frame = _file()
    frame.loc[[700, 40][:shared], "b"] = 1e10
    frame.loc[[700, 40][:shared], "income"] = 471_234_567
    with pytest.raises(DataError, match=f"{shared} of 1500 records stand alone.*leave the records or the engine out"):
        _protected(
            _parts(frame, tmp_path / "in", [600]),
            tmp_path / "out",
            cluster,
            replace=replace,
            confidential=["income", "a"],
        )
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


class _Interrupted(InThisProcess):
    """Workers of which one cannot write the third page that is released."""

    def map(self, function: Any, items: Any, *shared: Any, doing: str = "") -> list[Any]:
        if function.__name__ != "_release":
            return super().map(function, items, *shared, doing=doing)
        super().map(function, list(items)[:2], *shared, doing=doing)
        raise WriteError("A worker could not go on: no space left on device.")


@pytest.mark.parametrize("method", ["fuzzy", "ipso"])
@pytest.mark.filterwarnings("ignore:NOT PROTECTED:shoal.errors.DisclosureWarning")
def test_an_interrupted_run_leaves_released_values_alone_and_goes_on_to_the_same_release(cluster, tmp_path, method):
    source = _parts(_file(), tmp_path / "in", [600])
    asked = {"k": 8, "options": {"seed": 5, **METHODS[method]}, "block_records": 400, "keep_order": True}
    with pytest.raises(WriteError):
        protect_parts(source, tmp_path / "out", _Interrupted(), **asked)
    left = [path for path in (tmp_path / ".out.shoal-run").rglob("*") if path.is_file()]
    assert {path.parent.name for path in left if path.suffix in (".arrow", ".json")} <= {
        "masked", "alike", "unchanged", "true", "results"
    }  # fmt: skip
    assert not any(path.suffix == ".npy" for path in left)
    assert len(list((tmp_path / ".out.shoal-run").glob("run-*/finished/results/*"))) == 2
    protect_parts(source, tmp_path / "out", cluster, **asked)
    protect_parts(source, tmp_path / "whole", cluster, **asked)
    gone_on, whole = (pd.read_parquet(tmp_path / name) for name in ("out", "whole"))
    pd.testing.assert_frame_equal(gone_on, whole, check_exact=True)


def _assert_moments_kept(before: pd.DataFrame, after: pd.DataFrame, groups: Any) -> None:
    columns = ["income", *NUMBERS]
    spread = before[columns].std().to_numpy()
    for group in np.unique(groups):
        own = np.asarray(groups == group)
        old, new = before.loc[own, columns].to_numpy(), after.loc[own, columns].to_numpy()
        assert (np.abs(old.mean(axis=0) - new.mean(axis=0)) < 1e-9 * spread).all()
        assert (np.abs(np.cov(old.T) - np.cov(new.T)) < 1e-9 * np.outer(spread, spread)).all()
