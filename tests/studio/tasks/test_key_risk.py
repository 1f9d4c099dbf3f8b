"""The risk over keys in the studio is that of the public measures, on the recoded table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from shoal import datasets, measure
from shoal.recode import Bands
from shoal.studio.tasks.key_risk import keys_of_record, measured

KEYS = ["age", "tenure"]
RECODING = {"recodes": {"age": "bands:width=10"}}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("tables") / "households.csv"
    datasets.households().to_csv(path, index=False)
    return {"path": str(path), "reading": {}}


@pytest.fixture(scope="module")
def recoded(source: dict[str, object]) -> pd.DataFrame:
    """The keys by hand: ages in tens."""
    table = pd.read_csv(Path(str(source["path"])))
    return table.assign(age=table["age"] // 10)


def test_violators_are_counted_with_and_without_the_recodes(source, recoded):
    found = measured(source, RECODING, KEYS, k=4, weights=None, unit=None)
    for side, table in ((found.before, pd.read_csv(source["path"])), (found.after, recoded)):
        counts = Counter(zip(table["age"], table["tenure"], strict=True))
        alike = [counts[one] for one in zip(table["age"], table["tenure"], strict=True)]
        assert side.k == min(alike)
        assert dict(side.violators) == {k: sum(one < k for one in alike) for k in (2, 3, 4, 5)}


def test_records_are_classed_by_how_many_have_the_same_keys(source, recoded):
    found = measured(source, RECODING, KEYS, k=3, weights=None, unit=None)
    alike = recoded.groupby(KEYS)["age"].transform("size")
    by_hand = pd.cut(alike, [0, 1, 2, 4, 9, 19, 49, 99]).value_counts(sort=False).tolist()
    names = ["1", "2", "3 to 4", "5 to 9", "10 to 19", "20 to 49", "50 to 99"]  # nothing beyond
    assert found.alike == dict(zip(names, by_hand, strict=True))
    assert sum(found.alike.values()) == 1000
    assert found.alike_picture.startswith("<svg")


def test_the_risk_is_estimated_with_the_weights(source, recoded):
    found = measured(source, RECODING, KEYS, k=3, weights="survey_weight", unit=None)
    expected = measure.individual_risk(recoded, KEYS, weights="survey_weight")
    assert found.after.weighted
    assert found.after.expected == pytest.approx(float(expected))
    assert [one.risk for one in found.after.riskiest] == sorted(expected.by_record, reverse=True)[:15]


def test_without_recodes_there_is_one_side_and_with_a_unit_the_household_risk(tmp_path):
    people = pd.DataFrame({"house": [1, 1, 2, 2, 3], "sex": list("fmfmf"), "town": list("aaaab")})
    people.to_csv(tmp_path / "people.csv", index=False)
    source = {"path": str(tmp_path / "people.csv"), "reading": {}}
    found = measured(source, {}, ["sex", "town"], k=3, weights=None, unit="house")
    assert found.before is None
    assert found.after.units == 3
    assert found.after.household_expected == float(measure.household_risk(people, ["sex", "town"], unit="house"))


def test_the_keys_of_a_record_are_those_of_the_recoded_table(tmp_path):
    pd.DataFrame({"age": [31, 47, None], "town": ["a", None, "b"]}).to_csv(tmp_path / "t.csv", index=False)
    source = {"path": str(tmp_path / "t.csv"), "reading": {}}
    options = {"recodes": {"age": [Bands(width=10).written()]}}
    assert keys_of_record(source, options, ["age", "town"], 1) == {"age": "30-39", "town": "a"}
    assert keys_of_record(source, options, ["age", "town"], 2) == {"age": "40-49", "town": ""}
    assert keys_of_record(source, options, ["age", "town"], 3) == {"age": "", "town": "b"}
