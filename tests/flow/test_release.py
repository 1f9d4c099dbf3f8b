"""A release and its plan are written together, and nothing that identifies with them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import IdentifierWarning, PlanError
from shoal.read.files import FORMATS

ENDINGS = [ending for ending, one in FORMATS.items() if one.writer is not None]


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(3).normal(size=(60, 2)), columns=["a", "b"])


def test_the_plan_is_written_beside_unless_another_place_or_none_is_named(frame, tmp_path):
    release = shoal.protect(frame, 3)
    release.write(tmp_path / "one.csv")
    release.write(tmp_path / "two.csv", plan=tmp_path / "plan.toml")
    release.write(tmp_path / "three.csv", plan=None)
    names = ["one.csv", "one.csv.plan.toml", "plan.toml", "three.csv", "two.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert all((tmp_path / name).stat().st_mode & 0o777 == 0o600 for name in names if name.endswith(".toml"))
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_a_plan_that_stands_beside_is_replaced_with_the_release(frame, tmp_path):
    for k in (3, 5):
        shoal.protect(frame, k).write(tmp_path / "masked.csv")
        assert shoal.Plan.from_toml(tmp_path / "masked.csv.plan.toml").k == k


def test_a_key_that_is_none_is_refused(frame, tmp_path):
    shoal.protect(frame, 3).plan.to_toml(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    key = shoal.Plan.from_toml(tmp_path / "plan.toml").key
    (tmp_path / "plan.toml").write_text(text.replace(key, "not a key"))
    with pytest.raises(PlanError, match="key: "):
        shoal.Plan.from_toml(tmp_path / "plan.toml")


@pytest.mark.parametrize("keep_order", [False, True])
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_index_stays_in_memory_and_is_never_written(frame, tmp_path, ending, keep_order):
    named = frame.set_axis(pd.Index([f"person {row}" for row in range(60)], name="who"))
    with pytest.warns(IdentifierWarning, match='The index "who" of the table'):
        release = shoal.protect(named, 3)
    assert release.data.index.equals(named.index)
    path = tmp_path / f"masked{ending}"
    if keep_order:
        with pytest.warns(shoal.errors.DisclosureWarning, match="in the order of the input"):
            release.write(path, keep_order=True)
    else:
        release.write(path)
    assert list(shoal.read_table(path)) == ["a", "b"]
    assert b"person 1" not in path.read_bytes() and "person 1" not in str(shoal.read_table(path).index)


# One line that says what it is


def test_a_release_is_one_line_that_measures_nothing(frame):
    release = shoal.protect(frame, 3)
    assert repr(release) == "Release(60 records, k=3 over all 2 columns, 0 unique)"
    assert "headline" not in vars(release)
    linkage = release.headline["linkage"]
    assert repr(release) == f"Release(60 records, k=3 over all 2 columns, 0 unique, linkage {linkage:.2f} %)"


def test_the_line_of_a_release_says_what_is_there(frame):
    households = frame.assign(home=np.arange(60) // 2)
    release = shoal.protect(households, 3, unit="home")
    outcome = release.plan.outcome
    assert repr(release) == f"Release(60 records of 30 units, k={outcome.k} over all 2 columns, 0 unique)"
    assert repr(shoal.protect(frame[["a"]], 3)) == "Release(60 records, k=3 over the one column, 0 unique)"
    bare = dataclasses.replace(release, plan=release.plan.model_copy(update={"outcome": None}))
    assert repr(bare) == "Release(60 records)"
