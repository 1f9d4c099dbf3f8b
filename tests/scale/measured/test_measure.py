"""What is measured on a cluster is what `shoal.evaluate` measures with both files in memory."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal
from folders_of_parts import assert_same, in_original_order, persons, protected, write_parts
from shoal.errors import DataError, DescriptionWarning, ParameterError, PlanError
from shoal.scale.measured.measure import measure_parts

RECORDS = 600
CASES = {
    "everything": {"missing": "keep", "kinds": {"code": "nominal"}},
    "some columns as they are": {
        "columns": ["income", "rent", "age", "spent"],
        "as_is": ["sex", "level"],
        "missing": "keep",
        "roles": {"code": "identifier", "home": "identifier", "weight": "identifier"},
    },
    "weights and units": {
        "missing": "keep",
        "roles": {"weight": "weight", "home": "unit"},
        "kinds": {"code": "ordinal"},
    },
    "recoded": {
        "missing": "fill",
        "recodes": {"age": shoal.recode.Bands(width=10)},
        "roles": {"home": "identifier", "weight": "identifier"},
    },
}


def in_memory(original, masked, evaluation, facts, **asked):
    """Measure the same with both files in memory, and nothing else."""
    names = [*evaluation.measured, *evaluation.not_applicable]
    return shoal.evaluate(original, masked, measures=names, aligned=True, **facts, **asked)


def without_reasons(evaluation):
    plain = evaluation.to_dict()
    del plain["left_out"]
    return plain


@pytest.mark.parametrize("case", CASES)
def test_a_release_is_measured_as_in_memory(case, cluster, tmp_path):
    table = persons(RECORDS)
    source = write_parts(table, tmp_path / "in", [200, 410])
    release = protected(cluster, source, tmp_path / "out", **CASES[case])
    evaluation = measure_parts(source, release.path, cluster, plan=release.plan, boundaries=16, chunk_rows=130)
    original, masked = pd.read_parquet(source), in_original_order(release, RECORDS)
    if release.plan.recodes:
        from shoal.flow.recoding.asked import recoded_by_plan
        from shoal.read import as_table

        original = recoded_by_plan(release.plan, as_table(original)).table
    expected = in_memory(original, masked, evaluation, release.plan.facts)
    assert_same(without_reasons(evaluation), without_reasons(expected))
    assert evaluation.headline == pytest.approx(release.headline)
    json.dumps(evaluation.to_dict())


@pytest.mark.parametrize(("cuts", "chunk_rows", "boundaries"), [([], 1000, 65_536), ([100, 101, 350], 60, 4)])
def test_neither_parts_nor_chunks_nor_boundaries_change_what_is_measured(
    cuts, chunk_rows, boundaries, cluster, tmp_path
):
    table, masked = persons(RECORDS), persons(RECORDS)
    masked["income"] = masked["income"].round(-1)
    masked["rent"] = masked["rent"].fillna(3.0)
    masked.loc[::7, "sex"] = None
    columns = ["income", "rent", "age", "sex", "level"]
    source = write_parts(table[columns], tmp_path / "in", cuts, row_group=170)
    out = write_parts(masked[columns], tmp_path / "out", [250])
    evaluation = measure_parts(source, out, cluster, boundaries=boundaries, chunk_rows=chunk_rows)
    expected = in_memory(table[columns], masked[columns], evaluation, {})
    assert_same(without_reasons(evaluation), without_reasons(expected))


@pytest.mark.parametrize("options", [{"kind": "sd"}, {"kind": "relative"}, {"kind": "rank", "width": 3}])
def test_interval_disclosure_has_its_options(options, cluster, tmp_path):
    table = persons(RECORDS)[["income", "rent", "age"]]
    masked = table.assign(income=table["income"].round(0), rent=table["rent"] + 0.2, age=table["age"] // 5 * 5)
    source, out = write_parts(table, tmp_path / "in", [99]), write_parts(masked, tmp_path / "out", [])
    asked = {"measures": ["interval_disclosure"], "options": {"interval_disclosure": options}}
    found = measure_parts(source, out, cluster, boundaries=8, chunk_rows=150, **asked).interval_disclosure
    expected = shoal.measure.interval_disclosure(table, masked, **options)
    assert found == pytest.approx(expected, rel=1e-12)
    assert found.by_column == pytest.approx(expected.by_column)


def test_constant_and_empty_columns_are_measured_as_in_memory(cluster, tmp_path):
    random = np.random.default_rng(3)
    table = pd.DataFrame({"x": random.normal(size=80), "same": 4.0, "lost": random.normal(size=80), "word": "a"})
    masked = table.assign(x=table["x"].round(1), same=[4.0, 5.0] * 40, lost=2.5)
    source, out = write_parts(table, tmp_path / "in", [31]), write_parts(masked, tmp_path / "out", [50])
    evaluation = measure_parts(source, out, cluster, boundaries=8, chunk_rows=20)
    assert_same(without_reasons(evaluation), without_reasons(in_memory(table, masked, evaluation, {})))


def test_a_plan_of_another_file_is_refused(cluster, tmp_path):
    table = persons(RECORDS)[["income", "spent", "age"]].fillna(0)
    source = write_parts(table, tmp_path / "in", [200])
    release = protected(cluster, source, tmp_path / "out")
    other = write_parts(table.assign(age=table["age"] + 1), tmp_path / "other", [200])
    with pytest.raises(PlanError, match="not the file that the plan was made for"):
        measure_parts(other, release.path, cluster, plan=release.plan)
    again = protected(cluster, source, tmp_path / "again", block_records=100)  # more parts
    changed = pytest.warns(DescriptionWarning, match="the plan is of another release")
    with changed, pytest.raises(PlanError, match="other numbers of rows"):
        measure_parts(source, again.path, cluster, plan=release.plan)
    shorter = write_parts(table.iloc[:-1], tmp_path / "shorter", [])
    with pytest.raises(DataError, match="same records"):
        measure_parts(shorter, release.path, cluster)


def test_rows_that_do_not_belong_together_are_refused(cluster, tmp_path):
    table = persons(RECORDS)[["income", "spent", "age"]].fillna(0)
    source = write_parts(table, tmp_path / "in", [])
    out = write_parts(table.sample(frac=1, random_state=1), tmp_path / "out", [])
    with pytest.raises(DataError, match="do not belong together"):
        measure_parts(source, out, cluster)
    assert measure_parts(source, out, cluster, aligned=True, measures=["sse"]).sse > 0


def test_options_that_a_cluster_does_not_have_are_refused(cluster):
    with pytest.raises(ParameterError, match="distance_linkage is measured with its default options"):
        measure_parts("in", "out", cluster, options={"distance_linkage": {"ties": "any"}})


def test_nothing_is_left_beside_what_was_measured(cluster, tmp_path):
    table = persons(RECORDS)[["income", "age"]].fillna(0)
    source, out = write_parts(table, tmp_path / "in", []), write_parts(table, tmp_path / "out", [])
    measure_parts(source, out, cluster, measures=["unchanged"])
    with pytest.raises(DataError):
        measure_parts(source, write_parts(table.iloc[::-1], tmp_path / "reversed", []), cluster)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in", "out", "reversed"]
