"""Rows come back from files as they were, whatever their type, and go where they were sent."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ReadError
from shoal.scale.scattered import gathered, row_numbers, scatter, targets_in, with_row_numbers

DAY = datetime.date(2024, 2, 29)
COLUMNS = {
    **{f"{kind}": pa.array([1, None, 3], kind) for kind in (pa.int8(), pa.int64(), pa.uint8(), pa.uint64())},
    "float": pa.array([0.5, None, float("nan")]),
    "float32": pa.array([0.5, None, -0.0], pa.float32()),
    "text": pa.array(["", None, "\0é"]),
    "large text": pa.array(["a", None, "b"], pa.large_string()),
    "bytes": pa.array([b"", None, b"\xff"]),
    "truth": pa.array([True, None, False]),
    "date": pa.array([DAY, None, DAY]),
    "time": pa.array([datetime.time(1, 2), None, datetime.time(3)]),
    "moment": pa.array([datetime.datetime(2024, 1, 1), None, datetime.datetime(1, 1, 1)], pa.timestamp("us", "UTC")),
    "span": pa.array([datetime.timedelta(1), None, datetime.timedelta(0)]),
    "decimal": pa.array([Decimal("1.10"), None, Decimal("-9.99")], pa.decimal128(9, 2)),
    "nothing": pa.nulls(3),
}


def test_every_type_comes_back_as_it_was(tmp_path):
    table = with_row_numbers(pa.table(COLUMNS), np.array([5, 6, 7]))
    scatter(table, np.array([1, 0, 1]), tmp_path / "a.arrow")
    back = pa.concat_tables([gathered([tmp_path / "a.arrow"], target) for target in (0, 1)])
    back = back.take(pa.array(np.argsort(row_numbers(back))))
    assert back.schema == table.schema
    assert str(back.to_pylist()) == str(table.to_pylist())  # NaN is no equal of itself


def test_dictionaries_come_back_as_their_values(tmp_path):
    column = pa.array(["b", None, "a"]).dictionary_encode()
    scatter(with_row_numbers(pa.table({"a": column}), np.arange(3)), np.zeros(3, np.int64), tmp_path / "a.arrow")
    assert gathered([tmp_path / "a.arrow"], 0)["a"].to_pylist() == ["b", None, "a"]


def test_rows_go_to_their_target_and_those_without_one_nowhere(tmp_path):
    generator = np.random.default_rng(0)
    targets = generator.integers(-1, 6, 500)
    paths = [tmp_path / f"{number}.arrow" for number in range(4)]
    for number, path in enumerate(paths):
        own = np.arange(500) % 4 == number
        rows = np.flatnonzero(own)
        scatter(with_row_numbers(pa.table({"x": rows * 2}), rows), targets[own], path)
    for target in range(6):
        found = gathered(paths, target)
        assert sorted(row_numbers(found)) == np.flatnonzero(targets == target).tolist()
        assert (found["x"].to_numpy() == 2 * row_numbers(found)).all()
    assert gathered(paths, 6) is None
    assert sorted(targets_in(paths[0])) == sorted(set(targets[::4].tolist()) - {-1})


def test_a_file_that_is_cut_off_is_an_error_and_none_is_left_half_written(tmp_path):
    path = tmp_path / "a.arrow"
    scatter(with_row_numbers(pa.table({"x": np.arange(1_000)}), np.arange(1_000)), np.zeros(1_000, np.int64), path)
    assert list(tmp_path.iterdir()) == [path]
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ReadError, match="is damaged or gone"):
        gathered([path], 0)
    with pytest.raises(ReadError, match="is damaged or gone"):
        gathered([tmp_path / "b.arrow"], 0)
