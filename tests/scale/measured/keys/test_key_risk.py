"""Key variables counted on a cluster: the same numbers as `shoal.measure.key_risk` with the file in memory."""

from __future__ import annotations

from dataclasses import asdict

import pytest

import shoal
from folders_of_parts import persons, write_parts
from shoal.errors import ColumnError, DataError, DescriptionWarning, MissingValuesError
from shoal.measure.risk.keys.overview import likely_keys
from shoal.scale.measured.keys import key_risk as counted
from shoal.scale.measured.keys.key_risk import key_risk_parts

KEYS = ["sex", "level", "code", "age"]


def assert_same(found, expected):
    ours, theirs = asdict(found), asdict(expected)
    for name in ours:
        if name.startswith(("suda", "dis")):
            assert ours[name] is None
        elif name == "as_wildcards":
            assert_same(found.as_wildcards, expected.as_wildcards)
        elif isinstance(ours[name], float):
            assert ours[name] == pytest.approx(theirs[name], rel=1e-12), name
        else:
            assert ours[name] == theirs[name], name


@pytest.mark.parametrize("given", [{}, {"weights": "weight"}, {"unit": "home"}, {"weights": "weight", "unit": "home"}])
def test_the_risk_is_that_of_the_file_in_memory(given, cluster, tmp_path):
    table = persons(500)
    table["age"] //= 20
    source = write_parts(table, tmp_path / "in", [180, 181])
    found = key_risk_parts(source, cluster, keys=KEYS, ks=(2, 4), chunk_rows=90, **given)
    assert_same(found, shoal.measure.key_risk(table, KEYS, ks=(2, 4), **given))
    assert found.as_wildcards is not None and found.as_wildcards.uniques < found.uniques


def test_weights_are_added_without_rounding(cluster, tmp_path):
    table = persons(400)
    cuts = ([], [37, 210])
    folders = [write_parts(table, tmp_path / f"in{len(own)}", own) for own in cuts]
    given = {"keys": ["level", "code"], "weights": "weight", "unit": "home"}
    one = key_risk_parts(folders[0], cluster, chunk_rows=999, **given)
    other = key_risk_parts(folders[1], cluster, chunk_rows=41, **given)
    assert one == other


def test_keys_are_guessed_as_on_one_machine(cluster, tmp_path):
    table = persons(400)
    source = write_parts(table, tmp_path / "in", [100])
    found = key_risk_parts(source, cluster)
    assert list(found.keys) == likely_keys(shoal.read_table(source / "part0.parquet"))


def test_weights_that_are_none_are_refused(cluster, tmp_path):
    table = persons(60)
    table.loc[44, "weight"] = 0.0
    source = write_parts(table, tmp_path / "in", [30])
    with pytest.raises(DataError, match="the first in record 45"):
        key_risk_parts(source, cluster, keys=KEYS, weights="weight")
    with pytest.raises(MissingValuesError, match="income"):
        key_risk_parts(source, cluster, keys=KEYS, weights="income")
    with pytest.raises(ColumnError, match="There is no column"):
        key_risk_parts(source, cluster, keys=["sexe"])


def test_small_weights_are_warned_of(cluster, tmp_path):
    table = persons(80)
    table["weight"] /= table["weight"].sum()
    source = write_parts(table, tmp_path / "in", [30])
    with pytest.warns(DescriptionWarning, match="those of 80 records"):
        key_risk_parts(source, cluster, keys=["code"], weights="weight")


def test_too_many_combinations_with_missing_values_have_no_second_reading(cluster, tmp_path, monkeypatch):
    table = persons(80)
    source = write_parts(table, tmp_path / "in", [30])
    monkeypatch.setattr(counted, "MOST_WITH_WILDCARDS", 5)
    found = key_risk_parts(source, cluster, keys=KEYS)
    assert found.incomplete and found.as_wildcards is None
    assert found.uniques == shoal.measure.key_risk(table, KEYS).uniques
