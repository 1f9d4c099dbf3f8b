"""Groups that are alike in a confidential variable are counted, said, and joined where that is asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DisclosureWarning, MethodError, ParameterError, TooFewRecordsError
from unchanged_columns import protect_part, run_part

ROLES = {"illness": "confidential"}


def patients(n, kinds=2, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    illness = np.array([f"i{one}" for one in range(kinds)])[np.digitize(x, np.linspace(-1, 1, kinds - 1))]
    illness = pd.Series(illness).mask(rng.random(n) < missing)
    return pd.DataFrame({"x": x, "y": rng.normal(size=n), "illness": illness})


def values_in_groups(release, frame, name="illness"):
    labels = release.partitions[0].labels
    return [frame[name][labels == group].dropna().nunique() for group in np.unique(labels[labels >= 0])]


@pytest.mark.parametrize("protect", [protect_part, shoal.protect], ids=["as it is", "protected"])
def test_groups_that_are_alike_are_counted_and_warned_of(protect):
    frame = patients(60)
    as_is = ["illness"] if protect is protect_part else []
    with pytest.warns(DisclosureWarning, match=r'"illness" \(\d+\).*diversity=2'):
        release = protect(frame, 3, as_is=as_is, roles=ROLES)
    assert release.plan.outcome.alike == {"illness": values_in_groups(release, frame).count(1)}


@given(
    n=st.integers(6, 80),
    kinds=st.integers(2, 5),
    k=st.integers(2, 4),
    least=st.integers(2, 3),
    seed=st.integers(0, 999),
)
def test_every_group_has_enough_values_or_the_stratum_has_not(n, kinds, k, least, seed):
    frame = patients(n, kinds, seed, missing=0.2)
    try:
        release = protect_part(frame, k, columns=["x", "y"], roles=ROLES, diversity=least)
    except TooFewRecordsError:
        assert frame["illness"].nunique() < least
        return
    assert all(count == 0 or count >= least for count in values_in_groups(release, frame))
    assert release.partitions[0].sizes.min() >= k
    assert release.plan.outcome.alike == {}
    for value, rows in release.data.groupby("x").groups.items():
        assert value == pytest.approx(frame["x"][rows].mean())


def test_groups_stay_within_strata_and_a_stratum_with_one_value_is_refused():
    frame = patients(80).assign(part=["a", "b"] * 40)
    release = protect_part(frame, 3, columns=["x", "y"], roles=ROLES, strata="part", diversity=2)
    labels = release.partitions[0].labels
    assert all(frame["part"][labels == group].nunique() == 1 for group in np.unique(labels))
    frame.loc[frame["part"] == "a", "illness"] = "i0"
    with pytest.raises(TooFewRecordsError, match='2 different values of "illness"') as caught:
        protect_part(frame, 3, columns=["x", "y"], roles=ROLES, strata="part", diversity=2)
    assert "i0" not in str(caught.value)


def test_the_plan_repeats_it():
    frame = patients(60)
    release = protect_part(frame, 3, columns=["x", "y"], roles=ROLES, diversity=2)
    pd.testing.assert_frame_equal(run_part(release.plan, frame).data, release.data)
    assert release.plan.public()["diversity"] == 2


def test_diversity_needs_groups_and_confidential_variables():
    frame = patients(60)
    with pytest.raises(ParameterError, match='the role "confidential"'):
        protect_part(frame, 3, columns=["x", "y"], diversity=2)
    with pytest.raises(MethodError, match="groups"):
        protect_part(frame, 3, columns=["x", "y"], roles=ROLES, method="fuzzy", diversity=2)
    with pytest.raises(ParameterError, match="diversity"):
        protect_part(frame, 3, columns=["x", "y"], roles=ROLES, diversity=1)


def test_a_mode_that_one_record_has_is_counted_and_said():
    frame = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1, 9.0, 9.1], "job": ["a", "b", "c", "c", "d", "e"]})
    with pytest.warns(DisclosureWarning, match='that of one record alone: "job" .2 of 3.'):
        release = shoal.protect(frame, 2, columns=["x", "job"])
    assert release.plan.outcome.held_by_one == {"job": 2}
    assert 'that of one record alone: "job" (2).' in " ".join(release.plan.outcome.notes)
