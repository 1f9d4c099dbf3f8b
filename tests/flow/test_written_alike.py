"""Values that are equal are written alike, so that a file tells no more records apart than were counted."""

from __future__ import annotations

import csv
import datetime
from collections import Counter
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal

RECORDS = 300
NOON = datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC)
EQUAL = {
    "minus zero": (0.0, -0.0),
    "decimals": (Decimal("1.0"), Decimal("1.00")),
    "whole number and float": (1, 1.0),
    "truth value": (1, True),
    "time zones": (NOON, NOON.astimezone(ZoneInfo("Europe/Paris"))),
}
WAYS = {
    "within": {"categories": "within", "kinds": {"z": "nominal"}},
    "suppress": {"categories": "suppress", "kinds": {"z": "nominal"}},
    "stratum": {"strata": "z"},
    "as it is": {"as_is": ["z"]},
}


def table_of(one, other):
    """Return a table with a column of one value, a few times written in the other way, and another value."""
    rng = np.random.default_rng(1)
    another = {float: 2.5, Decimal: Decimal("2.5"), int: 7, datetime.datetime: NOON + datetime.timedelta(1)}[type(one)]
    z = np.array([one, another], dtype=object)[rng.integers(0, 2, RECORDS)]
    z[np.flatnonzero(z == one)[:3]] = other
    return pd.DataFrame(
        {"z": pd.Series(z, dtype=float if isinstance(one, float) else object), "x": rng.normal(size=RECORDS)}
    )


def counted_in_file(release, path):
    """Return k and the unique records of the written text."""
    release.write(path, plan=None)
    with path.open(newline="") as file:
        sizes = Counter(map(tuple, list(csv.reader(file))[1:]))
    return min(sizes.values()), sum(size == 1 for size in sizes.values())


@pytest.mark.filterwarnings("ignore::shoal.errors.DisclosureWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("values", EQUAL)
def test_k_and_unique_records_are_those_of_the_written_file(tmp_path, values, way):
    data = table_of(*EQUAL[values])
    before = data.copy()
    release = shoal.protect(data, 5, seed=1, **WAYS[way])
    assert counted_in_file(release, tmp_path / "o.csv") == (release.headline["k"], release.headline["uniques"])
    assert (data["z"].map(repr) == before["z"].map(repr)).all()


@pytest.mark.parametrize(
    "made",
    [
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda frame: frame.astype({"z": "Float64"}),
        lambda frame: frame.astype({"z": "float32"}),
        lambda frame: frame.astype({"z": pd.ArrowDtype(pa.float64())}),
    ],
    ids=["polars", "Arrow", "nullable", "float32", "Arrow in pandas"],
)
def test_no_table_is_released_with_a_minus_zero(tmp_path, made):
    release = shoal.protect(made(table_of(0.0, -0.0)), 5, seed=1, **WAYS["within"])
    assert counted_in_file(release, tmp_path / "o.csv") == (release.headline["k"], 0)


def test_missing_values_stay():
    data = table_of(0.0, -0.0).astype({"z": "Float64"})
    data.loc[:9, "z"] = pd.NA
    release = shoal.protect(data, 5, seed=1, missing="keep", **WAYS["within"])
    assert release.data["z"].isna().tolist() == data["z"].isna().tolist()


def test_suppression_of_cells_writes_equal_values_alike():
    data = table_of(0.0, -0.0).assign(y=np.arange(RECORDS) % 3)
    suppressed = shoal.recode.suppress(data, ["z", "y"], 5).data
    zeros = suppressed["z"][suppressed["z"] == 0]
    assert len(zeros)
    assert not np.signbit(zeros).any()
