"""Reports of what was measured on a cluster: whole measures, a sample of rows that is called one."""

from __future__ import annotations

import pytest

import shoal
from folders_of_parts import assert_same, in_original_order, persons, protected, write_parts
from shoal.errors import ParameterError
from shoal.report.facts.collect import summarize_files
from shoal.scale.measured.report import report_parts


@pytest.fixture(scope="module")
def made(cluster, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reported")
    table = persons(500)[["income", "rent", "age", "spent", "sex", "level"]].fillna(
        {"income": 40, "rent": 2, "sex": "m"}
    )
    table["few"] = [0.0] * 495 + [1.0] * 5  # statistics of it are not published
    source = write_parts(table, folder / "in", [200])
    return table, source, protected(cluster, source, folder / "out", edits=["rent <= income + 100"])


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_facts_are_those_of_the_files_in_memory(audience, made, cluster, tmp_path):
    table, source, release = made
    page = tmp_path / "report.html"
    found = report_parts(source, release.path, cluster, page, plan=release.plan, audience=audience, chunk_rows=110)
    masked = in_original_order(release, len(table))
    names = [
        name for name in shoal.measure.MEASURES if name not in found.left_out or "cluster" not in found.left_out[name]
    ]
    facts = release.plan.facts
    evaluation = shoal.evaluate(table, masked, measures=names, aligned=True, **facts)
    expected = summarize_files(
        shoal.read.as_table(table), shoal.read.as_table(masked), evaluation, release.plan, audience
    )
    ours, theirs = found.to_dict(), expected.to_dict()
    names = ("headline", "verdict", "records", "variables", "rules", "correlations", "moments", "k_holds")
    assert_same({name: ours[name] for name in names}, {name: theirs[name] for name in names})
    for one, other in zip(ours["measures"], theirs["measures"], strict=True):
        assert one["name"] == other["name"]
        assert one["value"] == pytest.approx(other["value"], rel=1e-9, abs=1e-9)
    assert "Distributions and correlations are of a sample" in page.read_text()


def test_a_public_report_needs_the_plan(made, cluster, tmp_path):
    table, source, _ = made
    same = write_parts(table, tmp_path / "same", [])
    with pytest.raises(ParameterError, match="name the plan"):
        report_parts(source, same, cluster, audience="public")
