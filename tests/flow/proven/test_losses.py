"""What is proven of a release: no groups can be below the bound, whatever was grouped, and when it is computed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from oracles.best_partitions import KINDS, least_sse, tiny_matrix
from shoal.flow.outcome import ProvenLoss
from shoal.flow.plan import Plan
from shoal.flow.proven.losses import added_bounds, together
from shoal.partition import LowerBound

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def scores(values: pd.Series) -> np.ndarray:
    """Standard scores by hand; a constant column has none."""
    values = values.to_numpy(float)
    return (values - values.mean()) / values.std(ddof=1)


def points(frame: pd.DataFrame) -> np.ndarray:
    """Records as protect groups them: standard scores, and 0 or 1 for each category."""
    columns = []
    for name in frame:
        if frame[name].dtype.kind == "f":
            if frame[name].nunique() > 1:
                columns.append(scores(frame[name])[:, None])
        else:
            columns.append((frame[name].to_numpy()[:, None] == np.unique(frame[name])).astype(float))
    return np.hstack(columns)


def sse(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(((X[labels == one] - X[labels == one].mean(axis=0)) ** 2).sum() for one in np.unique(labels))


def tiny(seed: int, kind: str, n: int = 9) -> pd.DataFrame:
    return pd.DataFrame(tiny_matrix(seed, n, 2, kind), columns=["a", "b"])


def holds(loss: ProvenLoss, X: np.ndarray, labels: np.ndarray, least: float) -> None:
    """Assert that the squared error is that of the labels, and the bound below the best of all partitions."""
    assert loss.squared_error == pytest.approx(sse(X, labels))
    assert loss.lower_bound <= least * (1 + 1e-9) + 1e-12
    assert least <= loss.squared_error * (1 + 1e-9) + 1e-12
    if loss.above_best is not None and least > 0:
        assert loss.above_best >= 100 * (loss.squared_error / least - 1) - 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_partition_is_below_the_bound(kind, k):
    for seed in range(3):
        frame = tiny(seed, kind)
        frame.loc[0, "b"] += 1.0  # never two constant columns
        release = shoal.protect(frame, k, kinds=dict.fromkeys(frame, "continuous"))
        X = points(frame)
        holds(release.proven[0], X, release.partitions[0].labels, least_sse(X, k))


@pytest.mark.parametrize("method", ["mdav", "refine:steps=32", "mst"])
def test_no_partition_of_a_mixed_table_is_below_the_bound(method):
    frame = tiny(1, "spread").assign(c=list("xyzxyzxxy"))
    release = shoal.protect(frame, 3, method=method)
    X = points(frame)
    holds(release.proven[0], X, release.partitions[0].labels, least_sse(X, 3))


def test_the_bound_is_within_strata():
    frame = tiny(2, "spread").assign(region=list("nnnnsssss"))
    release = shoal.protect(frame, 2, strata="region")
    X = points(frame[["a", "b"]])
    parts = [X[(frame["region"] == one).to_numpy()] for one in "ns"]
    holds(release.proven[0], X, release.partitions[0].labels, sum(least_sse(part, 2) for part in parts))
    assert release.proven[0].lower_bound > shoal.partition.lower_bound(X, 2)


@pytest.mark.parametrize("way", ["within", "suppress"])
def test_the_bound_is_within_kept_categories(way):
    frame = tiny(3, "spread").assign(c=list("xxxxyyyyz" if way == "suppress" else "xxxxyyyyy"))
    release = shoal.protect(frame, 2, categories={"c": way})
    kept = release.data["c"].astype(object).fillna("missing").to_numpy()
    X = points(frame[["a", "b"]])
    least = sum(least_sse(X[kept == one], 2) for one in np.unique(kept))
    holds(release.proven[0], X, release.partitions[0].labels, least)


def test_every_block_has_its_own_bound():
    frame = tiny(4, "spread")
    release = shoal.protect(frame, 3, blocks=1)
    for loss, partition, name in zip(release.proven, release.partitions, frame, strict=True):
        X = points(frame[[name]])
        holds(loss, X, partition.labels, least_sse(X, 3))
    whole = together(release.proven)
    assert whole.squared_error == pytest.approx(sum(one.squared_error for one in release.proven))
    assert whole.lower_bound == pytest.approx(sum(one.lower_bound for one in release.proven))


def test_joined_groups_are_measured_as_they_are_released():
    frame = shoal.datasets.households(60, seed=4)[["age", "wage_income", "tax"]]
    plain, joined = shoal.protect(frame, 3), shoal.protect(frame, 3, dominance=50)
    assert joined.plan.outcome.joined
    released = [sse(scores(frame[name])[:, None], joined.data[name].to_numpy()) for name in frame]
    assert joined.proven[0].squared_error == pytest.approx(sum(released))
    assert joined.proven[0].squared_error > plain.proven[0].squared_error
    assert joined.proven[0].lower_bound == plain.proven[0].lower_bound


def test_units_count_once_where_their_values_are_grouped():
    rng = np.random.default_rng(5)
    units = np.repeat(np.arange(8), 2)
    frame = pd.DataFrame({"firm": units, "size": rng.normal(size=8)[units], "pay": rng.normal(size=16)})
    release = shoal.protect(frame, 2, unit="firm")
    of_units, of_records = release.proven
    first = np.unique(units, return_index=True)[1]
    X = points(frame[["size"]])[first]
    holds(of_units, X, release.partitions[0].labels[first], least_sse(X, 2))
    assert of_records.lower_bound <= of_records.squared_error  # true of records, and so of units


def test_rules_are_no_part_of_the_best_possible():
    frame = tiny(6, "spread").assign(c=lambda one: one["a"] + one["b"])
    release = shoal.protect(frame, 3, edits=["c == a + b", "if a > 0 then b > -9"], method="refine:steps=32")
    assert release.plan.outcome.proven[0].lower_bound is None  # the search was inside the parts that rules make
    X = points(frame)
    holds(release.proven[0], X, release.partitions[0].labels, least_sse(X, 3))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"missing": "fill"}, "values are missing"),
        ({"method": "mdav:distance=gower"}, "Euclidean"),
        ({"replace": "rank-swap"}, "record by record"),
        ({"method": "fuzzy"}, "drawn at random"),
        ({"replace": "ipso", "confidential": ["tax", "age"]}, "synthetic"),
        ({"standardize": False}, "too large"),
    ],
)
def test_where_there_is_no_bound_it_is_said_why(options, why):
    frame = shoal.datasets.households(60, seed=4)[["age", "wage_income", "tax"]].astype(float)
    if "missing" in options:
        frame.loc[3, "tax"] = np.nan
    if "standardize" in options:
        frame *= 1e200
    (loss,) = shoal.protect(frame, 3, **options).proven
    assert why in loss.no_bound and loss.lower_bound is None and loss.above_best is None


def test_of_a_chain_nothing_is_proven():
    frame = shoal.datasets.households(60, seed=4)[["age", "wage_income", "tax"]]
    release = shoal.protect(frame, 3, columns=["age"]).then(columns=["tax", "wage_income"])
    assert [one.no_bound for one in release.proven] == ["the release is made in several steps"]


def test_protect_computes_no_bound_until_it_is_asked_for(monkeypatch):
    frame = shoal.datasets.households(60, seed=4)[["age", "tax"]]
    calls = []

    def counted(X, k):
        calls.append(k)
        return LowerBound({"linear program": 1e-3})

    monkeypatch.setattr("shoal.partition.lower_bound", counted)
    release = shoal.protect(frame, 3)
    assert calls == [] and release.plan.outcome.proven[0].lower_bound is None
    assert release.proven is release.proven and calls == [3]
    assert release.proven[0].method == "linear program"
    assert release.plan.outcome.proven[0].lower_bound is None


def test_a_proof_of_the_search_is_in_the_outcome_and_the_only_bound(monkeypatch):
    pytest.importorskip("highspy")
    frame = shoal.datasets.households(60, seed=4)[["age", "tax"]]
    monkeypatch.setattr("shoal.partition.lower_bound", lambda X, k: LowerBound({"another": 1e-6}))
    release = shoal.protect(frame, 3, method="refine:steps=2000,prove=true", seed=1)
    (own,) = release.plan.outcome.proven
    assert 0 < own.lower_bound <= own.squared_error and own.method == "linear program"
    assert release.proven == (own,)


def test_a_release_without_the_proof_that_was_asked_for_has_a_note():
    pytest.importorskip("highspy")
    frame = shoal.datasets.households(60, seed=4)[["age", "tax"]]
    notes = {
        method: [note for note in shoal.protect(frame, 3, method=method, seed=1).plan.outcome.notes if "proof" in note]
        for method in ("refine:steps=32,prove=true", "refine:steps=32", "refine:steps=2000,prove=true")
    }
    assert [len(found) for found in notes.values()] == [1, 0, 0]
    assert notes["refine:steps=32,prove=true"][0].startswith("The search has no proof")


def test_what_every_search_knows_by_the_way_is_not_named_beside_a_better_bound():
    frame = shoal.datasets.households(60, seed=4)[["age", "tax"]]
    release = shoal.protect(frame, 3, method="refine:steps=32", seed=1)
    assert release.plan.outcome.proven[0].lower_bound is None
    assert release.proven[0].lower_bound > 0


def test_the_plan_keeps_what_was_proven_and_old_plans_have_nothing(tmp_path):
    pytest.importorskip("highspy")
    frame = shoal.datasets.households(60, seed=4)[["age", "tax"]]
    release = shoal.protect(frame, 3, method="refine:steps=2000,prove=true")
    assert release.plan.outcome.proven[0].lower_bound > 0
    release.plan.to_toml(tmp_path / "plan.toml")
    plan = Plan.from_toml(tmp_path / "plan.toml")
    assert plan.outcome.proven == release.plan.outcome.proven
    assert plan.run(frame).plan.outcome.proven == release.plan.outcome.proven
    old = plan.model_copy(update={"outcome": plan.outcome.model_copy(update={"proven": []})})
    old.to_toml(tmp_path / "old.toml")
    assert "proven" not in (tmp_path / "old.toml").read_text()
    assert Plan.from_toml(tmp_path / "old.toml").outcome.proven == []


def test_bounds_of_parts_add_up_and_name_all_that_proved_them():
    both = added_bounds([LowerBound({"neighbours": 1.0}), LowerBound({"linear program": 2.0}, "A note.")])
    assert (both, both.method, both.note) == (3.0, "neighbours and linear program", "A note.")
    assert added_bounds([both, None]) is None and added_bounds([]) is None


def test_a_bound_of_zero_proves_nothing_unless_nothing_is_lost():
    assert ProvenLoss(squared_error=1.0, lower_bound=0.0, method="neighbours").above_best is None
    assert ProvenLoss(squared_error=1.0, lower_bound=1e-300, method="neighbours").above_best is None
    assert ProvenLoss(squared_error=0.0, lower_bound=0.0, method="neighbours").above_best == 0.0
    assert ProvenLoss(squared_error=1.5, lower_bound=1.0, method="neighbours").above_best == pytest.approx(50.0)
    assert together([]).above_best is None


def test_many_records_with_many_categories_have_no_bound(monkeypatch):
    monkeypatch.setattr("shoal.flow.proven.losses._MOST_INDICATORS", 100)
    frame = tiny(1, "spread", 40).assign(c=list("xyzw") * 10)
    assert "too many" in shoal.protect(frame, 3).proven[0].no_bound
    assert "too many" in shoal.protect(frame, 3, method="refine:steps=32").proven[0].no_bound
