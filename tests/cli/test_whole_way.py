"""From the raw file of a household survey to its release: one job file, one command, counted by hand."""

from __future__ import annotations

import shutil

import pandas as pd
import pytest

from command_line import run_shoal as run

JOB = """
file = "testdata.csv"
output = "released.csv"
report = "report.html"
k = 5
unit = "ori_hid"
weights = "sampling_weight"
categories = "suppress"
edits = ["income >= 0", "savings >= 0", "expend > 0", "if relat == 1 then sex in (1, 2)"]
seed = 1

[recodes]
age = "bands:width=20,top=60"

[roles]
household_weights = "identifier"
"""
OF_HOUSEHOLDS = ["urbrur", "roof", "walls", "water", "electcon"]
OF_PERSONS = ["relat", "sex", "age", "hhcivil"]
AMOUNTS = ["expend", "income", "savings"]


@pytest.fixture(scope="module")
def released(reference_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    shutil.copy(reference_data("testdata.csv"), folder)
    (folder / "job.toml").write_text(JOB)
    ran = run("protect", "--job", "job.toml", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return folder, ran.stdout, pd.read_csv(folder / "released.csv")


def test_every_combination_is_that_of_k_households(released):
    _, said, data = released
    alike = data.groupby([*OF_HOUSEHOLDS, *OF_PERSONS, *AMOUNTS], dropna=False)["ori_hid"].nunique()
    assert alike.min() == 5
    assert said.startswith("k           5: at least 5 different units are behind every combination of values")
    assert len(data) == 4580 and data["ori_hid"].nunique() == 1000


def test_households_stay_whole(released):
    folder, _, data = released
    original = pd.read_csv(folder / "testdata.csv")
    assert (data.groupby("ori_hid")[OF_HOUSEHOLDS].nunique(dropna=False) == 1).all(axis=None)
    assert sorted(data.groupby("ori_hid").size()) == sorted(original.groupby("ori_hid").size())


def test_keys_are_true_or_missing_and_amounts_are_averages(released):
    folder, _, data = released
    original = pd.read_csv(folder / "testdata.csv")
    for name in [*OF_HOUSEHOLDS, "relat", "sex", "hhcivil"]:
        lost = data[name].isna().sum()
        before, after = original[name].value_counts(), data[name].value_counts()
        assert (after <= before.reindex(after.index)).all() and before.sum() - after.sum() == lost
        assert lost < len(data) / 4
    assert set(data["age"].dropna()) <= {"0-19", "20-39", "40-59", "60+"}
    assert data["income"].nunique() < original["income"].nunique()
    assert data["income"].sum() == pytest.approx(original["income"].sum())


def test_rules_hold_and_the_plan_repeats_the_release(released):
    folder = released[0]
    (folder / "rules.txt").write_text("income >= 0\nsavings >= 0\nexpend > 0\nif relat == 1 then sex in (1, 2)\n")
    assert run("check", "released.csv", "--edits", "rules.txt", cwd=folder).returncode == 0
    assert run("protect", "--plan", "released.csv.plan.toml", "-o", "again.csv", cwd=folder).returncode == 0
    assert (folder / "again.csv").read_bytes() == (folder / "released.csv").read_bytes()
    assert (folder / "report.html").stat().st_size > 10_000
