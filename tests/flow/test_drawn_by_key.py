"""Files leave in an order that only the plan's key knows."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.flow.drawn_by_key import in_original_order, in_random_order, new_ids, new_key
from shoal.read import as_table

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(3).normal(size=(60, 2)), columns=["a", "b"])


def with_key(release: shoal.Release, key: str) -> shoal.Plan:
    return release.plan.model_copy(update={"key": key})


def test_a_key_is_drawn_from_the_system_whatever_the_seed(frame):
    keys = {shoal.protect(frame, 3, seed=1).plan.key for _ in range(5)} | {new_key()}
    assert len(keys) == 6
    assert all(len(key) == 32 and int(key, 16) >= 0 for key in keys)


def test_the_order_is_that_of_the_key_and_the_input(frame):
    one, other = shoal.protect(frame, 3, seed=1), shoal.protect(frame + 1, 3, seed=1)

    def order(release: shoal.Release, key: str) -> list[float]:
        plan, rows = with_key(release, key), pd.DataFrame({"row": np.arange(60)})
        return in_random_order(plan, as_table(rows)).to_native()["row"].tolist()

    orders = [order(one, KEY), order(one, KEY[::-1]), order(other, KEY)]
    assert order(one, KEY) == orders[0]
    assert all(sorted(some) == list(range(60)) for some in orders)
    assert len({tuple(some) for some in orders}) == 3


def test_the_order_is_the_same_on_every_machine_and_with_every_version_of_numpy():
    """Computed with Python alone: rows sorted by eight bytes each of SHAKE-256."""
    frame = pd.DataFrame({"a": np.arange(40) / 3})
    plan = with_key(shoal.protect(frame, 4), KEY)
    code = (
        "import hashlib, sys; key, sha = sys.argv[1:]\n"
        "drawn = hashlib.shake_256(f'{key} order {sha}'.encode()).digest(320)\n"
        "print(sorted(range(40), key=lambda row: int.from_bytes(drawn[8 * row : 8 * row + 8], 'little')))"
    )
    expected = subprocess.run([sys.executable, "-c", code, KEY, plan.input.sha256], capture_output=True, text=True)
    rows = in_random_order(plan, as_table(pd.DataFrame({"row": np.arange(40)}))).to_native()["row"].tolist()
    assert str(rows) == expected.stdout.strip()


def test_a_written_file_is_put_back_in_order(frame, tmp_path):
    release = shoal.protect(frame, 3)
    release.write(tmp_path / "masked.csv")
    plan = shoal.Plan.from_toml(tmp_path / "masked.csv.plan.toml")
    written = as_table(tmp_path / "masked.csv")
    assert written.numbers("a").tolist() != release.data["a"].tolist()
    assert in_original_order(plan, written).numbers("a").tolist() == release.data["a"].tolist()
    assert plan.output.sha256 == written.fingerprint()


def test_no_report_has_the_key(frame, tmp_path):
    release = shoal.protect(frame, 3, seed=1)
    for audience in ("internal", "public"):
        release.report(tmp_path / "report.html", audience, release.evaluate(measures=["sse"]))
        assert release.plan.key not in (tmp_path / "report.html").read_text()
    assert "key" not in release.plan.public()


def test_new_ids_follow_neither_the_old_ones_nor_those_of_another_file():
    units = np.arange(1000)
    one, other, next_year = (
        new_ids(key, of_input, units) for key, of_input in (("00" * 16, "a"), ("01" * 16, "a"), ("00" * 16, "b"))
    )
    assert sorted(one) == list(range(1, 1001))
    assert abs(np.corrcoef(units, one)[0, 1]) < 0.1
    assert (one != other).mean() > 0.9
    assert (one != next_year).mean() > 0.9
    assert (new_ids("00" * 16, "a", units) == one).all()
