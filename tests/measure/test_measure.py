"""Information loss and the achieved k."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, DataError
from shoal.measure import information_loss, k_anonymity, sse


def test_sse_is_in_units_of_the_original_standard_deviation():
    """x = 0, 1, 2 has mean 1 and sd 1 (n - 1): masked by the mean, SSE = 1 + 0 + 1 = SST."""
    original = pd.DataFrame({"x": [0.0, 10, 20]})
    masked = pd.DataFrame({"x": [10.0, 10, 10]})
    assert sse(original, masked) == pytest.approx(2)
    assert information_loss(original, masked) == pytest.approx(100)


def test_an_unchanged_file_loses_nothing():
    frame = shoal.datasets.households(50)
    assert sse(frame, frame) == 0


def test_k_anonymity_of_the_table_of_the_thesis():
    """Table 3.1 is 2-anonymous on year, grade, ZIP and sex."""
    table = shoal.datasets.students()
    assert k_anonymity(table, table, columns=list(table.columns[:4])) == 2
    assert k_anonymity(table, table) == 1


def test_missing_values_agree_with_missing_values():
    table = pd.DataFrame({"x": [1.0, 1.0, None, None]})
    assert k_anonymity(table, table) == 2


def test_measures_say_which_way_is_good():
    for one in (sse, information_loss, k_anonymity):
        assert one.about.better in ("lower", "higher")
        assert one.about.name and one.about.definition and one.about.reference
        assert len(one.about.range) == 2


def test_evaluation_is_ready_for_json():
    frame = shoal.datasets.expenditure()
    release = shoal.protect(frame, 3)
    found = json.loads(json.dumps(release.evaluate().to_dict()))
    assert found["utility"]["sse"] == pytest.approx(sse(frame, release.data))
    assert found["risk"]["k_anonymity"] == 3


def test_what_does_not_apply_is_none():
    table = pd.DataFrame({"x": list("aabb")})
    assert shoal.evaluate(table, table).information_loss is None


def test_files_that_cannot_be_compared():
    one = pd.DataFrame({"x": np.arange(4.0)})
    with pytest.raises(DataError, match="4 and the masked file 3"):
        sse(one, one.iloc[:3])
    with pytest.raises(ColumnError, match="no column in common"):
        sse(one, pd.DataFrame({"y": np.arange(4.0)}))
    with pytest.raises(ColumnError, match='masked file has no column "z"'):
        sse(one.assign(z=1), one, columns=["z"])
    with pytest.raises(DataError, match="needs a numeric variable that varies"):
        information_loss(one * 0, one * 0)
