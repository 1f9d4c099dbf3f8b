"""The commands with --engine dask: folders in, the same texts and JSON out as on one machine."""

from __future__ import annotations

import hashlib
import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

import shoal
from command_line import run_shoal
from folders_of_parts import in_original_order, persons, protected, write_parts
from scale.running import InThisProcess
from shoal.measure import evaluation_schema


@pytest.fixture
def dask(monkeypatch):
    """Return the options of a cluster, whose tasks are carried out in this process."""
    monkeypatch.setattr("shoal.scale.cluster.Cluster", InThisProcess)
    return ["--engine", "dask", "--workers", 2]


def test_measure_finds_the_plan_beside_the_release(dask, cluster, tmp_path):
    source = write_parts(persons(400), tmp_path / "in", [150])
    release = protected(cluster, source, tmp_path / "out", missing="keep")
    ran = run_shoal("measure", source, release.path, "--json", "-o", tmp_path / "m.json", *dask)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found == json.loads((tmp_path / "m.json").read_text())
    assert found.keys() == set(evaluation_schema()["required"])
    names = ["information_loss", "k_anonymity", "interval_disclosure", "distance_linkage"]
    original, masked = pd.read_parquet(source), in_original_order(release, 400)
    facts = release.plan.facts
    expected = shoal.evaluate(original, masked, measures=names, aligned=True, **facts).to_dict()
    assert found["utility"]["information_loss"] == pytest.approx(expected["utility"]["information_loss"])
    assert {name: found["risk"][name] for name in expected["risk"]} == pytest.approx(expected["risk"])
    text = run_shoal("measure", source, release.path, *dask)
    assert "in and out: 9 columns of 400 records" in text.stdout
    assert "left out: clustering_similarity, is not measured on a cluster" in text.stdout
    assert "the plan beside the release" in text.stderr


def test_check_exits_with_1_where_a_record_breaks_a_rule(dask, tmp_path):
    table = persons(200)
    source = write_parts(table, tmp_path / "in", [80])
    rules = tmp_path / "rules.txt"
    rules.write_text("age >= 18\n")
    ran = run_shoal("check", source, "--edits", rules, "--json", *dask)
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout)["rules"][0]["broken"] == int((table["age"] < 18).sum())
    rules.write_text("age >= 0\n")
    assert run_shoal("check", source, "--edits", rules, *dask).returncode == 0
    refused = run_shoal("check", source, "--suggest", *dask)
    assert refused.returncode == 2 and "--suggest is not there with --engine dask" in refused.stderr


def test_risk_prints_what_it_counts_and_that_suda_is_not_there(dask, tmp_path):
    table = persons(200)
    source = write_parts(table, tmp_path / "in", [80])
    table.to_parquet(tmp_path / "in.parquet")
    options = ["--keys", "sex,level,code", "--weights", "weight", "--unit", "home"]
    ran = run_shoal("risk", source, *options, *dask)
    alone = run_shoal("risk", tmp_path / "in.parquet", *options)
    assert ran.returncode == 0, ran.stderr
    ours, theirs = ran.stdout.splitlines(), alone.stdout.splitlines()
    shared = [line for line in ours if not line.startswith(("special uniques", str(source)))]
    rest = iter(theirs)
    assert all(line in rest for line in shared)  # in their order; SUDA has lines of its own between them
    assert "SUDA is not computed on a cluster" in ran.stdout
    refused = run_shoal("risk", source, *options, "--riskiest", "5", *dask)
    assert refused.returncode == 2 and "--riskiest is not there with --engine dask" in refused.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--engine", "spark"], 'There is no engine "spark"'),
        (["--workers", "2"], "--workers needs --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "--workers", "2"], "workers and memory are for"),
    ],
)
def test_what_does_not_fit_together_is_refused(options, problem, tmp_path):
    source = write_parts(persons(30), tmp_path / "in", [])
    ran = run_shoal("risk", source, *options)
    assert ran.returncode == 2
    assert problem in ran.stderr


@pytest.fixture(scope="module")
def made(cluster, tmp_path_factory):
    """A folder and its release; the commands run in other folders than the workers."""
    folder = tmp_path_factory.mktemp("commands")
    source = write_parts(persons(400), folder / "in", [150])
    return source, protected(cluster, source, folder / "out", missing="keep")


def test_report_writes_the_internal_and_the_public_page_of_a_release_in_parts(dask, made, tmp_path):
    source, release = made
    page = tmp_path / "internal.html"
    ran = run_shoal("report", source, release.path, "-o", page, *dask)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == f"written to {page}"
    assert f"{release.headline['uniques']:,} " in ran.stdout
    assert "the plan beside the release" in ran.stderr
    assert page.stat().st_mode & 0o077 == 0  # it shows the original
    assert "Protection of in" in page.read_text()
    public = tmp_path / "public.html"
    ran = run_shoal("report", source, release.path, "--audience", "public", "--json", "-o", public, *dask)
    assert ran.returncode == 0, ran.stderr
    head = json.loads(ran.stdout)["headline"]
    assert (head["records"], head["k"]) == (400, None)  # fewer than k are alike, and how few is not published
    assert "Distributions and correlations are of a sample of the rows" in public.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["internal.html", "public.html"]


def test_report_takes_columns_where_there_is_no_plan(dask, tmp_path):
    table = persons(200)[["age", "rent", "sex"]].fillna({"rent": 1.0, "sex": "f"})
    source, same = write_parts(table, tmp_path / "in", [80]), write_parts(table, tmp_path / "same", [])
    ran = run_shoal("report", source, same, "--columns", "age,rent", "--json", *dask, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    variables = json.loads(ran.stdout)["variables"]
    assert [one["name"] for one in variables if one["protected"]] == ["age", "rent"]
    assert not list(tmp_path.glob("*.html"))
    refused = run_shoal("report", source, same, "--audience", "public", *dask, cwd=tmp_path)
    assert refused.returncode == 2 and "name the plan too" in refused.stderr


@pytest.mark.parametrize(
    ("output", "problem"), [("in/r.html", "which is read"), ("out.plan.toml", "out.plan.toml"), ("none/r.html", "none")]
)
@pytest.mark.parametrize("command", ["report", "measure"])
def test_what_is_read_is_not_overwritten(command, output, problem, dask, made):
    source, release = made
    ran = run_shoal(command, source, release.path, "-o", source.parent / output, *dask)
    assert ran.returncode == 1
    assert problem in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_protect_writes_a_report_with_the_release(dask, made, tmp_path):
    source, _ = made
    ran = run_shoal(
        "protect", source, "-k", 5, "-o", "out", "--missing", "keep", "--report", "r.html", "--block-records", 200,
        *dask, cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "not for publication" in ran.stdout.splitlines()[-1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.plan.toml", "r.html"]
    assert "Distributions and correlations are of a sample" in (tmp_path / "r.html").read_text()
    again = run_shoal("protect", source, "-k", 5, "-o", "out", "--report", "out.plan.toml", *dask, cwd=tmp_path)
    assert again.returncode == 1 and "cannot be both the plan and the report" in again.stderr


def test_a_release_that_has_changed_is_known_by_the_digest_in_its_plan(dask, cluster, tmp_path):
    source = write_parts(persons(400), tmp_path / "in", [150])
    release = protected(cluster, source, tmp_path / "out", missing="keep", block_records=200)
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(release.path.iterdir())]
    assert len(digests) == 2
    assert release.plan.output.sha256 == hashlib.sha256("\n".join(digests).encode()).hexdigest()
    plan = tmp_path / "out.plan.toml"
    assert shoal.Plan.from_toml(plan).output == release.plan.output
    one = sorted(release.path.iterdir())[0]
    pq.write_table(pq.read_table(one), one, compression="gzip")  # the same values in another file
    for command in ("measure", "report"):
        ran = run_shoal(command, source, release.path, "--json", *dask)
        assert ran.returncode == 1  # rows are in no order that is known
        assert "has changed since it was written" in ran.stderr
        assert "It is not used" in ran.stderr
    named = run_shoal("measure", source, release.path, "--plan", plan, "--json", *dask)
    assert named.returncode == 0, named.stderr
    assert "has changed since it was written" in named.stderr


def test_a_plan_with_another_key_is_refused(dask, made, tmp_path):
    source, release = made
    other = release.plan.model_copy(update={"key": "0" * 32})
    other.to_toml(tmp_path / "other.toml")
    ran = run_shoal("measure", source, release.path, "--plan", tmp_path / "other.toml", *dask)
    assert ran.returncode == 2
    assert "does not give the order in which the release was written" in ran.stderr
