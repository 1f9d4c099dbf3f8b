"""Recodes on the command line: given as text, tried out, repeated, and known to measure and report."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.cli.options import read_options
from shoal.errors import DisclosureWarning

RNG = np.random.default_rng(5)


@pytest.fixture
def people(tmp_path):
    frame = pd.DataFrame(
        {
            "age": RNG.integers(0, 95, 150),
            "rel": RNG.choice(["head", "wife", "son", "aunt"], 150, p=[0.5, 0.3, 0.17, 0.03]),
            "income": np.where(RNG.random(150) < 0.1, -9, RNG.integers(100, 900, 150)),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


RECODES = [
    "--recode",
    "age=bands:width=10,top=80",
    "--recode",
    "rel=merge:family=[wife,son]",
    "--recode",
    "rel=merge:rare=20",
]
OPTIONS = [*RECODES, "--missing-codes", "income=-9", "--missing", "fill", "--seed", "1"]


def test_a_release_with_recodes(people):
    ran = run_shoal("protect", people, "-k", 4, *OPTIONS, "-o", people.with_name("masked.csv"))
    assert ran.returncode == 0, ran.stderr
    lines = [line for line in ran.stdout.splitlines() if line.startswith("recode")]
    assert [line.split()[1] for line in lines] == ["age:", "rel:", "all"]
    assert "values to" in lines[0] and "records below k over the keys" in lines[0]
    masked = pd.read_csv(people.with_name("masked.csv"))
    assert set(masked["rel"]) <= {"head", "family", "other"} and masked["income"].min() > 0
    written = people.with_name("masked.csv").read_bytes()
    assert run_shoal("protect", "--plan", people.with_name("masked.csv.plan.toml")).returncode == 0
    assert people.with_name("masked.csv").read_bytes() == written


def test_measure_and_report_apply_the_recodes_of_the_plan(people):
    masked = people.with_name("masked.csv")
    run_shoal("protect", people, "-k", 4, *OPTIONS, "-o", masked)
    release = shoal.Plan.from_toml(f"{masked}.plan.toml").run()
    measured = json.loads(run_shoal("measure", people, masked, "--json").stdout)
    expected = json.loads(json.dumps(release.in_file(masked)[0].evaluate().to_dict()))
    assert measured["utility"] == expected["utility"] and measured["risk"] == expected["risk"]
    page = people.with_name("report.html")
    assert run_shoal("report", people, masked, "--audience", "public", "-o", page).returncode == 0
    assert "bands:width=10,top=80" in page.read_text() and "aunt" not in page.read_text()


def test_measure_and_report_apply_the_recodes_of_every_step(people):
    masked = people.with_name("masked.csv")
    job = people.with_name("job.toml")
    job.write_text(
        'file = "people.csv"\noutput = "masked.csv"\nk = 4\nseed = 1\ncolumns = ["income"]\n'
        '[[then]]\nrecodes = {age = "bands:width=10,top=80"}\n[[then]]\ncolumns = ["rel"]\nreplace = "pram"\n'
    )
    ran = run_shoal("protect", "--job", job)
    lines = {line[:12].strip(): line[12:] for line in ran.stdout.splitlines()}
    assert lines["recode"].startswith("age: ") and "by bands:width=10,top=80" in lines["recode"]
    assert lines["protected"].startswith("3 of 3 columns of 150 records: ")  # pram changed one of them
    release = shoal.Plan.from_toml(f"{masked}.plan.toml")
    with pytest.warns(DisclosureWarning):
        expected = json.loads(json.dumps(release.run().evaluate().to_dict()))
    measured = json.loads(run_shoal("measure", people, masked, "--json").stdout)
    assert measured["utility"] == expected["utility"] and measured["risk"] == expected["risk"]
    assert run_shoal("report", people, masked, "-o", people.with_name("report.html")).returncode == 0


def test_without_a_plan_columns_with_other_values_are_named(people):
    masked = people.with_name("masked.csv")
    run_shoal("protect", people, "-k", 4, *OPTIONS, "-o", masked)
    ran = run_shoal("measure", people, masked, "--no-plan", "--columns", "income")
    assert ran.stderr.count("No value of age is in both files") == 1


def test_a_dry_run_prints_what_recodes_do_and_writes_nothing(people, tmp_path):
    ran = run_shoal("protect", people, "-k", 4, *OPTIONS, "--dry-run", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["150", "values", "as", "age", "rel", "all"]
    assert [one.name for one in tmp_path.iterdir()] == ["people.csv"]
    assert run_shoal(
        "protect", people, "-k", 4, "--missing-codes", "income=-9", "--dry-run", "--missing", "fill"
    ).stdout


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--recode", "agee=bands"], 'recodes names "agee", which is no column. Did you mean "age"'),
        (["--recode", "bands"], "--recode wants COLUMN=RECODE"),
        (["--recode", "age="], "--recode wants COLUMN=RECODE"),
        (["--recode", "age=bands:width=0"], "width must be a number above 0"),
        (["--recode", "rel=bands"], 'recode "bands" is for numbers'),
        (["--missing-codes", "income"], "--missing-codes wants COLUMN=VALUE,VALUE"),
    ],
)
def test_mistakes_are_one_line(people, options, problem):
    ran = run_shoal("protect", people, "-k", 4, *options)
    assert ran.returncode != 0 and problem in ran.stderr and ran.stderr.count("\n") <= 2


def test_texts_of_options():
    typed = {
        "recodes": ["a=b=bands:width=5", "a=round", "a=round:to=9"],
        "missing_codes": ["*=-1", 'x=-9,"a,b"', "x=7"],
    }
    assert read_options(typed, ["a", "a=b", "x"]) == {
        "recodes": {"a=b": ["bands:width=5"], "a": ["round", "round:to=9"]},
        "missing_codes": {"*": ["-1"], "x": ["-9", "a,b", "7"]},
    }
