"""closeness=t: every group is within t of the file in every confidential variable, or nothing is released."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from command_line import run_shoal
from oracles.slow_closeness import slow_distance
from shoal.errors import MethodError, NotCloseError, ParameterError
from unchanged_columns import protect_part, run_part

# Groups may be close to the file and alike: that is warned of as ever.
pytestmark = pytest.mark.filterwarnings("ignore:Groups whose members all have the same value")

ROLES = {"illness": "confidential", "income": "confidential"}


def patients(n, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    illness = pd.Series(np.array(["i0", "i1", "i2"])[np.digitize(x, [-0.5, 0.5])]).mask(rng.random(n) < missing)
    income = pd.Series(np.round(np.exp(x), 1)).mask(rng.random(n) < missing)
    return pd.DataFrame({"x": x, "y": rng.normal(size=n), "illness": illness, "income": income})


def distances(labels, frame, names, nominal=("illness",)):
    """Return the distance of every group in every variable, exactly."""
    found = []
    for name in names:
        values = [None if pd.isna(value) else value for value in frame[name]]
        for group in np.unique(labels[labels >= 0]):
            inside = [values[row] for row in np.flatnonzero(labels == group)]
            found.append(float(slow_distance(inside, values, ordered=name not in nominal) or 0))
    return found


@given(
    n=st.integers(6, 60),
    k=st.integers(2, 4),
    t=st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]),
    names=st.sampled_from([["illness"], ["income"], ["illness", "income"]]),
    seed=st.integers(0, 999),
    strata=st.sampled_from([None, "part"]),
    diversity=st.sampled_from([None, 2]),
)
def test_every_group_is_close_or_a_stratum_is_not(n, k, t, names, seed, strata, diversity):
    frame = patients(n, seed, missing=0.1)
    frame["part"] = np.where(np.arange(n) % 3 == 0, "a", "b") if n >= 3 * k else "a"
    options = {"columns": ["x", "y"], "roles": dict.fromkeys(names, "confidential"), "strata": strata}
    try:
        release = protect_part(frame, k, closeness=t, diversity=diversity, **options)
    except NotCloseError as error:
        parts = np.unique(frame["part"] if strata else np.zeros(n), return_inverse=True)[1]
        smallest = max(distances(parts, frame, names))
        assert smallest > t and 0 <= error.closeness - smallest <= 1e-4
        assert f"{error.closeness:.4f}" in str(error)
        return
    except shoal.errors.TooFewRecordsError:
        assert diversity is not None
        return
    labels = release.partitions[0].labels
    largest = max(distances(labels, frame, names))
    assert largest <= t + 1e-12
    assert release.plan.outcome.closeness == pytest.approx(largest, abs=1e-12)
    assert release.partitions[0].sizes.min() >= k
    if strata:
        assert frame["part"].groupby(labels).nunique().max() == 1
    if diversity:
        assert release.plan.outcome.alike == {}
    for value, rows in release.data.groupby("x").groups.items():
        assert value == pytest.approx(frame["x"][rows].mean())


@pytest.mark.parametrize("method", ["mdav", "vmdav", "one-group", "k-means"])
def test_a_confidential_variable_that_is_averaged_goes_by_its_true_values(method):
    frame = patients(120)
    release = shoal.protect(frame, 4, roles=ROLES, method=method, closeness=0.25, seed=1)
    labels = release.partitions[0].labels
    assert max(distances(labels, frame, list(ROLES))) <= 0.25
    assert release.headline["k"] >= 4
    assert any("within t = 0.25 of the file's" in note for note in release.plan.outcome.notes)


def test_the_loss_is_at_most_that_of_groups_merged():
    frame = patients(300)
    options = {"columns": ["x", "y"], "roles": {"income": "confidential"}, "seed": 1}
    plain = protect_part(frame, 3, **options)
    close = protect_part(frame, 3, closeness=0.1, **options)
    assert "t-closeness first" in " ".join(close.plan.outcome.notes)
    loose = protect_part(frame, 3, closeness=1.0, **options)
    pd.testing.assert_frame_equal(loose.data, plain.data)
    assert "already" in " ".join(loose.plan.outcome.notes)


def test_a_stratum_that_is_far_is_refused_with_the_smallest_closeness_that_can_be_had():
    frame = patients(80).assign(part=["a", "b"] * 40)
    frame.loc[frame["part"] == "a", "income"] += 100
    options = {"columns": ["x", "y"], "roles": {"income": "confidential"}, "strata": "part"}
    with pytest.raises(NotCloseError, match=r"in a stratum of part.*merge strata") as caught:
        protect_part(frame, 3, closeness=0.1, **options)
    assert caught.value.column == "income" and caught.value.strata == ("part",)
    release = protect_part(frame, 3, closeness=caught.value.closeness, **options)
    assert release.plan.outcome.closeness <= caught.value.closeness


def test_constant_and_empty_confidential_variables_are_close():
    frame = patients(30).assign(illness="i0", income=None)
    release = protect_part(frame, 3, columns=["x", "y"], roles=ROLES, closeness=0.0)
    assert release.plan.outcome.closeness == 0.0


def test_one_protected_in_another_block_has_other_groups():
    frame = patients(60)
    release = protect_part(
        frame, 3, roles={"income": "confidential"}, blocks=[["x", "y"], ["income"]], closeness=0.2, as_is=["illness"]
    )
    first, second = (one.labels for one in release.partitions)
    assert max(distances(second, frame, ["income"])) <= 0.2 < max(distances(first, frame, ["income"]))


@pytest.mark.parametrize("missing", ["keep", "fill"])
def test_missing_values_of_protected_columns(missing):
    frame = patients(90, missing=0.1)
    frame.loc[::7, "x"] = None
    frame.loc[[0, 1], ["x", "y"]] = None
    options = {"columns": ["x", "y"], "roles": ROLES, "missing": missing, "closeness": 0.3}
    labels = protect_part(frame, 3, **options).partitions[0].labels
    assert max(distances(labels, frame, list(ROLES))) <= 0.3


def test_rules_and_weights():
    frame = patients(90).assign(weight=np.arange(1, 91) / 10, a=np.arange(90) % 7.0)
    frame["b"] = frame["a"] + 2
    release = protect_part(
        frame,
        3,
        columns=["x", "a", "b"],
        roles=ROLES,
        weights="weight",
        edits=["a < b"],
        closeness=0.3,
    )
    assert max(distances(release.partitions[0].labels, frame, list(ROLES))) <= 0.3
    assert "sampling weights do not count" in " ".join(release.plan.outcome.notes)


def test_with_units_records_are_merged_and_groups_of_units_are_refused():
    frame = patients(120).assign(house=np.repeat(np.arange(60), 2))
    options = {"roles": {"income": "confidential"}, "unit": "house", "closeness": 0.2, "as_is": ["illness"]}
    release = protect_part(frame, 3, columns=["x", "y"], **options)
    labels = release.partitions[0].labels
    assert max(distances(labels, frame, ["income"])) <= 0.2
    assert frame["house"].groupby(labels).nunique().min() >= 3
    frame["rooms"] = np.repeat(np.arange(60) % 9, 2) + 0.5
    with pytest.raises(MethodError, match=r"closeness .* not kept in groups of units"):
        protect_part(frame, 3, columns=["x", "rooms"], **options)


def test_the_plan_repeats_it(tmp_path):
    frame = patients(60)
    release = protect_part(frame, 3, columns=["x", "y"], roles=ROLES, closeness=0.3)
    pd.testing.assert_frame_equal(run_part(release.plan, frame).data, release.data)
    assert release.plan.public()["closeness"] == 0.3
    release.plan.to_toml(tmp_path / "plan.toml")
    assert shoal.Plan.from_toml(tmp_path / "plan.toml").closeness == 0.3


def test_closeness_needs_groups_and_confidential_variables():
    frame = patients(60)
    with pytest.raises(ParameterError, match='the role "confidential"'):
        protect_part(frame, 3, columns=["x", "y"], closeness=0.2)
    with pytest.raises(MethodError, match='not for the method "fuzzy"'):
        protect_part(frame, 3, columns=["x", "y"], roles=ROLES, method="fuzzy", closeness=0.2)
    with pytest.raises(MethodError, match='not for replace "ipso"'):
        protect_part(frame, 3, columns=["x", "y"], replace="ipso", confidential="x", closeness=0.2)
    for wrong in (-0.1, 1.5, "0.1", True):
        with pytest.raises(ParameterError, match="closeness"):
            protect_part(frame, 3, columns=["x", "y"], roles=ROLES, closeness=wrong)


def test_a_group_that_is_too_far_is_never_released(monkeypatch):
    monkeypatch.setattr("shoal.flow.blocks.crisp.with_closeness", lambda work, *rest: rest[-1])
    with pytest.raises(shoal.errors.DataError, match="nothing is released"):
        protect_part(patients(60), 3, columns=["x", "y"], roles=ROLES, closeness=0.05)


def test_the_command_line_says_what_holds(tmp_path):
    patients(60).to_csv(tmp_path / "patients.csv", index=False)
    options = ["-k", 3, "-o", "out.csv", "--role", "income=confidential", "--closeness", 0.2]
    said = run_shoal("protect", "patients.csv", *options, cwd=tmp_path)
    assert "within t = 0.2 of the file's" in said.stdout
