"""A release beside its original, counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError
from shoal.studio.tasks.before_after import CrossTable, PairView, cross_table, pair, variable
from shoal.studio.tasks.protecting import attempt, kept_release
from studio.tasks.kept import kept_attempt


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    frame = shoal.datasets.households(80, seed=3, missing=0.05)
    source, folder, _ = kept_attempt(
        tmp_path_factory.mktemp("kept"), frame, 4, roles={"household_id": "identifier"}, missing="fill"
    )
    return source, folder, pd.read_csv(source["path"]), kept_release(folder)[0].data


def test_a_table_of_categories_counts_records_of_both_files(kept):
    source, folder, before, after = kept
    found = cross_table(source, folder, ["region", "tenure"])
    assert found.layers == []
    for counts, frame in ((found.before, before), (found.after, after)):
        region, tenure = (frame[name].fillna("(missing)") for name in ("region", "tenure"))
        for row, one in enumerate(found.categories[0]):
            for column, other in enumerate(found.categories[1]):
                assert counts[0][row][column] == ((region == one) & (tenure == other)).sum()


def test_a_third_column_makes_layers_that_add_up(kept):
    source, folder, *_ = kept
    layers = cross_table(source, folder, ["region", "tenure", "area"])
    whole = cross_table(source, folder, ["region", "tenure"])
    assert len(layers.before) == len(layers.layers) >= 2
    assert np.sum(layers.before, axis=0).tolist() == whole.before[0]
    assert np.sum(layers.after, axis=0).tolist() == whole.after[0]


@pytest.mark.parametrize("name", ["region", "tax"])
def test_a_column_with_itself_is_no_table_and_no_error(kept, name):
    source, folder, *_ = kept
    for found in (cross_table(source, folder, [name]), pair(source, folder, name, name)):
        assert (found.names, found.before, found.after) == ([name], [], [])


def test_numbers_are_put_into_fifths_of_the_original(kept):
    source, folder, before, _ = kept
    found = cross_table(source, folder, ["gross_income", "area"])
    known = before["gross_income"].dropna()
    edges = np.quantile(known, [0.2, 0.4, 0.6, 0.8])
    counts = np.histogram(known, [-np.inf, *np.nextafter(edges, -np.inf), np.inf])[0]
    rows = np.sum(found.before[0], axis=1).tolist()
    assert rows[:5] == counts.tolist()
    assert sum(rows) == 80
    assert np.sum(found.after) == 80


def test_many_categories_are_put_together(tmp_path):
    frame = pd.DataFrame({"code": [f"c{row % 30:02d}" for row in range(90)], "sex": list("ab") * 45})
    source, folder, _ = kept_attempt(tmp_path, frame, 3)
    found = cross_table(source, folder, ["code", "sex"])
    assert len(found.categories[0]) == 12
    assert found.categories[0][-1] == "(all others)"
    assert np.sum(found.before) == np.sum(found.after) == 90


def test_two_numbers_have_their_correlations_and_two_pictures(kept):
    source, folder, before, after = kept
    found = pair(source, folder, "gross_income", "tax")
    assert isinstance(found, PairView)
    both = before[["gross_income", "tax"]].notna().all(axis=1)
    for value, frame in ((found.correlation_before, before), (found.correlation_after, after)):
        assert value == pytest.approx(frame.loc[both, "gross_income"].corr(frame.loc[both, "tax"]), abs=1e-4)
    assert found.before.startswith("<svg") and found.after.startswith("<svg")
    assert isinstance(pair(source, folder, "region", "tax"), CrossTable)


def test_a_variable_has_its_values_of_both_files(kept):
    source, folder, before, after = kept
    found = variable(source, folder, "tenure")
    values = {name: (one, other) for name, one, other in found.values}
    assert values["different values"] == (str(before["tenure"].nunique()), str(after["tenure"].nunique()))
    assert values["missing"] == (str(before["tenure"].isna().sum()), "0")
    assert found.svg.startswith("<svg")
    income = {name: (one, other) for name, one, other in variable(source, folder, "tax").values}
    assert float(income["mean"][0].replace(",", "")) == pytest.approx(before["tax"].mean(), rel=0.01)


def test_a_column_that_is_not_released_is_named(kept):
    source, folder, *_ = kept
    with pytest.raises(ColumnError, match='The release has no column "household_id"'):
        variable(source, folder, "household_id")


def test_categories_of_a_table_have_the_labels_of_the_file(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1.0, 2.0] * 10, "area": [1.0, 1.0, 3.0, 3.0] * 5})
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(frame, path, variable_value_labels={"sex": {1.0: "female", 2.0: "male"}})
    source = {"path": str(path), "reading": {}}
    attempt(str(tmp_path / "attempt-1"), source, 3, {"seed": 1, "kinds": {"sex": "nominal", "area": "nominal"}})
    found = cross_table(source, str(tmp_path / "attempt-1"), ["sex", "area"])
    assert found.categories == [["female (1)", "male (2)"], ["1", "3"]]
    assert found.before[0] == [[5, 5], [5, 5]]
