"""What the first look shows of a file does not depend on how it is cut, and has a row for whatever is rare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scale.running import mixed, write_parts
from shoal.scale.input.first_look import FirstLook, first_look, look_at
from shoal.scale.input.parts import parts_of
from shoal.scale.scattered import row_numbers

RECORDS, DRAWN = 3_000, 300


def table() -> pd.DataFrame:
    frame = mixed(RECORDS).assign(code=np.arange(RECORDS) % 40)
    frame["rent"] = frame["rent"].mask(np.arange(RECORDS) == 1_234)
    frame.loc[2_345, "code"] = 77
    frame.loc[888, "income"] = 1e9
    return frame


def look(folder: Path, rows: int = 250_000, **files: Any) -> FirstLook:
    parts = parts_of(write_parts(table(), folder, **files), rows)
    return first_look([look_at(chunk, None, DRAWN) for chunk in parts.chunks], None, DRAWN)


@pytest.fixture(scope="module")
def one(tmp_path_factory) -> FirstLook:
    return look(tmp_path_factory.mktemp("one") / "in", files=1)


@pytest.mark.parametrize(
    "cut", [{"files": 7}, {"files": 2, "row_group": 37}, {"files": 1, "rows": 130}, {"files": 40}], ids=str
)
def test_it_does_not_depend_on_how_the_file_is_cut(one, tmp_path, cut):
    other = look(tmp_path / "in", **cut)
    assert other.rows.equals(one.rows)
    assert other.drawn.equals(one.drawn)
    assert (other.orders, other.few, other.digest) == (one.orders, one.few, one.digest)


def test_rows_are_drawn_from_the_whole_file_and_rare_ones_are_there(one):
    drawn = row_numbers(one.drawn)
    assert len(drawn) == DRAWN
    assert abs(drawn.mean() - RECORDS / 2) < 4 * RECORDS / np.sqrt(12 * DRAWN)
    rows = set(row_numbers(one.rows).tolist())
    frame = table()
    assert {1_234, 2_345, 888, int(frame["income"].argmin())} <= rows
    shown = one.rows.to_pandas()
    for name in ("code", "sex", "region", "rooms"):
        assert set(shown[name]) == set(frame[name])


@pytest.mark.parametrize("change", ["value", "order"])
def test_the_fingerprint_changes_with_any_value_and_with_the_order(one, tmp_path, change):
    frame = table()
    if change == "value":
        frame.loc[2_000, "sex"] = "f" if frame.loc[2_000, "sex"] == "m" else "m"
    else:
        frame = frame.iloc[[1, 0, *range(2, RECORDS)]]
    parts = parts_of(write_parts(frame, tmp_path / "in", files=1))
    other = first_look([look_at(chunk, None, DRAWN) for chunk in parts.chunks], None, DRAWN)
    assert other.fingerprint(parts.schema) != one.fingerprint(parts.schema)
