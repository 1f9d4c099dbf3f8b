"""measure and report find the plan beside a release, put its rows in order by it, and say where they cannot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import run_shoal as run
from shoal.read.files import FORMATS

ENDINGS = [ending for ending, one in FORMATS.items() if one.writer is not None]
COLUMNS = ["age", "tax", "gross", "tenure"]  # names that fit every format
MEASURES = ["sse", "distance_linkage", "k_anonymity"]
DO_NOT_BELONG = "do not belong together"


def households(records: int, seed: int) -> pd.DataFrame:
    return shoal.datasets.households(records, seed=seed).rename(columns={"gross_income": "gross"})[COLUMNS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shoal.write_table(households(150, seed=5), tmp_path / "survey.csv")
    plan = shoal.protect(tmp_path / "survey.csv", 3, columns=COLUMNS, seed=1).plan
    plan.model_copy(update={"key": "5" * 32}).run().write(tmp_path / "masked.csv")  # the same order every time
    return tmp_path


def measured(folder: Path, *arguments: str) -> tuple[dict, str]:
    ran = run("measure", "survey.csv", "masked.csv", "--measures", "sse", "--json", *arguments, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)["utility"], ran.stderr


def refused(folder: Path, *arguments: str) -> str:
    ran = run("measure", "survey.csv", "masked.csv", "--quick", *arguments, cwd=folder)
    assert ran.returncode == 1
    return ran.stderr


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_of_every_format_measures_as_its_release_does(tmp_path, ending):
    shoal.write_table(households(150, seed=5), tmp_path / "survey.csv")
    release = shoal.protect(tmp_path / "survey.csv", 3, columns=COLUMNS)
    release.write(tmp_path / f"masked{ending}")
    arguments = ("measure", "survey.csv", f"masked{ending}", "--measures", ",".join(MEASURES), "--json")
    ran = run(*arguments, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    plan = f"masked{ending}.plan.toml"
    assert ran.stderr == f"shoal: the plan beside the release, {plan}, is used for the release. --no-plan ignores it.\n"
    found, expected = json.loads(ran.stdout), release.evaluate(measures=MEASURES).to_dict()
    for side in ("utility", "risk"):
        assert found[side] == pytest.approx(expected[side], rel=1e-9)


def test_a_report_finds_the_plan_too(folder):
    ran = run("report", "survey.csv", "masked.csv", "--json", "--quick", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["k"] == 3
    assert "masked.csv.plan.toml" in ran.stderr
    assert run("report", "survey.csv", "masked.csv", "--audience", "public", "-q", cwd=folder).stderr == ""


def test_without_the_plan_a_release_in_random_order_is_not_measured(folder):
    assert DO_NOT_BELONG in refused(folder, "--no-plan")
    assert measured(folder, "--no-plan", "--aligned")[0]["sse"] > measured(folder)[0]["sse"]
    (folder / "masked.csv.plan.toml").rename(folder / "elsewhere.toml")
    assert DO_NOT_BELONG in refused(folder)
    assert measured(folder, "--plan", "elsewhere.toml")[1] == ""


def test_options_decide_what_is_measured_and_the_plan_beside_only_the_order(folder):
    ran = run("measure", "survey.csv", "masked.csv", "--columns", "age,tax", "--quick", "--json", cwd=folder)
    assert json.loads(ran.stdout)["columns"] == ["age", "tax"]
    assert "the order of the rows alone, since --columns was given" in ran.stderr
    named = run("measure", "survey.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--columns", "age", cwd=folder)
    assert named.returncode == 2 and "--columns cannot change it" in named.stderr


def test_a_release_that_was_changed_is_noticed(folder):
    lines = (folder / "masked.csv").read_text().splitlines(keepends=True)
    (folder / "masked.csv").write_text("".join([*lines[:-1], lines[-2]]))
    error = refused(folder)
    assert "masked.csv has changed since it was written" in error and DO_NOT_BELONG in error
    _, error = measured(folder, "--plan", "masked.csv.plan.toml")  # its rows are where they were
    assert "masked.csv has changed since it was written" in error
    (folder / "masked.csv").write_text("".join([lines[0], *sorted(lines[1:])]))
    assert DO_NOT_BELONG in refused(folder, "--plan", "masked.csv.plan.toml")


def test_the_plan_of_another_release_is_not_used(folder):
    other = households(60, seed=6)
    with pytest.warns(shoal.errors.DisclosureWarning, match="in the order of the input"):
        shoal.protect(other, 3, columns=COLUMNS).write(folder / "masked.csv", keep_order=True, plan=None)
    shoal.write_table(other, folder / "survey.csv")
    _, error = measured(folder)
    assert "masked.csv.plan.toml is the plan of another release: of 150 records, not 60. It is not used." in error
    assert "is the plan of another release" in refused(folder, "--plan", "masked.csv.plan.toml")


def test_a_plan_beside_that_cannot_be_read_is_not_used(folder):
    (folder / "masked.csv.plan.toml").write_text("k = ")
    error = refused(folder)
    assert "is not TOML" in error and "It is not used." in error and DO_NOT_BELONG in error


def test_plans_from_before_there_was_a_key_align_their_files(folder):
    plan = shoal.Plan.from_toml(folder / "masked.csv.plan.toml")
    release = plan.run()
    shuffled, kept = (
        plan.output.model_copy(update={"sha256": None, "order": None, "shuffle": how, "extra_decimals": None})
        for how in (True, False)
    )

    def without_key(output):
        path = folder / "masked.csv.plan.toml"
        plan.model_copy(update={"output": output}).to_toml(path)
        lines = [line for line in path.read_text().splitlines() if not line.startswith("key = ")]
        path.write_text("\n".join(lines))

    order = np.random.default_rng([plan.seed, len(plan.blocks)]).permutation(150)
    shoal.write_table(release.data.iloc[order], folder / "masked.csv")
    without_key(shuffled)
    assert measured(folder)[0]["sse"] == pytest.approx(release.evaluate(measures=["sse"]).sse)
    shoal.write_table(release.data, folder / "masked.csv")
    without_key(kept)
    assert measured(folder)[0]["sse"] == pytest.approx(release.evaluate(measures=["sse"]).sse)
    ran = run("protect", "--plan", "masked.csv.plan.toml", "-o", "again.csv", cwd=folder)
    assert "in the order of the input" in ran.stderr
    assert (folder / "again.csv").read_bytes() == (folder / "masked.csv").read_bytes()


@pytest.mark.parametrize("how", ["another key", "no key", "in the order of the input"])
def test_a_changed_plan_does_not_make_a_release_look_safe(folder, how):
    path = folder / "masked.csv.plan.toml"
    lines = path.read_text().splitlines()
    if how == "in the order of the input":
        lines = [line.replace("keep_order = false", "keep_order = true") for line in lines]
    else:
        lines = [line for line in lines if not line.startswith("key = ")]
        if how == "another key":
            lines.insert(2, f'key = "{"0" * 32}"')
    path.write_text("\n".join(lines))
    for command in ("measure", "report"):
        ran = run(command, "survey.csv", "masked.csv", cwd=folder)
        assert ran.returncode != 0
        assert "does not give the order in which the release was written" in ran.stderr
